/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of an instance, by way of the YAML that a user would write. */
#include <stdio.h>
#include <stdlib.h>

#include "mock_parts.h"

/* A required option gets its smallest value, or a word. */
static const char *made_up_value(const struct weir_option *option, char *text, size_t size)
{
	static const char *const words[] = {
		[WEIR_OPTION_BOOL] = "true",        [WEIR_OPTION_DOUBLE] = "1",
		[WEIR_OPTION_TEXT] = "column1 > 0", [WEIR_OPTION_DURATION] = "1s",
		[WEIR_OPTION_SIZE] = "1MiB",        [WEIR_OPTION_RATIO] = "1%",
	};

	if (option->type == WEIR_OPTION_CHOICE || option->type == WEIR_OPTION_CHOICES)
		snprintf(text, size, "%.*s", (int)strcspn(option->choices, " "), option->choices);
	else if (option->type < sizeof(words) / sizeof(words[0]) && words[option->type])
		snprintf(text, size, "%s", words[option->type]);
	else
		snprintf(text, size, "%lld", (long long)(option->minimum ? option->minimum : 1));
	return text;
}

static bool is_set(const struct subject *subject, const char *name)
{
	for (uint32_t i = 0; i < subject->setting_count; i++)
		if (strcmp(subject->settings[i].name, name) == 0)
			return true;
	return false;
}

/* `- {name: value}` as option_fill() takes it: a tree of what is required and what was set. */
static int add_pair(char **yaml, const char *name, const char *value)
{
	char *old = *yaml;
	int n = asprintf(yaml, "%s%s: '%s'\n", old, name, value);

	free(old);
	if (n < 0)
		*yaml = NULL;
	return n < 0 ? -ENOMEM : 0;
}

static char *options_yaml(const struct subject *subject, const struct weir_component *component)
{
	bool main_one = component == &subject->plugin->component;
	char *yaml = strdup("");
	char text[64];

	for (uint32_t i = 0; yaml && i < component->options.count; i++) {
		const struct weir_option *option = &component->options.items[i];

		if (!option->fallback && !(main_one && is_set(subject, option->name)))
			add_pair(&yaml, option->name, made_up_value(option, text, sizeof(text)));
	}
	for (uint32_t i = 0; yaml && main_one && i < subject->setting_count; i++)
		add_pair(&yaml, subject->settings[i].name, subject->settings[i].value);
	return yaml;
}

int mock_fill_options(struct mock *mock, void *options)
{
	char *yaml = options_yaml(mock->subject, mock->component);
	struct diag *diag = diag_new();
	const struct diag_text *text = NULL;
	struct tree *tree = NULL;
	int err = -ENOMEM;

	if (!diag)
		free(yaml);
	else if (yaml)
		text = diag_add_text(diag, "options", yaml, strlen(yaml));
	if (text)
		err = *yaml ? config_parse(text, diag, &tree) : 0;
	if (err == 0)
		err = option_fill(mock->component, tree, diag, NULL, options, &mock->memory);
	if (err < 0) {
		subject_fault(mock->subject, "its options cannot be filled:");
		if (diag)
			diag_print(diag, stderr);
	}
	tree_free(tree);
	diag_free(diag);
	return err;
}
