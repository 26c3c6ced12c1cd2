/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.pmu: how long threads ran and waited for a CPU, by the scheduler's account in /proc. It is gone
 * with the thread: what the kernel's task-clock counted tells whether all are in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmu.h"

static int pmu_schedstat(struct weir_ctx *ctx, uint32_t tid, uint64_t *run, uint64_t *waited)
{
	struct weir_buffer text = { NULL, 0, 0 };
	char path[64];
	int err;

	/* Also of a thread, though it is not listed there. */
	snprintf(path, sizeof(path), "proc/%u/schedstat", tid);
	err = weir_read_file(ctx, path, &text);
	if (!err && (!text.bytes || sscanf(text.bytes, "%" SCNu64 " %" SCNu64, run, waited) != 2))
		err = -EBADMSG;
	weir_buffer_release(&text);
	return err;
}

void pmu_tasks_read(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;
	struct pmu_tasks *tasks = &state->tasks;

	tasks->whole = tasks->tids.count != 0;
	tasks->window_run = tasks->window_waited = 0;
	for (uint32_t i = 0; i < tasks->tids.count; i++) {
		uint64_t run = 0, waited = 0;

		if (pmu_schedstat(ctx, tasks->tids.items[i], &run, &waited) < 0) {
			tasks->whole = false;
			continue;
		}
		tasks->window_run += run - tasks->run[i];
		tasks->window_waited += waited - tasks->waited[i];
		tasks->run[i] = run;
		tasks->waited[i] = waited;
	}
}

int pmu_tasks_begin(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;
	struct pmu_tasks *tasks = &state->tasks;
	int err = 0;

	tasks->tids.count = 0;
	free(tasks->run);
	free(tasks->waited);
	tasks->run = tasks->waited = NULL;
	for (uint32_t i = 0; !err && i < state->tids.count; i++)
		err = weir_numbers_add(&tasks->tids, state->tids.items[i]);
	tasks->run = calloc(tasks->tids.count + 1, sizeof(uint64_t));
	tasks->waited = calloc(tasks->tids.count + 1, sizeof(uint64_t));
	if (err || !tasks->run || !tasks->waited)
		return weir_fail(ctx, -ENOMEM, "%u threads", state->tids.count);
	pmu_tasks_read(ctx);
	return 0;
}
