/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of a pipeline. */
#include "args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <weir/utf8.h>

#include "extra.h"
#include "param.h"

struct args {
	struct pipeline *pipeline;
	struct diag *diag;
	int argc;
	char **argv;
	struct place *places; /* of each word */
	int next;
	uint32_t position; /* in params: where the next word by position belongs */
};

/* One option as written. */
struct word {
	char *name;               /* of the parameter: "min_wait" for --min-wait */
	const char *value;        /* behind '='; NULL: none */
	struct place place;       /* of the whole word */
	struct place value_place; /* of what is behind '=' */
};

/* Writes the command line as one line, and remembers where its words are. */
static int write_text(struct args *args)
{
	const struct diag_text *text;
	char *bytes;
	size_t size;
	uint32_t column;
	FILE *out = open_memstream(&bytes, &size);

	if (!out)
		return -ENOMEM;
	fprintf(out, "weir %s", args->pipeline->name);
	column = 6 + weir_utf8_count(args->pipeline->name, strlen(args->pipeline->name));
	for (int i = 0; i < args->argc; i++) {
		uint32_t length = weir_utf8_count(args->argv[i], strlen(args->argv[i]));

		fputc(' ', out);
		for (const char *p = args->argv[i]; *p; p++)
			fputc(*p == '\n' ? ' ' : *p, out);
		args->places[i] = (struct place){ NULL, 1, column + 1, length ? length : 1 };
		column += length + 1;
	}
	if (fclose(out) != 0)
		return -ENOMEM;
	text = diag_add_text(args->diag, "command line", bytes, size);
	for (int i = 0; i < args->argc; i++)
		args->places[i].text = text;
	return text ? 0 : -ENOMEM;
}

static int unknown(struct args *args, const struct word *word, const char *written)
{
	/* The word behind it is its value, most likely: no error of its own. */
	if (!word->value && args->next < args->argc && args->argv[args->next][0] != '-')
		args->next++;
	return extra_unknown(args->pipeline, word->name, written, &word->place, args->diag);
}

/* What is no parameter may be an option of the sink, which is not known yet. */
static int set_extra(struct args *args, const struct word *word, const char *written)
{
	struct extra extra = { .name = word->name,
			       .value = (char *)word->value,
			       .place = word->place,
			       .value_place = word->value_place };

	if (!extras_wanted(args->pipeline))
		return unknown(args, word, written);
	if (!extra.value && args->next < args->argc && args->argv[args->next][0] != '-') {
		extra.value_place = args->places[args->next];
		extra.value = args->argv[args->next++];
	}
	if (!extra.value)
		extra.value = (char *)"true";
	return extra_add(args->pipeline, &extra);
}

/* The next word as the value of a parameter; NULL, with an error, where there is none. */
static const char *take_value(struct args *args, const struct param *param, const struct word *word,
			      struct place *place)
{
	const char *value = args->next < args->argc ? args->argv[args->next] : NULL;

	if (!value || strncmp(value, "--", 2) == 0) {
		diag_error(args->diag, &word->place, "--%s needs a value", param->name);
		return NULL;
	}
	*place = args->places[args->next++];
	return value;
}

/* --name, --no-name: the bool that is meant, or NULL. */
static struct param *find_negated(const struct args *args, const char *name)
{
	struct param *param = NULL;

	if (strncmp(name, "no_", 3) == 0)
		param = param_find(args->pipeline, name + 3);
	return param && param->type == PARAM_BOOL ? param : NULL;
}

static int set_option(struct args *args, const struct word *word, const char *written)
{
	struct param *param = param_find(args->pipeline, word->name);
	struct param *negated = param ? NULL : find_negated(args, word->name);
	struct place place = word->value_place;
	const char *value = word->value;

	if (negated && value)
		return diag_error(args->diag, &word->place, "--no-%s takes no value",
				  negated->name);
	if (negated)
		return param_set(negated, "false", &word->place, args->diag);
	if (!param)
		return set_extra(args, word, written);
	if (!value && param->type == PARAM_BOOL)
		return param_set(param, "true", &word->place, args->diag);
	if (!value)
		value = take_value(args, param, word, &place);
	return value ? param_set(param, value, &place, args->diag) : -EINVAL;
}

/* Takes "--min-wait=1ms" apart. word->name is malloc'd. */
static int word_init(struct word *word, const char *written, const struct place *place)
{
	const char *name = written + strspn(written, "-");
	size_t size = strcspn(name, "=");
	uint32_t before;

	*word = (struct word){ .place = *place, .value_place = *place };
	word->name = strndup(name, size);
	if (!word->name)
		return -ENOMEM;
	for (char *p = word->name; *p; p++)
		if (*p == '-')
			*p = '_';
	if (name[size] != '=')
		return 0;
	word->value = name + size + 1;
	before = weir_utf8_count(written, (size_t)(word->value - written));
	word->value_place.column += before;
	word->value_place.length = place->length > before ? place->length - before : 1;
	word->place.length = before - 1;
	return 0;
}

static int take_option(struct args *args, int i)
{
	const char *written = args->argv[i];
	const char *full = strcmp(written, "-o") == 0   ? "--output"
			   : strcmp(written, "-h") == 0 ? "--help"
							: written;
	struct word word;
	int err = word_init(&word, full, &args->places[i]);

	if (err)
		return err;
	if (strncmp(full, "--", 2) == 0)
		err = set_option(args, &word, written);
	else
		err = unknown(args, &word, written);
	free(word.name);
	return err;
}

static int take_position(struct args *args, int i)
{
	struct pipeline *pipeline = args->pipeline;

	while (args->position < pipeline->param_count &&
	       !pipeline->params[args->position].positional)
		args->position++;
	if (args->position == pipeline->param_count)
		return diag_error(
			args->diag, &args->places[i],
			"%s does not know what to do with \"%s\"; --help lists its options",
			pipeline->name, args->argv[i]);
	return param_set(&pipeline->params[args->position++], args->argv[i], &args->places[i],
			 args->diag);
}

static int take_command(struct args *args, int i)
{
	if (args->next == args->argc)
		return diag_error(args->diag, &args->places[i], "a command is expected after --");
	args->pipeline->run.command = args->argv + args->next;
	args->next = args->argc;
	return 0;
}

static int take_words(struct args *args)
{
	int err = 0;

	while (args->next < args->argc) {
		int i = args->next++;
		const char *word = args->argv[i];
		int wrong;

		if (strcmp(word, "--") == 0)
			wrong = take_command(args, i);
		else if (word[0] == '-' && word[1] != '\0')
			wrong = take_option(args, i);
		else
			wrong = take_position(args, i);
		if (wrong == -ENOMEM)
			return wrong;
		err = wrong ? wrong : err;
	}
	return err;
}

int args_read(struct pipeline *pipeline, int argc, char **argv, struct diag *diag)
{
	struct args args = { .pipeline = pipeline, .diag = diag, .argc = argc, .argv = argv };
	int err;

	if (argc == 0)
		return 0;
	args.places = calloc((size_t)argc, sizeof(*args.places));
	if (!args.places)
		return -ENOMEM;
	err = write_text(&args);
	if (!err)
		err = take_words(&args);
	free(args.places);
	return err;
}

int pipeline_command(int argc, char **argv)
{
	int i = 0;

	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i;
}
