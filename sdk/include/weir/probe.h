/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that several components share, so that the same thing has the same name and cure
 * everywhere. Each is for a component's probe() and says one thing by weir_need().
 */
#ifndef WEIR_PROBE_H
#define WEIR_PROBE_H

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "file.h"
#include "grant.h"
#include "host.h"

/* True when perf_event_paranoid does not bind this process. */
static inline int weir_has_perfmon(void)
{
	return weir_has_capability(CAP_PERFMON) || weir_has_capability(CAP_SYS_ADMIN);
}

/* Reads a file that holds one number. 0 or a negative errno; -EBADMSG: it does not. */
static inline int weir_read_number(struct weir_ctx *ctx, const char *path, int64_t *number)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	char *end;
	int err = weir_read_file(ctx, path, &buffer);

	if (!err && buffer.bytes) {
		errno = 0;
		*number = strtoll(buffer.bytes, &end, 10);
		if (end == buffer.bytes || errno || (*end != '\n' && *end != '\0'))
			err = -EBADMSG;
	}
	weir_buffer_release(&buffer);
	return err;
}

/* True when there is such a file or directory below the root; no leading slash. */
static inline int weir_path_exists(struct weir_ctx *ctx, const char *path)
{
	struct stat status;

	return fstatat(ctx->root, path, &status, 0) == 0;
}

/*
 * True when the kernel counts CPU cycles here. Asks the kernel itself, and /sys only where it may
 * not be asked.
 */
static inline int weir_has_hardware_pmu(struct weir_ctx *ctx)
{
	struct perf_event_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0) {
		close((int)fd);
		return 1;
	}
	return (errno == EACCES || errno == EPERM) &&
	       (weir_path_exists(ctx, "sys/bus/event_source/devices/cpu") ||
		weir_path_exists(ctx, "sys/bus/event_source/devices/cpu_core"));
}

/* kernel.perf_event_paranoid. `most`: the highest value that lets everything of it work. */
static inline void weir_probe_paranoid(struct weir_ctx *ctx, int64_t most, const char *effect)
{
	struct weir_grant grant;
	char found[64], cure[sizeof(grant) + 64];
	int64_t level = 0;

	if (weir_read_number(ctx, "proc/sys/kernel/perf_event_paranoid", &level) < 0) {
		weir_need(ctx, WEIR_NEED_MISSING, "perf_event_paranoid",
			  "this kernel has no perf events", effect,
			  "a kernel with CONFIG_PERF_EVENTS");
		return;
	}
	snprintf(found, sizeof(found), "%lld%s", (long long)level,
		 weir_has_perfmon() ? ", does not bind this user" : "");
	if (level <= most || weir_has_perfmon()) {
		weir_need(ctx, WEIR_NEED_MET, "perf_event_paranoid", found, "", "");
		return;
	}
	snprintf(cure, sizeof(cure), "sysctl kernel.perf_event_paranoid=%lld, %s", (long long)most,
		 weir_grant(&grant, 0));
	weir_need(ctx, WEIR_NEED_LIMITED, "perf_event_paranoid", found, effect, cure);
}

static inline void weir_probe_hardware_pmu(struct weir_ctx *ctx, const char *effect)
{
	if (weir_has_hardware_pmu(ctx))
		weir_need(ctx, WEIR_NEED_MET, "hardware PMU", "present", "", "");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "hardware PMU", "none", effect,
			  "a machine, or a virtual one whose hypervisor offers a vPMU");
}

/* The NMI watchdog takes one hardware counter for itself. Nothing to say without a PMU. */
static inline void weir_probe_nmi_watchdog(struct weir_ctx *ctx)
{
	int64_t on = 0;

	if (!weir_has_hardware_pmu(ctx) ||
	    weir_read_number(ctx, "proc/sys/kernel/nmi_watchdog", &on) < 0)
		return;
	if (on)
		weir_need(ctx, WEIR_NEED_LIMITED, "NMI watchdog", "on",
			  "one hardware counter less: events are multiplexed sooner",
			  "sysctl kernel.nmi_watchdog=0");
	else
		weir_need(ctx, WEIR_NEED_MET, "NMI watchdog", "off", "", "");
}

/*
 * One capability, by number and by the name that people know it by. `state` is what its absence
 * means: WEIR_NEED_LIMITED or WEIR_NEED_MISSING. CAP_SYS_ADMIN stands for CAP_PERFMON and CAP_BPF.
 */
static inline void weir_probe_capability(struct weir_ctx *ctx, unsigned int capability,
					 const char *name, uint32_t state, const char *effect)
{
	struct weir_grant grant;
	int has = weir_has_capability(capability);

	if (!has && (capability == CAP_PERFMON || capability == CAP_BPF))
		has = weir_has_capability(CAP_SYS_ADMIN);
	if (has) {
		weir_need(ctx, WEIR_NEED_MET, name, "granted", "", "");
		return;
	}
	weir_need(ctx, state, name, "not granted", effect,
		  weir_grant(&grant, WEIR_CAPABILITY(capability)));
}

/* Which cgroup hierarchies are mounted. */
static inline void weir_probe_cgroup(struct weir_ctx *ctx, const char *effect)
{
	struct weir_buffer mounts = { NULL, 0, 0 };
	const char *found = "none";
	int v1, v2;

	if (weir_read_file(ctx, "proc/self/mounts", &mounts) == 0 && mounts.bytes) {
		v1 = strstr(mounts.bytes, " cgroup ") != NULL;
		v2 = strstr(mounts.bytes, " cgroup2 ") != NULL;
		if (v1 || v2)
			found = v1 && v2 ? "v1 and v2" : v1 ? "v1" : "v2";
	}
	weir_buffer_release(&mounts);
	if (strcmp(found, "none") != 0)
		weir_need(ctx, WEIR_NEED_MET, "cgroup", found, "", "");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "cgroup", found, effect,
			  "mount -t cgroup2 none /sys/fs/cgroup");
}

/*
 * Whether /proc/kallsyms shows addresses: with kptr_restrict 0 it does to everybody only while
 * perf_event_paranoid is at most 1, with 1 to CAP_SYSLOG, with 2 to nobody.
 */
static inline void weir_probe_kptr_restrict(struct weir_ctx *ctx, const char *effect)
{
	struct weir_grant grant;
	char found[32];
	int64_t level = 0, paranoid = 0;

	if (weir_read_number(ctx, "proc/sys/kernel/kptr_restrict", &level) < 0)
		return;
	weir_read_number(ctx, "proc/sys/kernel/perf_event_paranoid", &paranoid);
	snprintf(found, sizeof(found), "%lld", (long long)level);
	if ((level == 0 && paranoid <= 1) || (level <= 1 && weir_has_capability(CAP_SYSLOG)))
		weir_need(ctx, WEIR_NEED_MET, "kptr_restrict", found, "", "");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "kptr_restrict", found, effect,
			  level == 0 ? weir_grant(&grant, 0) : "sysctl kernel.kptr_restrict=0");
}

/* Pressure stall information. `effect`: what is not known without it. */
static inline void weir_probe_psi(struct weir_ctx *ctx, const char *effect)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	int err = weir_read_file(ctx, "proc/pressure/cpu", &buffer);

	weir_buffer_release(&buffer);
	if (!err)
		weir_need(ctx, WEIR_NEED_MET, "PSI", "on", "", "");
	else if (err == -EOPNOTSUPP)
		weir_need(ctx, WEIR_NEED_LIMITED, "PSI", "switched off", effect, "boot with psi=1");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "PSI", "no /proc/pressure", effect,
			  "a kernel with CONFIG_PSI, booted with psi=1");
}

#endif
