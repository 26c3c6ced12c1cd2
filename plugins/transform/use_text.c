/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sentences of the rules. ${name} stands for a figure, or for what is said of the finding or of the
 * process at hand; [part] is left out where something in it is absent.
 */
#include "use.h"

#include <math.h>
#include <stdio.h>

static void text_number(double value, const char *unit, char *out, size_t size)
{
	const double size_of = fabs(value);
	const char *blank = unit[0] && unit[0] != '/' ? " " : "";

	if (size_of >= 9.95 || fabs(value - nearbyint(value)) < 0.05)
		snprintf(out, size, "%.0f%s%s", value, blank, unit);
	else
		snprintf(out, size, "%.1f%s%s", value, blank, unit);
}

/* Scales by the largest unit that leaves at least 1. */
static void text_scaled(double value, const char *const *units, const double *sizes,
			const char *suffix, char *out, size_t size)
{
	char unit[16];
	size_t i = 0;

	while (units[i + 1] && fabs(value) < sizes[i] * 0.9995)
		i++;
	snprintf(unit, sizeof(unit), "%s%s", units[i], suffix);
	text_number(value / sizes[i], unit, out, size);
}

void use_quantity(double value, const struct weir_unit *unit, char *out, size_t size)
{
	static const char *const times[] = { "h", "min", "s", "ms", "us", "ns", NULL };
	static const double time_sizes[] = { 3600, 60, 1, 1e-3, 1e-6, 1e-9 };
	static const char *const data[] = { "TB", "GB", "MB", "kB", "B", NULL };
	static const double data_sizes[] = { 1e12, 1e9, 1e6, 1e3, 1 };
	double base = value;

	if (!unit || !unit->size) {
		text_number(value, "", out, size);
		return;
	}
	base = value * (double)unit->numerator / (double)unit->denominator;
	if (strcmp(unit->dimension, "time") == 0)
		text_scaled(base, times, time_sizes, "", out, size);
	else if (strcmp(unit->dimension, "data") == 0)
		text_scaled(base, data, data_sizes, "", out, size);
	else if (strcmp(unit->dimension, "data rate") == 0)
		text_scaled(base, data, data_sizes, "/s", out, size);
	else if (strcmp(unit->dimension, "ratio") == 0)
		text_number(base * 100, "%", out, size);
	else
		text_number(value, unit->symbol, out, size);
}

static bool text_of(const char *text, char *out, size_t size)
{
	snprintf(out, size, "%s", text ? text : "");
	return text && text[0];
}

static bool text_value(double value, const struct weir_unit *unit, char *out, size_t size)
{
	if (isnan(value))
		return text_of("-", out, size) && false;
	use_quantity(value, unit, out, size);
	return true;
}

static bool text_pid(const struct use_member *member, char *out, size_t size)
{
	snprintf(out, size, "%u", member ? member->pid : 0);
	return member && member->pid;
}

/* What is said of the process at hand. */
static bool text_member(const struct use_words *words, const char *name, char *out, size_t size,
			bool *known)
{
	const struct use_member *member = words->member;
	const uint64_t end = words->st ? words->st->end : 0;

	*known = true;
	if (strcmp(name, "name") == 0)
		return text_of(member ? member->name : "", out, size);
	if (strcmp(name, "pid") == 0)
		return text_pid(member, out, size);
	if (strcmp(name, "value") == 0)
		return text_value(member ? words->value : NAN, &words->group->unit, out, size);
	if (strcmp(name, "share") == 0)
		return text_value(member && words->total > 0 ? words->value / words->total : NAN,
				  &weir_ratio, out, size);
	if (strcmp(name, "age") == 0)
		return text_value(member && member->since && member->since < end
					  ? (double)(end - member->since)
					  : NAN,
				  &weir_ns, out, size);
	*known = false;
	return false;
}

static bool text_finding(const struct use_words *words, const char *name, char *out, size_t size,
			 bool *known)
{
	const struct use_verdict *verdict = words->verdict;
	const struct use_member *cause =
		verdict && verdict->cause_count ? verdict->causes[0] : NULL;
	const struct use_member *victim =
		verdict && verdict->victim_count ? verdict->victims[0] : NULL;

	*known = true;
	if (strcmp(name, "instance") == 0)
		return text_of(words->found ? words->found->instance->name : "", out, size);
	if (strcmp(name, "window") == 0)
		return text_value(words->st ? (double)(words->st->end - words->st->start) : NAN,
				  &weir_ns, out, size);
	if (strcmp(name, "cause_name") == 0)
		return text_of(cause ? cause->name : "", out, size);
	if (strcmp(name, "cause_pid") == 0)
		return text_pid(cause, out, size);
	if (strcmp(name, "victim_name") == 0)
		return text_of(victim ? victim->name : "", out, size);
	if (strcmp(name, "victim_pid") == 0)
		return text_pid(victim, out, size);
	return text_member(words, name, out, size, known);
}

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
	bool there = text_finding(words, name, out, size, known);

	return *known ? there : text_figure(words, resource, name, out, size, known);
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

bool use_say(const struct use_words *words, const char *text, char *out, size_t size)
{
	char name[USE_NAME], value[USE_TEXT];
	size_t used = 0, mark = 0;
	bool within = false, lacks = false, whole = true, known;

	while (*text && used + 1 < size) {
		const char *after = text_reference(text, name);

		if (after) {
			value[0] = '\0';
			if (!text_word(words, words->found->resource, name, value, sizeof(value),
				       &known))
				lacks = true;
			used += (size_t)snprintf(out + used, size - used, "%s",
						 value[0] ? value : "-");
			used = used < size ? used : size - 1;
			text = after;
			if (lacks && !within)
				whole = lacks = false;
			continue;
		}
		if (*text == '[') {
			within = true;
			lacks = false;
			mark = used;
		} else if (*text == ']') {
			used = lacks ? mark : used;
			within = lacks = false;
		} else {
			out[used++] = *text;
		}
		text++;
	}
	out[used] = '\0';
	return whole;
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
