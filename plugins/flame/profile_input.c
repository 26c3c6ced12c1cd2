/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a profile; see profile_input.h. */
#include "profile_input.h"

static int profile_check_weight(struct weir_ctx *ctx, const struct weir_field *weight)
{
	if (!weight || weight->type == WEIR_TYPE_UINT || weight->type == WEIR_TYPE_DURATION)
		return 0;
	return weir_fail(ctx, -EINVAL, "column weight is no unsigned number or duration");
}

static int profile_check_comm(struct weir_ctx *ctx, const struct weir_field *comm)
{
	if (!comm || comm->type == WEIR_TYPE_CHARS || comm->type == WEIR_TYPE_TEXT ||
	    comm->type == WEIR_TYPE_NAME)
		return 0;
	return weir_fail(ctx, -EINVAL, "column comm is no text");
}

int profile_input_bind(struct weir_ctx *ctx, struct profile_input *input, uint32_t i)
{
	const struct weir_schema *schema = weir_input(ctx, i)->schema;
	int err;

	input->stack = weir_find(schema, "stack");
	input->comm = weir_find(schema, "comm");
	input->pid = weir_find(schema, "pid");
	input->tid = weir_find(schema, "tid");
	input->cpu = weir_find(schema, "cpu");
	input->weight = weir_find(schema, "weight");
	input->samples = weir_find(schema, "samples");
	if (!input->samples)
		input->samples = weir_find(schema, "count");
	input->before = weir_find(schema, "before");
	input->time = weir_find(schema, "time");
	input->unit = input->weight ? input->weight->unit : WEIR_SAMPLES;
	if (input->stack->item_size < sizeof(struct weir_frame))
		return weir_fail(ctx, -EINVAL, "column stack has frames of %u bytes",
				 input->stack->item_size);
	err = profile_check_weight(ctx, input->weight);
	return err ? err : profile_check_comm(ctx, input->comm);
}

uint64_t profile_uint(const void *row, const struct weir_field *field)
{
	const uint8_t *at = (const uint8_t *)row + field->offset;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (field->bytes) {
	case 8:
		memcpy(&u64, at, sizeof(u64));
		return u64;
	case 4:
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case 2:
		memcpy(&u16, at, sizeof(u16));
		return u16;
	default:
		return *at;
	}
}

/* An id column: absent where there is none, or its value is. */
static uint32_t profile_id(const void *row, const struct weir_field *field)
{
	uint64_t value;

	if (!field)
		return WEIR_ABSENT_U32;
	value = profile_uint(row, field);
	if ((field->flags & WEIR_OPTIONAL) && value == weir_absent_uint(field->bytes))
		return WEIR_ABSENT_U32;
	return value < WEIR_ABSENT_U32 ? (uint32_t)value : WEIR_ABSENT_U32;
}

static void profile_comm(struct weir_ctx *ctx, const struct weir_field *field,
			 const struct weir_batch *batch, const void *row, struct profile_row *out)
{
	const char *at = (const char *)row + field->offset;
	struct weir_text text;
	struct weir_name name;

	switch (field->type) {
	case WEIR_TYPE_CHARS:
		out->comm = at;
		out->comm_length = (uint32_t)strnlen(at, field->bytes);
		break;
	case WEIR_TYPE_TEXT:
		memcpy(&text, at, sizeof(text));
		out->comm = weir_text_of(batch, text);
		out->comm_length = text.length;
		break;
	default:
		memcpy(&name, at, sizeof(name));
		if (name.id && batch->names)
			out->comm = ctx->host->names_text(batch->names, name.id, &out->comm_length);
		break;
	}
}

void profile_input_row(struct weir_ctx *ctx, const struct profile_input *input,
		       const struct weir_batch *batch, uint32_t i, struct profile_row *out)
{
	const void *row = weir_row(batch, i);
	struct weir_stack_ref stack;

	memcpy(&stack, (const uint8_t *)row + input->stack->offset, sizeof(stack));
	memset(out, 0, sizeof(*out));
	out->frames = weir_arena(batch, stack.offset);
	out->frame_count = stack.count;
	out->pid = profile_id(row, input->pid);
	out->tid = profile_id(row, input->tid);
	out->cpu = profile_id(row, input->cpu);
	out->comm = "";
	if (input->comm)
		profile_comm(ctx, input->comm, batch, row, out);
	out->samples = input->samples ? profile_uint(row, input->samples) : 1;
	out->weight = input->weight ? profile_uint(row, input->weight) : out->samples;
	out->before = input->before ? profile_uint(row, input->before) : 0;
	out->time = input->time ? profile_uint(row, input->time) : 0;
}
