/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a sample of kernel counters was taken, and by how much they have grown. A recorded tree
 * below another root has a clock of its own, its proc/uptime; the machine's own counters go by
 * CLOCK_MONOTONIC.
 */
#ifndef WEIR_SAMPLE_H
#define WEIR_SAMPLE_H

#include <linux/magic.h>
#include <sys/vfs.h>

#include "file.h"
#include "host.h"

struct weir_sample_time {
	uint64_t clock; /* of the tree that was read, ns */
	uint64_t now;   /* CLOCK_MONOTONIC, ns */
};

/* "1234.56 ..." to nanoseconds. 0 or -EBADMSG. */
static inline int weir_sample_parse_uptime(const char *text, uint64_t *ns)
{
	unsigned long long seconds;
	char *end;
	uint64_t scale = 100000000;

	if (*text < '0' || *text > '9')
		return -EBADMSG;
	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno || seconds > UINT64_MAX / 1000000000 - 1 || *end != '.')
		return -EBADMSG;
	*ns = seconds * 1000000000;
	for (end++; *end >= '0' && *end <= '9'; end++, scale /= 10)
		*ns += (uint64_t)(*end - '0') * scale;
	return *end == ' ' ? 0 : -EBADMSG;
}

/* True when the tree's proc is the running kernel's own, mounted anywhere. */
static inline int weir_sample_is_live(struct weir_ctx *ctx)
{
	int fd = openat(ctx->root, "proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	int live = fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;

	if (fd >= 0)
		close(fd);
	return live;
}

/*
 * The time of a sample: call it right after, or before, the counters are read. 0 or a negative
 * errno, having said why.
 */
static inline int weir_sample_time(struct weir_ctx *ctx, struct weir_sample_time *time)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	int err;

	time->now = time->clock = weir_now(ctx);
	if (weir_sample_is_live(ctx))
		return 0;
	err = weir_read_file(ctx, "proc/uptime", &buffer);
	if (err || !buffer.bytes)
		err = weir_fail(ctx, err ? err : -ENODATA,
				"read /proc/uptime, the clock of a recorded tree");
	else if (weir_sample_parse_uptime(buffer.bytes, &time->clock) < 0)
		err = weir_fail(ctx, -EBADMSG, "/proc/uptime: cannot read \"%.*s\"",
				(int)strcspn(buffer.bytes, "\n"), buffer.bytes);
	weir_buffer_release(&buffer);
	return err;
}

/* From one sample to the next; 0 where a recorded tree's clock stood still or went back. */
static inline uint64_t weir_sample_elapsed(const struct weir_sample_time *from,
					   const struct weir_sample_time *to)
{
	return to->clock > from->clock ? to->clock - from->clock : 0;
}

/* Sets the batch's window, as long as what lies between the samples. */
static inline void weir_sample_window(struct weir_batch *batch, const struct weir_sample_time *from,
				      const struct weir_sample_time *to)
{
	uint64_t elapsed = weir_sample_elapsed(from, to);

	batch->end = to->now;
	batch->start = elapsed < to->now ? to->now - elapsed : 0;
}

/*
 * For drain(): true when enough of a window has passed since its start: a tenth of it, or 100 ms.
 * Many counters go by ticks of 10 ms: a much shorter window says nothing.
 */
static inline int weir_window_is_due(struct weir_ctx *ctx, uint64_t start, uint64_t interval)
{
	uint64_t passed = weir_now(ctx) - start;

	return passed >= interval / 10 || passed >= 100000000;
}

/* The same since the last sample. */
static inline int weir_sample_is_due(struct weir_ctx *ctx, const struct weir_sample_time *last,
				     uint64_t interval)
{
	return weir_window_is_due(ctx, last->now, interval);
}

/* By how much a counter has grown. One that went back says nothing: the window has a gap. */
static inline uint64_t weir_sample_added(struct weir_batch *batch, uint64_t from, uint64_t to)
{
	if (to >= from)
		return to - from;
	batch->flags |= WEIR_BATCH_GAP;
	return WEIR_ABSENT_U64;
}

#endif
