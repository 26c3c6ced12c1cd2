/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sink flame.script: samples as `perf script` prints them, for tools that read its text. Each row is
 * written as it comes: nothing is kept.
 */
#include <inttypes.h>

#include "profile_input.h"
#include "value_type.h"
#include "writing.h"

struct script_conf {
	const char *path;
};

static const struct weir_option script_options[] = {
	WEIR_OPT_TEXT(struct script_conf, path, "", "file to write; what -o says, else stdout"),
};

struct script_state {
	struct profile_input input;
	struct value_type type;
	struct writing out;
};

static const struct weir_want script_wants[] = { PROFILE_WANTS };
static const struct weir_slot script_inputs[] = {
	{ "stacks", "rows with a stack", WEIR_TABLE(script_wants), 0, 0 },
};
static const struct weir_format script_formats[] = { { "script", ".script" },
						     { "script", ".perf.txt" } };

static int script_bind(struct weir_ctx *ctx)
{
	struct script_state *state = ctx->state;

	value_type_bind(ctx, &state->type);
	return profile_input_bind(ctx, &state->input, 0);
}

static int script_start(struct weir_ctx *ctx)
{
	const struct script_conf *conf = ctx->options;
	struct script_state *state = ctx->state;

	return writing_open(ctx, &state->out, conf->path);
}

/* A name on its line: control characters, which would end it, are written \xNN. */
static void script_name(struct weir_ctx *ctx, const char *text, size_t length)
{
	struct script_state *state = ctx->state;
	size_t at, plain = 0;

	for (at = 0; at < length; at++) {
		unsigned char c = (unsigned char)text[at];

		if (c >= 0x20 && c != 0x7f)
			continue;
		writing_bytes(&state->out, text + plain, at - plain);
		writing_print(&state->out, "\\x%02x", c);
		plain = at + 1;
	}
	writing_bytes(&state->out, text + plain, length - plain);
}

static const char *script_text(struct weir_ctx *ctx, const struct weir_batch *batch, uint32_t id,
			       uint32_t *length)
{
	*length = 0;
	return id && batch->names ? ctx->host->names_text(batch->names, id, length) : "";
}

/*
 * "comm pid/tid [cpu] time: period event:". A process or time that is not known is 0, for who reads
 * the text needs one.
 */
static void script_head(struct weir_ctx *ctx, const struct profile_row *row)
{
	struct script_state *state = ctx->state;
	uint32_t pid = row->pid == WEIR_ABSENT_U32 ? 0 : row->pid;

	if (row->comm_length)
		script_name(ctx, row->comm, row->comm_length);
	else
		writing_print(&state->out, ":%u", pid);
	writing_print(&state->out, " %5u", pid);
	if (row->tid != WEIR_ABSENT_U32)
		writing_print(&state->out, "/%u", row->tid);
	if (row->cpu != WEIR_ABSENT_U32)
		writing_print(&state->out, " [%03u]", row->cpu);
	writing_print(&state->out, " %" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " %s:\n",
		      row->time / 1000000000, row->time / 1000 % 1000000, row->weight,
		      state->type.name);
}

static void script_object(struct weir_ctx *ctx, const struct weir_batch *batch,
			  const struct profile_row *row, const struct weir_frame *frame)
{
	struct script_state *state = ctx->state;
	uint32_t length;
	const char *object = script_text(ctx, batch, frame->object, &length);

	if (frame->flags & WEIR_FRAME_INLINED)
		writing_print(&state->out, "inlined");
	else if (frame->flags & WEIR_FRAME_KERNEL && (!length || strcmp(object, "[kernel]") == 0))
		writing_print(&state->out, "[kernel.kallsyms]");
	else if (!length && frame->flags & WEIR_FRAME_JIT)
		writing_print(&state->out, "/tmp/perf-%u.map",
			      row->pid == WEIR_ABSENT_U32 ? 0 : row->pid);
	else if (!length)
		writing_print(&state->out, "[unknown]");
	else
		script_name(ctx, object, length);
}

static void script_frame(struct weir_ctx *ctx, const struct weir_batch *batch,
			 const struct profile_row *row, const struct weir_frame *frame)
{
	struct script_state *state = ctx->state;
	uint32_t length;
	const char *symbol = script_text(ctx, batch, frame->symbol, &length);

	writing_print(&state->out, "\t%16" PRIx64 " ", frame->address);
	if (length)
		script_name(ctx, symbol, length);
	else
		writing_print(&state->out, "[unknown]");
	if (length && frame->address && !(frame->flags & WEIR_FRAME_INLINED))
		writing_print(&state->out, "+0x%x", frame->symbol_offset);
	writing_print(&state->out, " (");
	script_object(ctx, batch, row, frame);
	writing_print(&state->out, ")\n");
}

/* Where nobody says whose a stack is, as in folded text, it stands on its command. */
static void script_find_comm(struct weir_ctx *ctx, const struct weir_batch *batch,
			     struct profile_row *row)
{
	const struct weir_frame *outermost;

	if (row->comm_length || row->pid != WEIR_ABSENT_U32 || row->frame_count == 0)
		return;
	outermost = &row->frames[row->frame_count - 1];
	row->comm = script_text(ctx, batch, outermost->symbol, &row->comm_length);
	if (row->comm_length)
		row->frame_count--;
}

static int script_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct script_state *state = ctx->state;
	struct profile_row row;
	uint32_t i, at;

	(void)input;
	value_type_note(ctx, &state->type, batch);
	for (i = 0; i < batch->row_count && !state->out.err; i++) {
		profile_input_row(ctx, &state->input, batch, i, &row);
		script_find_comm(ctx, batch, &row);
		script_head(ctx, &row);
		for (at = 0; at < row.frame_count; at++)
			script_frame(ctx, batch, &row, &row.frames[at]);
		writing_bytes(&state->out, "\n", 1);
	}
	return state->out.err ? weir_fail(ctx, state->out.err, "writing samples") : 0;
}

static int script_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct script_state *state = ctx->state;

	(void)deadline;
	return writing_close(ctx, &state->out, "samples");
}

static void script_stop(struct weir_ctx *ctx)
{
	struct script_state *state = ctx->state;

	writing_stop(&state->out);
}

WEIR_COMPONENT(
	"flame.script", WEIR_SINK, .summary = "writes stacks as perf script prints them",
	.doc = "For tools that read the text of perf script. Merged samples are one, whose period "
	       "is the sum.\nThat text must have a process and a time: what is not known is 0, and "
	       "a stack without a\ncommand stands on its outermost frame. Control characters are "
	       "written \\xNN.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct script_conf),
	.state_size = sizeof(struct script_state), .options = WEIR_TABLE(script_options),
	.inputs = WEIR_TABLE(script_inputs), .formats = WEIR_TABLE(script_formats),
	.bind = script_bind, .start = script_start, .push = script_push, .drain = script_drain,
	.stop = script_stop);
