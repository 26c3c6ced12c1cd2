/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that block for known times in functions of known names.
 * Usage: offcpu_load DISK      DISK: a file that is read past the page cache, or ""
 *
 * Writes "ready PID", waits for a line, does its work, writes a line per thread, "NAME COUNT
 * BLOCKED_NS MEASURED_NS WALL_NS": how often it blocked, for how long by what the kernel says of it
 * (wall time less what it ran and waited for a CPU), by itself around its calls, and how long all
 * of its work took. Before that it starts itself anew as "offcpu_brief", which blocks once for 5 ms
 * and is gone: "brief PID NS", what that took. Then it waits for the end of its input.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "thread_state.h"

#define SLEEPS 50
#define WAITS  20
#define READS  10

/* Beyond what the kernel and udev read of a new disk. */
#define DISK_FROM (1 << 20)

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone))
#endif

struct work {
	const char *name;
	void (*run)(struct work *work);
	uint64_t count;
	uint64_t blocked;
	uint64_t measured;
	uint64_t wall;
};

static int lock, waiter_tid;
static pthread_barrier_t begin, turn;
static const char *disk;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Not by the C library, so that no code without frame pointers lies between. Not for results. */
static inline __attribute__((always_inline)) long kernel_call(long number, const void *a, long b,
							      long c)
{
#ifdef __x86_64__
	register long r10 __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
#else
	return syscall(number, a, b, c, NULL);
#endif
}

static inline __attribute__((always_inline)) void sleep_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	kernel_call(SYS_clock_nanosleep, (const void *)CLOCK_MONOTONIC, 0, (long)&time);
}

static inline __attribute__((always_inline)) void take(int *what)
{
	while (__atomic_exchange_n(what, 1, __ATOMIC_ACQUIRE))
		kernel_call(SYS_futex, what, FUTEX_WAIT_PRIVATE, 1);
}

static inline __attribute__((always_inline)) void give(int *what)
{
	__atomic_store_n(what, 0, __ATOMIC_RELEASE);
	kernel_call(SYS_futex, what, FUTEX_WAKE_PRIVATE, 1);
}

static KEEP void naps_ten_ms(struct work *work)
{
	uint64_t from = now_ns();

	sleep_ms(10);
	work->measured += now_ns() - from;
	work->count++;
}

static void sleeper(struct work *work)
{
	for (int i = 0; i < SLEEPS; i++)
		naps_ten_ms(work);
}

static KEEP void wants_the_lock(struct work *work)
{
	uint64_t from = now_ns();

	take(&lock);
	work->measured += now_ns() - from;
	work->count++;
	give(&lock);
}

/* The holder has the lock when the turn begins, and 10 ms longer. */
static void waiter(struct work *work)
{
	waiter_tid = (int)syscall(SYS_gettid);
	for (int i = 0; i < WAITS; i++) {
		pthread_barrier_wait(&turn);
		wants_the_lock(work);
		pthread_barrier_wait(&turn);
	}
}

static KEEP void holds_the_lock(struct work *work)
{
	take(&lock);
	pthread_barrier_wait(&turn);
	until_asleep(waiter_tid);
	sleep_ms(10);
	work->count++;
	give(&lock);
}

static void holder(struct work *work)
{
	for (int i = 0; i < WAITS; i++) {
		holds_the_lock(work);
		pthread_barrier_wait(&turn);
	}
}

static KEEP void reads_the_disk(struct work *work)
{
	int fd = open(disk, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *page = NULL;

	if (fd < 0 || posix_memalign(&page, 4096, 4096))
		abort();
	for (int i = 0; i < READS; i++) {
		uint64_t from = now_ns();

		if (lseek(fd, DISK_FROM + i * 65536, SEEK_SET) < 0 ||
		    kernel_call(SYS_read, (const void *)(intptr_t)fd, (long)page, 4096) != 4096)
			abort();
		work->measured += now_ns() - from;
		work->count++;
	}
	close(fd);
	free(page);
}

static void reader(struct work *work)
{
	if (disk[0])
		reads_the_disk(work);
}

/* ns that this thread ran, and that it waited for a CPU. */
static uint64_t on_queue_ns(void)
{
	unsigned long long run, wait;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)syscall(SYS_gettid));
	file = fopen(path, "re");
	if (!file || fscanf(file, "%llu %llu", &run, &wait) != 2)
		abort();
	fclose(file);
	return run + wait;
}

static void *thread_main(void *arg)
{
	struct work *work = arg;
	uint64_t from, before;

	prctl(PR_SET_NAME, work->name);
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&begin);
	from = now_ns();
	before = on_queue_ns();
	work->run(work);
	work->wall = now_ns() - from;
	work->blocked = work->wall - (on_queue_ns() - before);
	/* Still blocked when weir ends. */
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&begin);
	return NULL;
}

static void wait_line(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

static KEEP void blocks_and_is_gone(void)
{
	sleep_ms(5);
}

/* The same program anew, so that its mappings are of its own. */
static void start_brief(void)
{
	uint64_t from = now_ns();
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execl("/proc/self/exe", "offcpu_brief", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		abort();
	printf("brief %d %llu\n", (int)pid, (unsigned long long)(now_ns() - from));
}

int main(int argc, char **argv)
{
	struct work works[] = {
		{ .name = "sleeper", .run = sleeper },
		{ .name = "waiter", .run = waiter },
		{ .name = "holder", .run = holder },
		{ .name = "reader", .run = reader },
	};
	enum { WORKS = sizeof(works) / sizeof(works[0]) };
	pthread_t threads[WORKS];

	if (argc < 2) {
		prctl(PR_SET_NAME, "offcpu_brief");
		blocks_and_is_gone();
		return 0;
	}
	disk = argv[1];
	pthread_barrier_init(&begin, NULL, WORKS + 1);
	pthread_barrier_init(&turn, NULL, 2);
	for (int i = 0; i < WORKS; i++)
		pthread_create(&threads[i], NULL, thread_main, &works[i]);
	pthread_barrier_wait(&begin);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	wait_line();
	start_brief();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&begin);
	for (int i = 0; i < WORKS; i++)
		printf("%s %llu %llu %llu %llu\n", works[i].name,
		       (unsigned long long)works[i].count, (unsigned long long)works[i].blocked,
		       (unsigned long long)works[i].measured, (unsigned long long)works[i].wall);
	printf("done\n");
	fflush(stdout);
	wait_line();
	pthread_barrier_wait(&begin);
	for (int i = 0; i < WORKS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
