/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes code at run time, runs it for known shares of its CPU time, and tells of it as asked.
 * Usage: jitter MODE SECONDS [FOLDER]
 *	map    /tmp/perf-PID.map: alpha at one address, "beta;odd name(int, char)" at another
 *	late   the same, written at the end
 *	dump   FOLDER/jit-PID.dump: "first", then "second" at the same address
 *	none   tells nothing
 * alpha, or first, runs twice as long as the other; what each got is said at the end.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* void code(uint64_t n), n > 0: counts down, with a frame pointer. */
#if defined(__x86_64__)
static const uint8_t countdown[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
				     0xcf, 0x75, 0xfb, 0x5d, 0xc3 };
#elif defined(__aarch64__)
static const uint32_t countdown[] = { 0xa9bf7bfd, 0x910003fd, 0xf1000400,
				      0x54ffffe1, 0xa8c17bfd, 0xd65f03c0 };
#else
#error "the machine code of this CPU is not here"
#endif

enum { CODE_SIZE = 64, RUN = 2000000 };

typedef void code_fn(uint64_t n);

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Runs the code until it has had so much CPU time. */
__attribute__((noinline)) static void run(code_fn *code, double seconds, const char *name)
{
	uint64_t begin = now(CLOCK_PROCESS_CPUTIME_ID), spent;

	do {
		code(RUN);
		spent = now(CLOCK_PROCESS_CPUTIME_ID) - begin;
	} while ((double)spent < seconds * 1e9);
	printf("%s %.3f\n", name, (double)spent / 1e9);
}

static uint8_t *make_code(size_t at)
{
	static uint8_t *pages;

	if (!pages)
		pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		exit(2);
	memcpy(pages + at, countdown, sizeof(countdown));
	__builtin___clear_cache((char *)pages + at, (char *)pages + at + sizeof(countdown));
	return pages + at;
}

static void write_map(const uint8_t *alpha, const uint8_t *beta)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		exit(2);
	fprintf(map, "%lx %x alpha\n", (unsigned long)(uintptr_t)alpha, CODE_SIZE);
	fprintf(map, "0x%lx 0x%x beta;odd name(int, char)\n", (unsigned long)(uintptr_t)beta,
		CODE_SIZE);
	fclose(map);
}

static void run_mapped(const char *mode, double seconds)
{
	uint8_t *alpha = make_code(0), *beta = make_code(1024);

	if (strcmp(mode, "map") == 0)
		write_map(alpha, beta);
	for (int i = 0; i < 10; i++) {
		run((code_fn *)(uintptr_t)alpha, seconds / 15, "alpha");
		run((code_fn *)(uintptr_t)beta, seconds / 30, "beta");
	}
	if (strcmp(mode, "late") == 0)
		write_map(alpha, beta);
}

struct dump_header {
	uint32_t magic, version, total_size, machine, pad, pid;
	uint64_t time, flags;
};

struct dump_load {
	uint32_t id, total_size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

static void dump_load(FILE *dump, const uint8_t *code, const char *name, uint64_t index)
{
	struct dump_load load = {
		.total_size = (uint32_t)(sizeof(load) + strlen(name) + 1 + sizeof(countdown)),
		.time = now(CLOCK_MONOTONIC),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.vma = (uintptr_t)code,
		.address = (uintptr_t)code,
		.size = sizeof(countdown),
		.index = index,
	};

	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, sizeof(countdown), 1, dump);
	fflush(dump);
}

static void run_dumped(const char *folder, double seconds)
{
	struct dump_header header = {
		0x4a695444, 1, sizeof(header), 0, 0, (uint32_t)getpid(), now(CLOCK_MONOTONIC), 0
	};
	uint8_t *code = make_code(0);
	char path[4096];
	FILE *dump;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, getpid());
	dump = fopen(path, "w+");
	if (!dump)
		exit(2);
	fwrite(&header, sizeof(header), 1, dump);
	fflush(dump);
	/* The marker by which who looks on finds the file. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		exit(2);
	dump_load(dump, code, "first", 0);
	run((code_fn *)(uintptr_t)code, seconds * 2 / 3, "first");
	dump_load(dump, code, "second", 1);
	run((code_fn *)(uintptr_t)code, seconds / 3, "second");
	fclose(dump);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "dump") == 0)
		run_dumped(argc > 3 ? argv[3] : ".", strtod(argv[2], NULL));
	else
		run_mapped(argv[1], strtod(argv[2], NULL));
	return 0;
}
