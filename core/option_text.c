/* SPDX-License-Identifier: BSD-2-Clause */
/* Values as people write them, for each type of option; options as help shows them. */
#include "option_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"
#include "option_number.h"

enum { CHOICES_MAX = 64 };

/* The words of a text that is separated by blanks; they lie in `copy`. */
struct words {
	char *copy;
	const char *items[CHOICES_MAX];
	uint32_t count;
};

static int words_init(struct words *words, const char *text)
{
	char *rest = NULL;
	char *word;

	words->count = 0;
	words->copy = strdup(text ? text : "");
	if (!words->copy)
		return -ENOMEM;
	for (word = strtok_r(words->copy, " ", &rest); word && words->count < CHOICES_MAX;
	     word = strtok_r(NULL, " ", &rest))
		words->items[words->count++] = word;
	return 0;
}

/* "a, b or c" */
static void words_text(const struct words *words, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < words->count && used < size; i++) {
		const char *before = i == 0 ? "" : i + 1 == words->count ? " or " : ", ";

		used += (size_t)snprintf(out + used, size - used, "%s%s", before, words->items[i]);
	}
}

/* Position of a word among the choices, or -EINVAL with `why`. */
static int find_choice(const struct words *words, const char *word, char *why, size_t why_size)
{
	const char *nearest;
	char all[512];

	for (uint32_t i = 0; i < words->count; i++)
		if (strcmp(word, words->items[i]) == 0)
			return (int)i;
	words_text(words, all, sizeof(all));
	nearest = diag_nearest(word, words->items, words->count);
	snprintf(why, why_size, "\"%s\" is not %s%s%s%s", word, all,
		 nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
	return -EINVAL;
}

static int parse_choice(const struct weir_option *option, const char *text,
			union option_value *value, char *why, size_t why_size)
{
	struct words words;
	int found = words_init(&words, option->choices);

	if (!found)
		found = find_choice(&words, text, why, why_size);
	free(words.copy);
	value->u = found < 0 ? 0 : (uint64_t)found;
	return found < 0 ? found : 0;
}

/* "a,b" to a mask; "" is none of them. */
static int parse_choices(const struct weir_option *option, const char *text,
			 union option_value *value, char *why, size_t why_size)
{
	struct words words;
	char *copy = strdup(text);
	char *rest = copy;
	char *word;
	int found = words_init(&words, option->choices);

	value->u = 0;
	if (!copy)
		found = -ENOMEM;
	while (found >= 0 && text[0] && (word = strsep(&rest, ","))) {
		found = find_choice(&words, word, why, why_size);
		if (found >= 0)
			value->u |= UINT64_C(1) << found;
	}
	free(words.copy);
	free(copy);
	return found < 0 ? found : 0;
}

static int parse_bool(const char *text, bool *value)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{ "true", true },   { "yes", true }, { "on", true },
		{ "false", false }, { "no", false }, { "off", false },
	};

	*value = false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i].word) == 0) {
			*value = words[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

static bool has_limits(const struct weir_option *option)
{
	return option->minimum || option->maximum;
}

/* A limit as an unsigned number; a negative one is 0. */
static uint64_t limit(int64_t value)
{
	return value < 0 ? 0 : (uint64_t)value;
}

static int check_uint(const struct weir_option *option, uint64_t value)
{
	if (option->bytes == 4 && value > UINT32_MAX)
		return -ERANGE;
	if (!has_limits(option))
		return 0;
	return value < limit(option->minimum) || value > limit(option->maximum) ? -ERANGE : 0;
}

static int check_int(const struct weir_option *option, int64_t value)
{
	if (option->bytes == 4 && (value < INT32_MIN || value > INT32_MAX))
		return -ERANGE;
	if (!has_limits(option))
		return 0;
	return value < option->minimum || value > option->maximum ? -ERANGE : 0;
}

static int check_double(const struct weir_option *option, double value)
{
	if (!has_limits(option))
		return 0;
	return value < (double)option->minimum || value > (double)option->maximum ? -ERANGE : 0;
}

static int parse_number(const struct weir_option *option, const char *text,
			union option_value *value)
{
	int err;

	switch (option->type) {
	case WEIR_OPTION_BOOL:
		return parse_bool(text, &value->b);
	case WEIR_OPTION_UINT:
		err = number_uint(text, &value->u);
		return err ? err : check_uint(option, value->u);
	case WEIR_OPTION_DURATION:
		err = option_duration(text, &value->u);
		return err ? err : check_uint(option, value->u);
	case WEIR_OPTION_SIZE:
		err = option_size(text, &value->u);
		return err ? err : check_uint(option, value->u);
	case WEIR_OPTION_INT:
		err = number_int(text, &value->i);
		return err ? err : check_int(option, value->i);
	case WEIR_OPTION_DOUBLE:
		err = number_double(text, &value->d);
		return err ? err : check_double(option, value->d);
	case WEIR_OPTION_RATIO:
		err = number_ratio(text, &value->d);
		return err ? err : check_double(option, value->d);
	default:
		return 0;
	}
}

/* What a value of the type looks like. */
static const char *wanted(uint32_t type)
{
	static const char *const forms[] = {
		[WEIR_OPTION_BOOL] = "true or false",
		[WEIR_OPTION_UINT] = "a whole number",
		[WEIR_OPTION_INT] = "a whole number",
		[WEIR_OPTION_DOUBLE] = "a number",
		[WEIR_OPTION_DURATION] = "a duration such as 250ms or 10s",
		[WEIR_OPTION_SIZE] = "a size such as 4096B or 64MiB",
		[WEIR_OPTION_RATIO] = "a ratio such as 1% or 0.01",
	};
	const char *form = type < sizeof(forms) / sizeof(forms[0]) ? forms[type] : NULL;

	return form ? form : "of this type";
}

int option_parse(const struct weir_option *option, const char *text, union option_value *value,
		 char *why, size_t why_size)
{
	char limits[128];
	int err;

	*value = (union option_value){ 0 };
	if (option->type == WEIR_OPTION_CHOICE)
		return parse_choice(option, text, value, why, why_size);
	if (option->type == WEIR_OPTION_CHOICES)
		return parse_choices(option, text, value, why, why_size);
	err = parse_number(option, text, value);
	if (err == -EINVAL)
		snprintf(why, why_size, "\"%s\" is not %s", text, wanted(option->type));
	option_limits(option, limits, sizeof(limits));
	if (err == -ERANGE && limits[0])
		snprintf(why, why_size, "\"%s\" is out of range: must be %s", text, limits);
	else if (err == -ERANGE)
		snprintf(why, why_size, "\"%s\" is too large or too small", text);
	return err;
}

struct weir_option option_at(const struct weir_option *items, uint32_t item_size, uint32_t i)
{
	struct weir_option option = { 0 };
	const char *item = (const char *)items + (size_t)i * item_size;

	memcpy(&option, item, item_size < sizeof(option) ? item_size : sizeof(option));
	return option;
}

static void limit_text(const struct weir_option *option, int64_t value, char *out, size_t size)
{
	if (option->type == WEIR_OPTION_DURATION)
		number_duration_text(limit(value), out, size);
	else if (option->type == WEIR_OPTION_SIZE)
		number_size_text(limit(value), out, size);
	else
		snprintf(out, size, "%lld", (long long)value);
}

void option_limits(const struct weir_option *option, char *out, size_t size)
{
	char minimum[32], maximum[32];

	out[0] = '\0';
	if (!has_limits(option))
		return;
	limit_text(option, option->minimum, minimum, sizeof(minimum));
	limit_text(option, option->maximum, maximum, sizeof(maximum));
	if (option->maximum == INT64_MAX)
		snprintf(out, size, "at least %s", minimum);
	else
		snprintf(out, size, "%s to %s", minimum, maximum);
}

/* The type's name, with the choices where there are any. */
static void type_text(const struct weir_option *option, char *out, size_t size)
{
	static const char *const names[] = {
		[WEIR_OPTION_BOOL] = "bool",       [WEIR_OPTION_UINT] = "int",
		[WEIR_OPTION_INT] = "int",         [WEIR_OPTION_DOUBLE] = "number",
		[WEIR_OPTION_TEXT] = "string",     [WEIR_OPTION_DURATION] = "duration",
		[WEIR_OPTION_SIZE] = "size",       [WEIR_OPTION_CHOICE] = "one of ",
		[WEIR_OPTION_CHOICES] = "any of ", [WEIR_OPTION_TEXTS] = "strings",
		[WEIR_OPTION_RATIO] = "ratio",
	};
	const char *name =
		option->type && option->type <= WEIR_OPTION_RATIO ? names[option->type] : "?";
	struct words words;
	char all[512] = "";

	if (option->choices && !words_init(&words, option->choices)) {
		words_text(&words, all, sizeof(all));
		free(words.copy);
	}
	snprintf(out, size, "%s%s", name, all);
}

void option_describe(const struct weir_option *option, char *out, size_t size)
{
	const char *symbol = option->unit ? option->unit->symbol : "";
	const char *fallback = option->fallback;
	char type[600], limits[128];

	if (option->type != WEIR_OPTION_UINT && option->type != WEIR_OPTION_INT &&
	    option->type != WEIR_OPTION_DOUBLE)
		symbol = "";
	type_text(option, type, sizeof(type));
	option_limits(option, limits, sizeof(limits));
	snprintf(out, size, "%s%s%s%s%s%s%s%s", type, symbol[0] ? " of " : "", symbol,
		 limits[0] ? ", " : "", limits, fallback ? ", default " : ", must be given",
		 fallback && !fallback[0] ? "\"\"" : "", fallback ? fallback : "");
}
