/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening one perf event for a set of CPUs and tasks, with one ring buffer per CPU.
 */
#ifndef WEIR_PERF_EVENT_H
#define WEIR_PERF_EVENT_H

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "file.h"
#include "perf_ring.h"

#ifndef PERF_FLAG_FD_CLOEXEC
#define PERF_FLAG_FD_CLOEXEC (1UL << 3)
#endif

/* Linux 5.12; the headers of the build machine may be older. */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/* Linux 6.0: behind an event's value stands what was lost of its records. */
#define WEIR_PERF_FORMAT_LOST (1 << 4)

/* The body of PERF_RECORD_MMAP2 up to the path, which is closed by NUL and padded to 8 bytes. */
struct weir_perf_map {
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t length;
	uint64_t offset;
	union {
		struct weir_perf_map_inode {
			uint32_t device_major;
			uint32_t device_minor;
			uint64_t number;
			uint64_t generation;
		} inode;
		struct weir_perf_map_build_id { /* PERF_RECORD_MISC_MMAP_BUILD_ID */
			uint8_t size;
			uint8_t reserved[3];
			uint8_t bytes[20];
		} build_id;
	} identity;
	uint32_t protection;
	uint32_t flags;
};

/* A growing list of numbers: CPUs, threads. Starts zeroed. */
struct weir_numbers {
	uint32_t *items;
	uint32_t count;
	uint32_t capacity;
};

static inline void weir_numbers_release(struct weir_numbers *numbers)
{
	free(numbers->items);
	memset(numbers, 0, sizeof(*numbers));
}

static inline int weir_numbers_add(struct weir_numbers *numbers, uint32_t number)
{
	if (numbers->count == numbers->capacity) {
		uint32_t capacity = numbers->capacity ? numbers->capacity * 2 : 64;
		uint32_t *items = (uint32_t *)realloc(numbers->items, capacity * sizeof(*items));

		if (!items)
			return -ENOMEM;
		numbers->items = items;
		numbers->capacity = capacity;
	}
	numbers->items[numbers->count++] = number;
	return 0;
}

static inline int weir_numbers_add_range(struct weir_numbers *numbers, unsigned long first,
					 unsigned long last)
{
	int err = last < first || last > 65535 ? -EBADMSG : 0;

	for (; !err && first <= last; first++)
		err = weir_numbers_add(numbers, (uint32_t)first);
	return err;
}

/* Adds the numbers of a list as the kernel writes it: "0-3,8". -EBADMSG: not of that form. */
static inline int weir_numbers_parse(struct weir_numbers *numbers, const char *text)
{
	int err = 0;

	while (!err && *text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10);
		unsigned long last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		err = weir_numbers_add_range(numbers, first, last);
		text = *end == ',' ? end + 1 : end;
	}
	if (err)
		return err;
	return *text == '\0' || *text == '\n' ? 0 : -EBADMSG;
}

/* The CPUs that are online. 0 or a negative errno. */
static inline int weir_perf_cpus(struct weir_ctx *ctx, struct weir_numbers *cpus)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	int err = weir_read_file(ctx, "sys/devices/system/cpu/online", &buffer);

	if (!err && buffer.bytes)
		err = weir_numbers_parse(cpus, buffer.bytes);
	if (!err && cpus->count == 0)
		err = -EBADMSG;
	weir_buffer_release(&buffer);
	return err;
}

/* Adds the threads that a process has now. 0, -ESRCH when it is gone, or a negative errno. */
static inline int weir_perf_threads(struct weir_ctx *ctx, uint32_t pid, struct weir_numbers *tids)
{
	char path[32];
	struct dirent *entry;
	DIR *dir;
	int fd, err = 0;

	snprintf(path, sizeof(path), "proc/%u/task", pid);
	fd = openat(ctx->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			err = weir_numbers_add(tids, (uint32_t)strtoul(entry->d_name, NULL, 10));
	closedir(dir);
	return err;
}

/*
 * The threads of processes, into an empty list. New ones may be made while they are listed: until
 * two lists are of the same length. 0 or a negative errno, *failed being the process; with NULL,
 * processes that are gone are left out.
 */
static inline int weir_perf_threads_of(struct weir_ctx *ctx, const uint32_t *pids, uint32_t count,
				       struct weir_numbers *tids, uint32_t *failed)
{
	uint32_t before = UINT32_MAX;

	for (int round = 0; round < 10 && tids->count != before; round++) {
		before = tids->count;
		tids->count = 0;
		for (uint32_t i = 0; i < count; i++) {
			int err = weir_perf_threads(ctx, pids[i], tids);

			if (!err || (err == -ESRCH && !failed))
				continue;
			if (failed)
				*failed = pids[i];
			return err;
		}
	}
	return 0;
}

/* Whom an event is for. */
struct weir_perf_target {
	const uint32_t *tids; /* threads, with their future children if attr->inherit is set */
	uint32_t tid_count;   /* 0: everybody, or the cgroup */
	int cgroup_fd;        /* a directory of the perf_event or v2 hierarchy; -1: none */
};

/* One event on all CPUs. Starts zeroed. */
struct weir_perf_set {
	struct weir_perf_ring *rings; /* one per CPU */
	int *ring_fds;                /* to be watched for EPOLLIN */
	uint32_t ring_count;
	int *fds; /* one per CPU and thread */
	uint32_t fd_count;
	uint32_t fd_capacity;
};

/* `leader`: of the group that it is counted with, or -1. */
static inline int weir_perf_open_with(struct perf_event_attr *attr, int pid, int cpu, int leader,
				      unsigned long flags)
{
	long fd =
		syscall(SYS_perf_event_open, attr, pid, cpu, leader, flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static inline int weir_perf_open(struct perf_event_attr *attr, int pid, int cpu,
				 unsigned long flags)
{
	return weir_perf_open_with(attr, pid, cpu, -1, flags);
}

static inline void weir_perf_set_close(struct weir_perf_set *set)
{
	for (uint32_t i = 0; i < set->ring_count; i++)
		weir_perf_ring_unmap(&set->rings[i]);
	for (uint32_t i = 0; i < set->fd_count; i++)
		close(set->fds[i]);
	free(set->rings);
	free(set->ring_fds);
	free(set->fds);
	memset(set, 0, sizeof(*set));
}

static inline int weir_perf_set_keep(struct weir_perf_set *set, int fd)
{
	if (set->fd_count == set->fd_capacity) {
		uint32_t capacity = set->fd_capacity ? set->fd_capacity * 2 : 64;
		int *fds = (int *)realloc(set->fds, capacity * sizeof(*fds));

		if (!fds) {
			close(fd);
			return -ENOMEM;
		}
		set->fds = fds;
		set->fd_capacity = capacity;
	}
	set->fds[set->fd_count++] = fd;
	return 0;
}

/* The first event of a CPU gets the ring, the others write into it. */
static inline int weir_perf_set_add(struct weir_perf_set *set, int fd, int *ring_fd,
				    uint64_t ring_bytes)
{
	int err = weir_perf_set_keep(set, fd);

	if (err)
		return err;
	if (*ring_fd >= 0)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, *ring_fd) < 0 ? -errno : 0;
	err = weir_perf_ring_map(&set->rings[set->ring_count], fd, ring_bytes);
	if (err) {
		weir_perf_ring_unmap(&set->rings[set->ring_count]);
		return err;
	}
	set->ring_fds[set->ring_count++] = fd;
	*ring_fd = fd;
	return 0;
}

/* A thread that ended, or a CPU that went offline, since they were listed is no failure. */
static inline int weir_perf_set_open_cpu(struct weir_perf_set *set, struct perf_event_attr *attr,
					 const struct weir_perf_target *target, int cpu,
					 uint64_t ring_bytes)
{
	uint32_t count = target->tid_count ? target->tid_count : 1;
	int ring_fd = -1;

	for (uint32_t i = 0; i < count; i++) {
		int pid = target->tid_count ? (int)target->tids[i] : target->cgroup_fd;
		unsigned long flags = !target->tid_count && pid >= 0 ? PERF_FLAG_PID_CGROUP : 0;
		int fd = weir_perf_open(attr, pid, cpu, flags);
		int err = fd;

		if (fd >= 0)
			err = weir_perf_set_add(set, fd, &ring_fd, ring_bytes);
		if (err < 0 && err != -ESRCH && err != -ENODEV)
			return err;
	}
	return 0;
}

/*
 * Opens an event on those CPUs, with rings of about ring_bytes each. 0, -ESRCH: nothing of the
 * target is there any more, or what perf_event_open() says. After a failure the set is empty.
 */
static inline int weir_perf_set_open(struct weir_perf_set *set, struct perf_event_attr *attr,
				     const struct weir_perf_target *target,
				     const struct weir_numbers *cpus, uint64_t ring_bytes)
{
	int err = 0;

	set->rings = (struct weir_perf_ring *)calloc(cpus->count + 1, sizeof(*set->rings));
	set->ring_fds = (int *)calloc(cpus->count + 1, sizeof(*set->ring_fds));
	if (!set->rings || !set->ring_fds)
		err = -ENOMEM;
	for (uint32_t i = 0; !err && i < cpus->count; i++)
		err = weir_perf_set_open_cpu(set, attr, target, (int)cpus->items[i], ring_bytes);
	if (!err && set->fd_count == 0)
		err = -ESRCH;
	if (err)
		weir_perf_set_close(set);
	return err;
}

/* PERF_EVENT_IOC_ENABLE, _DISABLE for all of them. */
static inline void weir_perf_set_control(struct weir_perf_set *set, unsigned long request)
{
	for (uint32_t i = 0; i < set->fd_count; i++)
		ioctl(set->fds[i], request, 0);
}

/*
 * Records that found no room in a ring, from the beginning; the kernel tells of those in
 * PERF_RECORD_LOST only once there is room again. 0 where read_format has not WEIR_PERF_FORMAT_LOST
 * as its last item, or is of a group.
 */
static inline uint64_t weir_perf_set_lost(const struct weir_perf_set *set, uint64_t read_format)
{
	uint64_t values[5], lost = 0;

	if (!(read_format & WEIR_PERF_FORMAT_LOST) || read_format & PERF_FORMAT_GROUP)
		return 0;
	for (uint32_t i = 0; i < set->fd_count; i++) {
		ssize_t bytes = read(set->fds[i], values, sizeof(values));

		if (bytes >= 2 * (ssize_t)sizeof(values[0]))
			lost += values[(size_t)bytes / sizeof(values[0]) - 1];
	}
	return lost;
}

/* True when every task that the events were for has ended, their children too. */
static inline int weir_perf_set_over(const struct weir_perf_set *set)
{
	for (uint32_t i = 0; i < set->fd_count; i++) {
		struct pollfd one = { set->fds[i], POLLIN, 0 };

		if (poll(&one, 1, 0) < 0 || !(one.revents & POLLHUP))
			return 0;
	}
	return set->fd_count > 0;
}

#endif
