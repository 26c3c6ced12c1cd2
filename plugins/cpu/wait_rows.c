/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of cpu.wait: the parts of a thread's or a process's time, and the disks it waited for. */
#include <stdio.h>
#include <unistd.h>

#include "wait.h"

struct wait_disk_row {
	char disk[32];
	uint64_t wait;
};

static const struct weir_field wait_disk_fields[] = {
	WEIR_FIELD_WITH(struct wait_disk_row, disk, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"disk waited for, where it is known"),
	WEIR_FIELD_DURATION(struct wait_disk_row, wait, WEIR_DELTA, 0, "time waited for it"),
};

WEIR_SCHEMA(wait_disk_schema, "disks waited for", struct wait_disk_row, wait_disk_fields);

struct wait_row {
	struct weir_task_columns task;
	char kind[8];
	char disk[32];
	char longest_in[16];
	uint64_t wall;
	uint64_t run;
	uint64_t runnable;
	uint64_t device;
	uint64_t kernel;
	uint64_t journal;
	uint64_t sleep;
	uint64_t lock;
	uint64_t bytes;
	uint64_t longest;
	uint64_t switches;
	uint64_t threads;
	struct weir_rows_ref disks;
};

#define DURATION(member_, flags_, doc_)                                                            \
	WEIR_FIELD_DURATION(struct wait_row, member_, WEIR_DELTA, flags_, doc_)

static const struct weir_field wait_fields[] = {
	WEIR_TASK_COLUMN(struct wait_row, pid, WEIR_TYPE_UINT, 0, "process"),
	WEIR_TASK_COLUMN(struct wait_row, tid, WEIR_TYPE_UINT, 0,
			 "thread; of a process, its first one that was seen"),
	WEIR_TASK_COLUMN(struct wait_row, ppid, WEIR_TYPE_UINT, WEIR_QUIET, "parent process"),
	WEIR_TASK_COLUMN(struct wait_row, uid, WEIR_TYPE_UINT, WEIR_QUIET, "real user"),
	WEIR_TASK_COLUMN(struct wait_row, comm, WEIR_TYPE_CHARS, 0, "name of the thread"),
	WEIR_TASK_COLUMN(struct wait_row, cgroup, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "control group"),
	WEIR_TASK_COLUMN(struct wait_row, container, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "container"),
	WEIR_FIELD_WITH(struct wait_row, kind, WEIR_NONE, WEIR_KEY, WEIR_QUIET,
			"user; kernel: a thread of the kernel; journal: one that writes a journal "
			"of ext4, and waits for those who wait for it"),
	DURATION(wall, 0, "time that it was there: the sum of the parts below"),
	DURATION(run, 0, "on a CPU, with the interrupts that came meanwhile"),
	DURATION(runnable, 0, "waiting for a CPU"),
	DURATION(device, 0, "blocked on a device: in D state, and the kernel says for I/O"),
	DURATION(kernel, 0, "blocked in the kernel: in D state otherwise"),
	DURATION(sleep, 0, "asleep, idle or stopped"),
	DURATION(journal, WEIR_QUIET,
		 "the part of `kernel` that a file system's journal was waited for"),
	DURATION(lock, WEIR_QUIET,
		 "the part of `sleep` that another thread's lock was waited for, by futex(); of "
		 "locks of glibc, musl, Rust and Go"),
	WEIR_FIELD_WITH(
		struct wait_row, disk, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
		"disk that most of `device` and `journal` was for, where it is known; of who "
		"did not wait, the one that most of its data was for"),
	WEIR_FIELD_WITH(struct wait_row, bytes, WEIR_BYTES, WEIR_DELTA, WEIR_QUIET,
			"data that the thread itself read from or wrote to that disk, past caches"),
	WEIR_FIELD_DURATION(struct wait_row, longest, WEIR_GAUGE, WEIR_OPTIONAL,
			    "longest single wait but sleep that ended in the window, or lasts"),
	WEIR_FIELD_WITH(struct wait_row, longest_in, WEIR_NONE, WEIR_KEY,
			WEIR_OPTIONAL | WEIR_QUIET, "which part the longest wait belongs to"),
	WEIR_FIELD(struct wait_row, switches, WEIR_COUNT, WEIR_DELTA, "times it was given a CPU"),
	WEIR_FIELD_WITH(struct wait_row, threads, WEIR_COUNT, WEIR_GAUGE, WEIR_QUIET,
			"threads of which this is the sum"),
	{ "disks", "what was waited for each disk", WEIR_NONE, WEIR_TYPE_ROWS, WEIR_ROLE_NONE,
	  (uint32_t)offsetof(struct wait_row, disks), sizeof(struct weir_rows_ref), WEIR_QUIET, 0,
	  &wait_disk_schema, NULL },
};

WEIR_SCHEMA(wait_schema_, "where time went", struct wait_row, wait_fields);

const struct weir_schema *const wait_schema = &wait_schema_;

/* The name of a disk by its number, or the number where the disk is gone. */
static void wait_disk_name(struct weir_ctx *ctx, uint32_t dev, char *name, size_t size)
{
	char path[64], target[512];
	const char *base;
	ssize_t length;

	snprintf(path, sizeof(path), "sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
	length = readlinkat(ctx->root, path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	base = strrchr(target, '/');
	snprintf(name, size, "%.*s", (int)size - 1,
		 base ? base + 1 : path + sizeof("sys/dev/block/") - 1);
}

/*
 * The known disk that was waited for longest, or, where nothing was waited for, that most data was
 * for; NULL: it is not known, or there is none.
 */
static const struct wait_disk *wait_main_disk(const struct wait_part *part)
{
	const struct wait_disk *main = &part->disk[0];
	uint64_t unknown = part->sum[WAIT_DEVICE] + part->sum[WAIT_JOURNAL];

	for (uint32_t i = 0; i < WAIT_DISKS; i++) {
		const struct wait_disk *disk = &part->disk[i];

		unknown -= disk->wait_ns < unknown ? disk->wait_ns : unknown;
		if (disk->wait_ns > main->wait_ns ||
		    (disk->wait_ns == main->wait_ns && disk->sectors > main->sectors))
			main = disk;
	}
	return main->wait_ns >= unknown && (main->wait_ns || main->sectors) ? main : NULL;
}

static int wait_add_disks(struct weir_ctx *ctx, struct weir_batch *batch,
			  const struct wait_part *part, struct weir_rows_ref *ref)
{
	uint64_t unknown = part->sum[WAIT_DEVICE] + part->sum[WAIT_JOURNAL];
	struct wait_disk_row rows[WAIT_DISKS + 1] = { 0 }, *room;
	uint32_t count = 0;

	for (uint32_t i = 0; i < WAIT_DISKS; i++) {
		const struct wait_disk *disk = &part->disk[i];

		if (!disk->wait_ns)
			continue;
		unknown -= disk->wait_ns < unknown ? disk->wait_ns : unknown;
		wait_disk_name(ctx, disk->dev, rows[count].disk, sizeof(rows[count].disk));
		rows[count++].wait = disk->wait_ns;
	}
	if (unknown)
		rows[count++].wait = unknown;
	if (!count)
		return 0;
	room = weir_add_bytes(ctx, batch, count * (uint32_t)sizeof(*rows), &ref->offset);
	if (!room)
		return -ENOMEM;
	memcpy(room, rows, count * sizeof(*rows));
	ref->count = count;
	return 0;
}

static void wait_fill_row(struct weir_ctx *ctx, const struct wait_part *part, struct wait_row *row)
{
	static const char *const kinds[] = { "user", "kernel", "journal" };
	static const char *const states[WAIT_SUMS] = { "run",     "runnable", "device", "kernel",
						       "journal", "sleep",    "lock" };
	const struct wait_disk *disk = wait_main_disk(part);

	memcpy(row->kind, kinds[part->kind % 3], strlen(kinds[part->kind % 3]));
	row->wall = part->wall;
	row->run = part->sum[WAIT_RUN];
	row->runnable = part->sum[WAIT_RUNNABLE];
	row->device = part->sum[WAIT_DEVICE];
	row->kernel = part->sum[WAIT_KERNEL] + part->sum[WAIT_JOURNAL];
	row->journal = part->sum[WAIT_JOURNAL];
	row->sleep = part->sum[WAIT_SLEEP] + part->sum[WAIT_LOCK];
	row->lock = part->sum[WAIT_LOCK];
	row->switches = part->switches;
	row->threads = part->threads;
	row->longest = WEIR_ABSENT_U64;
	if (disk) {
		wait_disk_name(ctx, disk->dev, row->disk, sizeof(row->disk));
		row->bytes = 512ull * disk->sectors;
	}
	if (part->longest) {
		row->longest = wait_mark_since(part->longest);
		snprintf(row->longest_in, sizeof(row->longest_in), "%s",
			 states[wait_mark_state(part->longest) % WAIT_SUMS]);
	}
}

bool wait_part_sleeps(const struct wait_part *part)
{
	for (uint32_t i = 0; i < WAIT_SUMS; i++)
		if (i != WAIT_SLEEP && part->sum[i])
			return false;
	return true;
}

int wait_rows_add(struct weir_ctx *ctx, struct wait_rows *rows, struct weir_batch *batch,
		  const struct wait_part *part)
{
	struct wait_row row = { 0 }, *out;

	wait_fill_row(ctx, part, &row);
	if (weir_task_columns_fill(ctx, batch, rows->cgroups, &part->id, &row.task) ||
	    wait_add_disks(ctx, batch, part, &row.disks))
		return -ENOMEM;
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = row;
	return 0;
}
