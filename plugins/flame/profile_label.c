/* SPDX-License-Identifier: BSD-2-Clause */
/* What frames and commands are called in a profile: the labels that people read; see profile.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile.h"

/* Longer comms than this are cut in a root's label. */
enum { PROFILE_ROOT_MAX = 256 };

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
