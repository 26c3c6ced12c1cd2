/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.offcpu: what was counted in a window, as rows. What is still blocked counts until the
 * window's end, and less that when it ends at last, so that no time is lost or told twice.
 */
#include <sys/mman.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/loader.h>

#include "offcpu.h"

/* Names of wakers come and go: a table that has grown so large is replaced. */
#define OFFCPU_NAMES_MAX (1u << 20)

#define OFFCPU_SETS   (1u << OFFCPU_SETS_LOG)
#define BLOCKED_BYTES (OFFCPU_SETS * sizeof(struct offcpu_threads))

struct offcpu_row {
	uint64_t time;
	struct weir_task_columns task;
	char state[16];
	uint64_t weight;
	uint64_t count;
	uint64_t min;
	uint64_t max;
	uint64_t blocked;
	uint32_t waker_pid;
	uint32_t waker_tid;
	char waker_comm[WEIR_COMM_LENGTH];
	struct weir_stack_ref stack;
};

static const struct weir_field offcpu_fields[] = {
	{ "time", "when somebody last blocked here", WEIR_NS, WEIR_TYPE_TIME, WEIR_GAUGE,
	  (uint32_t)offsetof(struct offcpu_row, time), 8, WEIR_QUIET, 0, NULL, NULL },
	WEIR_FIELD_DURATION(struct offcpu_row, weight, WEIR_DELTA, 0,
			    "time blocked, of blocks that ended and of those that go on"),
	WEIR_FIELD(struct offcpu_row, count, WEIR_COUNT, WEIR_DELTA, "blocks that ended"),
	WEIR_FIELD_DURATION(struct offcpu_row, min, WEIR_GAUGE, WEIR_OPTIONAL,
			    "shortest block that ended"),
	WEIR_FIELD_DURATION(struct offcpu_row, max, WEIR_GAUGE, WEIR_OPTIONAL,
			    "longest block that ended"),
	WEIR_FIELD(struct offcpu_row, blocked, WEIR_COUNT, WEIR_GAUGE,
		   "threads that are still blocked"),
	WEIR_FIELD(struct offcpu_row, state, WEIR_NONE, WEIR_KEY, "what kind of block"),
	WEIR_TASK_COLUMN(struct offcpu_row, pid, WEIR_TYPE_UINT, WEIR_OPTIONAL, "process"),
	WEIR_TASK_COLUMN(struct offcpu_row, tid, WEIR_TYPE_UINT, WEIR_OPTIONAL,
			 "thread, where they are told apart"),
	WEIR_TASK_COLUMN(struct offcpu_row, ppid, WEIR_TYPE_UINT, WEIR_QUIET, "parent process"),
	WEIR_TASK_COLUMN(struct offcpu_row, uid, WEIR_TYPE_UINT, WEIR_QUIET, "real user"),
	WEIR_TASK_COLUMN(struct offcpu_row, comm, WEIR_TYPE_CHARS, 0, "name of the thread"),
	WEIR_TASK_COLUMN(struct offcpu_row, cgroup, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "control group"),
	WEIR_TASK_COLUMN(struct offcpu_row, container, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "container"),
	WEIR_FIELD_WITH(struct offcpu_row, waker_pid, WEIR_NONE, WEIR_KEY,
			WEIR_OPTIONAL | WEIR_QUIET,
			"process in whose context it was woken; an interrupt runs in any"),
	WEIR_FIELD_WITH(struct offcpu_row, waker_tid, WEIR_NONE, WEIR_KEY,
			WEIR_OPTIONAL | WEIR_QUIET, "its thread"),
	WEIR_FIELD_WITH(struct offcpu_row, waker_comm, WEIR_NONE, WEIR_KEY, WEIR_QUIET,
			"name of that thread"),
	WEIR_FIELD(struct offcpu_row, stack, WEIR_NONE, WEIR_KEY, "where it blocked"),
};

WEIR_SCHEMA(offcpu_schema_, "blocked threads", struct offcpu_row, offcpu_fields);

const struct weir_schema *const offcpu_schema = &offcpu_schema_;

int offcpu_rows_map(struct offcpu_rows *rows, int blocked_fd)
{
	void *mapped = mmap(NULL, BLOCKED_BYTES, PROT_READ, MAP_SHARED, blocked_fd, 0);

	if (mapped == MAP_FAILED)
		return -errno;
	rows->threads = mapped;
	return 0;
}

void offcpu_rows_release(struct weir_ctx *ctx, struct offcpu_rows *rows)
{
	if (rows->threads)
		munmap((void *)(uintptr_t)rows->threads, BLOCKED_BYTES);
	weir_slots_unmap(&rows->slots);
	free(rows->sums);
	ctx->host->names_release(rows->names);
}

/* Maps the slots in use, and remembers of the new ones that nothing was told yet. */
static int map_slots(struct offcpu_rows *rows)
{
	uint32_t had = rows->slots.mapped, wanted = weir_slots_used(&rows->slots);
	struct offcpu_sum *sums;

	if (wanted <= had)
		return 0;
	sums = realloc(rows->sums, wanted * sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	rows->sums = sums;
	memset(sums + had, 0, (wanted - had) * sizeof(*sums));
	return weir_slots_map(&rows->slots, rows->slots_fd, wanted);
}

static int renew_names(struct weir_ctx *ctx, struct offcpu_rows *rows)
{
	const struct weir_host *host = ctx->host;

	if (rows->names && host->names_bytes(rows->names) < OFFCPU_NAMES_MAX)
		return 0;
	host->names_release(rows->names);
	rows->names = host->names_new(ctx);
	return rows->names ? 0 : -ENOMEM;
}

/* What has ended. */
static void take_ended(struct offcpu_rows *rows)
{
	for (uint32_t i = 0; i < rows->slots.mapped; i++) {
		struct offcpu_slot *slot = weir_slot(&rows->slots, i);
		struct offcpu_sum *sum = &rows->sums[i];

		sum->time = sum->count = sum->still = sum->threads = 0;
		/* Of a slot that came after the mapping. */
		if (slot->of >= rows->slots.mapped)
			continue;
		sum->time = weir_cell_take(&slot->time_ns);
		sum->count = weir_cell_take(&slot->count);
		sum->max = weir_cell_take(&slot->max_ns);
		sum->min = ~weir_cell_take(&slot->min_inverted);
	}
}

/* What has not. Read after what has: what ends in between is told with the next window. */
static void take_still(struct offcpu_rows *rows, uint64_t now)
{
	for (uint32_t i = 0; i < OFFCPU_SETS * OFFCPU_WAYS; i++) {
		const struct offcpu_threads *set = &rows->threads[i / OFFCPU_WAYS];
		uint64_t word = __atomic_load_n(&set->word[i % OFFCPU_WAYS], __ATOMIC_ACQUIRE);
		uint32_t place = __atomic_load_n(&set->place[i % OFFCPU_WAYS], __ATOMIC_ACQUIRE);
		uint64_t ns = weir_thread_stamp_age(word, now);

		if (!word || !place || place > rows->slots.mapped || ns < rows->min_ns ||
		    (rows->max_ns && ns > rows->max_ns))
			continue;
		rows->sums[place - 1].still += ns;
		rows->sums[place - 1].threads++;
	}
}

/* Of `time`, what was told before as time of blocks that went on. */
static void untell(struct offcpu_sum *blocked, uint64_t *time)
{
	uint64_t due = blocked->told < *time ? blocked->told : *time;

	blocked->told -= due;
	*time -= due;
}

/* Afterwards the sums are what is to be told: of blocks that ended, and `still` of the others. */
static void settle(struct offcpu_rows *rows)
{
	for (uint32_t i = 0; i < rows->slots.mapped; i++) {
		const struct offcpu_slot *slot = weir_slot(&rows->slots, i);

		if (rows->sums[i].time)
			untell(&rows->sums[slot->of ? slot->of : i], &rows->sums[i].time);
	}
	for (uint32_t i = 0; i < rows->slots.mapped; i++) {
		struct offcpu_sum *sum = &rows->sums[i];
		uint64_t told = sum->told, still = sum->still;

		untell(sum, &sum->still);
		sum->told = told > still ? told : still;
	}
}

static int fill_task(struct weir_ctx *ctx, struct offcpu_rows *rows, struct weir_batch *batch,
		     const struct offcpu_slot *slot, struct offcpu_row *row)
{
	if (weir_task_columns_fill(ctx, batch, rows->cgroups, &slot->task, &row->task))
		return -ENOMEM;
	if (!slot->known)
		row->task.pid = WEIR_ABSENT_U32;
	if (!slot->task.tid)
		row->task.tid = WEIR_ABSENT_U32;
	return 0;
}

static void fill_waker(const struct offcpu_slot *waker, struct offcpu_row *row)
{
	row->waker_pid = row->waker_tid = WEIR_ABSENT_U32;
	if (!waker)
		return;
	row->waker_pid = waker->task.pid;
	row->waker_tid = waker->task.tid;
	memcpy(row->waker_comm, waker->task.comm, sizeof(row->waker_comm));
}

static void fill_sums(const struct offcpu_sum *sum, struct offcpu_row *row)
{
	row->weight = sum->time + sum->still;
	row->count = sum->count;
	row->min = sum->count ? sum->min : WEIR_ABSENT_U64;
	row->max = sum->count ? sum->max : WEIR_ABSENT_U64;
	row->blocked = sum->threads;
}

static void fill_state(uint32_t state, struct offcpu_row *row)
{
	static const char names[][16] = { "interruptible", "uninterruptible", "idle", "stopped",
					  "traced",        "parked",          "other" };

	_Static_assert(sizeof(names) / sizeof(names[0]) == OFFCPU_STATES, "a state has no name");
	for (uint32_t i = 0; i < OFFCPU_STATES; i++)
		if (state == 1u << i)
			memcpy(row->state, names[i], sizeof(row->state));
}

static int add_row(struct weir_ctx *ctx, struct offcpu_rows *rows, struct weir_batch *batch,
		   uint32_t i)
{
	const struct offcpu_slot *slot = weir_slot(&rows->slots, i), *waker = NULL;
	struct offcpu_row row = { 0 }, *out;

	if (slot->of) {
		waker = slot;
		slot = weir_slot(&rows->slots, slot->of);
	}
	row.time = slot->seen_ns;
	fill_state(slot->state, &row);
	fill_sums(&rows->sums[i], &row);
	fill_waker(waker, &row);
	if (fill_task(ctx, rows, batch, slot, &row) ||
	    offcpu_add_stack(ctx, batch, slot, waker, &row.stack))
		return -ENOMEM;
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = row;
	return 0;
}

/* Has the program forget the key of a slot, so that its next block finds another one. */
static void forget(struct offcpu_rows *rows, uint32_t i)
{
	struct offcpu_slot *slot = weir_slot(&rows->slots, i);

	if (slot->known)
		skel_map_delete_elem(rows->index_fd, slot->key);
	slot->known = 0;
}

static int tell_slot(struct weir_ctx *ctx, struct offcpu_rows *rows, struct weir_batch *batch,
		     uint32_t i)
{
	const struct offcpu_slot *slot = weir_slot(&rows->slots, i);
	const struct offcpu_sum *sum = &rows->sums[i];
	bool active = sum->count || sum->threads || sum->time;
	uint32_t became;

	if (active && add_row(ctx, rows, batch, i))
		return -ENOMEM;
	if (i == 0)
		return 0;
	/* Of those that were woken, the ends may all be told with their wakers. */
	became = weir_slots_judge(&rows->slots, i, active || slot->seen_ns >= batch->start);
	if (became == WEIR_SLOT_SILENT)
		forget(rows, i);
	if (became == WEIR_SLOT_FREE)
		rows->sums[i].told = 0;
	return 0;
}

int offcpu_rows_emit(struct weir_ctx *ctx, struct offcpu_rows *rows, uint64_t start, uint64_t end)
{
	struct weir_batch *batch;
	int err = map_slots(rows);

	if (!err)
		err = renew_names(ctx, rows);
	if (err)
		return weir_fail(ctx, err, "map %u stacks of the kernel",
				 weir_slots_used(&rows->slots));
	batch = weir_loan(ctx, 0, rows->slots.mapped, 0);
	/* What a full queue does not take now stays in the kernel, for the next tick. */
	if (!batch)
		return 0;
	batch->names = rows->names;
	batch->start = start;
	batch->end = end;
	take_ended(rows);
	take_still(rows, end);
	settle(rows);
	for (uint32_t i = 0; i < rows->slots.mapped && !err; i++)
		err = tell_slot(ctx, rows, batch, i);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send stacks");
	}
	err = weir_commit(ctx, batch);
	return err ? err : 1;
}
