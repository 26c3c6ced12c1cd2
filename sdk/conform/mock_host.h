/* SPDX-License-Identifier: BSD-2-Clause */
/* A host for one instance: does what weir does, remembers what it was asked, checks what it got. */
#ifndef CONFORM_MOCK_HOST_H
#define CONFORM_MOCK_HOST_H

#include <weir/plugin.h>

#include "conform.h"

#define MOCK_INPUTS_MAX  16
#define MOCK_OUTPUTS_MAX 32
#define MOCK_WATCHES_MAX 64
#define MOCK_HELPERS_MAX 8

struct mock_watch {
	int fd;
	uint32_t events;
	weir_ready_fn *ready;
};

struct mock {
	struct subject *subject;
	const struct weir_component *component;
	struct option_memory *memory; /* what the options point to */
	bool created;
	bool started;
	uint32_t hardships;
	uint64_t loans_asked;
	uint64_t loans_refused;
	uint64_t losses;  /* times that it told of some */
	char reason[512]; /* of the last failure; "": none was given */
	uint64_t period;
	struct weir_input inputs[MOCK_INPUTS_MAX];
	const struct weir_schema *natives[MOCK_INPUTS_MAX]; /* the inputs' schemas, in our sizes */
	void *schemas[MOCK_INPUTS_MAX]; /* what the inputs' schemas are made of */
	void *wide[MOCK_INPUTS_MAX];    /* HARD_NEWER: the same of a newer host */
	const struct weir_schema *outputs[MOCK_OUTPUTS_MAX];
	void *adopted[MOCK_OUTPUTS_MAX];
	struct mock_watch watches[MOCK_WATCHES_MAX];
	struct mock *helpers[MOCK_HELPERS_MAX]; /* instances of providers that were asked for */
	uint32_t helper_count;
	int64_t loans; /* what was taken and not given back */
	int64_t writers;
	struct weir_host *calls; /* guarded, of calls_size bytes */
	size_t calls_size;
	struct weir_ctx ctx; /* last: behind it nothing lies. The calls find the mock by it */
};

_Static_assert(offsetof(struct mock, ctx) + sizeof(struct weir_ctx) == sizeof(struct mock),
	       "the context must end where the mock does");

/* An instance with the subject's settings; NULL after a fault. mock_free() leaves destroy() out. */
struct mock *mock_new(struct subject *subject, const struct weir_component *component,
		      uint32_t hardships);
void mock_free(struct mock *mock);

/* A number of inputs that the slots allow, with schemas made of what they want. 0 or -ENOMEM. */
int mock_connect(struct mock *mock);

/* One step of a life, by its letter. Tells whether the instance can go on. */
bool mock_step(struct mock *mock, char step);
/* Stop, if start was called, and destroy, if create was; then faults for all that was kept. */
void mock_end(struct mock *mock);

/* mock_calls.c */
extern const struct weir_host mock_calls;

/* synthetic.c: a schema for a slot, all in one allocation; NULL: no memory. */
const struct weir_schema *synthetic_schema(const struct weir_slot *slot, void **owned);
/* The same schema with members that nobody has heard of yet, all in one allocation. */
const struct weir_schema *synthetic_wider(const struct weir_schema *schema, void **owned);
/* A committed batch of such rows: NULL: no memory. For batch_release(). */
struct batch *synthetic_batch(const struct weir_schema *schema, uint32_t rows,
			      struct weir_names *names);

/* batch_check.c: every reference of every row must lie in its arena. */
void batch_check(struct mock *mock, uint32_t output, const struct weir_batch *batch);

#endif
