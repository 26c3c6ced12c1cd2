/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile brought together from rows; see profile.h. */
#include <stdlib.h>

#include "profile.h"

enum {
	PROFILE_AHEAD = 2,    /* rows whose frames are asked for before they are needed */
	PROFILE_FETCH = 4096, /* bytes of them at most */
	PROFILE_LINE = 64,    /* of a CPU's cache */
};

int profile_bind(struct weir_ctx *ctx, struct profile *profile, enum profile_tag by)
{
	static const char truncated[] = "[truncated]";
	int err = profile_input_bind(ctx, &profile->input, 0);

	if (err)
		return err;
	profile->by = by;
	profile->has_weight = profile->input.weight != NULL;
	profile->names = ctx->host->names_new(ctx);
	if (!profile->names)
		return weir_fail(ctx, -ENOMEM, "names");
	profile->truncated =
		ctx->host->names_intern(profile->names, truncated, sizeof(truncated) - 1);
	if (!profile->truncated || calltree_init(&profile->tree))
		return weir_fail(ctx, -ENOMEM, "call tree");
	return 0;
}

void profile_clear(struct weir_ctx *ctx, struct profile *profile)
{
	ctx->host->names_release(profile->names);
	ctx->host->names_release(profile->seen);
	profile->names = profile->seen = NULL;
	calltree_clear(&profile->tree);
	free(profile->path.nodes);
	memset(&profile->path, 0, sizeof(profile->path));
	intmap_clear(&profile->labels);
	intmap_clear(&profile->objects);
}

void profile_begin(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch)
{
	if (batch->names != profile->seen) {
		intmap_reset(&profile->labels);
		intmap_reset(&profile->objects);
		memset(profile->recent, 0, sizeof(profile->recent));
		ctx->host->names_release(profile->seen);
		profile->seen = ctx->host->names_hold(batch->names);
	}
	memset(&profile->path.row, 0, sizeof(profile->path.row));
	profile->path.known = 0;
	if (!profile->start || batch->start < profile->start)
		profile->start = batch->start;
	if (batch->end > profile->end)
		profile->end = batch->end;
}

/* One step down the tree; *node is the step's end. */
static int profile_step(struct profile *profile, uint32_t *node, uint32_t name, uint32_t tag)
{
	*node = calltree_child(&profile->tree, *node, name, tag);
	return *node ? 0 : -ENOMEM;
}

static bool profile_same_root(const struct profile_row *a, const struct profile_row *b)
{
	return a->comm == b->comm && a->comm_length == b->comm_length && a->pid == b->pid &&
	       a->tid == b->tid && a->cpu == b->cpu;
}

static int profile_step_root(struct weir_ctx *ctx, struct profile *profile,
			     const struct profile_row *row, uint32_t *node)
{
	uint32_t label;
	int err = profile_root_label(ctx, profile, row, &label);

	return err || !label ? err : profile_step(profile, node, label, PROFILE_ROOT);
}

/* The number of a frame's label and tag in the tree. 0: no memory. */
static uint32_t profile_number(struct weir_ctx *ctx, struct profile *profile,
			       const struct weir_batch *batch, const struct weir_frame *frame)
{
	struct profile_label label;
	uint32_t tag = 0;

	if (profile_label(ctx, profile, batch, frame, &label))
		return 0;
	if (profile->by == PROFILE_BY_KIND)
		tag = frame->flags & PROFILE_KINDS;
	else if (profile->by == PROFILE_BY_OBJECT)
		tag = label.object;
	return calltree_label(&profile->tree, label.label, tag);
}

/* Where a frame that comes again and again may be. */
static struct profile_recent *profile_slot(struct profile *profile, const struct weir_frame *frame)
{
	return &profile->recent[(frame->symbol ^ frame->object * 31u ^ frame->line * 7u) %
				PROFILE_RECENT];
}

/* The same, by way of the frames that come again and again. */
static uint32_t profile_recent(struct weir_ctx *ctx, struct profile *profile,
			       const struct weir_batch *batch, const struct weir_frame *frame)
{
	struct profile_recent *recent = profile_slot(profile, frame);

	if (recent->number && recent->symbol == frame->symbol && recent->object == frame->object &&
	    recent->flags == frame->flags && recent->source == frame->source &&
	    recent->line == frame->line)
		return recent->number;
	*recent = (struct profile_recent){
		frame->symbol, frame->object, frame->flags,
		frame->source, frame->line,   profile_number(ctx, profile, batch, frame)
	};
	return recent->number;
}

static int profile_step_frame(struct weir_ctx *ctx, struct profile *profile,
			      const struct weir_batch *batch, const struct weir_frame *frame,
			      uint32_t *node)
{
	bool cut = frame->flags & WEIR_FRAME_TRUNCATED;
	uint32_t number = profile_recent(ctx, profile, batch, frame);
	int err = number ? 0 : -ENOMEM;

	if (!err && cut && !profile->leaf_first)
		err = profile_step(profile, node, profile->truncated, 0);
	if (!err) {
		*node = calltree_step(&profile->tree, *node, number);
		err = *node ? 0 : -ENOMEM;
	}
	if (!err && cut && profile->leaf_first)
		err = profile_step(profile, node, profile->truncated, 0);
	return err;
}

/* The frame of a step down the tree. */
static const struct weir_frame *profile_frame(const struct profile *profile,
					      const struct profile_row *row, uint32_t step)
{
	return &row->frames[profile->leaf_first ? step : row->frame_count - 1 - step];
}

static bool profile_same_frame(const struct weir_frame *a, const struct weir_frame *b)
{
	return a->symbol == b->symbol && a->object == b->object && a->flags == b->flags;
}

/* How many steps a row has in common with the one before. */
static uint32_t profile_common(const struct profile *profile, const struct profile_row *row)
{
	const struct profile_path *path = &profile->path;
	uint32_t most = path->known < row->frame_count ? path->known : row->frame_count, step = 0;

	while (step < most && profile_same_frame(profile_frame(profile, &path->row, step),
						 profile_frame(profile, row, step)))
		step++;
	return step;
}

static int profile_path_room(struct profile_path *path, uint32_t count)
{
	uint32_t *nodes;

	if (count <= path->capacity)
		return 0;
	nodes = reallocarray(path->nodes, (size_t)count * 2, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	path->nodes = nodes;
	path->capacity = count * 2;
	return 0;
}

/* Where the row's frames begin: at the node of its command, which may be that of the row before. */
static int profile_begin_path(struct weir_ctx *ctx, struct profile *profile,
			      const struct profile_row *row)
{
	struct profile_path *path = &profile->path;

	if (profile->leaf_first || (path->row.comm && profile_same_root(&path->row, row)))
		return 0;
	path->known = 0;
	path->root = 0;
	return profile_step_root(ctx, profile, row, &path->root);
}

static int profile_walk(struct weir_ctx *ctx, struct profile *profile,
			const struct weir_batch *batch, const struct profile_row *row,
			uint32_t *node)
{
	struct profile_path *path = &profile->path;
	uint32_t step;
	int err = profile_begin_path(ctx, profile, row);

	if (!err)
		err = profile_path_room(path, row->frame_count);
	if (err)
		return err;
	step = profile_common(profile, row);
	/* They lie far apart in memory: all are asked for before one is needed. */
	for (uint32_t i = step; i < row->frame_count; i++)
		__builtin_prefetch(profile_slot(profile, profile_frame(profile, row, i)));
	*node = step ? path->nodes[step - 1] : path->root;
	for (; step < row->frame_count && !err; step++) {
		err = profile_step_frame(ctx, profile, batch, profile_frame(profile, row, step),
					 node);
		path->nodes[step] = *node;
	}
	path->known = err ? 0 : row->frame_count;
	path->row = *row;
	return err;
}

int profile_leaf(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch,
		 const struct profile_row *row, uint32_t *node)
{
	int err;

	*node = 0;
	err = profile_walk(ctx, profile, batch, row, node);
	if (!err && profile->leaf_first)
		err = profile_step_root(ctx, profile, row, node);
	return err ? weir_fail(ctx, err, "call tree of %u nodes", profile->tree.count) : 0;
}

static int profile_add(struct weir_ctx *ctx, struct profile *profile,
		       const struct weir_batch *batch, const struct profile_row *row)
{
	uint32_t node;
	int err = profile_leaf(ctx, profile, batch, row, &node);

	if (err)
		return err;
	profile->samples += row->samples;
	if (calltree_add(&profile->tree, node, row->weight, row->samples))
		return weir_fail(ctx, -ENOMEM, "weights of %u nodes", profile->tree.count);
	if (row->before && calltree_add_before(&profile->tree, node, row->before))
		return weir_fail(ctx, -ENOMEM, "weights of %u nodes", profile->tree.count);
	return 0;
}

/* Asks for the frames of a row to come: another CPU wrote them. */
static void profile_fetch(const struct profile_input *input, const struct weir_batch *batch,
			  uint32_t i)
{
	struct weir_stack_ref stack;
	size_t bytes;

	if (i >= batch->row_count)
		return;
	memcpy(&stack, (const uint8_t *)weir_row(batch, i) + input->stack->offset, sizeof(stack));
	bytes = stack.count * sizeof(struct weir_frame);
	for (size_t at = 0; at < bytes && at < PROFILE_FETCH; at += PROFILE_LINE)
		__builtin_prefetch(batch->arena + stack.offset + at);
}

int profile_push(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch)
{
	struct profile_row row;
	uint32_t i;
	int err = 0;

	profile_begin(ctx, profile, batch);
	for (i = 0; i < batch->row_count && !err; i++) {
		profile_fetch(&profile->input, batch, i + PROFILE_AHEAD);
		profile_input_row(ctx, &profile->input, batch, i, &row);
		err = profile_add(ctx, profile, batch, &row);
	}
	return err;
}
