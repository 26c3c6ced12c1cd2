/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of whoever took the stack; see observer.h. */
#include "observer.h"

enum observer_kind {
	OBSERVER_NOT,   /* what was observed */
	OBSERVER_MAYBE, /* without a name, as BPF programs are when net.core.bpf_jit_kallsyms is 0 */
	OBSERVER_SURE
};

static enum observer_kind observer_kind_of(struct weir_ctx *ctx, const struct weir_names *names,
					   const struct weir_frame *frame)
{
	static const char *const prefixes[] = { "bpf_prog_",       "bpf_trace_run",
						"__bpf_trace_",    "__traceiter_",
						"bpf_trampoline_", "bpf_get_stack",
						"__bpf_get_stack" };
	const char *symbol;
	uint32_t length;

	if (!(frame->flags & WEIR_FRAME_KERNEL))
		return OBSERVER_NOT;
	if (!frame->symbol)
		return OBSERVER_MAYBE;
	symbol = ctx->host->names_text(names, frame->symbol, &length);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(symbol, prefixes[i], strlen(prefixes[i])) == 0)
			return OBSERVER_SURE;
	return OBSERVER_NOT;
}

/* How many frames from the first one on are the observer's. */
static uint32_t observer_run(struct weir_ctx *ctx, const struct weir_names *names,
			     const struct weir_frame *frames, uint32_t count)
{
	bool sure = false;
	uint32_t i;

	for (i = 0; i < count; i++) {
		enum observer_kind kind = observer_kind_of(ctx, names, &frames[i]);

		if (kind == OBSERVER_NOT)
			break;
		sure |= kind == OBSERVER_SURE;
	}
	return sure ? i : 0;
}

static bool observer_was_called(const struct weir_frame *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (frames[i].flags & WEIR_FRAME_KERNEL)
			return frames[i].flags & WEIR_FRAME_CALLER;
	return false;
}

/*
 * Where a walk began: at an end of the stack, or beside a frame without an address, which is a mark
 * that its source has set between two walks.
 */
static bool observer_at_begin(const struct weir_frame *frames, uint32_t first, uint32_t end,
			      uint32_t count)
{
	return first == 0 || !frames[first - 1].address || (end < count && !frames[end].address);
}

uint32_t observer_leave_out(struct weir_ctx *ctx, const struct weir_names *names,
			    struct weir_frame *frames, uint32_t count)
{
	uint32_t kept = 0, i = 0;

	if (!observer_was_called(frames, count))
		return count;
	while (i < count) {
		uint32_t run = observer_run(ctx, names, &frames[i], count - i);

		if (!run || !observer_at_begin(frames, i, i + run, count))
			frames[kept++] = frames[i++];
		else
			i += run;
	}
	return kept;
}
