/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel's records of forks, names, mappings and exits do to the table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process_table.h"

/* Takes over the reference. */
static int process_add_space(struct process_table *table, struct process *process,
			     struct process_space *space)
{
	size_t count = process->space_count;
	struct process_space **spaces = NULL;

	if (space)
		spaces = realloc(process->spaces, (count + 1) * sizeof(struct process_space *));
	if (!spaces) {
		process_space_release(&table->store, space);
		return -ENOMEM;
	}
	process->spaces = spaces;
	while (count > 0 && spaces[count - 1]->begin > space->begin) {
		spaces[count] = spaces[count - 1];
		count--;
	}
	spaces[count] = space;
	process->space_count++;
	return 0;
}

/* Of a process that was there before weir. */
static int process_first_space(struct process_table *table, struct process *process)
{
	return process_add_space(table, process, process_space_new(&table->store, 0, NULL));
}

/* Drops names that nobody asks for any more: a process may start and rename threads for years. */
static void process_forget_threads(const struct process_table *table, struct process *process,
				   uint64_t now)
{
	uint64_t before = now > table->store.keep ? now - table->store.keep : 0;
	uint32_t kept = 0;

	if (process->thread_count < process->thread_capacity)
		return;
	for (uint32_t i = 0; i < process->thread_count; i++)
		if (!process->threads[i].end || process->threads[i].end >= before)
			process->threads[kept++] = process->threads[i];
	process->thread_count = kept;
}

/* The process that a record is about; one that is not known yet is made. NULL: no memory. */
static struct process *process_of_record(struct process_table *table, uint32_t pid, uint64_t time)
{
	struct process *process = process_table_find(table, pid, time);

	if (process)
		return process;
	process = process_table_add(table, pid, 0);
	if (process)
		process->live_threads = 0;
	return process;
}

static int process_fork_thread(struct process_table *table, struct process *process, uint64_t time,
			       uint32_t tid, uint32_t ptid)
{
	const struct process_thread *of = process_thread_at(process, ptid, time);
	char comm[PROCESS_COMM_SIZE] = "";

	if (of)
		memcpy(comm, of->comm, sizeof(comm));
	of = process_thread_at(process, tid, time);
	if (of && of->time == time)
		return 0;
	process_forget_threads(table, process, time);
	if (process->live_threads)
		process->live_threads++;
	return process_set_comm(process, time, tid, comm);
}

static int process_fork_process(struct process_table *table, struct process *child, uint64_t time,
				uint32_t ppid, uint32_t ptid)
{
	struct process *parent = process_of_record(table, ppid, time);
	const struct process_thread *of;
	struct process_space *space;
	int err;

	if (!parent)
		return -ENOMEM;
	child->ppid = ppid;
	of = process_thread_at(parent, ptid, time);
	if (of) {
		char comm[PROCESS_COMM_SIZE];

		memcpy(comm, of->comm, sizeof(comm));
		err = process_set_comm(child, time, child->pid, comm);
		if (err)
			return err;
	}
	/* What /proc shows of the parent later on will be the child's, too. */
	err = parent->space_count ? 0 : process_first_space(table, parent);
	if (err)
		return err;
	space = process_space_new(&table->store, time, process_space_at(parent, time));
	return process_add_space(table, child, space);
}

int process_table_fork(struct process_table *table, uint64_t time, uint32_t pid, uint32_t ppid,
		       uint32_t tid, uint32_t ptid)
{
	struct process *process = process_table_find(table, pid, time);

	if (process && time <= process->scanned) {
		if (pid == tid && !process->end)
			process->start = time;
		return 0;
	}
	if (pid != tid) {
		process = process_of_record(table, pid, time);
		return process ? process_fork_thread(table, process, time, tid, ptid) : -ENOMEM;
	}
	if (process && process->start == time)
		return 0;
	if (process && !process->end)
		process_table_end(table, process, time);
	process = process_table_add(table, pid, time);
	return process ? process_fork_process(table, process, time, ppid, ptid) : -ENOMEM;
}

int process_table_exit(struct process_table *table, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct process *process = process_table_find(table, pid, time);
	uint32_t at;

	if (!process || process->end || time <= process->scanned)
		return 0;
	at = process_thread_above(process, tid, time);
	if (at > 0 && process->threads[at - 1].tid == tid) {
		if (process->threads[at - 1].end)
			return 0; /* told twice */
		process->threads[at - 1].end = time;
	}
	if (process->live_threads && --process->live_threads == 0)
		process_table_end(table, process, time);
	return 0;
}

/* A process may exec itself for ever. */
static void process_forget_spaces(struct process_table *table, struct process *process,
				  uint64_t now)
{
	while (process->space_count > 1 && process->spaces[1]->begin + table->store.keep < now) {
		process_space_release(&table->store, process->spaces[0]);
		process->space_count--;
		memmove(process->spaces, process->spaces + 1,
			process->space_count * sizeof(struct process_space *));
	}
}

static int process_exec(struct process_table *table, struct process *process, uint64_t time)
{
	struct process_space *space = process_space_at(process, time);

	if (space && space->begin == time && !space->parent)
		return 0;
	space = process_space_new(&table->store, time, NULL);
	if (space)
		space->checked = time;
	process->live_threads = 1;
	process_forget_spaces(table, process, time);
	return process_add_space(table, process, space);
}

int process_table_comm(struct process_table *table, uint64_t time, uint32_t pid, uint32_t tid,
		       const char *comm, bool exec)
{
	struct process *process = process_of_record(table, pid, time);
	const struct process_thread *thread;
	int err = 0;

	if (!process)
		return -ENOMEM;
	if (time <= process->scanned)
		return 0;
	if (exec)
		err = process_exec(table, process, time);
	thread = process_thread_at(process, tid, time);
	if (err || (thread && thread->time == time))
		return err;
	process_forget_threads(table, process, time);
	return process_set_comm(process, time, tid, comm);
}

int process_table_map(struct process_table *table, uint32_t pid,
		      const struct process_mapped *mapped)
{
	struct process *process = process_of_record(table, pid, mapped->time);
	struct process_space *space;
	int err;

	if (!process)
		return -ENOMEM;
	if (mapped->time <= process->scanned)
		return 0;
	space = process_space_at(process, mapped->time);
	if (!space) {
		err = process_first_space(table, process);
		if (err)
			return err;
		space = process_space_at(process, mapped->time);
	}
	return process_space_add(&table->store, space, mapped);
}
