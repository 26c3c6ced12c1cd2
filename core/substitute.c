/* SPDX-License-Identifier: BSD-2-Clause */
/* ${x}, ${env:X}, ${x:-default} and $$ in the values of a tree. */
#include "substitute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <weir/utf8.h>

#include "param.h"

/* One reference, as it stands in a text. */
struct reference {
	char *name;     /* without "env:" */
	char *fallback; /* behind ":-"; NULL: none */
	bool env;
	size_t size; /* from "${" to "}" */
};

static void reference_clear(struct reference *reference)
{
	free(reference->name);
	free(reference->fallback);
}

/* Takes a reference apart. 0, -EINVAL (it has no end) or -ENOMEM. */
static int reference_init(struct reference *reference, const char *text)
{
	const char *end = strchr(text, '}');
	const char *start = text + 2;
	const char *name_end;

	*reference = (struct reference){ .size = strlen(text) };
	if (!end)
		return -EINVAL;
	reference->size = (size_t)(end - text) + 1;
	reference->env = strncmp(start, "env:", 4) == 0;
	if (reference->env)
		start += 4;
	name_end = memmem(start, (size_t)(end - start), ":-", 2);
	if (name_end) {
		reference->fallback = strndup(name_end + 2, (size_t)(end - name_end) - 2);
		if (!reference->fallback)
			return -ENOMEM;
	} else {
		name_end = end;
	}
	reference->name = strndup(start, (size_t)(name_end - start));
	return reference->name ? 0 : -ENOMEM;
}

/* The n-th "${" of the source from a scalar's place on; NULL: not written like that there. */
static const char *find_in_source(const struct place *place, uint32_t n, const char **line)
{
	const char *at = place->text->bytes;

	for (uint32_t i = 1; i < place->line && at; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	*line = at;
	for (uint32_t i = 1; i < place->column && at && *at; i++) {
		uint32_t code;
		size_t length = weir_utf8_next(at, 4, &code);

		at += length ? length : 1;
	}
	for (at = at ? strstr(at, "${") : NULL; at && n; n--)
		at = strstr(at + 2, "${");
	return at;
}

/* What is being substituted, and where. */
struct work {
	const struct pipeline *pipeline;
	struct diag *diag;
	const struct tree *scalar;
};

/* Where the reference at `at` in the scalar's text stands in the file. */
static struct place reference_place(const struct work *work, const char *at, size_t size)
{
	const struct tree *scalar = work->scalar;
	struct place place = scalar->place;
	const char *line;
	const char *source;
	uint32_t before = 0;

	/* The search takes time, and so many errors are not shown anyway. */
	if (!place.text || diag_count(work->diag) > DIAG_KEPT_MAX)
		return place;
	for (const char *p = scalar->text; (p = strstr(p, "${")) && p < at; p += 2)
		before++;
	source = find_in_source(&place, before, &line);
	if (!source)
		return place;
	for (const char *p; (p = memchr(line, '\n', (size_t)(source - line))); line = p + 1)
		place.line++;
	place.column = weir_utf8_count(line, (size_t)(source - line)) + 1;
	place.length = weir_utf8_count(at, size);
	return place;
}

static int fail_unset(const struct work *work, const struct reference *reference, const char *at)
{
	struct place place = reference_place(work, at, reference->size);
	const char *nearest;

	if (reference->env)
		return diag_error(work->diag, &place,
				  "the environment has no %s: set it, or write ${env:%s:-default}",
				  reference->name, reference->name);
	if (param_find(work->pipeline, reference->name))
		return diag_error(work->diag, &place,
				  "parameter \"%s\" has no value: give --%s, or a default",
				  reference->name, reference->name);
	nearest = param_nearest(work->pipeline, reference->name);
	return diag_error(work->diag, &place, "there is no parameter \"%s\"%s%s%s", reference->name,
			  nearest ? "; did you mean \"" : "; $$ is a plain $",
			  nearest ? nearest : "", nearest ? "\"?" : "");
}

/* As in a shell, ":-" also stands in for what is empty. */
static const char *choose(const char *value, const char *fallback)
{
	return fallback && (!value || !value[0]) ? fallback : value;
}

/* The value of a reference; NULL: not set. */
static const char *look_up(const struct work *work, const struct reference *reference)
{
	struct param *param;
	const char *value;

	if (reference->env)
		return choose(getenv(reference->name), reference->fallback);
	param = param_find(work->pipeline, reference->name);
	if (!param)
		return NULL;
	param->used = true;
	value = choose(param_value(param), reference->fallback);
	if (value || !work->pipeline->looked_at)
		return value;
	if (!param->stand_in)
		param->stand_in = param_stand_in(param);
	return param->stand_in;
}

/* Writes the value of the reference at *at and goes behind it. */
static int expand_reference(const struct work *work, const char **at, FILE *out)
{
	struct reference reference;
	int err = reference_init(&reference, *at);
	const char *value = err ? NULL : look_up(work, &reference);

	if (err == -EINVAL) {
		struct place place = reference_place(work, *at, reference.size);

		diag_error(work->diag, &place, "\"${\" without \"}\"; $$ is a plain $");
	} else if (!err && !value) {
		err = fail_unset(work, &reference, *at);
	} else if (!err) {
		fputs(value, out);
	}
	*at += reference.size;
	reference_clear(&reference);
	return err;
}

static int expand(const struct work *work, FILE *out)
{
	const char *at = work->scalar->text;
	int err = 0;

	while (*at) {
		size_t plain = strcspn(at, "$");
		int wrong = 0;

		fwrite(at, 1, plain, out);
		at += plain;
		if (at[0] == '$' && at[1] == '{') {
			wrong = expand_reference(work, &at, out);
		} else if (at[0] == '$') {
			fputc('$', out);
			at += at[1] == '$' ? 2 : 1;
		}
		err = wrong ? wrong : err;
	}
	return err;
}

/* The parameter that a scalar wholly refers to; NULL: none, or text around it. */
static struct param *whole_reference(const struct pipeline *pipeline, const struct tree *scalar)
{
	struct reference reference;
	struct param *param = NULL;

	if (strncmp(scalar->text, "${", 2) != 0)
		return NULL;
	if (!reference_init(&reference, scalar->text) && !reference.env &&
	    reference.size == strlen(scalar->text))
		param = param_find(pipeline, reference.name);
	reference_clear(&reference);
	return param;
}

bool substitute_refers(const struct tree *tree, const char *param)
{
	struct reference reference;
	bool refers;

	if (tree->kind != TREE_SCALAR || strncmp(tree->text, "${", 2) != 0)
		return false;
	refers = !reference_init(&reference, tree->text) && !reference.env &&
		 reference.size == strlen(tree->text) && strcmp(reference.name, param) == 0;
	reference_clear(&reference);
	return refers;
}

/* Turns "a,b" into a list. */
static int scalar_to_list(struct tree *scalar)
{
	char *text = scalar->text;
	char *rest = text;
	char *word;
	int err = 0;

	scalar->kind = TREE_LIST;
	scalar->text = NULL;
	while (!err && text[0] && (word = strsep(&rest, ","))) {
		struct tree *item = tree_new(TREE_SCALAR, &scalar->place, word);

		if (item)
			item->quoted = true;
		err = item ? tree_add(scalar, NULL, item) : -ENOMEM;
	}
	free(text);
	return err;
}

static int substitute_scalar(const struct pipeline *pipeline, struct tree *scalar,
			     struct diag *diag)
{
	const struct work work = { pipeline, diag, scalar };
	const struct param *whole = whole_reference(pipeline, scalar);
	char *text = NULL;
	size_t size;
	FILE *out;
	int err;

	if (!strchr(scalar->text, '$'))
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	err = expand(&work, out);
	if (fclose(out) != 0)
		err = -ENOMEM;
	if (!text)
		return -ENOMEM;
	free(scalar->text);
	scalar->text = text;
	scalar->quoted = true;
	if (!err && whole && whole->value_place.text)
		scalar->place = whole->value_place;
	return !err && whole && whole->type == PARAM_TEXTS ? scalar_to_list(scalar) : err;
}

int substitute(const struct pipeline *pipeline, struct tree *tree, struct diag *diag)
{
	int err = 0;

	if (tree->kind == TREE_SCALAR)
		return substitute_scalar(pipeline, tree, diag);
	for (uint32_t i = 0; i < tree->count; i++) {
		int wrong = substitute(pipeline, tree->items[i], diag);

		err = wrong ? wrong : err;
	}
	return err;
}
