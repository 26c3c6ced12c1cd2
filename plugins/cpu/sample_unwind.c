/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.sample: user stacks from copies that the kernel takes, for programs that keep no frame pointers.
 * They are walked as they are read, so that nothing but addresses goes further.
 */
#include <elf.h>

#include "sample.h"

enum { UNWIND_RING_COPIES = 128 }; /* that a ring has room for, at least */

uint64_t sample_unwind_attr(const struct sample_conf *conf, struct perf_event_attr *attr)
{
	uint64_t copies = (uint64_t)conf->stack_size * UNWIND_RING_COPIES;

	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = WEIR_UNWIND_REGISTERS;
	/* The kernel takes multiples of 8. */
	attr->sample_stack_user = (uint32_t)conf->stack_size & ~7u;
	attr->exclude_callchain_user = 1;
	if (copies < conf->buffer)
		copies = conf->buffer;
	attr->wakeup_watermark = (uint32_t)(copies / 2);
	return copies;
}

int sample_unwind_begin(struct weir_ctx *ctx)
{
	struct sample_unwind *unwind = &((struct sample_state *)ctx->state)->unwind;
	const struct sample_state *state = ctx->state;
	const struct weir_unwind_v1 *service = unwind->service.vtable;
	int err = 0;

	if (!service)
		return 0;
	unwind->frames = calloc(SAMPLE_UNWIND_MOST, sizeof(*unwind->frames));
	if (unwind->frames)
		err = service->open(unwind->service.ctx, &state->process, &unwind->walker);
	return !unwind->frames || err ? weir_fail(ctx, -ENOMEM, "walker of stacks") : 0;
}

void sample_unwind_end(struct weir_ctx *ctx)
{
	struct sample_unwind *unwind = &((struct sample_state *)ctx->state)->unwind;
	const struct weir_unwind_v1 *service = unwind->service.vtable;

	if (service)
		service->close(unwind->service.ctx, unwind->walker);
	free(unwind->frames);
	unwind->frames = NULL;
	unwind->walker = 0;
}

/* What stands behind the call chain: registers, then the copy. False: it is not whole. */
static bool unwind_parse(const uint64_t *at, size_t words, uint64_t mask,
			 struct weir_unwind_stack *stack, uint64_t *abi)
{
	size_t registers = (size_t)__builtin_popcountll(mask);
	uint64_t room;

	if (words < 1)
		return false;
	*abi = at[0];
	at++;
	words--;
	if (*abi) {
		if (words < registers)
			return false;
		stack->registers = at;
		at += registers;
		words -= registers;
	}
	if (words < 1 || at[0] % 8 || at[0] / 8 > words - 1)
		return false;
	room = at[0];
	if (!room)
		return true;
	if (words < room / 8 + 2)
		return false;
	stack->bytes = at + 1;
	stack->byte_count = at[room / 8 + 1] < room ? at[room / 8 + 1] : room;
	return true;
}

int sample_unwind(struct weir_ctx *ctx, const struct sample_record *record, const uint64_t *at,
		  size_t words, struct weir_unwind_stack *stack)
{
	struct sample_state *state = ctx->state;
	const struct sample_unwind *unwind = &state->unwind;
	const struct weir_unwind_v1 *service = unwind->service.vtable;
	uint64_t abi = 0;
	int err;

	*stack = (struct weir_unwind_stack)
	{
		.size = sizeof(*stack),
#if defined(__aarch64__)
		.machine = EM_AARCH64,
#else
		.machine = EM_X86_64,
#endif
		.pid = record->pid, .time = record->time, .mask = WEIR_UNWIND_REGISTERS,
		.frames = unwind->frames, .most = SAMPLE_UNWIND_MOST,
	};
	if (!unwind_parse(at, words, stack->mask, stack, &abi))
		return -EBADMSG;
	if (abi == PERF_SAMPLE_REGS_ABI_32)
		state->counts.narrow++;
	if (abi != PERF_SAMPLE_REGS_ABI_64 || !stack->bytes)
		return 0;
	err = service->walk(unwind->service.ctx, unwind->walker, stack);
	if (err == -EOPNOTSUPP)
		return 0;
	state->counts.short_stacks += !err && stack->end == WEIR_UNWIND_SHORT;
	return err;
}

void sample_unwind_report(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	const struct sample_state *state = ctx->state;

	if (state->counts.short_stacks)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%llu user stacks are larger than the %u bytes that were copied: they end "
			 "too early; a larger `stack_size` copies more",
			 (unsigned long long)state->counts.short_stacks,
			 (unsigned int)(conf->stack_size & ~UINT64_C(7)));
	if (state->counts.narrow)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%llu samples of 32-bit programs have no callers: they can be walked by "
			 "frame pointers alone",
			 (unsigned long long)state->counts.narrow);
}
