/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a profile, as samples or folded: where their columns lie, and what they say. */
#ifndef FLAME_PROFILE_INPUT_H
#define FLAME_PROFILE_INPUT_H

#include <weir/plugin.h>

/* For the tables of inputs: a stack, and what may stand beside it. */
#define PROFILE_WANTS                                                                              \
	{ "stack", WEIR_TYPE_STACK, 0, NULL, 0, 0 }, { "pid", WEIR_TYPE_UINT, 0, NULL, 1, 0 },     \
		{ "tid", WEIR_TYPE_UINT, 0, NULL, 1, 0 },                                          \
		{ "cpu", WEIR_TYPE_UINT, 0, NULL, 1, 0 }, { "comm", 0, 0, NULL, 1, 0 },            \
		{ "weight", 0, 0, NULL, 1, 0 }, { "samples", WEIR_TYPE_UINT, 0, NULL, 1, 0 },      \
		{ "count", WEIR_TYPE_UINT, 0, NULL, 1, 0 },                                        \
		{ "before", WEIR_TYPE_UINT, 0, NULL, 1, 0 },                                       \
	{                                                                                          \
		"time", WEIR_TYPE_TIME, 0, NULL, 1, 0                                              \
	}

struct profile_input {
	const struct weir_field *stack;
	const struct weir_field *comm; /* this and the rest: NULL when there is none */
	const struct weir_field *pid;
	const struct weir_field *tid;
	const struct weir_field *cpu;
	const struct weir_field *weight;
	const struct weir_field *samples; /* or count */
	const struct weir_field *before;
	const struct weir_field *time;
	const struct weir_unit *unit; /* of the weight; samples where there is no weight */
};

/* One row. Everything in it lives as long as the batch. */
struct profile_row {
	const struct weir_frame *frames; /* leaf first */
	const char *comm;                /* "" when not known; not closed by NUL */
	uint32_t comm_length;
	uint32_t frame_count;
	uint32_t pid; /* this and the next two: WEIR_ABSENT_U32 when not known */
	uint32_t tid;
	uint32_t cpu;
	uint64_t weight;
	uint64_t samples;
	uint64_t
		before; /* weight in a profile that this one is compared with; 0 without a column */
	uint64_t time;  /* 0 without a column */
};

/* bind(): finds the columns of an input. 0, or a negative errno after having failed. */
int profile_input_bind(struct weir_ctx *ctx, struct profile_input *input, uint32_t i);

void profile_input_row(struct weir_ctx *ctx, const struct profile_input *input,
		       const struct weir_batch *batch, uint32_t i, struct profile_row *out);

/* An unsigned member of 1 to 8 bytes. */
uint64_t profile_uint(const void *row, const struct weir_field *field);

#endif
