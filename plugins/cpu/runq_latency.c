/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The histograms of cpu.runq: emptied out of the kernel when a window ends, one row each.
 */
#include <inttypes.h>
#include <stdio.h>

#include <weir/bpf/loader.h>
#include <weir/histogram.h>

#include "runq.h"

struct runq_latency_row {
	uint32_t cpu;
	uint32_t pid;
	char comm[WEIR_COMM_LENGTH];
	struct weir_text cgroup;
	struct weir_text container;
	uint64_t count;
	struct weir_histogram_ref wait;
};

#define ROW_CPU                                                                                    \
	WEIR_FIELD(struct runq_latency_row, cpu, WEIR_NONE, WEIR_KEY, "CPU that they then ran on")
#define ROW_PID                                                                                    \
	WEIR_FIELD_WITH(struct runq_latency_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process")
#define ROW_COMM                                                                                   \
	WEIR_FIELD(struct runq_latency_row, comm, WEIR_NONE, WEIR_KEY, "name of the process")
#define ROW_CGROUP WEIR_FIELD(struct runq_latency_row, cgroup, WEIR_NONE, WEIR_KEY, "control group")
#define ROW_CONTAINER                                                                              \
	WEIR_FIELD_WITH(struct runq_latency_row, container, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,    \
			"container")
#define ROW_VALUES                                                                                 \
	WEIR_FIELD(struct runq_latency_row, count, WEIR_COUNT, WEIR_DELTA,                         \
		   "waits that ended: times that a thread was given a CPU"),                       \
		WEIR_FIELD(struct runq_latency_row, wait, WEIR_NS, WEIR_DELTA,                     \
			   "from being woken, or losing the CPU, to running")

static const struct weir_field runq_all_fields[] = { ROW_VALUES };
static const struct weir_field runq_cpu_fields[] = { ROW_CPU, ROW_VALUES };
static const struct weir_field runq_pid_fields[] = { ROW_PID, ROW_COMM, ROW_VALUES };
static const struct weir_field runq_cgroup_fields[] = { ROW_CGROUP, ROW_CONTAINER, ROW_VALUES };

WEIR_SCHEMA(runq_all_schema, "waits for a CPU", struct runq_latency_row, runq_all_fields);
WEIR_SCHEMA(runq_cpu_schema, "waits for a CPU, by CPU", struct runq_latency_row, runq_cpu_fields);
WEIR_SCHEMA(runq_pid_schema, "waits for a CPU, by process", struct runq_latency_row,
	    runq_pid_fields);
WEIR_SCHEMA(runq_cgroup_schema, "waits for a CPU, by cgroup", struct runq_latency_row,
	    runq_cgroup_fields);

const struct weir_schema *runq_latency_schema(uint32_t by)
{
	static const struct weir_schema *const schemas[] = {
		[RUNQ_BY_NONE] = &runq_all_schema,
		[RUNQ_BY_CPU] = &runq_cpu_schema,
		[RUNQ_BY_PID] = &runq_pid_schema,
		[RUNQ_BY_CGROUP] = &runq_cgroup_schema,
	};

	return schemas[by];
}

static int runq_cgroup_text(struct weir_ctx *ctx, struct weir_batch *batch, const char *cgroup,
			    struct runq_latency_row *row)
{
	char container[128];

	weir_container_name(cgroup, container, sizeof(container));
	if (weir_add_text(ctx, batch, cgroup, strlen(cgroup), &row->cgroup))
		return -ENOMEM;
	return weir_add_text(ctx, batch, container, strlen(container), &row->container);
}

/* Who waited. Slot 0 took what found no slot of its own. */
static int runq_keys(struct weir_ctx *ctx, struct runq_latency *latency, struct weir_batch *batch,
		     uint32_t i, struct runq_latency_row *row)
{
	const struct runq_slot *slot = weir_slot(&latency->slots, i);
	const char *cgroup;
	char number[32];

	if (latency->by == RUNQ_BY_CPU)
		row->cpu = i;
	if (latency->by == RUNQ_BY_PID) {
		row->pid = i ? (uint32_t)slot->key : WEIR_ABSENT_U32;
		snprintf(row->comm, sizeof(row->comm), "%.*s", WEIR_COMM_LENGTH - 1,
			 i ? slot->comm : "(other)");
	}
	if (latency->by != RUNQ_BY_CGROUP)
		return 0;
	cgroup = i ? weir_cgroup_path(ctx, latency->cgroups, slot->key) : "(other)";
	if (!cgroup[0]) {
		/* It was removed before its name was asked for. */
		snprintf(number, sizeof(number), "(id %llu)", slot->key);
		cgroup = number;
	}
	return runq_cgroup_text(ctx, batch, cgroup, row);
}

static int runq_add_row(struct weir_ctx *ctx, struct runq_latency *latency,
			struct weir_batch *batch, uint32_t i,
			const struct weir_histogram_cells *wait, uint64_t count)
{
	struct runq_latency_row row = { .count = count }, *out;

	if (runq_keys(ctx, latency, batch, i, &row) ||
	    weir_add_histogram_cells(ctx, batch, wait, RUNQ_FIRST, &row.wait))
		return -ENOMEM;
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = row;
	return 0;
}

/* Has the program forget the key of a slot, so that its next wait finds another one. */
static void runq_forget(struct runq_latency *latency, uint32_t i)
{
	struct runq_slot *slot = weir_slot(&latency->slots, i);

	if (slot->known)
		skel_map_delete_elem(latency->index_fd, &slot->key);
	slot->known = 0;
}

static int runq_take(struct weir_ctx *ctx, struct runq_latency *latency, struct weir_batch *batch,
		     uint32_t i)
{
	struct runq_slot *slot = weir_slot(&latency->slots, i);
	struct weir_histogram_cells wait;
	uint64_t count = weir_histogram_take(&slot->wait, &wait);
	int err = count ? runq_add_row(ctx, latency, batch, i, &wait, count) : 0;

	if (!latency->fixed && i &&
	    weir_slots_judge(&latency->slots, i, count > 0) == WEIR_SLOT_SILENT)
		runq_forget(latency, i);
	return err;
}

int runq_latency_emit(struct weir_ctx *ctx, struct runq_latency *latency,
		      const struct runq_window *window)
{
	uint32_t wanted = latency->fixed ? latency->fixed : weir_slots_used(&latency->slots);
	struct weir_batch *batch;
	int err = weir_slots_map(&latency->slots, latency->slots_fd, wanted);

	if (err)
		return weir_fail(ctx, err, "map %u histograms of the kernel", wanted);
	batch = weir_loan(ctx, window->output, latency->slots.mapped, 0);
	/* What a full queue does not take now stays in the kernel, for the next tick. */
	if (!batch)
		return 0;
	for (uint32_t i = 0; i < latency->slots.mapped && !err; i++)
		err = runq_take(ctx, latency, batch, i);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send histograms");
	}
	batch->start = window->start;
	batch->end = window->end;
	err = weir_commit(ctx, batch);
	return err ? err : 1;
}
