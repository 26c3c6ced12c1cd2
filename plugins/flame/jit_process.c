/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and believing what processes tell of their code; see jit_process.h. */
#include "jit_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <weir/file.h>

#include "object_open.h"

/* Files are dated by the kernel's coarse clock, starts of processes by its ticks. */
#define JIT_CLOCKS_DIFFER UINT64_C(100000000)

/* The last number of "NSpid: 7622 1": what the process is to itself. 0: not told. */
static uint32_t jit_innermost_pid(struct weir_ctx *ctx, uint32_t pid)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	char path[64], *line, *end;
	uint32_t number = 0;

	snprintf(path, sizeof(path), "proc/%u/status", pid);
	if (weir_read_file(ctx, path, &buffer) == 0 && buffer.bytes) {
		line = strstr(buffer.bytes, "\nNSpid:");
		if (line) {
			end = strchrnul(line + 1, '\n');
			*end = '\0';
			line = strrchr(line + 1, '\t');
			number = line ? (uint32_t)strtoul(line + 1, NULL, 10) : 0;
		}
	}
	weir_buffer_release(&buffer);
	return number;
}

/* Who the process belongs to, and whether it is still there. */
static void jit_process_look(struct weir_ctx *ctx, struct jit_process *process)
{
	struct stat status;
	char path[64];

	process->alive = false;
	snprintf(path, sizeof(path), "proc/%u", process->pid);
	if (fstatat(ctx->root, path, &status, 0) < 0)
		return;
	process->owner = status.st_uid;
	process->owner_known = true;
	/* One that has ended and is not waited for has no root to look into any more. */
	snprintf(path, sizeof(path), "proc/%u/root", process->pid);
	process->alive = fstatat(ctx->root, path, &status, 0) == 0 || errno != ENOENT;
	if (process->alive && !process->name_pid)
		process->name_pid = jit_innermost_pid(ctx, process->pid);
}

/* When the process began, as files are dated. 0: not known. */
static uint64_t jit_process_birth(const struct jit_process *process)
{
	struct timespec real, monotonic;
	int64_t birth;

	if (!process->start)
		return 0;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	birth = (int64_t)process->start + (real.tv_sec - monotonic.tv_sec) * INT64_C(1000000000) +
		(real.tv_nsec - monotonic.tv_nsec);
	return birth > (int64_t)JIT_CLOCKS_DIFFER ? (uint64_t)birth - JIT_CLOCKS_DIFFER : 0;
}

static enum jit_trouble jit_process_doubts(const struct jit_process *process,
					   const struct stat *status)
{
	uint64_t written =
		(uint64_t)status->st_mtim.tv_sec * 1000000000 + (uint64_t)status->st_mtim.tv_nsec;
	uid_t owner = process->owner_known ? process->owner : geteuid();

	if (!S_ISREG(status->st_mode))
		return JIT_BROKEN;
	if (status->st_uid != owner && (status->st_uid != 0 || status->st_nlink != 1))
		return JIT_STRANGER;
	return written < jit_process_birth(process) ? JIT_STALE : JIT_NONE;
}

int jit_process_believe(struct jit_process *process, int fd, uint64_t inode)
{
	struct stat status;

	if (fd < 0) {
		process->trouble = fd == -ELOOP ? JIT_STRANGER : JIT_NO_FILE;
		return fd;
	}
	process->trouble = JIT_BROKEN;
	if (fstat(fd, &status) == 0)
		process->trouble = jit_process_doubts(process, &status);
	if (!process->trouble && inode && status.st_ino != inode)
		process->trouble = JIT_STALE;
	if (!process->trouble)
		return fd;
	close(fd);
	return -ESTALE;
}

/* A file at a path as the process sees it. The fd, or a negative errno, the trouble being noted. */
static int jit_process_open(struct weir_ctx *ctx, struct jit_process *process, const char *path,
			    uint64_t inode)
{
	int fd;

	if (process->alive) {
		fd = object_open_in_process(ctx->root, process->pid, path, O_NOFOLLOW);
	} else {
		fd = openat(ctx->root, path + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
		fd = fd < 0 ? -errno : fd;
	}
	return jit_process_believe(process, fd, inode);
}

bool jit_process_see_dump(struct jit_process *process, const char *path, uint64_t inode)
{
	const char *file = strrchr(path, '/');
	uint32_t pid;
	int end = 0;

	if (!file || path[0] != '/' || strlen(path) >= JIT_PATH ||
	    sscanf(file, "/jit-%u.dump%n", &pid, &end) != 1 || !end || file[end] ||
	    (pid != process->pid && pid != process->name_pid))
		return false;
	snprintf(process->dump_path, sizeof(process->dump_path), "%s", path);
	process->dump_inode = inode;
	return true;
}

static int jit_see_mapping(const struct weir_mapping *mapping, void *with)
{
	return jit_process_see_dump(with, mapping->path, mapping->inode);
}

static void jit_process_find_dump(const struct weir_service *service, struct jit_process *process,
				  uint64_t time)
{
	const struct weir_process_v1 *vtable = service->vtable;

	if (vtable && WEIR_HAS(vtable, mappings) && !process->dump_path[0])
		vtable->mappings(service->ctx, process->pid, time, jit_see_mapping, process);
}

/* What reading a file has come to. */
static int jit_process_taken(struct jit_process *process, int fd, int err)
{
	close(fd);
	if (err && err != -ENOMEM)
		process->trouble = JIT_BROKEN;
	return err == -ENOMEM ? err : 0;
}

int jit_process_take_dump(struct jit_process *process, int fd)
{
	return fd < 0 ? 0 : jit_process_taken(process, fd, jit_dump_read(&process->dump, fd));
}

int jit_process_take_map(struct jit_process *process, int fd)
{
	return fd < 0 ? 0
		      : jit_process_taken(process, fd,
					  jit_map_read(&process->map, fd, !process->alive));
}

static int jit_process_read_map(struct weir_ctx *ctx, struct jit_process *process)
{
	uint32_t pid = process->name_pid ? process->name_pid : process->pid;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	return jit_process_take_map(process, jit_process_open(ctx, process, path, 0));
}

int jit_process_read(struct weir_ctx *ctx, const struct weir_service *service,
		     struct jit_process *process, uint64_t time)
{
	int err = 0;

	process->looked = true;
	jit_process_look(ctx, process);
	jit_process_find_dump(service, process, time);
	if (process->dump_path[0])
		err = jit_process_take_dump(
			process,
			jit_process_open(ctx, process, process->dump_path, process->dump_inode));
	if (!err && process->dump.codes.count == 0)
		err = jit_process_read_map(ctx, process);
	return err;
}

const struct jit_code *jit_process_find(struct jit_process *process, uint64_t address,
					uint64_t time, const char **name)
{
	struct jit_codes *codes =
		process->dump.codes.count ? &process->dump.codes : &process->map.codes;
	const struct jit_code *code = jit_codes_find(codes, address, time);

	if (code)
		*name = jit_codes_name(codes, code);
	return code;
}

void jit_process_clear(struct jit_process *process)
{
	jit_dump_clear(&process->dump);
	jit_map_clear(&process->map);
	memset(process, 0, sizeof(*process));
}
