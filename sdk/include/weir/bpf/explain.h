/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a load or an attach of BPF programs failed: one sentence with the thing and the cure, and
 * the errno that tells what this host lacks from what ran out. For loader.h and tracepoint.h.
 */
#ifndef WEIR_BPF_EXPLAIN_H
#define WEIR_BPF_EXPLAIN_H

#include <errno.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <weir/bpf/btf_id.h>
#include <weir/bpf/interpret.h>
#include <weir/grant.h>

/* What went wrong, and the verifier's log for whoever asks for it. */
struct weir_bpf_report {
	char text[768]; /* one sentence without a full stop; empty if nothing failed */
	char *log;      /* the caller's, may be NULL: where the verifier writes. 1 MiB is ample */
	uint32_t log_size;
};

/* 0 if this kernel has what a program in section `target` ("tp_btf/NAME") attaches to. */
static inline int weir_bpf_target(const char *target)
{
	static const struct {
		const char *section, *prefix;
		uint32_t kind;
	} kinds[] = {
		{ "raw_tp/", "btf_trace_", BTF_KIND_TYPEDEF },
		{ "tp_btf/", "btf_trace_", BTF_KIND_TYPEDEF },
		{ "fentry/", "", BTF_KIND_FUNC },
		{ "fexit/", "", BTF_KIND_FUNC },
		{ "iter/", "bpf_iter_", BTF_KIND_FUNC },
	};
	char name[128];
	size_t i;
	int id;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].section);

		if (strncmp(target, kinds[i].section, length) != 0)
			continue;
		snprintf(name, sizeof(name), "%s%s", kinds[i].prefix, target + length);
		id = weir_bpf_btf_id(name, kinds[i].kind);
		return id < 0 ? id : 0;
	}
	return -EINVAL;
}

/* The first of `targets` that this kernel has not, or NULL. */
static inline const char *weir_bpf_missing_target(const char *const *targets)
{
	while (*targets && weir_bpf_target(*targets) != -ENOENT)
		targets++;
	return *targets;
}

/* What BPF tracing needs of capabilities and this thread lacks, as words for a sentence, or NULL. */
static inline const char *weir_bpf_missing_capability(void)
{
	const uint64_t held = weir_capabilities();
	const int bpf = (held & WEIR_CAPABILITY(CAP_BPF)) != 0;
	const int perfmon = (held & WEIR_CAPABILITY(CAP_PERFMON)) != 0;

	if (held & WEIR_CAPABILITY(CAP_SYS_ADMIN))
		return NULL;
	return bpf && perfmon ? NULL
	       : bpf          ? "CAP_PERFMON is not granted"
	       : perfmon      ? "CAP_BPF is not granted"
			      : "neither is granted";
}

/* True if this kernel is older than what light skeletons need. */
static inline int weir_bpf_kernel_is_old(struct utsname *kernel)
{
	unsigned int major;
	unsigned int minor;

	if (uname(kernel) || sscanf(kernel->release, "%u.%u", &major, &minor) != 2)
		return 0;
	return major < 5 || (major == 5 && minor < 17);
}

/* What helps when a call to the kernel ends with `err`; NULL: nothing is known to. */
static inline const char *weir_bpf_cure(int err)
{
	switch (err) {
	case -EMFILE:
	case -ENFILE:
		return "raise the limit of open files, see `ulimit -n`";
	case -ENOMEM:
		return "this machine or cgroup (memory.max) has no more memory for the kernel";
	case -EPERM:
	case -EACCES:
		return "the kernel forbids it in spite of capabilities: see lockdown, seccomp, "
		       "and security modules";
	default:
		return NULL;
	}
}

/* What this host lacks for BPF programs. 0: it has all of it, or a negative errno and why. */
static inline int weir_bpf_lack(const char *const *targets, struct weir_bpf_report *report)
{
	const char *capability = weir_bpf_missing_capability();
	struct weir_grant grant;
	const char *target;

	/* Not only with EPERM: without CAP_PERFMON the verifier finds fault with the program. */
	if (capability) {
		snprintf(report->text, sizeof(report->text),
			 "BPF programs need CAP_BPF and CAP_PERFMON, %s: %s", capability,
			 weir_grant(&grant, 0));
		return -EPERM;
	}
	if (access("/sys/kernel/btf/vmlinux", F_OK)) {
		snprintf(report->text, sizeof(report->text),
			 "this kernel describes no types, /sys/kernel/btf/vmlinux is missing: it "
			 "needs CONFIG_DEBUG_INFO_BTF");
		return -EOPNOTSUPP;
	}
	target = weir_bpf_missing_target(targets);
	if (!target)
		return 0;
	snprintf(report->text, sizeof(report->text), "this kernel has no %s", target);
	return -EOPNOTSUPP;
}

/* What the kernel was asked for; "" if that is not known. */
static inline const char *weir_bpf_attempt_verb(const struct weir_bpf_attempt *attempt)
{
	if (!attempt->name[0])
		return "";
	switch (attempt->command) {
	case BPF_MAP_CREATE:
		return "make BPF map ";
	case BPF_PROG_LOAD:
		return "load BPF program ";
	default:
		return "attach to tracepoint ";
	}
}

/* A failure that the kernel has its own reasons for. */
static inline void weir_bpf_say_attempt(int err, const struct weir_bpf_attempt *attempt,
					struct weir_bpf_report *report)
{
	const char *cure = weir_bpf_cure(err);
	const char *verb = weir_bpf_attempt_verb(attempt);

	snprintf(report->text, sizeof(report->text), "%s%s%s%s", verb[0] ? verb : "BPF",
		 attempt->name, cure ? ": " : "", cure ? cure : "");
}

/* Nobody knows better than the verifier why it refused; a user can only pass that on. */
static inline int weir_bpf_say_refused(const struct weir_bpf_attempt *attempt,
				       struct weir_bpf_report *report)
{
	struct utsname kernel;

	if (uname(&kernel))
		return -errno;
	/* Not before, as a distribution may have brought its old kernel up to date. */
	if (weir_bpf_kernel_is_old(&kernel))
		snprintf(report->text, sizeof(report->text),
			 "Linux 5.17 or later is needed, this is %s", kernel.release);
	/* It cannot look up any type: no program that needs one can be right. */
	else if (weir_bpf_target("raw_tp/sched_switch") == -EINVAL)
		snprintf(report->text, sizeof(report->text),
			 "this kernel's description of its types (BTF) is damaged, see "
			 "`dmesg | grep BPF`: no BPF program of weir can be loaded");
	else
		snprintf(report->text, sizeof(report->text),
			 "the verifier of Linux %s refuses BPF program %s: this is a fault of "
			 "weir, please report it",
			 kernel.release, attempt->name);
	return -EOPNOTSUPP;
}

/* A verifier says EACCES or EINVAL of programs that it finds fault with, whoever loads them. */
static inline int weir_bpf_is_refused(int err, const struct weir_bpf_attempt *attempt)
{
	return attempt->command == BPF_PROG_LOAD && (err == -EACCES || err == -EINVAL);
}

static inline int weir_bpf_explain_load(int err, const struct weir_bpf_attempt *attempt,
					const char *const *targets, struct weir_bpf_report *report)
{
	int lack;

	report->text[0] = '\0';
	if (err >= 0)
		return 0;
	lack = weir_bpf_lack(targets, report);
	if (lack)
		return lack;
	if (err == -ENOSPC && report->log) {
		snprintf(report->text, sizeof(report->text),
			 "the verifier's log is longer than its buffer");
		return err;
	}
	if (weir_bpf_is_refused(err, attempt))
		return weir_bpf_say_refused(attempt, report);
	weir_bpf_say_attempt(err, attempt, report);
	return err;
}

/* `result` is as bpftool's attach functions return: -1 with errno. */
static inline int weir_bpf_explain_attach(int result, const struct weir_bpf_attempt *attempt,
					  const char *const *targets,
					  struct weir_bpf_report *report)
{
	int err = -errno;
	int lack;

	report->text[0] = '\0';
	if (result >= 0)
		return 0;
	/* A raw_tp program loads without its tracepoint. */
	lack = weir_bpf_lack(targets, report);
	if (lack)
		return lack;
	if (err == -ENOENT) {
		snprintf(report->text, sizeof(report->text), "this kernel has no tracepoint %s",
			 attempt->name);
		return -EOPNOTSUPP;
	}
	weir_bpf_say_attempt(err, attempt, report);
	return err;
}

#endif
