/* SPDX-License-Identifier: BSD-2-Clause */
/* Which tasks there are and what they had used, from one sample to the next. */
#include "process.h"

static uint32_t tasks_slot(const struct process_tasks *tasks, uint32_t id)
{
	/* Fibonacci hashing: 2^32 divided by the golden ratio. */
	uint32_t slot = (id * 0x9e3779b9u) >> 7 & tasks->slot_mask;

	while (tasks->slots[slot] && tasks->items[tasks->slots[slot] - 1].id != id)
		slot = (slot + 1) & tasks->slot_mask;
	return slot;
}

struct process_task *process_find(const struct process_tasks *tasks, uint32_t id)
{
	uint32_t place = tasks->slots ? tasks->slots[tasks_slot(tasks, id)] : 0;

	return place ? &tasks->items[place - 1] : NULL;
}

/* Twice as many slots as items at least. */
static int tasks_index(struct process_tasks *tasks)
{
	size_t count = (size_t)tasks->capacity * 2;

	free(tasks->slots);
	tasks->slots = calloc(count, sizeof(*tasks->slots));
	if (!tasks->slots)
		return -ENOMEM;
	tasks->slot_mask = (uint32_t)count - 1;
	for (uint32_t i = 0; i < tasks->count; i++)
		tasks->slots[tasks_slot(tasks, tasks->items[i].id)] = i + 1;
	return 0;
}

static int tasks_grow(struct process_tasks *tasks)
{
	uint32_t capacity = tasks->capacity ? tasks->capacity * 2 : 256;
	struct process_task *items = reallocarray(tasks->items, capacity, sizeof(*items));

	if (!items)
		return -ENOMEM;
	tasks->items = items;
	tasks->capacity = capacity;
	return tasks_index(tasks);
}

void process_set(uint64_t *set, uint64_t value)
{
	for (uint32_t i = 0; i < TASK_COUNTERS; i++)
		set[i] = value;
}

static void task_begin_window(struct process_task *task)
{
	process_set(task->added, WEIR_ABSENT_U64);
	process_set(task->left, WEIR_ABSENT_U64);
	task->ended = task->next = 0;
}

struct process_task *process_get(struct process_tasks *tasks, uint32_t id, uint64_t start)
{
	struct process_task *task = process_find(tasks, id);

	if (task && task->start == start && !task->gone)
		return task;
	if ((!tasks->items || tasks->count == tasks->capacity) && tasks_grow(tasks))
		return NULL;
	tasks->slots[tasks_slot(tasks, id)] = tasks->count + 1;
	task = &tasks->items[tasks->count++];
	memset(task, 0, sizeof(*task));
	task->id = id;
	task->start = start;
	task_begin_window(task);
	return task;
}

void process_delta(struct process_state *st, struct process_task *task, const uint64_t *counters,
		   uint32_t first, uint32_t end, uint64_t *delta)
{
	for (uint32_t i = first; i < end; i++) {
		uint64_t from = task->last[i], to = counters[i];

		delta[i] = WEIR_ABSENT_U64;
		if (from != WEIR_ABSENT_U64 && to != WEIR_ABSENT_U64 && to >= from)
			delta[i] = to - from;
		st->gap |= to < from && from != WEIR_ABSENT_U64;
		task->last[i] = to;
	}
}

void process_sum(uint64_t *to, const uint64_t *from, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (from[i] != WEIR_ABSENT_U64)
			to[i] = from[i] + (to[i] == WEIR_ABSENT_U64 ? 0 : to[i]);
}

void process_add_short(struct process_state *st, const char *comm, const uint64_t *delta)
{
	struct process_short *shorts = st->shorts;
	uint32_t i = 0;

	while (i < st->short_count && i < SHORT_NAMES - 1 &&
	       memcmp(shorts[i].comm, comm, WEIR_COMM_LENGTH) != 0)
		i++;
	if (i == st->short_count) {
		st->short_count++;
		memset(&shorts[i], 0, sizeof(shorts[i]));
		process_set(shorts[i].added, WEIR_ABSENT_U64);
		memcpy(shorts[i].comm, i < SHORT_NAMES - 1 ? comm : "(others)\0\0\0\0\0\0\0",
		       WEIR_COMM_LENGTH);
	}
	shorts[i].count++;
	process_sum(shorts[i].added, delta, 0, PROCESS_COUNTERS);
}

int process_next_window(struct process_tasks *tasks, uint32_t sample)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < tasks->count; i++) {
		struct process_task *task = &tasks->items[i];

		if (task->sample != sample || task->gone)
			continue;
		task->known = true;
		task_begin_window(task);
		if (kept != i)
			tasks->items[kept] = *task;
		kept++;
	}
	if (kept == tasks->count)
		return 0;
	tasks->count = kept;
	return tasks_index(tasks);
}

void process_tasks_release(struct process_tasks *tasks)
{
	free(tasks->items);
	free(tasks->slots);
}
