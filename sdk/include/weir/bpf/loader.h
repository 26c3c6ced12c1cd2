/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading a light skeleton (sdk/bpf/skeleton.sh) from a plugin: with a sentence that says what is
 * wrong where it fails, what the programs cost, and what kinds of program this kernel takes.
 * Header only; needs no library at run time. Linux 5.17 or later.
 *
 *     struct weir_bpf_report report = {};
 *
 *     tool->bpf = tool_bpf__open();
 *     if (!tool->bpf)
 *             return weir_fail(host, -ENOMEM, "open BPF skeleton");
 *     tool->bpf->rodata->only_pid = options->pid;
 *     err = weir_bpf_load(tool_bpf, tool->bpf, &report);
 *     if (!err)
 *             err = weir_bpf_attach(tool_bpf, tool->bpf, &report);
 *     if (err)
 *             return weir_fail(host, err, "%s", report.text);
 *
 * and tool_bpf__destroy(tool->bpf), which accepts NULL and what is half built, at the end.
 *
 * All functions: any thread, no global state, negative errno on failure. No RLIMIT_MEMLOCK is
 * raised: kernels since 5.11 charge BPF memory to the cgroup.
 */
#ifndef WEIR_BPF_LOADER_H
#define WEIR_BPF_LOADER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/skel_internal.h>

#include "../component.h"
#include <weir/bpf/explain.h>

/*
 * Loads an open skeleton. On failure the report says why; then only destroy it. -EOPNOTSUPP,
 * -EPERM, -EACCES: this host lacks something, or does not allow it; others: what ran out.
 */
#define weir_bpf_load(name_, skeleton_, report_)                                                   \
	(weir_bpf_ask_log(&(skeleton_)->ctx, (report_)),                                           \
	 weir_bpf_explain_load(name_##__load(skeleton_), &(skeleton_)->attempt, name_##__targets,  \
			       (report_)))

/*
 * Attaches all programs of a loaded skeleton. Within a second or so of the last detach from a
 * tracepoint this sleeps up to 30 ms, for a grace period of the kernel.
 */
#define weir_bpf_attach(name_, skeleton_, report_)                                                 \
	weir_bpf_attach_one(name_, skeleton_, name_##__attach(skeleton_), (report_))

/* The same of a single program: `result_` of the skeleton's function for it. */
#define weir_bpf_attach_one(name_, skeleton_, result_, report_)                                    \
	weir_bpf_explain_attach((result_), &(skeleton_)->attempt, name_##__targets, (report_))

/* Adds up what all programs of a loaded skeleton have cost into *cost_. */
#define weir_bpf_cost(skeleton_, cost_)                                                            \
	weir_bpf_cost_of((const struct bpf_prog_desc *)&(skeleton_)->progs,                        \
			 sizeof((skeleton_)->progs) / sizeof(struct bpf_prog_desc), (cost_))

/*
 * For a component's cost(): adds what all programs of a loaded skeleton have cost. The first call
 * has the kernel measure BPF programs, some 50 ns a run, for as long as *stats_ is open: an int
 * that starts as 0, for weir_bpf_stats_end().
 */
#define weir_bpf_tell_cost(skeleton_, stats_, cost_)                                               \
	weir_bpf_tell_cost_of((const struct bpf_prog_desc *)&(skeleton_)->progs,                   \
			      sizeof((skeleton_)->progs) / sizeof(struct bpf_prog_desc), (stats_), \
			      (cost_))

/* Since load. The first two stand still unless weir_bpf_stats_enable() or the sysctl is on. */
struct weir_bpf_cost {
	uint64_t run_time_ns; /* with some 50 ns per run for the measurement itself */
	uint64_t run_count;
	uint64_t missed; /* runs the kernel left out, as the program was already on this CPU */
};

static inline void weir_bpf_ask_log(struct bpf_loader_ctx *ctx,
				    const struct weir_bpf_report *report)
{
	ctx->log_level = report->log ? 1 : 0;
	ctx->log_size = report->log ? report->log_size : 0;
	ctx->log_buf = (uintptr_t)report->log;
}

/* Has the kernel measure all BPF programs while the returned descriptor is open. CAP_SYS_ADMIN. */
static inline int weir_bpf_stats_enable(void)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	fd = skel_sys_bpf(BPF_ENABLE_STATS, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

/* Adds the cost of `count` programs to *cost. Programs that were not loaded are left out. */
static inline int weir_bpf_cost_of(const struct bpf_prog_desc *programs, size_t count,
				   struct weir_bpf_cost *cost)
{
	struct bpf_prog_info info;
	union bpf_attr attr;
	size_t i;

	for (i = 0; i < count; i++) {
		if (programs[i].prog_fd <= 0)
			continue;
		memset(&info, 0, sizeof(info));
		memset(&attr, 0, sizeof(attr));
		attr.info.bpf_fd = (uint32_t)programs[i].prog_fd;
		attr.info.info_len = sizeof(info);
		attr.info.info = (uintptr_t)&info;
		if (skel_sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)))
			return -errno;
		cost->run_time_ns += info.run_time_ns;
		cost->run_count += info.run_cnt;
		cost->missed += info.recursion_misses;
	}
	return 0;
}

/* Loads a program that does nothing; returns its descriptor. */
static inline int weir_bpf_program_empty(enum bpf_prog_type type, uint32_t attach_type,
					 uint32_t btf_id)
{
	return weir_bpf_program(type, weir_bpf_nothing,
				sizeof(weir_bpf_nothing) / sizeof(weir_bpf_nothing[0]), attach_type,
				btf_id);
}

/* 0 if this process may load a tp_btf program here. Under 1 ms; attaches nothing. */
static inline int weir_bpf_probe_tp_btf(void)
{
	int id = weir_bpf_btf_id("btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	int fd;

	if (id < 0)
		return id;
	fd = weir_bpf_program_empty(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, (uint32_t)id);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Where the probes below attach for a moment: a function which nothing calls but kernel tests. */
#define WEIR_BPF_QUIET_FUNCTION "bpf_fentry_test1"

/* 0 if fentry programs load and attach here. */
static inline int weir_bpf_probe_fentry(void)
{
	int id = weir_bpf_btf_id(WEIR_BPF_QUIET_FUNCTION, BTF_KIND_FUNC);
	int program;
	int link;
	int err;

	if (id < 0)
		return id;
	program = weir_bpf_program_empty(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, (uint32_t)id);
	if (program < 0)
		return program;
	/* arm64 before 6.0 loads but does not attach. */
	link = skel_raw_tracepoint_open(NULL, program);
	err = link < 0 ? -errno : 0;
	if (link >= 0)
		close(link);
	close(program);
	return err;
}

/* The number perf knows kprobes by; -ENOENT where the kernel has none. */
static inline int weir_bpf_kprobe_type(void)
{
	int fd = open("/sys/bus/event_source/devices/kprobe/type", O_RDONLY | O_CLOEXEC);
	char line[16] = "";
	ssize_t length;
	int type;

	if (fd < 0)
		return -errno;
	length = read(fd, line, sizeof(line) - 1);
	close(fd);
	return length > 0 && sscanf(line, "%d", &type) == 1 ? type : -EBADMSG;
}

/* A disabled perf event on entry to the quiet function; returns its descriptor. */
static inline int weir_bpf_kprobe_open(int type)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = (uint32_t)type;
	attr.config1 = (uintptr_t)WEIR_BPF_QUIET_FUNCTION;
	attr.disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* 0 if kprobe programs load and attach here: a kernel without kprobes still loads them. */
static inline int weir_bpf_probe_kprobe(void)
{
	int event = weir_bpf_kprobe_type();
	int program;
	int err = 0;

	if (event < 0)
		return event;
	event = weir_bpf_kprobe_open(event);
	if (event < 0)
		return event;
	program = weir_bpf_program_empty(BPF_PROG_TYPE_KPROBE, 0, 0);
	if (program < 0)
		err = program;
	else if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program))
		err = -errno;
	if (program >= 0)
		close(program);
	close(event);
	return err;
}

static inline void weir_bpf_tell_cost_of(const struct bpf_prog_desc *programs, size_t count,
					 int *stats, struct weir_cost *cost)
{
	struct weir_bpf_cost bpf = { 0 };

	if (*stats <= 0)
		*stats = weir_bpf_stats_enable();
	if (weir_bpf_cost_of(programs, count, &bpf))
		return;
	cost->bpf_runs += bpf.run_count;
	cost->bpf_ns += bpf.run_time_ns;
}

static inline void weir_bpf_stats_end(int *stats)
{
	if (*stats > 0)
		close(*stats);
	*stats = 0;
}

#endif
