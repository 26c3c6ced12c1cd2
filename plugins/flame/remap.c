/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a copied batch; see remap.h. Ids are read from the original and written to the copy, so
 * that rows may share what they point to.
 */
#include "remap.h"

/* A batch on its way from one table to the other. */
struct remap_job {
	struct weir_ctx *ctx;
	struct remap *remap;
	const struct weir_batch *in;
	struct weir_batch *out;
};

struct weir_batch *remap_copy(struct weir_ctx *ctx, uint32_t output, const struct weir_batch *in)
{
	struct weir_batch *out = weir_loan(ctx, output, in->row_count, in->arena_used);

	if (!out)
		return NULL;
	if (in->row_count)
		memcpy(out->rows, in->rows, (size_t)in->row_count * in->row_size);
	if (in->arena_used)
		memcpy(out->arena, in->arena, in->arena_used);
	out->row_count = in->row_count;
	out->arena_used = in->arena_used;
	out->flags = in->flags;
	out->start = in->start;
	out->end = in->end;
	return out;
}

static int remap_id(const struct remap_job *job, const void *from, void *to)
{
	const struct weir_host *host = job->ctx->host;
	uint32_t id, own, length;
	const char *text;

	memcpy(&id, from, sizeof(id));
	if (id == 0)
		return 0;
	own = intmap_get(&job->remap->ids, id, 0);
	if (!own) {
		text = host->names_text(job->in->names, id, &length);
		own = host->names_intern(job->remap->names, text, length);
		if (!own || intmap_add(&job->remap->ids, id, 0, own))
			return -ENOMEM;
	}
	memcpy(to, &own, sizeof(own));
	return 0;
}

/* Whether `count` items of `size` bytes lie within the arena. */
static bool remap_fits(const struct remap_job *job, uint32_t offset, uint64_t count, uint32_t size)
{
	return offset <= job->in->arena_used && count * size <= job->in->arena_used - offset;
}

static int remap_list(const struct remap_job *job, const struct weir_names_ref *list)
{
	uint32_t i;
	int err = 0;

	if (!remap_fits(job, list->offset, list->count, sizeof(uint32_t)))
		return -EINVAL;
	for (i = 0; i < list->count && !err; i++) {
		size_t at = list->offset + (size_t)i * sizeof(uint32_t);

		err = remap_id(job, job->in->arena + at, job->out->arena + at);
	}
	return err;
}

static int remap_stack(const struct remap_job *job, const struct weir_stack_ref *stack)
{
	uint32_t i;
	int err = 0;

	if (!remap_fits(job, stack->offset, stack->count, sizeof(struct weir_frame)))
		return -EINVAL;
	for (i = 0; i < stack->count && !err; i++) {
		size_t at = stack->offset + (size_t)i * sizeof(struct weir_frame);
		const struct weir_frame *from = (const void *)(job->in->arena + at);
		struct weir_frame *to = (void *)(job->out->arena + at);

		err = remap_id(job, &from->symbol, &to->symbol);
		if (!err)
			err = remap_id(job, &from->object, &to->object);
		if (!err)
			err = remap_id(job, &from->source, &to->source);
	}
	return err;
}

/* A field that is no nested table. `from` and `to` are the member in the row and in its copy. */
static int remap_field(const struct remap_job *job, const struct weir_field *field,
		       const uint8_t *from, uint8_t *to)
{
	struct weir_names_ref list;
	struct weir_stack_ref stack;

	switch (field->type) {
	case WEIR_TYPE_NAME:
		return remap_id(job, from, to);
	case WEIR_TYPE_NAMES:
		memcpy(&list, from, sizeof(list));
		return remap_list(job, &list);
	case WEIR_TYPE_STACK:
		memcpy(&stack, from, sizeof(stack));
		return remap_stack(job, &stack);
	default:
		return 0;
	}
}

/* A run of rows; nested tables are handed to `nested`, which is NULL on the lowest level. */
typedef int remap_rows_fn(const struct remap_job *job, const struct weir_schema *schema,
			  const uint8_t *from, uint8_t *to, uint32_t count);

static int remap_rows(const struct remap_job *job, const struct weir_schema *schema,
		      const uint8_t *from, uint8_t *to, uint32_t count, remap_rows_fn *nested)
{
	uint32_t row, i;
	int err = 0;

	for (row = 0; row < count; row++, from += schema->row_size, to += schema->row_size) {
		for (i = 0; i < schema->fields.count && !err; i++) {
			const struct weir_field *field = weir_field_at(schema, i);
			struct weir_rows_ref rows;

			if (field->type != WEIR_TYPE_ROWS || !nested) {
				err = remap_field(job, field, from + field->offset,
						  to + field->offset);
				continue;
			}
			memcpy(&rows, from + field->offset, sizeof(rows));
			if (!remap_fits(job, rows.offset, rows.count, field->rows->row_size))
				return -EINVAL;
			err = nested(job, field->rows, job->in->arena + rows.offset,
				     job->out->arena + rows.offset, rows.count);
		}
	}
	return err;
}

static int remap_lowest(const struct remap_job *job, const struct weir_schema *schema,
			const uint8_t *from, uint8_t *to, uint32_t count)
{
	return remap_rows(job, schema, from, to, count, NULL);
}

static int remap_middle(const struct remap_job *job, const struct weir_schema *schema,
			const uint8_t *from, uint8_t *to, uint32_t count)
{
	return remap_rows(job, schema, from, to, count, remap_lowest);
}

int remap_names(struct weir_ctx *ctx, struct remap *remap, const struct weir_schema *schema,
		const struct weir_batch *in, struct weir_batch *out)
{
	struct remap_job job = { ctx, remap, in, out };

	intmap_reset(&remap->ids);
	out->names = remap->names;
	if (!in->names)
		return 0;
	return remap_rows(&job, schema, in->rows, out->rows, in->row_count, remap_middle);
}
