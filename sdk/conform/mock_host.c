/* SPDX-License-Identifier: BSD-2-Clause */
/* The mock host: one instance, its inputs, and the steps of its life. */
#include "mock_parts.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../core/batch.h"
#include "../../core/names.h"
#include "../../core/schema.h"
#include "guarded.h"

#define TICKS       3
#define MANY        300 /* rows of a large batch */
#define DRAIN_NS    1000000000
#define LATER       0x5a /* fills what only a newer host has */
#define LATER_CALLS 8

static void set_outputs(struct mock *mock)
{
	for (uint32_t i = 0; i < mock->component->outputs.count && i < MOCK_OUTPUTS_MAX; i++) {
		const struct weir_output *output = &mock->component->outputs.items[i];

		mock->outputs[i] = output->schema;
		if (output->flags & WEIR_SAME_AS_INPUT && mock->ctx.input_count > 0)
			mock->outputs[i] = mock->natives[0];
	}
}

/* The vtable of a host of today, or of a newer one: calls that nobody knows yet, and must not make. */
static struct weir_host *calls_new(size_t size)
{
	struct weir_host *calls = guarded_new(size);

	if (!calls)
		return NULL;
	memset(calls, LATER, size);
	memcpy(calls, &mock_calls, sizeof(mock_calls));
	calls->size = (uint32_t)size;
	calls->abi_minor += size > sizeof(*calls);
	return calls;
}

static bool mock_fill(struct mock *mock)
{
	const struct weir_component *component = mock->component;
	void *options = calloc(1, component->options_size + 1u);

	mock->calls_size = sizeof(struct weir_host);
	if (mock->hardships & HARD_NEWER)
		mock->calls_size += LATER_CALLS * sizeof(void *);
	mock->calls = calls_new(mock->calls_size);
	mock->ctx = (struct weir_ctx){ .size = sizeof(mock->ctx),
				       .host = mock->calls,
				       .state = calloc(1, component->state_size + 1u),
				       .options = options,
				       .root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	return mock->calls && mock->ctx.root >= 0 && options && mock->ctx.state &&
	       mock_fill_options(mock, options) == 0;
}

struct mock *mock_new(struct subject *subject, const struct weir_component *component,
		      uint32_t hardships)
{
	struct mock *mock = guarded_new(sizeof(*mock));

	if (!mock)
		return NULL;
	mock->subject = subject;
	mock->component = component;
	mock->hardships = hardships;
	for (int i = 0; i < MOCK_WATCHES_MAX; i++)
		mock->watches[i].fd = -1;
	if (!mock_fill(mock)) {
		mock_free(mock);
		return NULL;
	}
	set_outputs(mock);
	return mock;
}

void mock_free(struct mock *mock)
{
	if (!mock)
		return;
	for (uint32_t i = 0; i < mock->helper_count; i++) {
		mock_end(mock->helpers[i]);
		mock_free(mock->helpers[i]);
	}
	for (int i = 0; i < MOCK_INPUTS_MAX; i++) {
		free(mock->schemas[i]);
		free(mock->wide[i]);
	}
	for (int i = 0; i < MOCK_OUTPUTS_MAX; i++)
		free(mock->adopted[i]);
	if (mock->ctx.root >= 0)
		close(mock->ctx.root);
	option_release(mock->memory);
	free((void *)mock->ctx.options);
	free(mock->ctx.state);
	guarded_free(mock->calls, mock->calls_size);
	guarded_free(mock, sizeof(*mock));
}

/* Input `i`, of that slot. 0 or -ENOMEM. */
static int connect_input(struct mock *mock, uint32_t i, uint32_t slot)
{
	const struct weir_schema *schema =
		synthetic_schema(&mock->component->inputs.items[slot], &mock->schemas[i]);

	mock->natives[i] = schema;
	if (schema && mock->hardships & HARD_NEWER)
		schema = synthetic_wider(schema, &mock->wide[i]);
	mock->inputs[i] =
		(struct weir_input){ sizeof(struct weir_input), slot, "conform", "rows", schema };
	return schema ? 0 : -ENOMEM;
}

int mock_connect(struct mock *mock)
{
	uint32_t count = 0;

	for (uint32_t slot = 0; slot < mock->component->inputs.count; slot++) {
		const struct weir_slot *wanted = &mock->component->inputs.items[slot];
		uint32_t edges = wanted->flags & WEIR_MANY ? 2 : 1;

		for (; edges > 0 && count < MOCK_INPUTS_MAX; edges--, count++)
			if (connect_input(mock, count, slot) < 0)
				return -ENOMEM;
	}
	mock->ctx.input_count = count;
	set_outputs(mock);
	return 0;
}
