/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the descriptor and its options: what is declared must hold, whatever a user writes. */
#include <stdio.h>
#include <stdlib.h>

#include "mock_host.h"

#define RANDOM_TEXTS 300
#define TEXT_MAX     24

static void say_fault(void *arg, const char *line)
{
	subject_fault(arg, "%s", line);
}

void check_descriptor(struct subject *subject)
{
	plugin_lint(&subject->plugin->component, say_fault, subject);
}

void check_probe(struct subject *subject)
{
	const struct weir_component *component = &subject->plugin->component;
	struct mock *mock = mock_new(subject, component, 0);
	void *state;

	if (!mock)
		return;
	state = mock->ctx.state;
	mock->ctx.state = NULL;
	for (int i = 0; i < 2 && component->probe; i++)
		component->probe(&mock->ctx);
	mock->ctx.state = state;
	mock_free(mock);
}

/* Filled twice: with nothing said, and as the instances of the other checks have them. */
void check_defaults(struct subject *subject)
{
	const struct weir_component *component = &subject->plugin->component;
	void *conf = calloc(1, component->options_size + 1u);
	char error[256];

	for (uint32_t i = 0; conf && i < component->options.count; i++) {
		const struct weir_option *option = &component->options.items[i];

		if (option->fallback && option->type != WEIR_OPTION_TEXTS &&
		    option_set(component, conf, option->name, option->fallback, error,
			       sizeof(error)) < 0)
			subject_fault(subject, "option %s: its default \"%s\" is refused: %s",
				      option->name, option->fallback, error);
	}
	free(conf);
	mock_free(mock_new(subject, component, 0));
}

static bool has_limits(const struct weir_option *option)
{
	bool number = option->type == WEIR_OPTION_UINT || option->type == WEIR_OPTION_INT ||
		      option->type == WEIR_OPTION_DOUBLE || option->type == WEIR_OPTION_DURATION ||
		      option->type == WEIR_OPTION_SIZE;

	return number && (option->minimum != 0 || option->maximum != 0);
}

static void try_limit(struct subject *subject, void *conf, const struct weir_option *option,
		      int64_t value, bool accepted)
{
	const char *unit = option->type == WEIR_OPTION_DURATION ? "ns"
			   : option->type == WEIR_OPTION_SIZE   ? "B"
								: "";
	char text[48], error[256] = "";
	int err;

	snprintf(text, sizeof(text), "%lld%s", (long long)value, unit);
	err = option_set(&subject->plugin->component, conf, option->name, text, error,
			 sizeof(error));
	if ((err == 0) != accepted)
		subject_fault(subject, "option %s: %s is %s: %s", option->name, text,
			      accepted ? "refused" : "accepted", error);
}

void check_limits(struct subject *subject)
{
	const struct weir_component *component = &subject->plugin->component;
	void *conf = calloc(1, component->options_size + 1u);

	for (uint32_t i = 0; conf && i < component->options.count; i++) {
		const struct weir_option *option = &component->options.items[i];

		if (!has_limits(option))
			continue;
		try_limit(subject, conf, option, option->minimum, true);
		try_limit(subject, conf, option, option->maximum, true);
		if (option->minimum > INT64_MIN)
			try_limit(subject, conf, option, option->minimum - 1, false);
		if (option->maximum < INT64_MAX)
			try_limit(subject, conf, option, option->maximum + 1, false);
	}
	free(conf);
}

/* The same texts in each run: a failure can be looked into. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void random_text(uint32_t *seed, char *text)
{
	static const char letters[] =
		"0123456789.,-+eE:/%* \"'\\$(){}<>=!&|~_nsumhdkMGTiBpidcom\xc3\xa4";
	size_t length = next_random(seed) % TEXT_MAX;

	for (size_t i = 0; i < length; i++)
		text[i] = letters[next_random(seed) % (sizeof(letters) - 1)];
	text[length] = '\0';
}

/* An instance with that value: it may refuse it, with a reason, and must leave nothing behind. */
static void try_instance(struct subject *subject, const struct weir_option *option,
			 const char *text)
{
	struct mock *mock = mock_new(subject, &subject->plugin->component, 0);
	char error[256];

	if (!mock)
		return;
	if (option_set(mock->component, (void *)mock->ctx.options, option->name, text, error,
		       sizeof(error)) == 0 &&
	    mock_step(mock, 'c'))
		mock_step(mock, 'b');
	mock_end(mock);
	mock_free(mock);
}

void check_random_options(struct subject *subject)
{
	const struct weir_component *component = &subject->plugin->component;
	uint32_t seed = 1;
	char text[TEXT_MAX + 1];

	for (uint32_t i = 0; i < component->options.count; i++) {
		if (component->options.items[i].type == WEIR_OPTION_TEXTS)
			continue;
		for (int j = 0; j < RANDOM_TEXTS; j++) {
			random_text(&seed, text);
			try_instance(subject, &component->options.items[i], text);
		}
	}
	/* What it refused is what was to be expected. */
	subject->note[0] = '\0';
}
