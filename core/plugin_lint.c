/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with a component's descriptor, seen from its tables alone. It has been given
 * this weir's item sizes before (plugin_tables.c), so tables can be walked.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plugin_lint.h"
#include "plugin_parts.h"
#include "schema.h"

#define STATE_MAX   (64u << 20)
#define OPTIONS_MAX (1u << 20)

void lint_say(struct lint *lint, const char *format, ...)
{
	char line[256];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	lint->count++;
	lint->say(lint->arg, line);
}

static bool lower(char c)
{
	return c >= 'a' && c <= 'z';
}

bool lint_word_ok(const char *word)
{
	if (!word || !lower(*word))
		return false;
	for (word++; *word; word++)
		if (!lower(*word) && !(*word >= '0' && *word <= '9') && *word != '_')
			return false;
	return true;
}

bool plugin_name_ok(const char *name)
{
	char before = '.';

	if (!name || strlen(name) >= WEIR_NAME_MAX)
		return false;
	for (; *name; name++) {
		bool digit = (*name >= '0' && *name <= '9') || *name == '_';

		if (!lower(*name) && (before == '.' || (!digit && *name != '.')))
			return false;
		before = *name;
	}
	return before != '.';
}

bool lint_line_ok(const char *text)
{
	return text && *text && !strchr(text, '\n');
}

/* What each kind must have, may have, and must not have. */
enum { NEVER, MAY, MUST };

static const struct kind_rule {
	const char *name;
	uint8_t outputs, inputs, formats, offers, push;
} kind_rules[] = {
	[WEIR_SOURCE] = { "source", MUST, NEVER, NEVER, NEVER, NEVER },
	[WEIR_TRANSFORM] = { "transform", MUST, MUST, NEVER, NEVER, MUST },
	[WEIR_SINK] = { "sink", NEVER, MUST, MAY, NEVER, MUST },
	[WEIR_PROVIDER] = { "provider", NEVER, NEVER, NEVER, MUST, NEVER },
};

static void lint_part(struct lint *lint, const char *kind, const char *what, uint8_t rule,
		      bool there)
{
	if (rule == MUST && !there)
		lint_say(lint, "a %s needs %s", kind, what);
	if (rule == NEVER && there)
		lint_say(lint, "a %s has no %s", kind, what);
}

static void lint_kind(struct lint *lint, const struct weir_component *component)
{
	const struct kind_rule *rule;

	if (component->kind < WEIR_SOURCE || component->kind > WEIR_PROVIDER) {
		lint_say(lint, "kind %u is none of source, transform, sink, provider",
			 component->kind);
		return;
	}
	rule = &kind_rules[component->kind];
	lint_part(lint, rule->name, "outputs", rule->outputs, component->outputs.count > 0);
	lint_part(lint, rule->name, "inputs", rule->inputs, component->inputs.count > 0);
	lint_part(lint, rule->name, "formats", rule->formats, component->formats.count > 0);
	lint_part(lint, rule->name, "offers", rule->offers, component->offers.count > 0);
	lint_part(lint, rule->name, "push()", rule->push, component->push != NULL);
	if ((component->flags & WEIR_BLOCKS) && component->kind != WEIR_SINK)
		lint_say(lint, "WEIR_BLOCKS is for sinks");
	if ((component->flags & WEIR_PATIENT) && component->kind != WEIR_SOURCE)
		lint_say(lint, "WEIR_PATIENT is for sources");
}

static void lint_head(struct lint *lint, const struct weir_component *component)
{
	if (!plugin_name_ok(component->name))
		lint_say(lint, "name \"%s\": words of [a-z][a-z0-9_]* joined by dots are right",
			 component->name ? component->name : "");
	if (!lint_line_ok(component->summary))
		lint_say(lint, "summary: one line is needed");
	if (component->state_size > STATE_MAX)
		lint_say(lint, "state_size %llu: at most %u",
			 (unsigned long long)component->state_size, STATE_MAX);
	if (component->options_size > OPTIONS_MAX)
		lint_say(lint, "options_size %u: at most %u", component->options_size, OPTIONS_MAX);
}

static void lint_schema(struct lint *lint, const struct weir_output *output)
{
	char fault[200];

	if (schema_lint(output->schema, fault, sizeof(fault)) < 0)
		lint_say(lint, "output %s: %s", output->name, fault);
}

static void lint_output(struct lint *lint, const struct weir_component *component,
			const struct weir_output *output)
{
	bool same = output->flags & WEIR_SAME_AS_INPUT;

	if (same && (output->schema || component->inputs.count == 0))
		lint_say(lint, "output %s: WEIR_SAME_AS_INPUT needs an input and no schema",
			 output->name);
	if (!same && !output->schema && !component->bind)
		lint_say(lint, "output %s: without a schema there must be a bind()", output->name);
	if (output->schema)
		lint_schema(lint, output);
}

static void lint_outputs(struct lint *lint, const struct weir_component *component)
{
	for (uint32_t i = 0; i < component->outputs.count; i++) {
		const struct weir_output *output = &component->outputs.items[i];

		if (!lint_word_ok(output->name)) {
			lint_say(lint, "output %u: its name is not [a-z][a-z0-9_]*", i + 1);
			continue;
		}
		for (uint32_t j = 0; j < i; j++)
			if (component->outputs.items[j].name &&
			    strcmp(component->outputs.items[j].name, output->name) == 0)
				lint_say(lint, "output %s: there are two", output->name);
		lint_output(lint, component, output);
	}
}

static void lint_slot(struct lint *lint, const struct weir_slot *slot)
{
	for (uint32_t i = 0; i < slot->wants.count; i++) {
		const struct weir_want *want = &slot->wants.items[i];

		if (!lint_word_ok(want->name))
			lint_say(lint, "input %s: want %u: its name is not [a-z][a-z0-9_]*",
				 slot->name, i + 1);
		else if (want->type > WEIR_TYPE_ROWS || want->role > WEIR_EVENT)
			lint_say(lint, "input %s: want %s: its type or role is unknown", slot->name,
				 want->name);
	}
}

static void lint_inputs(struct lint *lint, const struct weir_component *component)
{
	for (uint32_t i = 0; i < component->inputs.count; i++) {
		const struct weir_slot *slot = &component->inputs.items[i];

		if (!lint_word_ok(slot->name)) {
			lint_say(lint, "input %u: its name is not [a-z][a-z0-9_]*", i + 1);
			continue;
		}
		for (uint32_t j = 0; j < i; j++)
			if (component->inputs.items[j].name &&
			    strcmp(component->inputs.items[j].name, slot->name) == 0)
				lint_say(lint, "input %s: there are two", slot->name);
		lint_slot(lint, slot);
	}
}

static void lint_formats(struct lint *lint, const struct weir_component *component)
{
	for (uint32_t i = 0; i < component->formats.count; i++) {
		const struct weir_format *format = &component->formats.items[i];

		if (!plugin_name_ok(format->name))
			lint_say(lint, "format %u: its name is not [a-z][a-z0-9_]*", i + 1);
		else if (format->extension &&
			 (format->extension[0] != '.' || !format->extension[1] ||
			  strchr(format->extension, '/')))
			lint_say(lint, "format %s: its extension \"%s\" is not like \".svg\"",
				 format->name, format->extension);
	}
}

static void lint_offers(struct lint *lint, const struct weir_component *component)
{
	for (uint32_t i = 0; i < component->offers.count; i++) {
		const struct weir_service_offer *offer = &component->offers.items[i];

		if (!lint_word_ok(offer->name) || offer->version == 0)
			lint_say(lint, "offer %u: a name and a version from 1 on are needed",
				 i + 1);
		else if (!offer->vtable || *(const uint32_t *)offer->vtable < sizeof(uint32_t))
			lint_say(lint, "offer %s/%u: its vtable must start with its size",
				 offer->name, offer->version);
	}
}

uint32_t plugin_lint(const struct weir_component *component,
		     void (*say)(void *arg, const char *line), void *arg)
{
	struct lint lint = { .say = say, .arg = arg };

	lint_head(&lint, component);
	lint_kind(&lint, component);
	lint_options(&lint, component);
	lint_outputs(&lint, component);
	lint_inputs(&lint, component);
	lint_formats(&lint, component);
	lint_offers(&lint, component);
	return lint.count;
}
