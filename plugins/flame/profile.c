/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile brought together from rows; see profile.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile.h"

/* Longer comms than this are cut in a root's label. */
enum { PROFILE_ROOT_MAX = 256 };

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

const char *profile_text(struct weir_ctx *ctx, const struct profile *profile, uint32_t id,
			 uint32_t *length)
{
	return ctx->host->names_text(profile->names, id, length);
}

int profile_compare(struct weir_ctx *ctx, const struct profile *profile, uint32_t a, uint32_t b)
{
	uint32_t length_a, length_b;
	const char *text_a = profile_text(ctx, profile, a, &length_a);
	const char *text_b = profile_text(ctx, profile, b, &length_b);
	int order = memcmp(text_a, text_b, length_a < length_b ? length_a : length_b);

	return order ? order : (length_a > length_b) - (length_a < length_b);
}

/* "libc.so.6" of a path; what is no path stays as it is. */
static uint32_t profile_object(struct weir_ctx *ctx, struct profile *profile,
			       const struct weir_batch *batch, uint32_t object)
{
	uint32_t id = object ? intmap_get(&profile->objects, object, 0) : 0, length;
	const char *text, *slash;

	if (id || !object)
		return id;
	text = ctx->host->names_text(batch->names, object, &length);
	slash = text[0] == '/' ? memrchr(text, '/', length) : NULL;
	if (slash && slash + 1 < text + length) {
		length -= (uint32_t)(slash + 1 - text);
		text = slash + 1;
	}
	id = ctx->host->names_intern(profile->names, text, length);
	if (id && intmap_add(&profile->objects, object, 0, id))
		return 0;
	return id;
}

/* "[libc.so.6]"; "[vdso]" has its brackets already. */
static uint32_t profile_object_label(struct weir_ctx *ctx, const struct profile *profile,
				     uint32_t object)
{
	uint32_t length;
	const char *text = profile_text(ctx, profile, object, &length);
	char *label;
	uint32_t id;

	if (text[0] == '[')
		return object;
	label = malloc((size_t)length + 2);
	if (!label)
		return 0;
	label[0] = '[';
	memcpy(label + 1, text, length);
	label[length + 1] = ']';
	id = ctx->host->names_intern(profile->names, label, (size_t)length + 2);
	free(label);
	return id;
}

/* "symbol:file.c:12" */
static uint32_t profile_line_label(struct weir_ctx *ctx, const struct profile *profile,
				   const struct weir_batch *batch, const struct weir_frame *frame)
{
	const char *symbol = ctx->host->names_text(batch->names, frame->symbol, NULL);
	const char *source = ctx->host->names_text(batch->names, frame->source, NULL);
	const char *slash = strrchr(source, '/');
	char *label;
	int length;
	uint32_t id;

	source = slash && slash[1] ? slash + 1 : source;
	length = asprintf(&label, "%s:%s:%" PRIu32, symbol, source, frame->line);
	if (length < 0)
		return 0;
	id = ctx->host->names_intern(profile->names, label, (size_t)length);
	free(label);
	return id;
}

static uint32_t profile_new_label(struct weir_ctx *ctx, const struct profile *profile,
				  const struct weir_batch *batch, uint32_t symbol, uint32_t object)
{
	static const char unknown[] = "[unknown]";
	uint32_t length;
	const char *text;

	if (symbol) {
		text = ctx->host->names_text(batch->names, symbol, &length);
		return ctx->host->names_intern(profile->names, text, length);
	}
	if (object)
		return profile_object_label(ctx, profile, object);
	return ctx->host->names_intern(profile->names, unknown, sizeof(unknown) - 1);
}

int profile_label(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch,
		  const struct weir_frame *frame, struct profile_label *out)
{
	uint32_t symbol = batch->names ? frame->symbol : 0;
	uint32_t object = batch->names ? frame->object : 0;
	bool lines = symbol && frame->flags & WEIR_FRAME_LINE && frame->line;
	/* One label for all objects of a symbol; symbols are below objects and sources. */
	uint64_t key = symbol ? symbol | (uint64_t)(lines ? frame->source : 0) << 32
			      : (uint64_t)object << 32;
	uint32_t line = lines ? frame->line : 0;

	out->object = profile_object(ctx, profile, batch, object);
	if (object && !out->object)
		return -ENOMEM;
	out->label = intmap_get(&profile->labels, key, line);
	if (out->label)
		return 0;
	out->label = lines ? profile_line_label(ctx, profile, batch, frame)
			   : profile_new_label(ctx, profile, batch, symbol, out->object);
	return out->label ? intmap_add(&profile->labels, key, line, out->label) : -ENOMEM;
}

int profile_root_label(struct weir_ctx *ctx, struct profile *profile, const struct profile_row *row,
		       uint32_t *label)
{
	char text[PROFILE_ROOT_MAX + 64];
	bool pid = row->pid != WEIR_ABSENT_U32, tid = row->tid != WEIR_ABSENT_U32;
	int length;

	*label = 0;
	if (!row->comm_length && !pid && !tid && row->cpu == WEIR_ABSENT_U32)
		return 0;
	length = snprintf(text, sizeof(text), "%.*s",
			  row->comm_length < PROFILE_ROOT_MAX ? (int)row->comm_length
							      : PROFILE_ROOT_MAX,
			  row->comm);
	if (pid)
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s%u",
				   length ? "-" : "", row->pid);
	if (tid)
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s/%u",
				   pid ? "" : "-?", row->tid);
	if (row->cpu != WEIR_ABSENT_U32)
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%scpu%u",
				   length ? "@" : "", row->cpu);
	*label = ctx->host->names_intern(profile->names, text, (size_t)length);
	return *label ? 0 : -ENOMEM;
}

void profile_begin(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch)
{
	if (batch->names != profile->seen) {
		intmap_reset(&profile->labels);
		intmap_reset(&profile->objects);
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

static int profile_step_frame(struct weir_ctx *ctx, struct profile *profile,
			      const struct weir_batch *batch, const struct weir_frame *frame,
			      uint32_t *node)
{
	bool cut = frame->flags & WEIR_FRAME_TRUNCATED;
	struct profile_label label;
	uint32_t tag = 0;
	int err = profile_label(ctx, profile, batch, frame, &label);

	if (profile->by == PROFILE_BY_KIND)
		tag = frame->flags & PROFILE_KINDS;
	else if (profile->by == PROFILE_BY_OBJECT)
		tag = label.object;
	if (!err && cut && !profile->leaf_first)
		err = profile_step(profile, node, profile->truncated, 0);
	if (!err)
		err = profile_step(profile, node, label.label, tag);
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

int profile_push(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch)
{
	struct profile_row row;
	uint32_t i;
	int err = 0;

	profile_begin(ctx, profile, batch);
	for (i = 0; i < batch->row_count && !err; i++) {
		profile_input_row(ctx, &profile->input, batch, i, &row);
		err = profile_add(ctx, profile, batch, &row);
	}
	return err;
}
