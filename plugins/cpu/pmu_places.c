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

static uint32_t pmu_largest(const struct weir_numbers *numbers, uint32_t largest)
{
	for (uint32_t i = 0; i < numbers->count; i++)
		if (numbers->items[i] > largest)
			largest = numbers->items[i];
	return largest;
}

static bool pmu_has_cpu(const struct pmu_state *state, uint32_t cpu)
{
	for (uint32_t i = 0; i < state->cpus.count; i++)
		if (state->cpus.items[i] == cpu)
			return true;
	return cpu == 0;
}

static int pmu_room_of_places(struct pmu_state *state)
{
	for (uint32_t i = 0; i < state->count; i++) {
		struct pmu_counter *counter = &state->counters[i];

		counter->sums = calloc(state->place_count, sizeof(*counter->sums));
		counter->series = calloc(state->place_count, sizeof(*counter->series));
		if (!counter->sums || !counter->series)
			return -ENOMEM;
	}
	return 0;
}

int pmu_places(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;
	uint32_t last = pmu_largest(&state->cpus, 0);
	int err = 0;

	for (uint32_t i = 0; i < state->count; i++)
		last = pmu_largest(&state->counters[i].cpus, last);
	state->places = calloc((size_t)last + 2, sizeof(*state->places));
	if (!state->places)
		return weir_fail(ctx, -ENOMEM, "places of %u CPUs", last + 1);
	for (uint32_t cpu = 0; !err && cpu <= last; cpu++) {
		char name[48];

		pmu_place_name(ctx, cpu, name, sizeof(name));
		err = weir_numbers_add(&state->place_of,
				       pmu_has_cpu(state, cpu) ? pmu_place_at(state, name) : 0);
	}
	if (!err)
		err = pmu_room_of_places(state);
	return err ? weir_fail(ctx, err, "places of CPUs") : 0;
}

uint32_t pmu_place(const struct pmu_state *state, uint32_t cpu)
{
	return cpu < state->place_of.count ? state->place_of.items[cpu] : 0;
}
