/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.sample as a recording: the processes that are there when it begins, as the records that the
 * kernel would have written of them, with the build-ids of what they map.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <weir/build_id.h>
#include <weir/proc_maps.h>

#include "sample.h"

/* A file that was met, and its build-id. */
struct scan_file {
	uint64_t inode;
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t size; /* of the build-id; 0: it has none */
	uint8_t build_id[WEIR_BUILD_ID_MAX];
};

struct scan {
	struct weir_ctx *ctx;
	struct sample_records *records;
	struct weir_buffer text;
	struct scan_file *files; /* open addressing: inode 0 is a free place */
	uint32_t count;
	uint32_t mask;
};

static int scan_comm(struct scan *scan, uint32_t pid, uint32_t tid, const char *comm)
{
	struct {
		uint32_t pid;
		uint32_t tid;
		char rest[64 + sizeof(struct sample_trailer)];
	} body = { pid, tid, "" };
	struct sample_trailer trailer = { pid, tid, 0, 0 };
	size_t length = strcspn(comm, "\n"), room;

	if (length > 63)
		length = 63;
	room = (length / 8 + 1) * 8;
	memcpy(body.rest, comm, length);
	memcpy(body.rest + room, &trailer, sizeof(trailer));
	return sample_records_add(scan->records, PERF_RECORD_COMM, 0, &body,
				  8 + room + sizeof(trailer));
}

/* Threads, each by its name. -ESRCH: the process is gone. */
static int scan_threads(struct scan *scan, uint32_t pid)
{
	struct weir_numbers tids = { NULL, 0, 0 };
	int err = weir_perf_threads(scan->ctx, pid, &tids);

	for (uint32_t i = 0; !err && i < tids.count; i++) {
		char path[64];

		snprintf(path, sizeof(path), "proc/%u/task/%u/comm", pid, tids.items[i]);
		if (weir_read_file(scan->ctx, path, &scan->text) == 0 && scan->text.bytes)
			err = scan_comm(scan, pid, tids.items[i], scan->text.bytes);
	}
	weir_numbers_release(&tids);
	return err;
}

static int scan_files_grow(struct scan *scan)
{
	uint32_t size = scan->files ? (scan->mask + 1) * 2 : 512;
	struct scan_file *old = scan->files, *files = calloc(size, sizeof(*files));

	if (!files)
		return -ENOMEM;
	for (uint32_t i = 0; old && i <= scan->mask; i++) {
		uint32_t at = (uint32_t)old[i].inode & (size - 1);

		if (!old[i].inode)
			continue;
		while (files[at].inode)
			at = (at + 1) & (size - 1);
		files[at] = old[i];
	}
	free(old);
	scan->files = files;
	scan->mask = size - 1;
	return 0;
}

/* The file by its path, or as the process has it, if that is the one which is mapped. */
static int scan_open(struct scan *scan, uint32_t pid, const struct weir_proc_map *map)
{
	const dev_t device = makedev(map->device_major, map->device_minor);
	int fd = openat(scan->ctx->root, map->path + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	char link[96];

	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == map->inode &&
	    status.st_dev == device)
		return fd;
	if (fd >= 0)
		close(fd);
	snprintf(link, sizeof(link), "proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, map->start,
		 map->end);
	return openat(scan->ctx->root, link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* NULL: no memory. */
static const struct scan_file *scan_file(struct scan *scan, uint32_t pid,
					 const struct weir_proc_map *map)
{
	struct scan_file *file;
	uint32_t at;
	int fd;

	if (scan->count * 2 >= scan->mask && scan_files_grow(scan))
		return NULL;
	for (at = (uint32_t)map->inode & scan->mask; scan->files[at].inode;
	     at = (at + 1) & scan->mask) {
		file = &scan->files[at];
		if (file->inode == map->inode && file->device_major == map->device_major &&
		    file->device_minor == map->device_minor)
			return file;
	}
	file = &scan->files[at];
	*file = (struct scan_file){ .inode = map->inode,
				    .device_major = map->device_major,
				    .device_minor = map->device_minor };
	scan->count++;
	fd = scan_open(scan, pid, map);
	if (fd >= 0) {
		file->size = weir_file_build_id(fd, file->build_id);
		close(fd);
	}
	return file;
}

/* The body of a MMAP2 record, with the longest path. */
struct scan_body {
	struct weir_perf_map map;
	char rest[4096 + 8 + sizeof(struct sample_trailer)];
};

static int scan_map(struct scan *scan, uint32_t pid, const struct weir_proc_map *map)
{
	const struct scan_file *file = NULL;
	struct sample_trailer trailer = { pid, pid, 0, 0 };
	struct scan_body body;
	size_t length = strlen(map->path), room = (length / 8 + 1) * 8;

	if (length > 4096)
		return 0;
	memset(&body, 0, offsetof(struct scan_body, rest));
	body.map.pid = body.map.tid = pid;
	body.map.start = map->start;
	body.map.length = map->end - map->start;
	body.map.offset = map->offset;
	body.map.protection = PROT_READ | (map->executable ? PROT_EXEC : 0);
	body.map.flags = MAP_PRIVATE;
	if (map->inode && map->path[0] == '/') {
		file = scan_file(scan, pid, map);
		if (!file)
			return -ENOMEM;
	}
	if (file && file->size) {
		body.map.identity.build_id.size = (uint8_t)file->size;
		memcpy(body.map.identity.build_id.bytes, file->build_id, file->size);
	} else {
		body.map.identity.inode.device_major = map->device_major;
		body.map.identity.inode.device_minor = map->device_minor;
		body.map.identity.inode.number = map->inode;
	}
	memset(body.rest, 0, room);
	memcpy(body.rest, map->path, length);
	memcpy(body.rest + room, &trailer, sizeof(trailer));
	return sample_records_add(scan->records, PERF_RECORD_MMAP2,
				  PERF_RECORD_MISC_USER |
					  (map->executable ? 0 : PERF_RECORD_MISC_MMAP_DATA) |
					  (file && file->size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0),
				  &body, offsetof(struct scan_body, rest) + room + sizeof(trailer));
}

static int scan_maps(struct scan *scan, uint32_t pid)
{
	const struct sample_state *state = scan->ctx->state;
	bool data = state->attr.mmap_data;
	struct weir_proc_map map;
	char path[64];
	int err = 0;

	snprintf(path, sizeof(path), "proc/%u/maps", pid);
	if (weir_read_file(scan->ctx, path, &scan->text) || !scan->text.bytes)
		return 0; /* it has ended, or is not ours */
	for (char *line = scan->text.bytes; *line && !err;) {
		char *end = strchrnul(line, '\n'), *next = *end ? end + 1 : end;

		*end = '\0';
		if (weir_proc_map_parse(line, &map) == 0 && (map.executable || (data && map.inode)))
			err = scan_map(scan, pid, &map);
		line = next;
	}
	return err;
}

static int scan_process(struct scan *scan, uint32_t pid)
{
	int err = scan_threads(scan, pid);

	if (!err)
		err = scan_maps(scan, pid);
	return err == -ENOMEM ? err : 0;
}

/* Everybody. Those that end meanwhile are no failure. */
static int scan_everybody(struct scan *scan)
{
	int fd = openat(scan->ctx->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = weir_fail(scan->ctx, -errno, "/proc");
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			err = scan_process(scan, (uint32_t)strtoul(entry->d_name, NULL, 10));
	closedir(dir);
	return err;
}

int sample_record_processes(struct weir_ctx *ctx, struct sample_records *records)
{
	const struct sample_state *state = ctx->state;
	struct scan scan = { .ctx = ctx, .records = records };
	int err = 0;

	if (!state->pids.count)
		err = scan_everybody(&scan);
	for (uint32_t i = 0; !err && i < state->pids.count; i++)
		err = scan_process(&scan, state->pids.items[i]);
	weir_buffer_release(&scan.text);
	free(scan.files);
	return err;
}
