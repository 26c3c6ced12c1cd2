/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of plugin_lint(): for plugin_lint*.c only. */
#ifndef CORE_PLUGIN_LINT_H
#define CORE_PLUGIN_LINT_H

#include "plugin.h"

struct lint {
	void (*say)(void *arg, const char *line);
	void *arg;
	uint32_t count;
};

void WEIR_PRINTF(2, 3) lint_say(struct lint *lint, const char *format, ...);
bool lint_word_ok(const char *word);
bool lint_line_ok(const char *text);

/* plugin_lint_options.c. */
void lint_options(struct lint *lint, const struct weir_component *component);

#endif
