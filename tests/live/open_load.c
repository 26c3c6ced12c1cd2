/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens files in every way, each so many times, in a folder that it fills itself.
 *
 *	open_load CASE N FOLDER
 *
 * FOLDER is a whole path without links. The cases are in the table at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "thread_state.h"

static char folder[2048];

/* The path of a name below the folder; valid until the next call. */
static const char *below(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void make_file(const char *name, mode_t mode)
{
	int fd = open(below(name), O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	need(fd >= 0 && fchmod(fd, mode) == 0, name);
	close(fd);
}

static void make_folder(const char *name)
{
	need(mkdir(below(name), 0755) == 0 || errno == EEXIST, name);
}

/* The calls themselves: the C library makes openat of most of them. */
static int do_openat(int base, const char *name, int flags)
{
	return (int)syscall(SYS_openat, base, name, flags, 0);
}

static int do_openat2(int base, const char *name, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };

	return (int)syscall(SYS_openat2, base, name, &how, sizeof(how));
}

static void run_open(void)
{
#ifdef SYS_open
	close((int)syscall(SYS_open, below("file"), O_RDONLY, 0));
#endif
}

static void run_creat(void)
{
#ifdef SYS_creat
	close((int)syscall(SYS_creat, below("made"), 0640));
#endif
}

static void run_openat(void)
{
	close(do_openat(AT_FDCWD, below("file"), O_RDWR | O_APPEND | O_CLOEXEC));
}

static void run_openat2(void)
{
	close(do_openat2(AT_FDCWD, below("file"), O_RDONLY | O_NOFOLLOW, RESOLVE_NO_MAGICLINKS));
}

static void run_handle(void)
{
	static struct {
		struct file_handle head;
		char bytes[MAX_HANDLE_SZ];
	} handle;
	static int mount_fd = -1;
	int mount_id;

	if (mount_fd < 0) {
		mount_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		handle.head.handle_bytes = MAX_HANDLE_SZ;
		need(name_to_handle_at(AT_FDCWD, below("file"), &handle.head, &mount_id, 0) == 0,
		     "name_to_handle_at");
	}
	close((int)syscall(SYS_open_by_handle_at, mount_fd, &handle.head, O_RDONLY));
}

static void run_cwd(void)
{
	need(chdir(below("sub")) == 0, "chdir");
	close(do_openat(AT_FDCWD, "../sub/./inner", O_RDONLY));
	close(do_openat(AT_FDCWD, "missing", O_RDONLY));
}

static void run_folder(void)
{
	static int base = -1;

	if (base < 0)
		base = open(below("sub"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	close(do_openat(base, "inner", O_RDONLY));
	close(do_openat(base, "not/there", O_RDONLY));
	close(do_openat2(base, "/rooted", O_RDONLY, RESOLVE_IN_ROOT));
}

/* A name's path, in a page that this process has not touched, and which is not in memory. */
static const char *cold_path(const char *name)
{
	int fd = open(below("cold"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char page[4096] = "";
	void *map;

	snprintf(page, sizeof(page), "%s/%s", folder, name);
	need(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) && fsync(fd) == 0, "cold");
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	map = mmap(NULL, sizeof(page), PROT_READ, MAP_PRIVATE, fd, 0);
	need(map != MAP_FAILED, "mmap");
	close(fd);
	return map;
}

static void run_cold(void)
{
	close(do_openat(AT_FDCWD, cold_path("sub/inner"), O_RDONLY));
	close(do_openat(AT_FDCWD, cold_path("cold and missing"), O_RDONLY));
	close(do_openat(AT_FDCWD, (const char *)8, O_RDONLY));
}

static void run_chroot(void)
{
	static int outside = -1;

	if (outside < 0) {
		outside = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
		need(chroot(below("sub")) == 0 && chdir("/") == 0, "chroot");
	}
	close(do_openat(AT_FDCWD, "/inner", O_RDONLY));
	close(do_openat(AT_FDCWD, "inner", O_WRONLY));
	close(do_openat(AT_FDCWD, "missing", O_RDONLY));
	close(do_openat(outside, "file", O_RDONLY));
}

static void run_bind(void)
{
	static int done;
	char source[4096];

	if (!done) {
		snprintf(source, sizeof(source), "%s", below("sub"));
		need(unshare(CLONE_NEWNS) == 0, "unshare");
		need(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount private");
		make_folder("bound");
		need(mount(source, below("bound"), NULL, MS_BIND, NULL) == 0, "mount --bind");
		make_folder("bound/deeper");
		need(mount("none", below("bound/deeper"), "tmpfs", 0, NULL) == 0, "mount tmpfs");
		make_file("bound/deeper/held", 0644);
		need(chdir(below("bound/deeper")) == 0, "chdir");
		done = 1;
	}
	close(do_openat(AT_FDCWD, below("bound/inner"), O_RDONLY));
	close(do_openat(AT_FDCWD, "held", O_RDONLY));
	close(do_openat(AT_FDCWD, "missing", O_RDONLY));
	close(do_openat(AT_FDCWD, "/", O_RDONLY));
}

static void run_link(void)
{
	need(symlink("sub/inner", below("link")) == 0 || errno == EEXIST, "symlink");
	close(do_openat(AT_FDCWD, below("link"), O_RDONLY));
}

static void run_deleted(void)
{
	char link[64];
	int fd;

	make_file("removed", 0600);
	fd = open(below("removed"), O_RDONLY | O_CLOEXEC);
	need(unlink(below("removed")) == 0, "unlink");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	close(do_openat(AT_FDCWD, link, O_RDONLY));
	close(fd);
}

/* As nobody. */
static void run_denied(void)
{
	static int done;

	if (!done)
		need(setgid(65534) == 0 && setuid(65534) == 0, "setuid");
	done = 1;
	close(do_openat(AT_FDCWD, below("secret"), O_RDONLY));
	close(do_openat(AT_FDCWD, below("missing"), O_RDONLY));
}

static int go_down(int base, const char *name)
{
	int fd;

	need(mkdirat(base, name, 0755) == 0 || errno == EEXIST, "mkdirat");
	fd = openat(base, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	need(fd >= 0, "openat");
	close(base);
	return fd;
}

/* A path of 40 times 200 characters, which is more than a call takes at once. */
static void run_deep(void)
{
	static int base = -1;
	char name[201];

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (base < 0) {
		base = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
		for (int i = 0; i < 40; i++)
			base = go_down(base, name);
	}
	close(do_openat(base, "end", O_RDWR | O_CREAT));
}

/* 100 ms after the first one waits for it. */
static void *open_other_end(void *unused)
{
	until_asleep(getpid());
	usleep(100000);
	close(open(below("fifo"), O_WRONLY | O_CLOEXEC));
	return unused;
}

/* A call that takes 100 ms. */
static void run_slow(void)
{
	char path[4096];
	pthread_t thread;

	need(mkfifo(below("fifo"), 0600) == 0 || errno == EEXIST, "mkfifo");
	snprintf(path, sizeof(path), "%s", below("fifo"));
	need(pthread_create(&thread, NULL, open_other_end, NULL) == 0, "pthread_create");
	close(do_openat(AT_FDCWD, path, O_RDONLY));
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "open", run_open },       { "creat", run_creat },   { "openat", run_openat },
	{ "openat2", run_openat2 }, { "handle", run_handle }, { "cwd", run_cwd },
	{ "folder", run_folder },   { "cold", run_cold },     { "chroot", run_chroot },
	{ "bind", run_bind },       { "link", run_link },     { "deleted", run_deleted },
	{ "denied", run_denied },   { "deep", run_deep },     { "slow", run_slow },
};

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	snprintf(folder, sizeof(folder), "%s", argv[3]);
	need(mkdir(folder, 0755) == 0 || errno == EEXIST, folder);
	make_file("file", 0644);
	make_file("secret", 0600);
	make_folder("sub");
	make_file("sub/inner", 0644);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		for (long n = strtol(argv[2], NULL, 10); n > 0; n--)
			cases[i].run();
		return 0;
	}
	return 2;
}
