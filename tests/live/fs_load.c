/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads, writes, opens and flushes files in every way, each so many times.
 *
 *	fs_load CASE,CASE... N FOLDER
 *
 * FOLDER is a whole path without links. The cases are in the table at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define BLOCK 4096

static char folder[2048];
static char block[BLOCK] __attribute__((aligned(BLOCK)));

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

/* A file of the folder, made if it is not there. */
static int open_file(const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, flags | O_CLOEXEC, 0644);
	need(fd >= 0, path);
	return fd;
}

/* The file with content that the test has made. */
static int open_data(int flags)
{
	return open_file("data", O_RDONLY | flags);
}

/* Past the cache: one request of a disk each. */
static void run_direct(long n)
{
	int fd = open_data(O_DIRECT);

	for (long i = 0; i < n; i++)
		need(pread(fd, block, BLOCK, 2 * i * BLOCK) == BLOCK, "pread");
	close(fd);
}

static void run_position(long n)
{
	int fd = open_data(O_DIRECT);

	for (long i = 0; i < n; i++)
		need(read(fd, block, BLOCK) == BLOCK, "read");
	close(fd);
}

/* 100 bytes by each call, one behind the other. */
static void run_reads(long n)
{
	int fd = open_data(0);
	struct iovec parts[2] = { { block, 60 }, { block + 60, 40 } };

	for (long i = 0; i < n; i++) {
		need(lseek(fd, 0, SEEK_SET) == 0, "lseek");
		need(read(fd, block, 100) == 100, "read");
		need(readv(fd, parts, 2) == 100, "readv");
		need(pread(fd, block, 100, 200) == 100, "pread");
		need(syscall(SYS_preadv, fd, parts, 2, 300L, 0L) == 100, "preadv");
		need(syscall(SYS_preadv2, fd, parts, 2, 400L, 0L, 0) == 100, "preadv2");
		need(syscall(SYS_preadv2, fd, parts, 2, -1L, -1L, 0) == 100, "preadv2 of -1");
	}
	close(fd);
}

static void run_writes(long n)
{
	int fd = open_file("made", O_RDWR | O_CREAT | O_TRUNC);
	int end = open_file("made", O_WRONLY | O_APPEND);
	struct iovec parts[2] = { { block, 60 }, { block + 60, 40 } };

	for (long i = 0; i < n; i++) {
		need(lseek(fd, 0, SEEK_SET) == 0, "lseek");
		need(write(fd, block, 100) == 100, "write");
		need(writev(fd, parts, 2) == 100, "writev");
		need(pwrite(fd, block, 100, 200) == 100, "pwrite");
		need(syscall(SYS_pwritev, fd, parts, 2, 300L, 0L) == 100, "pwritev");
		need(syscall(SYS_pwritev2, fd, parts, 2, 400L, 0L, 0) == 100, "pwritev2");
		need(pwrite(end, block, 100, 7) == 100, "pwrite to the end");
	}
	close(fd);
	close(end);
}

static void run_sync(long n)
{
	int fd = open_file("made", O_RDWR | O_CREAT | O_TRUNC);
	int above = open_file(".", O_RDONLY | O_DIRECTORY);

	for (long i = 0; i < n; i++) {
		need(pwrite(fd, block, BLOCK, i * BLOCK) == BLOCK, "pwrite");
		need(fsync(fd) == 0, "fsync");
		need(fdatasync(fd) == 0, "fdatasync");
		need(sync_file_range(fd, i * BLOCK, BLOCK, SYNC_FILE_RANGE_WRITE) == 0,
		     "sync_file_range");
		need(fsync(above) == 0, "fsync of a folder");
		need(syncfs(fd) == 0, "syncfs");
	}
	close(fd);
	close(above);
}

/* Nothing has room any more. */
static void run_full(long n)
{
	int fd = open_file("made", O_RDWR | O_CREAT | O_TRUNC);

	while (write(fd, block, BLOCK) > 0)
		;
	for (long i = 0; i < n; i++)
		need(pwrite(fd, block, BLOCK, 1L << 30) < 0 && errno == ENOSPC, "pwrite");
	close(fd);
}

static void run_cached(long n)
{
	int fd = open_data(0);

	for (long i = 0; i < n; i++)
		need(pread(fd, block, 100, 0) == 100, "pread");
	close(fd);
}

static int do_openat2(int base, const char *name)
{
	struct open_how how = { .flags = O_RDONLY };

	return (int)syscall(SYS_openat2, base, name, &how, sizeof(how));
}

static void run_opens(long n)
{
	int base = open_file(".", O_RDONLY | O_DIRECTORY);

	need(fchdir(base) == 0, "fchdir");
	for (long i = 0; i < n; i++) {
		close((int)syscall(SYS_openat, AT_FDCWD, "./data", O_RDONLY, 0));
		close(do_openat2(base, "data"));
		close((int)syscall(SYS_openat, base, "missing", O_RDONLY, 0));
	}
	close(base);
}

/* A path of 300 characters below the folder. */
static void run_long(long n)
{
	char name[256];
	int base = open_file(".", O_RDONLY | O_DIRECTORY);
	int below;
	int fd;

	memset(name, 'd', 150);
	name[150] = '\0';
	need(mkdirat(base, name, 0755) == 0 || errno == EEXIST, "mkdirat");
	below = openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	name[149] = '\0';
	fd = openat(below, name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	for (long i = 0; i < n; i++)
		need(pwrite(fd, block, 10, 0) == 10, "pwrite");
	close(fd);
	close(below);
	close(base);
}

static void run_deleted(long n)
{
	int base = open_file(".", O_RDONLY | O_DIRECTORY);
	int fd = open_file("removed", O_RDWR | O_CREAT | O_TRUNC);

	need(unlinkat(base, "removed", 0) == 0, "unlink");
	for (long i = 0; i < n; i++)
		need(pwrite(fd, block, 10, 0) == 10, "pwrite");
	close(fd);
	close(base);
}

struct reader {
	int fd;
	long offset;
	_Atomic pid_t tid;
};

static void *read_block(void *arg)
{
	struct reader *reader = arg;
	char bytes[2 * BLOCK];
	char *aligned = bytes + BLOCK - (uintptr_t)bytes % BLOCK;

	reader->tid = gettid();
	need(pread(reader->fd, aligned, BLOCK, reader->offset) == BLOCK, "pread");
	return NULL;
}

/* True when the thread is inside of its call, and waits. */
static int is_reading(pid_t tid)
{
	char path[64], text[64] = "";
	long number = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0, path);
	close(fd);
	return sscanf(text, "%ld", &number) == 1 && number == SYS_pread64;
}

/* While a thread reads a file, another one closes it, and opens another one of the same number. */
static void run_closed(long n)
{
	for (long i = 0; i < n; i++) {
		struct reader reader = { .fd = open_data(O_DIRECT), .offset = 2 * i * BLOCK };
		pthread_t thread;

		need(pthread_create(&thread, NULL, read_block, &reader) == 0, "pthread_create");
		while (!reader.tid || !is_reading(reader.tid))
			;
		close(reader.fd);
		need(open_file("other", O_RDWR | O_CREAT) == reader.fd, "the same number");
		pthread_join(thread, NULL);
		close(reader.fd);
	}
}

/* Four threads read at a time. */
static void run_threads(long n)
{
	int fd = open_data(O_DIRECT);

	for (long i = 0; i < n; i++) {
		struct reader readers[4];
		pthread_t threads[4];

		for (int k = 0; k < 4; k++) {
			readers[k].fd = fd;
			readers[k].offset = (4 * i + k) * BLOCK;
			need(pthread_create(&threads[k], NULL, read_block, &readers[k]) == 0,
			     "pthread_create");
		}
		for (int k = 0; k < 4; k++)
			pthread_join(threads[k], NULL);
	}
	close(fd);
}

/* What is no file of a real file system. */
static void run_others(long n)
{
	int ends[2];

	need(pipe(ends) == 0, "pipe");
	for (long i = 0; i < n; i++) {
		int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

		need(read(fd, block, 100) > 0, "read of /proc");
		close(fd);
		need(write(ends[1], block, 10) == 10 && read(ends[0], block, 10) == 10, "pipe");
		fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		need(read(fd, block, 100) == 100, "read of /dev/zero");
		close(fd);
	}
}

static const struct {
	const char *name;
	void (*run)(long n);
} cases[] = {
	{ "direct", run_direct },   { "position", run_position }, { "reads", run_reads },
	{ "writes", run_writes },   { "sync", run_sync },         { "full", run_full },
	{ "cached", run_cached },   { "opens", run_opens },       { "long", run_long },
	{ "deleted", run_deleted }, { "closed", run_closed },     { "threads", run_threads },
	{ "others", run_others },
};

static void run_case(const char *name, size_t length, long n)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strncmp(name, cases[i].name, length) != 0 || cases[i].name[length])
			continue;
		cases[i].run(n);
		return;
	}
	fprintf(stderr, "no case %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const char *name = argv[1];

	if (argc != 4)
		return 2;
	snprintf(folder, sizeof(folder), "%s", argv[3]);
	while (*name) {
		size_t length = strcspn(name, ",");

		run_case(name, length, strtol(argv[2], NULL, 10));
		name += length + (name[length] == ',');
	}
	return 0;
}
