/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sentences of the rules. ${name} stands for a figure, or for what is said of the finding or of the
 * process at hand; [part] is left out where something in it is absent.
 */
#include "use.h"

#include <math.h>
#include <stdio.h>

#include <weir/quantity.h>

static bool text_of(const char *text, char *out, size_t size)
{
	snprintf(out, size, "%s", text ? text : "");
	return text && text[0];
}

static bool text_value(double value, const struct weir_unit *unit, char *out, size_t size)
{
	if (isnan(value))
		return text_of("-", out, size) && false;
	weir_quantity(value, unit, out, size);
	return true;
}

static bool text_pid(const struct use_member *member, char *out, size_t size)
{
	snprintf(out, size, "%u", member ? member->pid : 0);
	return member && member->pid;
}

static const struct use_member *text_first(const struct use_best *best)
{
	return best->count ? best->members[0] : NULL;
}

static const struct use_member *text_cause(const struct use_words *words)
{
	return words->verdict ? text_first(&words->verdict->causes) : NULL;
}

static const struct use_member *text_victim(const struct use_words *words)
{
	return words->verdict ? text_first(&words->verdict->victims) : NULL;
}

static bool text_name(const struct use_member *member, char *out, size_t size)
{
	return text_of(member ? member->name : "", out, size);
}

static bool word_instance(const struct use_words *words, char *out, size_t size)
{
	return text_of(words->found ? words->found->instance->name : "", out, size);
}

static bool word_window(const struct use_words *words, char *out, size_t size)
{
	return text_value(words->st ? (double)(words->st->end - words->st->start) : (double)NAN,
			  &weir_ns, out, size);
}

static bool word_cause_name(const struct use_words *words, char *out, size_t size)
{
	return text_name(text_cause(words), out, size);
}

static bool word_cause_pid(const struct use_words *words, char *out, size_t size)
{
	return text_pid(text_cause(words), out, size);
}

static bool word_victim_name(const struct use_words *words, char *out, size_t size)
{
	return text_name(text_victim(words), out, size);
}

static bool word_victim_pid(const struct use_words *words, char *out, size_t size)
{
	return text_pid(text_victim(words), out, size);
}

static bool word_name(const struct use_words *words, char *out, size_t size)
{
	return text_name(words->member, out, size);
}

static bool word_pid(const struct use_words *words, char *out, size_t size)
{
	return text_pid(words->member, out, size);
}

static bool word_value(const struct use_words *words, char *out, size_t size)
{
	return text_value(words->member ? words->value : (double)NAN, &words->group->unit, out,
			  size);
}

static bool word_share(const struct use_words *words, char *out, size_t size)
{
	const bool known = words->member && words->total > 0;

	return text_value(known ? words->value / words->total : (double)NAN, &weir_ratio, out,
			  size);
}

static bool word_age(const struct use_words *words, char *out, size_t size)
{
	const uint64_t since = words->member ? words->member->since : 0;
	const uint64_t end = words->st ? words->st->end : 0;

	return text_value(since && since < end ? (double)(end - since) : (double)NAN, &weir_ns, out,
			  size);
}

/* What is said of the finding, and of the process at hand. */
static const struct {
	const char *name;
	bool (*say)(const struct use_words *words, char *out, size_t size);
} text_words[] = {
	{ "instance", word_instance },
	{ "window", word_window },
	{ "cause_name", word_cause_name },
	{ "cause_pid", word_cause_pid },
	{ "victim_name", word_victim_name },
	{ "victim_pid", word_victim_pid },
	{ "name", word_name },
	{ "pid", word_pid },
	{ "value", word_value },
	{ "share", word_share },
	{ "age", word_age },
};

static bool text_figure(const struct use_words *words, const struct use_resource *resource,
			const char *name, char *out, size_t size, bool *known)
{
	for (uint32_t i = 0; i < resource->figure_count; i++) {
		const struct use_figure *figure = &resource->figures[i];

		if (strcmp(figure->name, name) != 0)
			continue;
		*known = true;
		if (!words->found)
			return false;
		if (figure->text || figure->peaks)
			return text_of(words->found->texts[i], out, size);
		return text_value(words->found->values[i], &figure->unit, out, size);
	}
	*known = false;
	return false;
}

static bool text_word(const struct use_words *words, const struct use_resource *resource,
		      const char *name, char *out, size_t size, bool *known)
{
	*known = true;
	for (size_t i = 0; i < sizeof(text_words) / sizeof(text_words[0]); i++)
		if (strcmp(text_words[i].name, name) == 0)
			return text_words[i].say(words, out, size);
	return text_figure(words, resource, name, out, size, known);
}

/* "${name}" at `text`: its name, and what follows it; NULL: it is none. */
static const char *text_reference(const char *text, char name[USE_NAME])
{
	const char *end = text[0] == '$' && text[1] == '{' ? strchr(text, '}') : NULL;

	if (!end || end - text - 2 >= USE_NAME)
		return NULL;
	memcpy(name, text + 2, (size_t)(end - text - 2));
	name[end - text - 2] = '\0';
	return end + 1;
}

/* A sentence in the making. */
struct text_made {
	char *out;
	size_t size;
	size_t used;
	size_t mark; /* where the part in brackets begins */
	bool within; /* such a part */
	bool lacks;  /* something in it is absent */
	bool whole;  /* outside of such parts, nothing is */
};

static void text_add(struct text_made *made, const char *text)
{
	const size_t length = strlen(text), room = made->size - 1 - made->used;
	const size_t count = length < room ? length : room;

	memcpy(made->out + made->used, text, count);
	made->used += count;
}

static void text_fill_in(struct text_made *made, const struct use_words *words, const char *name)
{
	char value[USE_TEXT] = "";
	bool known;

	if (!text_word(words, words->found->resource, name, value, sizeof(value), &known)) {
		made->lacks |= made->within;
		made->whole &= made->within;
	}
	text_add(made, value[0] ? value : "-");
}

static void text_letter(struct text_made *made, char letter)
{
	const char text[2] = { letter, '\0' };

	if (letter == '[') {
		made->within = true;
		made->mark = made->used;
	} else if (letter == ']') {
		made->used = made->lacks ? made->mark : made->used;
		made->within = made->lacks = false;
	} else {
		text_add(made, text);
	}
}

bool use_say(const struct use_words *words, const char *text, char *out, size_t size)
{
	struct text_made made = { .out = out, .size = size, .whole = true };
	char name[USE_NAME];

	while (*text) {
		const char *after = text_reference(text, name);

		if (after)
			text_fill_in(&made, words, name);
		else
			text_letter(&made, *text);
		text = after ? after : text + 1;
	}
	out[made.used] = '\0';
	return made.whole;
}

int use_check_text(struct weir_ctx *ctx, const struct use_resource *resource,
		   const struct weir_tree *tree, const char *text)
{
	const struct use_words nothing = { .group = &(const struct use_group){ .most = 0 } };
	char name[USE_NAME], out[8];
	bool known;

	for (; *text; text++) {
		if (!text_reference(text, name))
			continue;
		text_word(&nothing, resource, name, out, sizeof(out), &known);
		if (!known)
			return weir_tree_fail(ctx, tree, -EINVAL,
					      "${%s} is no figure, and nothing else that is known",
					      name);
	}
	return 0;
}
