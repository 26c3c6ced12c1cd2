/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each thread did since it was last looked at, for cpu.wait. The kernel's numbers count up
 * for ever and are only read; the state that a thread is in has lasted until now.
 */
#include <stdio.h>
#include <sys/mman.h>

#include <weir/probe.h>

#include "wait.h"

/* Rows of threads that ended, kept until the window does. */
#define WAIT_ENDED_MAX 16384

/* How often numbers are read that do not add up, as the program is writing them. */
#define WAIT_TRIES 1000

static size_t wait_index_bytes(const struct wait_threads *threads)
{
	return ((size_t)WEIR_THREAD_WAYS << threads->sets_log) * sizeof(*threads->index);
}

int wait_threads_map(struct wait_threads *threads, int index_fd)
{
	void *index = mmap(NULL, wait_index_bytes(threads), PROT_READ | PROT_WRITE, MAP_SHARED,
			   index_fd, 0);

	if (index == MAP_FAILED)
		return -errno;
	threads->index = index;
	return 0;
}

void wait_threads_release(struct wait_threads *threads)
{
	if (threads->index)
		munmap(threads->index, wait_index_bytes(threads));
	weir_slots_unmap(&threads->slots);
	free(threads->seen);
	free(threads->parts.items);
}

uint32_t wait_threads_living(const struct wait_threads *threads)
{
	const struct weir_slot_pool *pool = threads->slots.pool;
	uint64_t met = weir_slots_used(&threads->slots) - 1 +
		       __atomic_load_n(&pool->taken, __ATOMIC_ACQUIRE);
	uint64_t ended = __atomic_load_n(&threads->totals->ended, __ATOMIC_ACQUIRE);

	return met > ended ? (uint32_t)(met - ended) : 0;
}

/* Maps the slots in use, and remembers of the new ones that nothing was counted yet. */
static int wait_map_slots(struct wait_threads *threads)
{
	uint32_t had = threads->slots.mapped, wanted = weir_slots_used(&threads->slots);
	struct wait_seen *seen;

	if (wanted <= had)
		return 0;
	seen = realloc(threads->seen, wanted * sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	threads->seen = seen;
	memset(seen + had, 0, (wanted - had) * sizeof(*seen));
	return weir_slots_map(&threads->slots, threads->tasks_fd, wanted);
}

static uint64_t wait_sum(const struct wait_task *task)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WAIT_SUMS; i++)
		sum += task->sum_ns[i];
	return sum;
}

/* A copy of one moment. False: nobody has the slot, or its numbers do not add up. */
static bool wait_read(struct wait_threads *threads, const struct wait_task *slot,
		      struct wait_task *copy)
{
	for (uint32_t i = 0; i < WAIT_TRIES; i++) {
		uint64_t mark = __atomic_load_n(&slot->mark, __ATOMIC_ACQUIRE);

		if (!mark)
			return false;
		memcpy(copy, slot, sizeof(*copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (mark == __atomic_load_n(&slot->mark, __ATOMIC_RELAXED) && mark == copy->mark &&
		    wait_sum(copy) == wait_mark_since(mark) - copy->born_ns)
			return true;
	}
	threads->disturbed++;
	return false;
}

/* Room for one more; NULL: no memory. */
static struct wait_part *wait_parts_add(struct wait_parts *parts)
{
	if (parts->count == parts->capacity) {
		uint32_t capacity = parts->capacity ? parts->capacity * 2 : 256;
		void *items = realloc(parts->items, capacity * sizeof(*parts->items));

		if (!items)
			return NULL;
		parts->items = items;
		parts->capacity = capacity;
	}
	return memset(&parts->items[parts->count++], 0, sizeof(*parts->items));
}

/* Adds a wait, and data, to the disk that they were for, as the program does. */
static void wait_add_disk(struct wait_disk *disks, uint32_t dev, uint64_t wait_ns, uint32_t sectors)
{
	for (uint32_t i = 0; i < WAIT_DISKS && dev; i++) {
		if (disks[i].dev && disks[i].dev != dev)
			continue;
		disks[i].dev = dev;
		disks[i].wait_ns += wait_ns;
		disks[i].sectors += sectors;
		return;
	}
}

/* Counts the state that a thread is in until `now`. Returns until when all is counted then. */
static uint64_t wait_extend(struct wait_task *task, uint64_t now)
{
	uint32_t state = wait_mark_state(task->mark);
	uint64_t since = wait_mark_since(task->mark), ns;

	if (state == WAIT_ENDED || now < since)
		return since;
	ns = now - since;
	task->sum_ns[state == WAIT_AWAY ? WAIT_SLEEP : state] += ns;
	if (state == WAIT_DEVICE)
		wait_add_disk(task->disk, task->dev, ns, 0);
	if (state == WAIT_JOURNAL)
		wait_add_disk(task->disk, task->journal_dev, ns, 0);
	if (state >= WAIT_RUNNABLE && state < WAIT_SLEEP && wait_mark(ns, state) > task->longest)
		task->longest = wait_mark(ns, state);
	return now;
}

static uint64_t wait_grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/*
 * The difference, and what is to be remembered. That a wait was for a journal is known at its end
 * only, and then all of it is: what an earlier window has called a wait in the kernel stays so.
 */
static void wait_difference(const struct wait_task *task, struct wait_seen *seen, uint64_t end,
			    struct wait_part *part)
{
	uint64_t blocked = task->sum_ns[WAIT_KERNEL] + task->sum_ns[WAIT_JOURNAL];

	if (seen->born != task->born_ns)
		*seen = (struct wait_seen){ .born = task->born_ns, .end = task->born_ns };
	blocked -= seen->sum[WAIT_KERNEL] + seen->sum[WAIT_JOURNAL];
	part->id = task->id;
	part->kind = task->kind;
	part->threads = 1;
	part->wall = end - seen->end;
	part->switches = task->switches - seen->switches;
	for (uint32_t i = 0; i < WAIT_SUMS; i++)
		part->sum[i] = wait_grown(task->sum_ns[i], seen->sum[i]);
	if (part->sum[WAIT_JOURNAL] > blocked)
		part->sum[WAIT_JOURNAL] = blocked;
	part->sum[WAIT_KERNEL] = blocked - part->sum[WAIT_JOURNAL];
	for (uint32_t i = 0; i < WAIT_DISKS; i++) {
		part->disk[i].dev = task->disk[i].dev;
		part->disk[i].wait_ns = task->disk[i].wait_ns - seen->disk[i].wait_ns;
		part->disk[i].sectors = task->disk[i].sectors - seen->disk[i].sectors;
		seen->disk[i] = task->disk[i];
	}
	memcpy(seen->sum, task->sum_ns, sizeof(seen->sum));
	seen->switches = task->switches;
	seen->end = end;
}

static int wait_add_part(struct wait_threads *threads, uint32_t i, struct wait_task *task,
			 uint64_t now)
{
	struct wait_task *slot = weir_slot(&threads->slots, i);
	struct wait_part *part = wait_parts_add(&threads->parts);
	uint64_t end;

	if (!part)
		return -ENOMEM;
	task->longest = __atomic_exchange_n(&slot->longest, 0, __ATOMIC_ACQ_REL);
	end = wait_extend(task, now);
	wait_difference(task, &threads->seen[i], end, part);
	part->longest = task->longest;
	return 0;
}

static void wait_give_back(struct wait_threads *threads, uint32_t i)
{
	threads->slots.windows[i] = WEIR_SLOT_ACTIVE;
	weir_slots_give_back(&threads->slots, i);
	/* Else the pool takes no more now. */
	if (threads->slots.windows[i] == WEIR_SLOT_FREE)
		threads->seen[i].done = 0;
}

/* The thread in slot i has ended: nobody writes there any more. */
static int wait_bury(struct wait_threads *threads, uint32_t i)
{
	struct wait_task *slot = weir_slot(&threads->slots, i), copy;
	int err = 0;

	if (threads->parts.count >= WAIT_ENDED_MAX)
		threads->left_out++;
	else if (wait_read(threads, slot, &copy))
		err = wait_add_part(threads, i, &copy, wait_mark_since(copy.mark));
	if (err)
		return err;
	__atomic_store_n(&slot->mark, 0, __ATOMIC_RELEASE);
	threads->seen[i].done = 1;
	wait_give_back(threads, i);
	return 0;
}

int wait_threads_bury(struct wait_threads *threads)
{
	uint64_t ended = __atomic_load_n(&threads->totals->ended, __ATOMIC_ACQUIRE);
	int err = wait_map_slots(threads);

	if (err || ended == threads->ended)
		return err;
	for (uint32_t i = 1; i < threads->slots.mapped && !err; i++) {
		const struct wait_task *slot = weir_slot(&threads->slots, i);
		uint64_t mark = __atomic_load_n(&slot->mark, __ATOMIC_ACQUIRE);

		if (threads->seen[i].done)
			wait_give_back(threads, i);
		else if (mark && wait_mark_state(mark) == WAIT_ENDED)
			err = wait_bury(threads, i);
	}
	threads->ended = ended;
	return err;
}

/* True for a thread whose end was not shown. */
static bool wait_is_gone(struct weir_ctx *ctx, const struct wait_task *task)
{
	char path[64];

	if (wait_mark_state(task->mark) != WAIT_AWAY)
		return false;
	snprintf(path, sizeof(path), "proc/%u/task/%u", task->id.pid, task->id.tid);
	return !weir_path_exists(ctx, path);
}

int wait_threads_take(struct weir_ctx *ctx, struct wait_threads *threads, uint64_t now)
{
	struct wait_task *slot, copy;
	int err = wait_threads_bury(threads);

	for (uint32_t i = 1; i < threads->slots.mapped && !err; i++) {
		slot = weir_slot(&threads->slots, i);
		if (threads->seen[i].done || !wait_read(threads, slot, &copy) ||
		    wait_mark_state(copy.mark) == WAIT_ENDED)
			continue;
		err = wait_add_part(threads, i, &copy, now);
		if (err || !wait_is_gone(ctx, &copy))
			continue;
		weir_thread_word_forget(threads->index, threads->sets_log,
					weir_thread_word(copy.id.tid, i));
		__atomic_store_n(&slot->mark, 0, __ATOMIC_RELEASE);
		__atomic_add_fetch(&threads->totals->ended, 1, __ATOMIC_ACQ_REL);
		threads->seen[i].done = 1;
	}
	return err;
}

static void wait_part_add(struct wait_part *to, const struct wait_part *from)
{
	to->wall += from->wall;
	to->switches += from->switches;
	to->threads += from->threads;
	if (from->longest > to->longest)
		to->longest = from->longest;
	for (uint32_t i = 0; i < WAIT_SUMS; i++)
		to->sum[i] += from->sum[i];
	for (uint32_t i = 0; i < WAIT_DISKS; i++)
		wait_add_disk(to->disk, from->disk[i].dev, from->disk[i].wait_ns,
			      from->disk[i].sectors);
	/* A process is named after its first thread. */
	if (from->id.tid == from->id.pid)
		to->id = from->id;
}

static int wait_order(const void *a, const void *b)
{
	const struct wait_part *left = a, *right = b;

	return (left->id.pid > right->id.pid) - (left->id.pid < right->id.pid);
}

void wait_parts_merge(struct wait_parts *parts)
{
	uint32_t kept = 0;

	qsort(parts->items, parts->count, sizeof(*parts->items), wait_order);
	for (uint32_t i = 1; i < parts->count; i++)
		if (parts->items[i].id.pid == parts->items[kept].id.pid)
			wait_part_add(&parts->items[kept], &parts->items[i]);
		else
			parts->items[++kept] = parts->items[i];
	if (parts->count)
		parts->count = kept + 1;
}
