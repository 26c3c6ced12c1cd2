/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes this process one of a poorer machine. Each check has a process of its own to spoil. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hardship.h"

#define NOBODY     65534
#define MORE_FILES 2
#define ANY        0xffffffff

int hardship_few_files(struct rlimit *before)
{
	struct rlimit few;
	int last = open("/", O_PATH | O_CLOEXEC);

	/* The lowest free number: all above it are free, or nearly so. */
	if (last < 0 || close(last) < 0 || getrlimit(RLIMIT_NOFILE, before) < 0)
		return -errno;
	few = (struct rlimit){ (rlim_t)last + MORE_FILES, before->rlim_max };
	return setrlimit(RLIMIT_NOFILE, &few) < 0 ? -errno : 0;
}

static int no_rights(void)
{
	if (geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
	    setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return 0;
}

/* System call `number` fails with `error` if its first argument is `first`, or with ANY. */
static int refuse_call(unsigned int number, unsigned int first, unsigned int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, first == ANY ? 0 : 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return -errno;
	return 0;
}

/* Programs are refused as by a kernel that was built without types, and the types are not there. */
static int no_btf(void)
{
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		mount("none", "/sys/kernel/btf", "tmpfs", MS_RDONLY, "size=4k");
	return refuse_call(__NR_bpf, BPF_PROG_LOAD, EINVAL);
}

int hardship_begin(uint32_t hardships)
{
	int err = 0;

	if (hardships & HARD_BPF)
		err = no_btf();
	if (!err && hardships & HARD_PMU)
		err = refuse_call(__NR_perf_event_open, ANY, ENOENT);
	if (!err && hardships & HARD_RIGHTS)
		err = no_rights();
	return err;
}
