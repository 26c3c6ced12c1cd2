/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes over time. */
#include "process_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* /proc tells starts in ticks of 10 ms, and on another clock. */
#define PROCESS_START_ERROR_NS UINT64_C(20000000)

/* From the mapping of [vdso] to the first instruction; and how long execve() may work in all. */
#define PROCESS_EXEC_END_NS UINT64_C(1000000)
#define PROCESS_EXEC_MAX_NS UINT64_C(1000000000)

int process_table_init(struct process_table *table, uint64_t keep, uint64_t most)
{
	table->bucket_count = 1024;
	table->buckets = calloc(table->bucket_count, sizeof(struct process *));
	table->store.keep = keep;
	table->ended_weight_max = most;
	return table->buckets ? 0 : -ENOMEM;
}

static void process_free(struct process_table *table, struct process *process)
{
	for (uint32_t i = 0; i < process->space_count; i++)
		process_space_release(&table->store, process->spaces[i]);
	free(process->spaces);
	free(process->threads);
	free(process->cgroup);
	free(process->container);
	free(process->cgroups);
	free(process);
}

void process_table_clear(struct process_table *table)
{
	for (uint32_t i = 0; i < table->bucket_count; i++)
		while (table->buckets[i]) {
			struct process *process = table->buckets[i];

			table->buckets[i] = process->next;
			process_free(table, process);
		}
	free(table->buckets);
	process_store_clear(&table->store);
	memset(table, 0, sizeof(*table));
}

static struct process **process_bucket(const struct process_table *table, uint32_t pid)
{
	return &table->buckets[pid & (table->bucket_count - 1)];
}

static int process_table_grow(struct process_table *table)
{
	uint32_t old = table->bucket_count;
	struct process **buckets = calloc((size_t)old * 2, sizeof(struct process *));

	if (!buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i < old; i++) {
		struct process *process, *next;
		struct process **tails[2] = { &buckets[i], &buckets[i + old] };

		/* At the tails, so that the younger stay first. */
		for (process = table->buckets[i]; process; process = next) {
			struct process ***tail = &tails[(process->pid & old) != 0];

			next = process->next;
			process->next = NULL;
			**tail = process;
			*tail = &process->next;
		}
	}
	free(table->buckets);
	table->buckets = buckets;
	table->bucket_count = old * 2;
	return 0;
}

struct process *process_table_add(struct process_table *table, uint32_t pid, uint64_t start)
{
	struct process *process = calloc(1, sizeof(*process));
	struct process **link;

	if (!process)
		return NULL;
	if (table->count >= table->bucket_count * 2 && process_table_grow(table) < 0) {
		free(process);
		return NULL;
	}
	process->pid = pid;
	process->start = start;
	process->live_threads = 1;
	link = process_bucket(table, pid);
	while (*link && ((*link)->pid != pid || (*link)->start > start))
		link = &(*link)->next;
	process->next = *link;
	*link = process;
	table->count++;
	return process;
}

struct process *process_table_find(const struct process_table *table, uint32_t pid, uint64_t time)
{
	struct process *process = table->bucket_count ? *process_bucket(table, pid) : NULL;

	for (; process; process = process->next) {
		uint64_t error = process->scanned ? PROCESS_START_ERROR_NS : 0;

		if (process->pid == pid && process->start <= time + error)
			return process;
	}
	return NULL;
}

struct process_space *process_space_at(const struct process *process, uint64_t time)
{
	uint32_t i = process->space_count;

	while (i > 1 && process->spaces[i - 1]->begin > time)
		i--;
	return i ? process->spaces[i - 1] : NULL;
}

bool process_table_whole(const struct process_table *table, uint32_t pid, uint64_t now)
{
	const struct process *process = process_table_find(table, pid, now);
	const struct process_space *space = process ? process_space_at(process, now) : NULL;

	return space && !process->end && process->start && process->thread_count && space->checked;
}

/*
 * While execve() works, the process already has its new space and name, but the user registers
 * that a sample shows are those of the call in the old program. [vdso] is the last thing mapped.
 */
static bool process_loading(const struct process_space *space, uint64_t time)
{
	if (space->parent || time > space->begin + PROCESS_EXEC_MAX_NS)
		return false;
	for (uint32_t i = 0; i < space->count; i++)
		if (strcmp(space->maps[i].file->path, "[vdso]") == 0)
			return time <= space->maps[i].time + PROCESS_EXEC_END_NS;
	return true;
}

const struct process_map *process_map_at(const struct process *process, uint64_t time,
					 uint64_t address)
{
	const struct process_space *space = process_space_at(process, time);
	const struct process_map *map = process_space_find(space, time, address);
	const struct process_space *old;

	if (map || !space || space->begin == 0 || !process_loading(space, time))
		return map;
	old = process_space_at(process, space->begin - 1);
	return old == space ? NULL : process_space_find(old, space->begin, address);
}

uint32_t process_thread_above(const struct process *process, uint32_t tid, uint64_t time)
{
	uint32_t low = 0, high = process->thread_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct process_thread *thread = &process->threads[middle];

		if (thread->tid < tid || (thread->tid == tid && thread->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct process_thread *process_thread_at(const struct process *process, uint32_t tid,
					       uint64_t time)
{
	uint32_t above = process_thread_above(process, tid, time);

	/* A name older than all that is known is most probably the first one. */
	if (above < process->thread_count && process->threads[above].tid == tid &&
	    (above == 0 || process->threads[above - 1].tid != tid))
		return &process->threads[above];
	if (above == 0 || process->threads[above - 1].tid != tid)
		return NULL;
	return &process->threads[above - 1];
}

static int process_thread_room(struct process *process)
{
	uint32_t capacity = process->thread_capacity ? process->thread_capacity * 2 : 2;
	struct process_thread *threads;

	if (process->thread_count < process->thread_capacity)
		return 0;
	threads = realloc(process->threads, capacity * sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	process->threads = threads;
	process->thread_capacity = capacity;
	return 0;
}

int process_set_comm(struct process *process, uint64_t time, uint32_t tid, const char *comm)
{
	struct process_thread *thread;
	uint32_t at;

	if (process_thread_room(process) < 0)
		return -ENOMEM;
	at = process_thread_above(process, tid, time);
	thread = &process->threads[at];
	if (at > 0 && thread[-1].tid == tid && !thread[-1].end)
		thread[-1].end = time;
	memmove(thread + 1, thread, (process->thread_count - at) * sizeof(*thread));
	memset(thread, 0, sizeof(*thread));
	thread->time = time;
	thread->tid = tid;
	memcpy(thread->comm, comm, strnlen(comm, PROCESS_COMM_SIZE - 1));
	if (at < process->thread_count && thread[1].tid == tid)
		thread->end = thread[1].time;
	process->thread_count++;
	return 0;
}

void process_table_end(struct process_table *table, struct process *process, uint64_t time)
{
	process->end = time ? time : 1;
	process->weight = 1;
	for (uint32_t i = 0; i < process->space_count; i++)
		process->weight += process->spaces[i]->count;
	table->ended_weight += process->weight;
	if (table->ended_last)
		table->ended_last->next_ended = process;
	else
		table->ended_first = process;
	table->ended_last = process;
}

bool process_table_forgot(const struct process_table *table, uint32_t pid, uint64_t time)
{
	const struct process_forgotten *gone = &table->forgotten[pid & (PROCESS_FORGOTTEN - 1)];

	return gone->pid == pid && gone->end && time >= gone->start && time <= gone->end;
}

static void process_forget_one(struct process_table *table)
{
	struct process *process = table->ended_first;
	struct process **link = process_bucket(table, process->pid);
	struct process_forgotten *gone = &table->forgotten[process->pid & (PROCESS_FORGOTTEN - 1)];

	*gone = (struct process_forgotten){ process->pid, process->start, process->end };
	table->ended_first = process->next_ended;
	if (!table->ended_first)
		table->ended_last = NULL;
	table->ended_weight -= process->weight;
	while (*link != process)
		link = &(*link)->next;
	*link = process->next;
	table->count--;
	process_free(table, process);
}

void process_table_forget(struct process_table *table, uint64_t now)
{
	while (table->ended_first && (table->ended_weight > table->ended_weight_max ||
				      table->ended_first->end + table->store.keep < now))
		process_forget_one(table);
}
