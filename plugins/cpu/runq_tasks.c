/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each thread did in a window, for cpu.runq. The kernel's numbers count up for ever and are
 * only read, so that it needs no atomic additions; the differences are taken here.
 */
#include <sys/mman.h>

#include "runq.h"

struct runq_task_row {
	struct weir_task_columns task;
	uint64_t run;
	uint64_t wait;
	uint64_t switches;
	uint64_t average;
	uint64_t max;
	uint64_t max_time;
	uint64_t voluntary;
	uint64_t involuntary;
};

static const struct weir_field runq_task_fields[] = {
	WEIR_TASK_COLUMN(struct runq_task_row, pid, WEIR_TYPE_UINT, 0, "process"),
	WEIR_TASK_COLUMN(struct runq_task_row, tid, WEIR_TYPE_UINT, 0, "thread"),
	WEIR_TASK_COLUMN(struct runq_task_row, ppid, WEIR_TYPE_UINT, WEIR_QUIET, "parent process"),
	WEIR_TASK_COLUMN(struct runq_task_row, uid, WEIR_TYPE_UINT, WEIR_QUIET, "real user"),
	WEIR_TASK_COLUMN(struct runq_task_row, comm, WEIR_TYPE_CHARS, 0, "name of the thread"),
	WEIR_TASK_COLUMN(struct runq_task_row, cgroup, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "control group"),
	WEIR_TASK_COLUMN(struct runq_task_row, container, WEIR_TYPE_TEXT,
			 WEIR_OPTIONAL | WEIR_QUIET, "container"),
	WEIR_FIELD_DURATION(struct runq_task_row, run, WEIR_DELTA, 0,
			    "time on a CPU, with the interrupts that came meanwhile"),
	WEIR_FIELD_DURATION(struct runq_task_row, wait, WEIR_DELTA, 0,
			    "time it wanted a CPU, in waits that ended"),
	WEIR_FIELD(struct runq_task_row, switches, WEIR_COUNT, WEIR_DELTA,
		   "times it was given a CPU"),
	WEIR_FIELD_DURATION(struct runq_task_row, average, WEIR_GAUGE, WEIR_OPTIONAL, "mean wait"),
	WEIR_FIELD_DURATION(struct runq_task_row, max, WEIR_GAUGE, WEIR_OPTIONAL, "longest wait"),
	{ "max_time", "when the longest wait ended", WEIR_NS, WEIR_TYPE_TIME, WEIR_GAUGE,
	  (uint32_t)offsetof(struct runq_task_row, max_time), 8, WEIR_OPTIONAL, 0, NULL },
	WEIR_FIELD(struct runq_task_row, voluntary, WEIR_COUNT, WEIR_DELTA,
		   "times it gave the CPU up, to sleep"),
	WEIR_FIELD(struct runq_task_row, involuntary, WEIR_COUNT, WEIR_DELTA,
		   "times the CPU was taken from it, or it yielded"),
};

WEIR_SCHEMA(runq_tasks_schema_, "threads and the CPU", struct runq_task_row, runq_task_fields);

const struct weir_schema *const runq_tasks_schema = &runq_tasks_schema_;

#define INDEX_BYTES (((size_t)1 << RUNQ_SETS_LOG) * WEIR_THREAD_WAYS * sizeof(uint64_t))

int runq_tasks_map(struct runq_tasks *tasks, int index_fd, int cpus_fd)
{
	size_t cpus_bytes = tasks->cpu_count * sizeof(*tasks->cpus);
	void *index = mmap(NULL, INDEX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, index_fd, 0);
	void *cpus = mmap(NULL, cpus_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpus_fd, 0);
	int err = index == MAP_FAILED || cpus == MAP_FAILED ? -errno : 0;

	tasks->index = index == MAP_FAILED ? NULL : index;
	tasks->cpus = cpus == MAP_FAILED ? NULL : cpus;
	return err;
}

void runq_tasks_release(struct runq_tasks *tasks)
{
	if (tasks->index)
		munmap(tasks->index, INDEX_BYTES);
	if (tasks->cpus)
		munmap(tasks->cpus, tasks->cpu_count * sizeof(*tasks->cpus));
	weir_slots_unmap(&tasks->slots);
	free(tasks->seen);
}

/* Maps the slots in use, and remembers of the new ones that nothing was counted yet. */
static int runq_map_slots(struct runq_tasks *tasks)
{
	uint32_t had = tasks->slots.mapped, wanted = weir_slots_used(&tasks->slots);
	struct runq_seen *seen;

	if (wanted <= had)
		return 0;
	seen = realloc(tasks->seen, wanted * sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	tasks->seen = seen;
	memset(seen + had, 0, (wanted - had) * sizeof(*seen));
	return weir_slots_map(&tasks->slots, tasks->tasks_fd, wanted);
}

/*
 * What runs while the window ends has run until now: its time so far belongs to this window. The
 * exchange fails when it has just left the CPU, which then counts the time itself.
 */
static void runq_take_running(struct runq_tasks *tasks, uint64_t now)
{
	for (uint32_t i = 0; i < tasks->cpu_count; i++) {
		struct runq_cpu *cpu = &tasks->cpus[i];
		unsigned long long stamp = __atomic_load_n(&cpu->running, __ATOMIC_ACQUIRE);
		uint32_t tid = weir_thread_word_tid(stamp);
		uint32_t slot = __atomic_load_n(&cpu->slot, __ATOMIC_ACQUIRE);
		const struct runq_task *task;

		if (!tid || !slot || slot >= tasks->slots.mapped)
			continue;
		task = weir_slot(&tasks->slots, slot);
		if (task->id.tid == tid && weir_thread_stamp_age(stamp, now) &&
		    __atomic_compare_exchange_n(&cpu->running, &stamp, weir_thread_stamp(tid, now),
						false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			tasks->seen[slot].run_ns -= weir_thread_stamp_age(stamp, now);
	}
}

static void runq_differences(const struct runq_task *task, struct runq_seen *seen, uint32_t window,
			     struct runq_task_row *row)
{
	struct runq_seen now = { task->run_ns,   task->wait_ns,   task->waits,
				 task->switches, task->voluntary, task->involuntary };
	const struct runq_longest *longest = &task->longest[window & 1];
	uint32_t waits = now.waits - seen->waits;

	row->run = now.run_ns - seen->run_ns;
	row->wait = now.wait_ns - seen->wait_ns;
	row->switches = now.switches - seen->switches;
	row->voluntary = now.voluntary - seen->voluntary;
	row->involuntary = now.involuntary - seen->involuntary;
	row->average = waits ? row->wait / waits : WEIR_ABSENT_U64;
	row->max = row->max_time = WEIR_ABSENT_U64;
	if (waits && longest->window == window) {
		row->max = longest->wait_ns;
		row->max_time = longest->at_ns;
	}
	*seen = now;
}

static int runq_add_task(struct weir_ctx *ctx, struct runq_tasks *tasks, struct weir_batch *batch,
			 const struct weir_task_id *id, struct runq_task_row *row)
{
	struct runq_task_row *out;

	if (weir_task_columns_fill(ctx, batch, tasks->cgroups, id, &row->task))
		return -ENOMEM;
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = *row;
	return 0;
}

static int runq_take_task(struct weir_ctx *ctx, struct runq_tasks *tasks, struct weir_batch *batch,
			  uint32_t i, uint32_t window)
{
	struct runq_task *task = weir_slot(&tasks->slots, i);
	struct runq_task_row row = { 0 };
	bool active;
	int err;

	runq_differences(task, &tasks->seen[i], window, &row);
	active = row.run || row.switches || row.voluntary || row.involuntary;
	err = active ? runq_add_task(ctx, tasks, batch, &task->id, &row) : 0;
	/* Before the slot is given back, so that a CPU that still has its number sees the change. */
	if (!active && tasks->slots.windows[i] == WEIR_SLOT_RESTS)
		task->id.tid = 0;
	if (weir_slots_judge(&tasks->slots, i, active) == WEIR_SLOT_SILENT)
		weir_thread_word_forget(tasks->index, RUNQ_SETS_LOG,
					weir_thread_word(task->id.tid, i));
	return err;
}

int runq_tasks_emit(struct weir_ctx *ctx, struct runq_tasks *tasks,
		    const struct runq_window *window)
{
	uint32_t number = *tasks->window;
	struct weir_batch *batch;
	int err = runq_map_slots(tasks);

	if (err)
		return weir_fail(ctx, err, "map the threads that the kernel counts");
	batch = weir_loan(ctx, window->output, tasks->slots.mapped, 0);
	if (!batch)
		return 0;
	__atomic_store_n(tasks->window, number + 1, __ATOMIC_RELEASE);
	runq_take_running(tasks, window->end);
	for (uint32_t i = 1; i < tasks->slots.mapped && !err; i++)
		err = runq_take_task(ctx, tasks, batch, i, number);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send threads");
	}
	batch->start = window->start;
	batch->end = window->end;
	err = weir_commit(ctx, batch);
	return err ? err : 1;
}
