/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads of known effect. "spin PROCS S": uses CPU for S seconds, in the cgroup that the file PROCS
 * belongs to. "fill PROCS MIB": takes that much memory there. "open N": has N descriptors open
 * against a limit of N, and waits for its input to end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int enter(const char *procs)
{
	FILE *file = fopen(procs, "w");

	if (!file)
		return -1;
	fprintf(file, "%d\n", (int)getpid());
	return fclose(file);
}

static int spin(time_t seconds)
{
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end)
		;
	return 0;
}

static int fill(size_t mib)
{
	char *bytes =
		mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < mib << 20; i += 4096)
		bytes[i] = 1;
	return 0;
}

static int open_all(unsigned int count)
{
	struct rlimit limit = { count, count };
	char byte;
	int fd;

	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1;
	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		;
	puts("open");
	fflush(stdout);
	return read(STDIN_FILENO, &byte, 1) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "open") == 0)
		return open_all((unsigned int)strtoul(argv[2], NULL, 10));
	if (argc != 4 || enter(argv[2]) < 0)
		return 2;
	if (strcmp(argv[1], "spin") == 0)
		return spin((time_t)strtol(argv[3], NULL, 10));
	return strcmp(argv[1], "fill") == 0 ? fill((size_t)strtoul(argv[3], NULL, 10)) : 2;
}
