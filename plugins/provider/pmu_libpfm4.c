/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provider pmu.libpfm4: events as the manuals of CPUs name them ("INST_RETIRED:ANY_P",
 * "skx::L2_RQSTS:MISS:c=1"), from the tables of libpfm4. LIBPFM_FORCE_PMU chooses another CPU's tables.
 */
/* libpfm4's header has a copy of the kernel's, which does not get along with it. */
#include <linux/perf_event.h>
#define __PERFMON_PERF_EVENT_H__
#include <perfmon/pfmlib_perf_event.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/file.h>
#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/service/pmu.h>

#define PFM_DEVICES "sys/bus/event_source/devices"

struct pfm_state {
	char name[256];
	struct weir_pmu_reason why;
	char device[64];
	struct weir_buffer cpus;
	char *full; /* by libpfm */
};

static int pfm_create(struct weir_ctx *ctx)
{
	int err = pfm_initialize();

	return err == PFM_SUCCESS ? 0 : weir_fail(ctx, -ENODEV, "libpfm4: %s", pfm_strerror(err));
}

static void pfm_destroy(struct weir_ctx *ctx)
{
	struct pfm_state *state = ctx->state;

	free(state->full);
	weir_buffer_release(&state->cpus);
}

/* What the kernel names itself is pmu.kernel's. */
static bool pfm_is_kernel(pfm_pmu_t pmu)
{
	return pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW;
}

/* The device of that type, if it counts for whole CPUs: which of them. */
static int pfm_look_at(struct weir_ctx *ctx, const char *device, struct weir_pmu_event *event)
{
	struct pfm_state *state = ctx->state;
	char path[384];
	int64_t type = -1;

	snprintf(path, sizeof(path), PFM_DEVICES "/%.200s/type", device);
	if (weir_read_number(ctx, path, &type) < 0 || type != event->type)
		return 0;
	snprintf(state->device, sizeof(state->device), "%.63s", device);
	event->pmu = state->device;
	snprintf(path, sizeof(path), PFM_DEVICES "/%.200s/cpumask", device);
	if (weir_read_file(ctx, path, &state->cpus) == 0 && state->cpus.bytes) {
		state->cpus.bytes[strcspn(state->cpus.bytes, "\n")] = '\0';
		event->cpus = state->cpus.bytes;
		event->flags |= WEIR_PMU_WHOLE_CPU;
	}
	return 1;
}

static void pfm_find_device(struct weir_ctx *ctx, struct weir_pmu_event *event)
{
	int fd = openat(ctx->root, PFM_DEVICES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int found = 0;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && !found && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			found = pfm_look_at(ctx, entry->d_name, event);
	if (dir)
		closedir(dir);
}

static uint32_t pfm_flags(const struct perf_event_attr *attr)
{
	return (attr->exclude_user ? WEIR_PMU_NO_USER : 0) |
	       (attr->exclude_kernel ? WEIR_PMU_NO_KERNEL : 0) |
	       (attr->exclude_hv ? WEIR_PMU_NO_HYPERVISOR : 0);
}

/* The hypervisor is left out where the user left out anything; else nothing is, as elsewhere. */
static void pfm_fill(const struct perf_event_attr *attr, struct weir_pmu_event *event)
{
	uint32_t flags = pfm_flags(attr);

	event->kind = "pmu";
	event->type = attr->type;
	event->config = attr->config;
	event->config1 = attr->config1;
	event->config2 = attr->config2;
	if (flags & (WEIR_PMU_NO_USER | WEIR_PMU_NO_KERNEL))
		event->flags |= flags;
	if (attr->precise_ip)
		event->precise = attr->precise_ip;
	event->flags |= WEIR_PMU_ENCODED;
}

/* 0, or libpfm's error; *info is what it found. */
static int pfm_ask(struct pfm_state *state, const char *name, struct perf_event_attr *attr,
		   pfm_event_info_t *info)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .fstr = &state->full, .size = sizeof(arg) };
	int err;

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	free(state->full);
	state->full = NULL;
	err = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	return err == PFM_SUCCESS ? pfm_get_event_info(arg.idx, PFM_OS_PERF_EVENT, info) : err;
}

/* Modifiers that libpfm does not have are taken off: of ours, it knows u, k and h alone. */
static int pfm_encode(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	struct pfm_state *state = ctx->state;
	struct perf_event_attr attr;
	pfm_event_info_t info;
	int err = pfm_ask(state, name, &attr, &info);

	if (err == PFM_ERR_ATTR || err == PFM_ERR_UMASK) {
		char plain[sizeof(state->name)];
		size_t length = weir_pmu_modifiers(name, event);

		snprintf(plain, sizeof(plain), "%.*s", (int)length, name);
		if (name[length])
			err = pfm_ask(state, plain, &attr, &info);
	}
	if (err == PFM_ERR_NOTFOUND || (!err && pfm_is_kernel(info.pmu)))
		return -ENOENT;
	if (err)
		return weir_pmu_why(
			event, &state->why, err == PFM_ERR_NOMEM ? -ENOMEM : -EINVAL,
			"libpfm4: %s; `weir events '%.*s:*'` lists what it may be followed by",
			pfm_strerror(err), (int)strcspn(name, ":"), name);
	snprintf(state->name, sizeof(state->name), "%s", name);
	event->name = state->name;
	event->doc = info.desc;
	pfm_fill(&attr, event);
	pfm_find_device(ctx, event);
	return 0;
}

struct pfm_list {
	struct weir_ctx *ctx;
	weir_pmu_event_fn *see;
	void *with;
};

static int pfm_show(const struct pfm_list *list, const char *name, const char *doc)
{
	struct weir_pmu_event event = { .size = sizeof(event) };
	int err = pfm_encode(list->ctx, name, &event);

	if (err == -ENOENT || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	event.name = name;
	event.kind = "pmu";
	event.doc = doc;
	return list->see(&event, list->with);
}

/* One row for each unit mask; one where there is none. */
static int pfm_show_event(const struct pfm_list *list, const pfm_event_info_t *info)
{
	char name[256], doc[512];
	int err = 0, masks = 0;

	for (int i = 0; !err && i < info->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &attr) !=
			    PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		masks++;
		snprintf(name, sizeof(name), "%s:%s", info->name, attr.name);
		snprintf(doc, sizeof(doc), "%s: %s", info->desc, attr.desc);
		err = pfm_show(list, name, doc);
	}
	return err || masks ? err : pfm_show(list, info->name, info->desc);
}

/* The tables of a CPU whose counters the kernel does not have are of no use, unless asked for. */
static bool pfm_of_use(struct weir_ctx *ctx)
{
	return weir_has_hardware_pmu(ctx) || getenv("LIBPFM_FORCE_PMU");
}

static int pfm_list(struct weir_ctx *ctx, const char *kind, weir_pmu_event_fn *see, void *with)
{
	const struct pfm_list list = { ctx, see, with };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	int err = 0;

	if ((kind && strcmp(kind, "pmu") != 0) || !pfm_of_use(ctx))
		return 0;
	for (pfm_pmu_t i = PFM_PMU_NONE; !err && i < PFM_PMU_MAX; i++) {
		if (pfm_get_pmu_info(i, &pmu) != PFM_SUCCESS || !pmu.is_present || pfm_is_kernel(i))
			continue;
		for (int at = pmu.first_event; !err && at != -1; at = pfm_get_event_next(at)) {
			pfm_event_info_t info = { .size = sizeof(info) };

			if (pfm_get_event_info(at, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS)
				err = pfm_show_event(&list, &info);
		}
	}
	return err;
}

static const struct weir_pmu_v1 pfm_calls = {
	.size = sizeof(pfm_calls),
	.encode = pfm_encode,
	.list = pfm_list,
};

static const struct weir_service_offer pfm_offers[] = {
	{ WEIR_PMU_SERVICE, WEIR_PMU_VERSION, 0, &pfm_calls },
};

WEIR_COMPONENT("pmu.libpfm4", WEIR_PROVIDER,
	       .summary = "events of CPUs by the names of their manuals (libpfm4)",
	       .state_size = sizeof(struct pfm_state), .offers = WEIR_TABLE(pfm_offers),
	       .create = pfm_create, .destroy = pfm_destroy);
