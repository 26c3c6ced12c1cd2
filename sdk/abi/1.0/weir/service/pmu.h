/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service "pmu/1": from the name of an event to what perf_event_open() takes, which events there
 * are, and sets of metrics over them.
 *
 * A vendor ships a provider "pmu.VENDOR" that knows the events of its own hardware; nothing else of
 * weir changes. Whoever has a name asks all providers (weir/pmu_events.h): "VENDOR::EVENT" means one of
 * them, and what two of them know differently is an error. Names belong to their provider, but for the
 * modifiers behind the last colon, which weir_pmu_modifiers() takes off.
 *
 * Every call is for the loop thread. What a call hands out lives until the next call of the same
 * provider; units live as long as the plugin.
 */
#ifndef WEIR_SERVICE_PMU_H
#define WEIR_SERVICE_PMU_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "../component.h"

#define WEIR_PMU_SERVICE "pmu"
#define WEIR_PMU_VERSION 1

enum weir_pmu_event_flag {
	WEIR_PMU_NO_USER = 1u << 0, /* does not count in user code ... */
	WEIR_PMU_NO_KERNEL = 1u << 1,
	WEIR_PMU_NO_HYPERVISOR = 1u << 2,
	WEIR_PMU_NO_IDLE = 1u << 3,
	WEIR_PMU_NO_HOST = 1u << 4,
	WEIR_PMU_NO_GUEST = 1u << 5,
	WEIR_PMU_PINNED = 1u << 6, /* always on the counter, or an error */
	/* Counts what a CPU, or more than one, does, never what a task does: see `cpus`. */
	WEIR_PMU_WHOLE_CPU = 1u << 7,
	/* list(): type and config are set; otherwise only encode() tells them. */
	WEIR_PMU_ENCODED = 1u << 8,
};

/* An event. Texts may be NULL where there is nothing to say, but for name and kind. */
struct weir_pmu_event {
	uint32_t size;
	uint32_t flags;   /* enum weir_pmu_event_flag */
	const char *name; /* in full, as encode() takes it */
	const char *kind; /* "hardware", "software", "cache", "tracepoint", or "pmu" */
	const char *doc;  /* what is counted, in one line */
	const char *pmu;  /* whose counter: its name in /sys/bus/event_source/devices */
	const char
		*cpus; /* WHOLE_CPU: a list as the kernel writes it, one for each place to count */
	const char *filter;           /* of a tracepoint, for PERF_EVENT_IOC_SET_FILTER */
	const struct weir_unit *unit; /* of count * scale; NULL: a count */
	double scale;                 /* 0: 1 */
	uint32_t type;                /* as perf_event_attr has them */
	uint32_t precise;             /* precise_ip */
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	const char *why;  /* why it cannot be used: of encode() that failed, of list() */
	const char *like; /* encode() that knows no such name: one that is much like it */
};

/* One of many events, which lives until it returns. Something other than 0 ends the list. */
typedef int weir_pmu_event_fn(const struct weir_pmu_event *event, void *with);

/* A set of metrics, as files in configs/metrics have it: docs/metrics.md. */
struct weir_pmu_metrics {
	uint32_t size;
	uint32_t reserved;
	const char *name; /* as `--metrics` takes it */
	const char *doc;  /* one line */
	const char *text; /* YAML */
};

typedef int weir_pmu_metrics_fn(const struct weir_pmu_metrics *metrics, void *with);

struct weir_pmu_v1 {
	uint32_t size;
	uint32_t reserved;
	/*
	 * What a name stands for. The caller zeroes *event and sets its size; the provider looks there
	 * for what was appended after 1.0: WEIR_HAS(). 0; -ENOENT: not a name
	 * of this provider; -EACCES, -ENODEV: the host does not let it be found out; another negative
	 * errno: the name is the provider's, but wrong. event->why then says what is wrong.
	 * Whether the kernel can count it here is not asked: perf_event_open() tells.
	 */
	int (*encode)(struct weir_ctx *self, const char *name, struct weir_pmu_event *event);
	/*
	 * Shows the events that belong to this machine, of one kind, or all where `kind` is NULL,
	 * until `see` returns something other than 0. What that was, 0, or a negative errno. `see`
	 * must not call the service.
	 */
	int (*list)(struct weir_ctx *self, const char *kind, weir_pmu_event_fn *see, void *with);
	/* The same for its sets of metrics. NULL: it has none. */
	int (*metrics)(struct weir_ctx *self, weir_pmu_metrics_fn *see, void *with);
};

/* Part of a provider's state: its last reason. */
struct weir_pmu_reason {
	char text[512];
};

/* encode() that fails: keeps the reason, and says it. Returns `error`. */
static inline int WEIR_PRINTF(4, 5)
	weir_pmu_why(struct weir_pmu_event *event, struct weir_pmu_reason *reason, int error,
		     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason->text, sizeof(reason->text), format, args);
	va_end(args);
	event->why = reason->text;
	return error;
}

/* Takes one letter of a modifier in. 0, or -EINVAL: it is none. */
static inline int weir_pmu_modifier(char letter, uint32_t *only, struct weir_pmu_event *event)
{
	static const struct {
		char letter;
		uint32_t bit;
	} places[] = {
		{ 'u', WEIR_PMU_NO_USER },       { 'k', WEIR_PMU_NO_KERNEL },
		{ 'h', WEIR_PMU_NO_HYPERVISOR }, { 'H', WEIR_PMU_NO_HOST },
		{ 'G', WEIR_PMU_NO_GUEST },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].letter == letter) {
			*only |= places[i].bit;
			return 0;
		}
	if (letter == 'I')
		event->flags |= WEIR_PMU_NO_IDLE;
	else if (letter == 'D')
		event->flags |= WEIR_PMU_PINNED;
	else if (letter != 'p' || ++event->precise > 3)
		return -EINVAL;
	return 0;
}

/*
 * Takes modifiers off a name, into the event: "cycles:uk", "cpu/event=1/pp". u, k, h, G, H: counts
 * there only; I: not when idle; p, pp, ppp: precise; D: pinned. Returns the length of the rest, which
 * is that of the name where what stands behind the last colon or slash is no modifier.
 */
static inline size_t weir_pmu_modifiers(const char *name, struct weir_pmu_event *event)
{
	const uint32_t levels = WEIR_PMU_NO_USER | WEIR_PMU_NO_KERNEL | WEIR_PMU_NO_HYPERVISOR;
	const uint32_t sides = WEIR_PMU_NO_HOST | WEIR_PMU_NO_GUEST;
	const uint32_t flags = event->flags, precise = event->precise;
	size_t length = strlen(name), start = length;
	uint32_t only = 0;

	while (start && name[start - 1] != ':' && name[start - 1] != '/')
		start--;
	if (start < 2 || start == length)
		return length;
	for (size_t i = start; i < length; i++)
		if (weir_pmu_modifier(name[i], &only, event) < 0) {
			event->flags = flags;
			event->precise = precise;
			return length;
		}
	if (only & levels)
		event->flags |= levels & ~only;
	if (only & sides)
		event->flags |= sides & ~only;
	return name[start - 1] == ':' ? start - 1 : start;
}

/* An event as perf_event_open() takes it; what else to ask is the caller's. */
static inline void weir_pmu_attr(const struct weir_pmu_event *event, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	attr->precise_ip = event->precise & 3u;
	attr->exclude_user = (event->flags & WEIR_PMU_NO_USER) != 0;
	attr->exclude_kernel = (event->flags & WEIR_PMU_NO_KERNEL) != 0;
	attr->exclude_hv = (event->flags & WEIR_PMU_NO_HYPERVISOR) != 0;
	attr->exclude_idle = (event->flags & WEIR_PMU_NO_IDLE) != 0;
	attr->exclude_host = (event->flags & WEIR_PMU_NO_HOST) != 0;
	attr->exclude_guest = (event->flags & WEIR_PMU_NO_GUEST) != 0;
	attr->pinned = (event->flags & WEIR_PMU_PINNED) != 0;
}

#endif
