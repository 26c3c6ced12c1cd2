/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * To be preloaded: makes a system call fail that the kernel would have carried out, so that tests
 * see what weir says of it; or a map be so small that it is soon full. WEIR_TEST_FAULT: what, errno
 * and a name to choose by, "" for any, "*" for any but what has no name:
 *
 *	attach:ENOENT:sched_switch   a raw tracepoint
 *	map:ENOMEM:events            the making of a BPF map
 *	program:EINVAL:              the loading of a BPF program; of all, as where the kernel's
 *	                             types are damaged
 *	perf:EMFILE:                 perf_event_open()
 *	mount:EPERM:                 a mount of one's own, fsopen()
 *	shrink:1:waiting             a map gets so many entries
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ERRNO_MAX 133

struct fault {
	char what[16];
	char errno_name[32];
	char name[64];
};

/* "what:errno:name"; false: there is none. */
static int fault_read(struct fault *fault)
{
	char *const parts[] = { fault->what, fault->errno_name, fault->name };
	const size_t sizes[] = { sizeof(fault->what), sizeof(fault->errno_name),
				 sizeof(fault->name) };
	const char *text = getenv("WEIR_TEST_FAULT");

	memset(fault, 0, sizeof(*fault));
	for (int i = 0; i < 3 && text; i++) {
		size_t length = strcspn(text, ":");

		if (length >= sizes[i])
			return 0;
		memcpy(parts[i], text, length);
		text += length;
		text += *text == ':';
	}
	return text != NULL;
}

static int fault_errno(const struct fault *fault)
{
	for (int i = 1; i <= ERRNO_MAX; i++) {
		const char *name = strerrorname_np(i);

		if (name && strcmp(name, fault->errno_name) == 0)
			return i;
	}
	abort();
}

/* A name that the kernel is given by address. */
static const char *fault_text(uint64_t address)
{
	return address ? (const char *)(uintptr_t)address : "";
}

/* What is asked of bpf(), and for which name. */
static const char *fault_bpf(long command, const union bpf_attr *attr, const char **name)
{
	switch (command) {
	case BPF_MAP_CREATE:
		*name = attr->map_name;
		return "map";
	case BPF_PROG_LOAD:
		*name = attr->prog_name;
		return "program";
	case BPF_RAW_TRACEPOINT_OPEN:
		*name = fault_text(attr->raw_tracepoint.name);
		return "attach";
	default:
		return "";
	}
}

static int fault_strikes(const struct fault *fault, long number, const long *args)
{
	const char *what = "", *name = "";

	if (number == SYS_bpf)
		what = fault_bpf(args[0], (const union bpf_attr *)(uintptr_t)args[1], &name);
	else if (number == SYS_perf_event_open)
		what = "perf";
	else if (number == SYS_fsopen)
		what = "mount";
	if (strcmp(what, fault->what) != 0)
		return 0;
	if (strcmp(fault->name, "*") == 0)
		return name[0] != '\0';
	return !fault->name[0] || strcmp(name, fault->name) == 0;
}

/* True if this makes the map that is to be small, whose attributes are then in *copy. */
static int fault_shrinks(const struct fault *fault, long number, const long *args,
			 union bpf_attr *copy)
{
	const union bpf_attr *attr = (const union bpf_attr *)(uintptr_t)args[1];
	size_t size = (size_t)args[2];

	if (number != SYS_bpf || args[0] != BPF_MAP_CREATE || strcmp(fault->what, "shrink") != 0 ||
	    strcmp(attr->map_name, fault->name) != 0 || size > sizeof(*copy))
		return 0;
	memcpy(copy, attr, size);
	copy->max_entries = (uint32_t)strtoul(fault->errno_name, NULL, 10);
	return 1;
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long (*next)(long number, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	union bpf_attr copy;
	struct fault fault;
	long args[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (fault_read(&fault) && fault_shrinks(&fault, number, args, &copy))
		args[1] = (long)(uintptr_t)&copy;
	else if (fault_read(&fault) && fault_strikes(&fault, number, args)) {
		errno = fault_errno(&fault);
		return -1;
	}
	return next(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}
