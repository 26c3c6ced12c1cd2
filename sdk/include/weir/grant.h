/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities: who has which, and the command that grants them, worded in one place. setcap takes
 * from a file what it does not name, so that two commands of which each names what one component
 * lacks would undo each other: every one names all that weir asks for as a rule.
 */
#ifndef WEIR_GRANT_H
#define WEIR_GRANT_H

#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Capabilities that older headers do not know. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

#define WEIR_CAPABILITY(number_) (UINT64_C(1) << (number_))

/* The effective capabilities of this thread: bits of WEIR_CAPABILITY. */
static inline uint64_t weir_capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	memset(data, 0, sizeof(data));
	if (syscall(SYS_capget, &header, data) < 0)
		return 0;
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

/* True when this thread has the capability: CAP_PERFMON, CAP_BPF, CAP_SYS_PTRACE ... */
static inline int weir_has_capability(unsigned int capability)
{
	return capability < 64 && (weir_capabilities() & WEIR_CAPABILITY(capability)) != 0;
}

/* "run as root, or setcap cap_bpf,...+ep /usr/bin/weir" */
struct weir_grant {
	char text[512];
};

/*
 * What grants `capabilities`, bits of WEIR_CAPABILITY, on top of what is granted already. The text is
 * that of `grant`.
 */
static inline const char *weir_grant(struct weir_grant *grant, uint64_t capabilities)
{
	static const struct {
		const char *name;
		unsigned int number;
		int always;
	} known[] = {
		{ "cap_bpf", CAP_BPF, 1 },
		{ "cap_perfmon", CAP_PERFMON, 1 },
		{ "cap_sys_ptrace", CAP_SYS_PTRACE, 1 },
		{ "cap_syslog", CAP_SYSLOG, 1 },
		{ "cap_sys_admin", CAP_SYS_ADMIN, 0 },
		{ "cap_sys_rawio", CAP_SYS_RAWIO, 0 },
	};
	const uint64_t wanted = capabilities | weir_capabilities();
	char names[128] = "", path[256];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
	size_t used = 0, i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].always || wanted & WEIR_CAPABILITY(known[i].number))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? "," : "", known[i].name);
	/* A path that had no room would be another file's. */
	if (length <= 0 || (size_t)length >= sizeof(path))
		length = snprintf(path, sizeof(path), "weir");
	snprintf(grant->text, sizeof(grant->text), "run as root, or setcap %s+ep %.*s", names,
		 (int)length, path);
	return grant->text;
}

#endif
