/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu.kernel: PMUs as sysfs shows them: "cpu/event=0x3c/", "power/energy-pkg/", "mem-loads". */
#include "pmu_sysfs.h"

#include <stdio.h>

int pmu_device(struct weir_ctx *ctx, const char *pmu, struct weir_pmu_event *event)
{
	struct pmu_state *state = ctx->state;
	int64_t type = 0;
	char path[512];

	if (pmu[0] == '.' || strchr(pmu, '/') ||
	    snprintf(path, sizeof(path), PMU_DEVICES "/%s/type", pmu) >= (int)sizeof(path) ||
	    weir_read_number(ctx, path, &type) < 0)
		return -ENOENT;
	event->kind = "pmu";
	event->type = (uint32_t)type;
	snprintf(state->pmu, sizeof(state->pmu), "%s", pmu);
	event->pmu = state->pmu;
	snprintf(path, sizeof(path), PMU_DEVICES "/%s/cpumask", pmu);
	if (weir_read_file(ctx, path, &state->cpus) == 0 && state->cpus.bytes) {
		state->cpus.bytes[strcspn(state->cpus.bytes, "\n")] = '\0';
		event->cpus = state->cpus.bytes;
		event->flags |= WEIR_PMU_WHOLE_CPU;
	}
	return 0;
}

/* A bare name that events of PMUs have: of which of them. */
struct pmu_bare {
	const char *name;
	char pmu[64];
	uint32_t count;
};

static int pmu_bare_look(const struct pmu_list *list, const char *folder, const char *pmu)
{
	struct pmu_bare *bare = list->with;

	(void)folder;
	if (!pmu_has(list->ctx, pmu, "events", bare->name))
		return 0;
	if (bare->count++ == 0)
		snprintf(bare->pmu, sizeof(bare->pmu), "%s", pmu);
	return 0;
}

static int pmu_bare_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	struct pmu_bare bare = { name, "", 0 };
	const struct pmu_list list = { ctx, NULL, &bare, NULL, ctx->root };
	int err = pmu_each(&list, PMU_DEVICES, pmu_bare_look);

	if (err || bare.count == 0)
		return err ? err : -ENOENT;
	if (bare.count > 1)
		return weir_pmu_why(event, pmu_reason(ctx), -ENOTUNIQ,
				    "%u PMUs have it; write one, as in %s/%s/", bare.count,
				    bare.pmu, name);
	err = pmu_device(ctx, bare.pmu, event);
	return err ? err : pmu_terms(ctx, bare.pmu, name, event);
}

int pmu_sysfs_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	const char *slash = strchr(name, '/');
	char pmu[64], terms[256];
	size_t length;
	int err;

	if (!slash)
		return strchr(name, '.') || !name[0] ? -ENOENT : pmu_bare_find(ctx, name, event);
	length = strlen(slash + 1);
	if (slash == name || slash - name >= (ptrdiff_t)sizeof(pmu) || length == 0 ||
	    slash[length] != '/')
		return -ENOENT;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - name), name);
	snprintf(terms, sizeof(terms), "%.*s", (int)length - 1, slash + 1);
	err = pmu_device(ctx, pmu, event);
	return err ? err : pmu_terms(ctx, pmu, terms, event);
}

/* `folder` is the PMU's "events". Files like "x.unit" and "x.scale" only describe x. */
static int pmu_event_show(const struct pmu_list *list, const char *folder, const char *name)
{
	struct weir_pmu_event event = { .size = sizeof(event) };
	char full[320], pmu[64];
	const char *end = strrchr(folder, '/'), *start = end;

	if (strchr(name, '.'))
		return 0;
	while (start > folder && start[-1] != '/')
		start--;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(end - start), start);
	snprintf(full, sizeof(full), "%s/%s/", pmu, name);
	if (pmu_device(list->ctx, pmu, &event) < 0)
		return 0;
	if (pmu_terms(list->ctx, pmu, name, &event) == 0)
		event.flags |= WEIR_PMU_ENCODED;
	event.name = full;
	return list->see(&event, list->with);
}

static int pmu_device_show(const struct pmu_list *list, const char *folder, const char *pmu)
{
	char path[512];

	if (snprintf(path, sizeof(path), "%s/%s/events", folder, pmu) >= (int)sizeof(path))
		return 0;
	return pmu_each(list, path, pmu_event_show);
}

int pmu_sysfs_list(const struct pmu_list *list)
{
	return pmu_each(list, PMU_DEVICES, pmu_device_show);
}
