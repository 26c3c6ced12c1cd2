/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.pmu: which CPU belongs to which core and socket. */
#include <stdio.h>
#include <stdlib.h>

#include "pmu.h"

static int64_t pmu_topology(struct weir_ctx *ctx, uint32_t cpu, const char *file)
{
	char path[96];
	int64_t number = 0;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu, file);
	return weir_read_number(ctx, path, &number) < 0 ? 0 : number;
}

static void pmu_place_name(struct weir_ctx *ctx, uint32_t cpu, char *name, size_t size)
{
	const struct pmu_conf *conf = ctx->options;
	long long socket = 0;

	if (conf->per != PMU_PER_CPU && conf->per != PMU_PER_ALL)
		socket = pmu_topology(ctx, cpu, "physical_package_id");
	if (conf->per == PMU_PER_CPU)
		snprintf(name, size, "cpu %u", cpu);
	else if (conf->per == PMU_PER_SOCKET)
		snprintf(name, size, "socket %lld", socket);
	else if (conf->per == PMU_PER_CORE)
		snprintf(name, size, "socket %lld core %lld", socket,
			 (long long)pmu_topology(ctx, cpu, "core_id"));
	else
		name[0] = '\0';
}

/* The place of that name, which is a new one perhaps. */
static uint32_t pmu_place_at(struct pmu_state *state, const char *name)
{
	uint32_t i = 0;

	while (i < state->place_count && strcmp(state->places[i], name) != 0)
		i++;
	if (i == state->place_count)
		snprintf(state->places[state->place_count++], sizeof(state->places[0]), "%s", name);
	return i;
}

int pmu_places(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;
	uint32_t last = 0;
	int err = 0;

	for (uint32_t i = 0; i < state->cpus.count; i++)
		if (state->cpus.items[i] > last)
			last = state->cpus.items[i];
	for (uint32_t i = 0; i < state->count; i++)
		for (uint32_t j = 0; j < state->counters[i].cpus.count; j++)
			if (state->counters[i].cpus.items[j] > last)
				last = state->counters[i].cpus.items[j];
	state->places = calloc((size_t)last + 2, sizeof(*state->places));
	if (!state->places)
		return weir_fail(ctx, -ENOMEM, "places of %u CPUs", last + 1);
	for (uint32_t cpu = 0; !err && cpu <= last; cpu++) {
		char name[48];
		bool there = cpu == 0;

		for (uint32_t i = 0; i < state->cpus.count; i++)
			there |= state->cpus.items[i] == cpu;
		pmu_place_name(ctx, cpu, name, sizeof(name));
		err = weir_numbers_add(&state->place_of, there ? pmu_place_at(state, name) : 0);
	}
	return err ? weir_fail(ctx, err, "places of CPUs") : 0;
}

uint32_t pmu_place(const struct pmu_state *state, uint32_t cpu)
{
	return cpu < state->place_of.count ? state->place_of.items[cpu] : 0;
}
