/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: the user part of a call chain, from the registers and the copy of the stack that the
 * sample has. The service "unwind" walks; it asks back what was mapped where.
 */
#include "perf_data.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
	UNWIND_MOST = 1024, /* frames of one stack */
	UNWIND_NARROW = 1,  /* a sample's registers are those of a 32-bit program */
};

/* The service that the walker asks: it is about data->unwind_space. */
static int unwind_mapping(struct weir_ctx *self, uint32_t pid, uint64_t time, uint64_t address,
			  struct weir_mapping *mapping)
{
	struct perf_data *data = self->state;
	const struct perf_data_space *space = data->unwind_space;
	const struct perf_data_map *map = space ? perf_data_map_at(space, address) : NULL;
	struct weir_mapping found;

	(void)time;
	if (!map)
		return -ENOENT;
	perf_data_mapping(data, map, pid, &found);
	/* It is code, but of no file that is here. */
	if (perf_data_is_foreign_vdso(data, map))
		found.path = "";
	weir_give(mapping, &found, sizeof(found));
	return 0;
}

static const struct weir_process_v1 unwind_processes = {
	.size = sizeof(struct weir_process_v1),
	.mapping = unwind_mapping,
};

static int unwind_open(struct perf_data *data, const struct weir_unwind_v1 *service)
{
	const struct weir_service asked = { &unwind_processes, &data->unwind_self };

	if (data->walker)
		return 0;
	data->unwind_self = (struct weir_ctx){ .size = sizeof(data->unwind_self), .state = data };
	data->unwound = calloc(UNWIND_MOST, sizeof(*data->unwound));
	return data->unwound ? service->open(data->file->unwind.ctx, &asked, &data->walker)
			     : -ENOMEM;
}

static uint32_t unwind_machine(const struct perf_data *data)
{
	static const struct {
		const char *name;
		uint32_t machine;
	} machines[] = {
		{ "x86_64", EM_X86_64 },
		{ "amd64", EM_X86_64 },
		{ "aarch64", EM_AARCH64 },
		{ "arm64", EM_AARCH64 },
	};

	for (size_t i = 0; data->features.arch && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (strcmp(machines[i].name, data->features.arch) == 0)
			return machines[i].machine;
	if (data->features.arch)
		return EM_NONE;
#if defined(__aarch64__)
	return EM_AARCH64;
#else
	return EM_X86_64;
#endif
}

/* The chain's kernel part, then the frames; where one is no return address, a mark says so. */
static int unwind_join(struct perf_data *data, struct perf_data_sample *sample,
		       const struct weir_unwind_stack *stack)
{
	static const uint64_t mark = PERF_DATA_CHAIN_USER;
	uint64_t kept = 0, used;
	uint8_t *joined;

	while (kept < sample->chain_count &&
	       perf_data_u64(data, sample->chain + kept * 8) != PERF_DATA_CHAIN_USER)
		kept++;
	joined = perf_data_chain_room(data, kept + stack->count * UINT64_C(2));
	if (!joined)
		return -ENOMEM;
	if (kept)
		memcpy(joined, sample->chain, kept * 8);
	used = kept;
	for (uint32_t i = 0; i < stack->count; i++) {
		if (!(stack->frames[i].flags & WEIR_UNWIND_CALLER))
			memcpy(joined + used++ * 8, &mark, 8);
		memcpy(joined + used++ * 8, &stack->frames[i].address, 8);
	}
	sample->chain = joined;
	sample->chain_count = used;
	sample->calls_at = UINT64_MAX;
	sample->unwound = true;
	sample->is_short = stack->end == WEIR_UNWIND_SHORT || stack->end == WEIR_UNWIND_DEEP;
	data->counts.unwound++;
	data->counts.short_stacks += stack->end == WEIR_UNWIND_SHORT;
	return 0;
}

int perf_data_unwind(struct perf_data *data, const struct perf_data_event *event,
		     struct perf_data_sample *sample)
{
	const struct weir_unwind_v1 *service = data->file->unwind.vtable;
	struct weir_unwind_stack stack = { .size = sizeof(stack),
					   .machine = unwind_machine(data),
					   .pid = sample->pid,
					   .mask = event->attr.user_registers,
					   .registers = sample->registers,
					   .bytes = sample->copy,
					   .byte_count = sample->copy_bytes,
					   .most = UNWIND_MOST };
	int err;

	if (!service || !sample->registers || !sample->copy)
		return 0;
	if (sample->register_abi == UNWIND_NARROW || data->swapped) {
		data->counts.narrow += !data->swapped;
		data->counts.foreign += data->swapped;
		return 0;
	}
	err = unwind_open(data, service);
	if (err)
		return err;
	stack.frames = data->unwound;
	data->unwind_space = perf_data_space_of(&data->processes, sample->pid);
	err = service->walk(data->file->unwind.ctx, data->walker, &stack);
	if (err == -EOPNOTSUPP)
		data->counts.foreign++;
	if (err)
		return err == -EOPNOTSUPP ? 0 : err;
	return unwind_join(data, sample, &stack);
}

void perf_data_unwind_report(struct perf_data *data)
{
	const struct perf_data_counts *counts = &data->counts;
	const char *path = data->file->input.path;

	if (data->file->conf->unwind == FILE_UNWIND_DWARF && !counts->unwound)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: no sample has a copy of its stack (perf record --call-graph dwarf)",
			 path);
	if (counts->short_stacks)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: %" PRIu64
			 " user stacks are larger than what was copied of them: they "
			 "end too early; record more (perf record --call-graph dwarf,65528)",
			 path, counts->short_stacks);
	if (counts->narrow)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: %" PRIu64 " stacks of 32-bit programs are not walked: they are the "
			 "innermost function alone",
			 path, counts->narrow);
	if (counts->foreign)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: %" PRIu64 " copies of stacks are of a machine that is neither x86-64 "
			 "nor arm64, and are not walked",
			 path, counts->foreign);
}

void perf_data_unwind_close(struct perf_data *data)
{
	const struct weir_unwind_v1 *service = data->file->unwind.vtable;

	if (service)
		service->close(data->file->unwind.ctx, data->walker);
	free(data->unwound);
}
