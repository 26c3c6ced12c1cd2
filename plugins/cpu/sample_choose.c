/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.sample, `unwind: auto`: stacks are copied of programs only that do not keep frame pointers on all
 * of the way. A program is taken for one that does not until a number of whole stacks have shown
 * nothing else, so that no stack is wrong; then a second event, which the kernel walks, stands for it.
 */
#include <weir/bpf/loader.h>

#include "sample.h"
#include "sample_choose_event.h"

#include "sample_choose.skel.h"

enum {
	CHOOSE_STACKS = 16, /* whole ones, before a program is believed */
	CHOOSE_PROGRAMS = SAMPLE_PROGRAM_WAYS << SAMPLE_PROGRAM_SETS_LOG,
};

struct sample_program {
	uint64_t number; /* 0: a free way */
	uint32_t stacks; /* in which all code kept frame pointers */
	bool lacks;      /* some did not */
};

struct sample_choice {
	struct sample_choose_bpf *bpf;
	struct sample_program programs[CHOOSE_PROGRAMS]; /* in the same ways as the kernel's */
};

bool sample_choose_load(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;
	struct weir_bpf_report report = { 0 };
	struct sample_choice *choice = calloc(1, sizeof(*choice));

	state->choice = choice;
	if (choice)
		choice->bpf = sample_choose_bpf__open();
	if (choice && choice->bpf && !weir_bpf_load(sample_choose_bpf, choice->bpf, &report))
		return true;
	weir_log(ctx, WEIR_LOG_INFO,
		 "the stacks of all programs are copied (%s): those that keep frame pointers "
		 "could do without",
		 report.text[0] ? report.text : "no memory");
	sample_choose_end(state);
	return false;
}

void sample_choose_end(struct sample_state *state)
{
	if (state->choice)
		sample_choose_bpf__destroy(state->choice->bpf);
	free(state->choice);
	state->choice = NULL;
	weir_bpf_stats_end(&state->stats);
}

static int choose_attach(const struct weir_perf_set *set, int program)
{
	for (uint32_t i = 0; i < set->fd_count; i++)
		if (ioctl(set->fds[i], PERF_EVENT_IOC_SET_BPF, program) < 0)
			return -errno;
	return 0;
}

int sample_choose_attach(struct sample_state *state)
{
	const struct sample_choose_bpf *bpf = state->choice->bpf;
	int err = choose_attach(&state->copies, bpf->progs.sample_copied.prog_fd);

	return err ? err : choose_attach(&state->set, bpf->progs.sample_walked.prog_fd);
}

/* What the process ran then, as the kernel has noted. 0: nothing, or it has run another one since. */
static uint64_t choose_program_of(const struct sample_choice *choice,
				  const struct sample_record *record)
{
	const volatile struct sample_process *process =
		&choice->bpf->bss->processes[record->pid % SAMPLE_PROCESSES];
	uint64_t program = process->program, since = process->since;

	return process->pid == record->pid && record->time >= since ? program : 0;
}

/* The way of a program, which a program is put out of where it has none. */
static uint32_t choose_way(struct sample_choice *choice, uint64_t program)
{
	uint32_t first =
		(uint32_t)(program >> (64 - SAMPLE_PROGRAM_SETS_LOG)) * SAMPLE_PROGRAM_WAYS;
	uint32_t way = 0;

	while (way < SAMPLE_PROGRAM_WAYS && choice->programs[first + way].number &&
	       choice->programs[first + way].number != program)
		way++;
	if (way == SAMPLE_PROGRAM_WAYS)
		way = (uint32_t)program % SAMPLE_PROGRAM_WAYS;
	return first + way;
}

static void choose_tell(struct sample_choice *choice, uint32_t way, uint64_t program)
{
	struct sample_program_set *set = &choice->bpf->bss->keepers[way / SAMPLE_PROGRAM_WAYS];
	volatile __u64 *told = &set->program[way % SAMPLE_PROGRAM_WAYS];

	if (*told != program)
		*told = program;
}

static void choose_note(struct sample_choice *choice, const struct sample_record *record,
			bool keeps)
{
	uint64_t number = choose_program_of(choice, record);
	uint32_t way = choose_way(choice, number);
	struct sample_program *program = &choice->programs[way];

	if (!number)
		return;
	if (program->number != number) {
		choose_tell(choice, way, 0);
		*program = (struct sample_program){ .number = number };
	}
	program->stacks += keeps;
	program->lacks |= !keeps;
	if (program->lacks)
		choose_tell(choice, way, 0);
	else if (program->stacks >= CHOOSE_STACKS)
		choose_tell(choice, way, number);
}

static bool choose_all_keep(const struct weir_unwind_frame *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!(frames[i].flags & WEIR_UNWIND_KEEPS))
			return false;
	return true;
}

void sample_choose_copied(struct sample_state *state, const struct sample_record *record,
			  const struct weir_unwind_stack *stack)
{
	bool keeps = choose_all_keep(stack->frames, stack->count);

	/* One that ends early tells nothing of what would have come. */
	if (state->choice && stack->count && (!keeps || stack->end == WEIR_UNWIND_WHOLE))
		choose_note(state->choice, record, keeps);
}

int sample_choose_walked(struct sample_state *state, const struct sample_record *record,
			 const struct weir_frame *frames, uint32_t count)
{
	const struct sample_unwind *unwind = &state->unwind;
	const struct weir_unwind_v1 *service = unwind->service.vtable;
	uint32_t user = 0;
	int err;

	if (!state->choice)
		return 0;
	for (uint32_t i = 0; i < count && user < SAMPLE_UNWIND_MOST; i++)
		if (!(frames[i].flags & WEIR_FRAME_KERNEL))
			unwind->frames[user++] = (struct weir_unwind_frame){
				frames[i].address,
				frames[i].flags & WEIR_FRAME_CALLER ? WEIR_UNWIND_CALLER : 0, 0
			};
	err = service->judge(unwind->service.ctx, unwind->walker, record->pid, record->time,
			     unwind->frames, user);
	if (!err && !choose_all_keep(unwind->frames, user))
		choose_note(state->choice, record, false);
	return err;
}

void sample_choose_cost(struct sample_state *state, struct weir_cost *cost)
{
	if (state->choice)
		weir_bpf_tell_cost(state->choice->bpf, &state->stats, cost);
}

void sample_choose_report(struct weir_ctx *ctx)
{
	const struct sample_state *state = ctx->state;
	uint32_t copied = 0, walked = 0;

	if (!state->choice)
		return;
	for (uint32_t i = 0; i < CHOOSE_PROGRAMS; i++) {
		const struct sample_program *program = &state->choice->programs[i];

		walked += program->number && !program->lacks && program->stacks >= CHOOSE_STACKS;
		copied += program->lacks;
	}
	weir_log(ctx, WEIR_LOG_INFO,
		 "%llu of %llu stacks were copied, of %u programs of which parts keep no frame "
		 "pointers, and the first of others; %u programs keep them",
		 (unsigned long long)state->counts.copied,
		 (unsigned long long)state->counts.samples, copied, walked);
}
