/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User side: attaches programs of type tracepoint (SEC("tp/syscalls/sys_exit_execve")), which a
 * light skeleton loads and leaves alone. The kernel knows these tracepoints by numbers that it
 * tells in tracefs only, which need not be mounted.
 *
 *	tracefs = weir_tracefs_open(ctx, &report);
 *	link = weir_bpf_attach_tracepoint(tracefs, "syscalls/sys_exit_execve",
 *					  skeleton->progs.failed.prog_fd, &report);
 *	close(tracefs);
 *
 * A negative tracefs may be handed on: its error comes back and the report stays. Closing the
 * link detaches. 32-bit programs on a 64-bit kernel do not reach tracepoints of system calls.
 */
#ifndef WEIR_BPF_TRACEPOINT_H
#define WEIR_BPF_TRACEPOINT_H

#include <weir/bpf/loader.h>
#include <weir/tracefs.h>

/*
 * A descriptor of tracefs: where it is mounted, else of a mount of our own. The caller closes it.
 * On failure a negative errno, and the report says what is missing and what helps.
 */
static inline int weir_tracefs_open(struct weir_ctx *ctx, struct weir_bpf_report *report)
{
	int fd = weir_tracefs_find(ctx);
	int found = fd;

	report->text[0] = '\0';
	if (fd >= 0)
		return fd;
	fd = weir_tracefs_mount();
	if (fd >= 0)
		return fd;
	if (fd == -ENODEV) {
		snprintf(report->text, sizeof(report->text),
			 "this kernel has no tracefs: it needs CONFIG_TRACING");
		return -EOPNOTSUPP;
	}
	if (found == -ENOENT)
		snprintf(report->text, sizeof(report->text),
			 "tracefs is not mounted, and may not be mounted by this user: `mount -t "
			 "tracefs tracefs /sys/kernel/tracing` as root");
	else
		snprintf(report->text, sizeof(report->text),
			 "tracefs cannot be read: %s: run as root, or `mount -o remount,mode=755 "
			 "/sys/kernel/tracing`",
			 strerror(-found));
	return found == -ENOENT ? fd : found;
}

/* Attaches `program` to a perf event of that tracepoint; the program then runs on every CPU. */
static inline int weir_bpf_attach_tracepoint_id(int id, int program)
{
	struct perf_event_attr attr;
	int err = 0;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = (uint32_t)id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EOPNOTSUPP : -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	if (err)
		close(fd);
	return err ? err : fd;
}

/* What a failure of the above comes from; NULL: nobody knows. */
static inline const char *weir_tracepoint_reason(int err)
{
	const char *capability = weir_bpf_missing_capability();

	if (err == -EOPNOTSUPP)
		return "this kernel does not have it";
	if ((err == -EACCES || err == -EPERM) && capability)
		return "CAP_BPF and CAP_PERFMON are needed: run as root";
	return weir_bpf_cure(err);
}

/*
 * Attaches a loaded program of type tracepoint to "group/name". Returns the link, whose close()
 * detaches; on failure a negative errno, and the report says why. -EOPNOTSUPP: there is none such.
 */
static inline int weir_bpf_attach_tracepoint(int tracefs, const char *name, int program,
					     struct weir_bpf_report *report)
{
	const char *reason;
	int result;

	if (tracefs < 0)
		return tracefs;
	report->text[0] = '\0';
	result = weir_tracepoint_id(tracefs, name);
	if (result >= 0)
		result = weir_bpf_attach_tracepoint_id(result, program);
	if (result >= 0)
		return result;
	reason = weir_tracepoint_reason(result);
	snprintf(report->text, sizeof(report->text), "tracepoint %s%s%s", name, reason ? ": " : "",
		 reason ? reason : "");
	return result;
}

#endif
