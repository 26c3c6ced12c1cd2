/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the sources of this area say alike: disks by name, the names of operations and errors, and
 * what was not seen of requests.
 */
#ifndef DISK_H
#define DISK_H

#include <stdio.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/probe.h>
#include <weir/file.h>
#include <weir/host.h>

#include "request_event.h"

/* A word of the kernel's numbering; NULL for a number that has none. */
static inline const char *disk_word(const char *const *words, size_t count, uint32_t number)
{
	return number < count ? words[number] : NULL;
}

#define DISK_OPS "read, write, flush, discard, write_zeroes, secure_erase, zone, driver, other"

/* The kernel's enum req_op, whose numbers in use have been the same since Linux 5.17. */
static inline const char *disk_op(uint32_t op)
{
	static const char *const ops[] = {
		[0] = "read",  [1] = "write",        [2] = "flush",   [3] = "discard",
		[7] = "zone",  [5] = "secure_erase", [10] = "zone",   [9] = "write_zeroes",
		[11] = "zone", [12] = "zone",        [13] = "zone",   [15] = "zone",
		[17] = "zone", [19] = "zone",        [34] = "driver", [35] = "driver",
	};
	const char *word = disk_word(ops, sizeof(ops) / sizeof(ops[0]), op);

	return word ? word : "other";
}

/*
 * The name of the errno that a blk_status_t stands for; "" for none. Up to 13 the numbers are the
 * same since Linux 4.13; from Linux 6.10 on there is none for a zone without resources, and those
 * above it are one less.
 */
static inline void disk_error(uint32_t status, char *name, size_t size)
{
	static const char *const errors[] = {
		"",        "EOPNOTSUPP", "ETIMEDOUT", "ENOSPC", "ENOLINK", "EREMOTEIO", "EBADE",
		"ENODATA", "EILSEQ",     "ENOMEM",    "EIO",    "EREMCHG", "EAGAIN",    "EBUSY",
	};
	const char *word = disk_word(errors, sizeof(errors) / sizeof(errors[0]), status);

	if (word)
		snprintf(name, size, "%s", word);
	else
		snprintf(name, size, "status %u", status);
}

/* The number of a whole disk, as the kernel keeps it: major << 20 | minor. */
static inline int disk_find(struct weir_ctx *ctx, const char *disk, uint32_t *dev)
{
	struct weir_buffer buffer = { 0 };
	char path[128];
	unsigned int major, minor;
	int err;

	snprintf(path, sizeof(path), "sys/class/block/%s/partition", disk);
	if (strchr(disk, '/') || weir_path_exists(ctx, path))
		return weir_fail_option(ctx, "disk", -EINVAL, "\"%s\" is not a whole disk", disk);
	snprintf(path, sizeof(path), "sys/class/block/%s/dev", disk);
	err = weir_read_file(ctx, path, &buffer);
	if (!err && sscanf(buffer.bytes, "%u:%u", &major, &minor) != 2)
		err = -EBADMSG;
	weir_buffer_release(&buffer);
	if (err)
		return weir_fail_option(ctx, "disk", err, "no disk \"%s\"", disk);
	*dev = major << 20 | minor;
	return 0;
}

/* The same, of one that has requests: else nothing would ever be seen, and taken for a zero. */
static inline int disk_find_requests(struct weir_ctx *ctx, const char *disk, uint32_t *dev)
{
	char path[128];
	int err = disk_find(ctx, disk, dev);

	snprintf(path, sizeof(path), "sys/class/block/%s/mq", disk);
	if (err || weir_path_exists(ctx, path))
		return err;
	return weir_fail_option(ctx, "disk", -EINVAL,
				"%s has no requests of its own: see the disks below it, in "
				"/sys/class/block/%s/slaves",
				disk, disk);
}

/*
 * Reports, and empties, what the BPF program counted. *untimed starts as 0: requests that found no
 * room and have not ended yet.
 */
static inline void disk_report_lost(struct weir_ctx *ctx, struct request_totals *totals,
				    uint64_t *untimed)
{
	uint64_t unstarted = weir_cell_take(&totals->unstarted);
	uint64_t full = weir_cell_take(&totals->map_full), known;

	/* A request that found no room ends as one that never began. */
	*untimed += full;
	known = unstarted < *untimed ? unstarted : *untimed;
	*untimed -= known;
	weir_lost(ctx, "request completed whose start was not seen, so not timed",
		  unstarted - known, NULL);
	weir_lost(ctx, "request issued whose completion was not seen",
		  weir_cell_take(&totals->unfinished), NULL);
	weir_lost(ctx, "clock went backwards between two events of a request",
		  weir_cell_take(&totals->backwards), NULL);
	weir_lost(ctx, "request not followed: too many in flight", full, "watch one disk: --disk");
}

/* Adds what programs that follow requests attach to. */
static inline void disk_probe_requests(struct weir_ctx *ctx)
{
	weir_probe_target(ctx, "raw_tp/block_rq_issue", "raw tracepoints of the block layer",
			  WEIR_NEED_MISSING, "requests to disks are not seen",
			  "a kernel with CONFIG_TRACEPOINTS");
}

#endif
