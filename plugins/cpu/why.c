/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform cpu.why: from the rows of cpu.wait, each thread's shares and the sum of all, busiest
 * first, and the parts of the sum, largest first, each with the pipeline that looks into it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir/plugin.h>

enum { OUTPUT_THREADS, OUTPUT_PARTS };

/* What of a thread's time is told apart. */
enum { WHY_RUN, WHY_RUNNABLE, WHY_DEVICE, WHY_KERNEL, WHY_SLEEP, WHY_PARTS };

static const char *const why_words[WHY_PARTS] = { "run", "runnable", "device", "kernel", "sleep" };

struct why_thread_row {
	uint32_t pid;
	uint32_t tid;
	char comm[16];
	char disk[32];
	uint64_t wall;
	double share[WHY_PARTS];
	uint64_t longest;
	uint64_t switches;
};

#define SHARE(name_, part_, head_, doc_)                                                           \
	{                                                                                          \
		name_, doc_, WEIR_RATIO, WEIR_TYPE_DOUBLE, WEIR_GAUGE,                             \
			(uint32_t)(offsetof(struct why_thread_row, share) +                        \
				   (part_) * sizeof(double)),                                      \
			sizeof(double), WEIR_OPTIONAL, 0, NULL, WEIR_HEAD(head_, WEIR_PERCENT, 0)  \
	}

static const struct weir_field why_thread_fields[] = {
	WEIR_FIELD_WITH(struct why_thread_row, pid, WEIR_NONE, WEIR_KEY, WEIR_QUIET, "process"),
	WEIR_FIELD_WITH(struct why_thread_row, tid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"thread; absent: the sum of all"),
	WEIR_FIELD(struct why_thread_row, comm, WEIR_NONE, WEIR_KEY, "name of the thread"),
	WEIR_FIELD_DURATION(struct why_thread_row, wall, WEIR_DELTA, 0, "time that it was there"),
	SHARE("run", WHY_RUN, "%run", "share on a CPU"),
	SHARE("runnable", WHY_RUNNABLE, "%runnable", "share waiting for a CPU"),
	SHARE("device", WHY_DEVICE, "%device", "share blocked on a device"),
	SHARE("kernel", WHY_KERNEL, "%kernel", "share blocked in the kernel"),
	SHARE("sleep", WHY_SLEEP, "%sleep", "share asleep"),
	WEIR_FIELD_WITH(struct why_thread_row, disk, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"disk that it waited for"),
	WEIR_FIELD_DURATION(struct why_thread_row, longest, WEIR_GAUGE, WEIR_OPTIONAL,
			    "longest single wait but sleep"),
	WEIR_FIELD_WITH(struct why_thread_row, switches, WEIR_COUNT, WEIR_DELTA, WEIR_QUIET,
			"times it was given a CPU"),
};

WEIR_SCHEMA(why_thread_schema, "threads and their time", struct why_thread_row, why_thread_fields);

struct why_part_row {
	char part[16];
	char disk[32];
	uint64_t time;
	double share;
	struct weir_text next;
};

static const struct weir_field why_part_fields[] = {
	WEIR_FIELD(struct why_part_row, part, WEIR_NONE, WEIR_KEY,
		   "run, runnable, device, kernel or sleep"),
	WEIR_FIELD_DURATION(struct why_part_row, time, WEIR_DELTA, 0, "of all threads"),
	WEIR_FIELD_HEAD(struct why_part_row, share, WEIR_RATIO, WEIR_GAUGE, 0,
			WEIR_HEAD("%", WEIR_PERCENT, 0), "share of the time of all threads"),
	WEIR_FIELD_WITH(struct why_part_row, disk, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"disk that was waited for"),
	WEIR_FIELD(struct why_part_row, next, WEIR_NONE, WEIR_KEY, "what to look at next"),
};

WEIR_SCHEMA(why_part_schema, "parts of the time", struct why_part_row, why_part_fields);

static const struct weir_output why_outputs[] = {
	[OUTPUT_THREADS] = { "threads", "each thread, busiest first, and the sum of all",
			     &why_thread_schema, 0, 0 },
	[OUTPUT_PARTS] = { "parts", "the parts of the sum, largest first, and what to look at next",
			   &why_part_schema, 0, 0 },
};

#define WHY_TIME(name_)                                                                            \
	{                                                                                          \
		name_, WEIR_TYPE_DURATION, WEIR_ROLE_NONE, "time", 0, 0                            \
	}

static const struct weir_want why_wants[] = {
	{ "pid", WEIR_TYPE_UINT, WEIR_KEY, NULL, 0, 0 },
	{ "tid", WEIR_TYPE_UINT, WEIR_KEY, NULL, 0, 0 },
	{ "comm", WEIR_TYPE_CHARS, WEIR_KEY, NULL, 0, 0 },
	{ "disk", WEIR_TYPE_CHARS, WEIR_KEY, NULL, 0, 0 },
	{ "switches", WEIR_TYPE_UINT, WEIR_ROLE_NONE, NULL, 0, 0 },
	WHY_TIME("wall"),
	WHY_TIME("run"),
	WHY_TIME("runnable"),
	WHY_TIME("device"),
	WHY_TIME("kernel"),
	WHY_TIME("journal"),
	WHY_TIME("sleep"),
	WHY_TIME("longest"),
};

static const struct weir_slot why_inputs[] = {
	{ .name = "in", .doc = "rows of cpu.wait", .wants = WEIR_TABLE(why_wants) },
};

/* Where the columns are in an input row. */
struct why_columns {
	const struct weir_field *pid, *tid, *comm, *disk, *switches, *wall, *longest, *journal;
	const struct weir_field *part[WHY_PARTS];
};

/* What is known of a row of the input. */
struct why_thread {
	struct why_thread_row row;
	uint64_t time[WHY_PARTS];
	uint64_t for_disk; /* of the time: on a device or for its journal */
};

struct why_state {
	struct why_columns columns;
	struct why_thread *threads; /* of the window; the last is the sum of the others */
	uint32_t count;
	uint32_t room;
};

static int why_bind(struct weir_ctx *ctx)
{
	const struct weir_schema *schema = weir_input(ctx, 0)->schema;
	struct why_state *st = ctx->state;

	st->columns.pid = weir_find(schema, "pid");
	st->columns.tid = weir_find(schema, "tid");
	st->columns.comm = weir_find(schema, "comm");
	st->columns.disk = weir_find(schema, "disk");
	st->columns.switches = weir_find(schema, "switches");
	st->columns.wall = weir_find(schema, "wall");
	st->columns.longest = weir_find(schema, "longest");
	st->columns.journal = weir_find(schema, "journal");
	for (uint32_t i = 0; i < WHY_PARTS; i++)
		st->columns.part[i] = weir_find(schema, why_words[i]);
	return 0;
}

/* An integer of 4 or 8 bytes. */
static uint64_t why_number(const void *row, const struct weir_field *field)
{
	const uint8_t *at = (const uint8_t *)row + field->offset;
	uint32_t narrow;
	uint64_t wide;

	if (field->bytes == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

static void why_chars(const void *row, const struct weir_field *field, char *out, size_t size)
{
	size_t length = strnlen((const char *)row + field->offset, field->bytes);

	snprintf(out, size, "%.*s", (int)length, (const char *)row + field->offset);
}

static void why_read(const struct why_columns *columns, const void *row, struct why_thread *thread)
{
	memset(thread, 0, sizeof(*thread));
	thread->row.pid = (uint32_t)why_number(row, columns->pid);
	thread->row.tid = (uint32_t)why_number(row, columns->tid);
	thread->row.wall = why_number(row, columns->wall);
	thread->row.longest = why_number(row, columns->longest);
	thread->row.switches = why_number(row, columns->switches);
	why_chars(row, columns->comm, thread->row.comm, sizeof(thread->row.comm));
	why_chars(row, columns->disk, thread->row.disk, sizeof(thread->row.disk));
	for (uint32_t i = 0; i < WHY_PARTS; i++)
		thread->time[i] = why_number(row, columns->part[i]);
	thread->for_disk = thread->time[WHY_DEVICE] + why_number(row, columns->journal);
}

/* A process is named after its first thread, and its disk is the one that most was waited for. */
static void why_add(struct why_thread *sum, const struct why_thread *thread, uint64_t *most)
{
	const struct why_thread_row *row = &thread->row;

	sum->row.wall += row->wall;
	sum->row.switches += row->switches;
	sum->for_disk += thread->for_disk;
	for (uint32_t i = 0; i < WHY_PARTS; i++)
		sum->time[i] += thread->time[i];
	if (row->longest != WEIR_ABSENT_U64 &&
	    (sum->row.longest == WEIR_ABSENT_U64 || row->longest > sum->row.longest))
		sum->row.longest = row->longest;
	if (row->tid == row->pid || !sum->row.pid)
		memcpy(sum->row.comm, row->comm, sizeof(sum->row.comm));
	sum->row.pid = row->pid;
	if (thread->for_disk > *most) {
		*most = thread->for_disk;
		memcpy(sum->row.disk, row->disk, sizeof(sum->row.disk));
	}
}

static void why_share(struct why_thread *thread)
{
	for (uint32_t i = 0; i < WHY_PARTS; i++)
		thread->row.share[i] = thread->row.wall
					       ? (double)thread->time[i] / (double)thread->row.wall
					       : __builtin_nan("");
}

static int why_order_threads(const void *a, const void *b)
{
	const struct why_thread *left = a, *right = b;
	const uint64_t busy = left->row.wall - left->time[WHY_SLEEP];
	const uint64_t other = right->row.wall - right->time[WHY_SLEEP];

	if (busy != other)
		return busy > other ? -1 : 1;
	return (left->row.tid > right->row.tid) - (left->row.tid < right->row.tid);
}

static int why_collect(struct why_state *st, const struct weir_batch *batch)
{
	struct why_thread *sum;
	uint64_t most = 0;

	if (batch->row_count + 1 > st->room) {
		void *threads = realloc(st->threads, (batch->row_count + 1) * sizeof(*st->threads));

		if (!threads)
			return -ENOMEM;
		st->threads = threads;
		st->room = batch->row_count + 1;
	}
	sum = &st->threads[batch->row_count];
	memset(sum, 0, sizeof(*sum));
	sum->row.longest = WEIR_ABSENT_U64;
	for (uint32_t i = 0; i < batch->row_count; i++) {
		why_read(&st->columns, weir_row(batch, i), &st->threads[i]);
		why_add(sum, &st->threads[i], &most);
		why_share(&st->threads[i]);
	}
	why_share(sum);
	sum->row.tid = WEIR_ABSENT_U32;
	st->count = batch->row_count + 1;
	qsort(st->threads, batch->row_count, sizeof(*st->threads), why_order_threads);
	return 0;
}

static int why_send_threads(struct weir_ctx *ctx, const struct weir_batch *in)
{
	struct why_state *st = ctx->state;
	struct weir_batch *out = weir_loan(ctx, OUTPUT_THREADS, st->count, 0);

	if (!out) {
		weir_lost(ctx, "no room behind", st->count, NULL);
		return 0;
	}
	/* The sum of one is that one. */
	if (st->count == 2)
		st->count = 1;
	for (uint32_t i = 0; i < st->count; i++)
		memcpy(out->rows + (size_t)i * out->row_size, &st->threads[i].row,
		       sizeof(st->threads[i].row));
	out->row_count = st->count;
	out->flags = in->flags;
	out->start = in->start;
	out->end = in->end;
	return weir_commit(ctx, out);
}

/* The pipeline that looks into a part. */
static void why_next(const struct why_thread *sum, uint32_t part, char *text, size_t size)
{
	uint32_t pid = sum->row.pid;

	switch (part) {
	case WHY_RUN:
		snprintf(text, size, "weir flame --pid %u", pid);
		break;
	case WHY_RUNNABLE:
		snprintf(text, size, "weir runqslower --pid %u", pid);
		break;
	case WHY_DEVICE:
		if (sum->row.disk[0])
			snprintf(text, size, "weir biosnoop --disk %s", sum->row.disk);
		else
			snprintf(text, size, "weir biosnoop --pid %u", pid);
		break;
	case WHY_KERNEL:
		snprintf(text, size, "weir offcpu --pid %u --state uninterruptible", pid);
		break;
	default:
		snprintf(text, size, "weir offcpu --pid %u", pid);
	}
}

static int why_add_part(struct weir_ctx *ctx, struct weir_batch *batch,
			const struct why_thread *sum, uint32_t part)
{
	struct why_part_row row = { .time = sum->time[part], .share = sum->row.share[part] }, *out;
	char next[96];

	snprintf(row.part, sizeof(row.part), "%s", why_words[part]);
	why_next(sum, part, next, sizeof(next));
	if (part == WHY_DEVICE || (part == WHY_KERNEL && sum->for_disk > sum->time[WHY_DEVICE]))
		memcpy(row.disk, sum->row.disk, sizeof(row.disk));
	if (weir_add_text(ctx, batch, next, strlen(next), &row.next))
		return -ENOMEM;
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = row;
	return 0;
}

/* The largest part that is not yet in `done`; WHY_PARTS: those left are nothing. */
static uint32_t why_largest(const struct why_thread *sum, uint32_t done)
{
	uint32_t largest = WHY_PARTS;

	for (uint32_t i = 0; i < WHY_PARTS; i++)
		if (!(done & 1u << i) && sum->time[i] &&
		    (largest == WHY_PARTS || sum->time[i] > sum->time[largest]))
			largest = i;
	return largest;
}

static int why_send_parts(struct weir_ctx *ctx, const struct weir_batch *in)
{
	struct why_state *st = ctx->state;
	const struct why_thread *sum = &st->threads[in->row_count];
	struct weir_batch *out = weir_loan(ctx, OUTPUT_PARTS, WHY_PARTS, 512);
	uint32_t part, done = 0;
	int err = 0;

	if (!out) {
		weir_lost(ctx, "no room behind", WHY_PARTS, NULL);
		return 0;
	}
	while (!err && (part = why_largest(sum, done)) < WHY_PARTS) {
		err = why_add_part(ctx, out, sum, part);
		done |= 1u << part;
	}
	if (err) {
		weir_discard(ctx, out);
		return weir_fail(ctx, err, "send parts");
	}
	out->flags = in->flags;
	out->start = in->start;
	out->end = in->end;
	return weir_commit(ctx, out);
}

static int why_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	int err = why_collect(ctx->state, batch);

	(void)input;
	if (err)
		return weir_fail(ctx, err, "%u rows", batch->row_count);
	err = why_send_threads(ctx, batch);
	return err ? err : why_send_parts(ctx, batch);
}

static void why_destroy(struct weir_ctx *ctx)
{
	struct why_state *st = ctx->state;

	free(st->threads);
}

WEIR_COMPONENT("cpu.why", WEIR_TRANSFORM,
	       .summary = "shares of a process's time, and which pipeline looks into each",
	       .doc = "For one process: the sum and the pipelines are those of all rows of a "
		      "window.",
	       .state_size = sizeof(struct why_state), .outputs = WEIR_TABLE(why_outputs),
	       .inputs = WEIR_TABLE(why_inputs), .bind = why_bind, .push = why_push,
	       .destroy = why_destroy);
