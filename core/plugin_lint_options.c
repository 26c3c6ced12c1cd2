/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options: each member must lie in its struct, and fit its type. */
#include <string.h>

#include "plugin_lint.h"

/* What a member of a type may be: a bit per size in bytes, and its alignment, 0: its size. */
struct member {
	uint32_t sizes[2]; /* 0: any */
	uint32_t alignment;
};

static const struct member option_members[] = {
	[WEIR_OPTION_BOOL] = { { 1, 1 }, 0 },
	[WEIR_OPTION_UINT] = { { 4, 8 }, 0 },
	[WEIR_OPTION_INT] = { { 4, 8 }, 0 },
	[WEIR_OPTION_DOUBLE] = { { 8, 8 }, _Alignof(double) },
	[WEIR_OPTION_TEXT] = { { sizeof(char *), sizeof(char *) }, 0 },
	[WEIR_OPTION_DURATION] = { { 8, 8 }, _Alignof(uint64_t) },
	[WEIR_OPTION_SIZE] = { { 8, 8 }, _Alignof(uint64_t) },
	[WEIR_OPTION_CHOICE] = { { 4, 4 }, 0 },
	[WEIR_OPTION_CHOICES] = { { 4, 4 }, 0 },
	[WEIR_OPTION_TEXTS] = { { sizeof(struct weir_texts), sizeof(struct weir_texts) },
				_Alignof(struct weir_texts) },
	[WEIR_OPTION_RATIO] = { { 8, 8 }, _Alignof(double) },
};

#define LAST(array_) (sizeof(array_) / sizeof((array_)[0]) - 1)

/* Numbers have a power of two of bytes, and lie aligned to it where nothing else is said. */
static bool member_ok(const struct member *member, uint32_t bytes, uint32_t offset)
{
	uint32_t alignment = member->alignment ? member->alignment : bytes;

	if (bytes < member->sizes[0] || bytes > member->sizes[1])
		return false;
	if (!member->alignment && (bytes & (bytes - 1)) != 0)
		return false;
	if (alignment > _Alignof(uint64_t))
		alignment = _Alignof(uint64_t);
	return offset % alignment == 0;
}

static bool overlap(uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes)
{
	return (uint64_t)a < (uint64_t)b + b_bytes && (uint64_t)b < (uint64_t)a + a_bytes;
}

static uint32_t count_words(const char *text)
{
	uint32_t count = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		text += strcspn(text, " ");
		count++;
	}
	return count;
}

static void lint_choices(struct lint *lint, const struct weir_option *option)
{
	bool wanted = option->type == WEIR_OPTION_CHOICE || option->type == WEIR_OPTION_CHOICES;
	uint32_t count = option->choices ? count_words(option->choices) : 0;

	if (wanted && count == 0)
		lint_say(lint, "option %s: its choices are missing", option->name);
	if (!wanted && option->choices)
		lint_say(lint, "option %s: choices are for CHOICE and CHOICES", option->name);
	if (option->type == WEIR_OPTION_CHOICES && count > 32)
		lint_say(lint, "option %s: %u choices; a mask has room for 32", option->name,
			 count);
}

static void lint_option(struct lint *lint, const struct weir_component *component,
			const struct weir_option *option)
{
	/* The keys of a node that are not options of its component. */
	static const char *const reserved[] = { "plugin", "inputs", "optional" };

	for (size_t i = 0; i <= LAST(reserved); i++)
		if (strcmp(option->name, reserved[i]) == 0)
			lint_say(lint, "option %s: the name belongs to the pipeline", option->name);
	if (!lint_line_ok(option->doc))
		lint_say(lint, "option %s: its doc is not one line", option->name);
	if (option->type == 0 || option->type > LAST(option_members)) {
		lint_say(lint, "option %s: type %u is unknown", option->name, option->type);
		return;
	}
	if ((uint64_t)option->offset + option->bytes > component->options_size)
		lint_say(lint, "option %s: it lies outside of its struct (options_size %u)",
			 option->name, component->options_size);
	if (!member_ok(&option_members[option->type], option->bytes, option->offset))
		lint_say(lint, "option %s: a member of %u bytes at %u does not fit its type",
			 option->name, option->bytes, option->offset);
	if (option->minimum > option->maximum)
		lint_say(lint, "option %s: its minimum is above its maximum", option->name);
	lint_choices(lint, option);
}

void lint_options(struct lint *lint, const struct weir_component *component)
{
	for (uint32_t i = 0; i < component->options.count; i++) {
		const struct weir_option *option = &component->options.items[i];

		if (!lint_word_ok(option->name)) {
			lint_say(lint, "option %u: its name is not [a-z][a-z0-9_]*", i + 1);
			continue;
		}
		lint_option(lint, component, option);
		for (uint32_t j = 0; j < i; j++) {
			const struct weir_option *other = &component->options.items[j];

			if (other->name && strcmp(other->name, option->name) == 0)
				lint_say(lint, "option %s: there are two", option->name);
			else if (overlap(option->offset, option->bytes, other->offset,
					 other->bytes))
				lint_say(lint, "option %s: it shares bytes with option %s",
					 option->name, other->name ? other->name : "?");
		}
	}
}
