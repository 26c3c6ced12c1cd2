/* SPDX-License-Identifier: BSD-2-Clause */
/* A cgroup's row; see row.h. */
#include <math.h>

#include "row.h"

#define ROW_FIELD(member_, unit_, role_, flags_, doc_)                                             \
	WEIR_FIELD_WITH(struct cgroup_row, member_, unit_, role_, WEIR_OPTIONAL | (flags_), doc_)
#define ROW_COUNT(member_, flags_, doc_)        ROW_FIELD(member_, WEIR_COUNT, WEIR_DELTA, flags_, doc_)
#define ROW_BYTES(member_, role_, flags_, doc_) ROW_FIELD(member_, WEIR_BYTES, role_, flags_, doc_)
#define ROW_SHARE(member_, flags_, doc_)        ROW_FIELD(member_, WEIR_RATIO, WEIR_DELTA, flags_, doc_)
/* Columns that are shown without being asked for, in 80 columns. */
#define ROW_SHOWN(member_, unit_, role_, head_, head_unit_, doc_)                                  \
	WEIR_FIELD_HEAD(struct cgroup_row, member_, unit_, role_, WEIR_OPTIONAL,                   \
			WEIR_HEAD(head_, head_unit_, 0), doc_)

static const struct weir_field cgroup_fields[] = {
	WEIR_FIELD(struct cgroup_row, cgroup, WEIR_NONE, WEIR_KEY, "path below its hierarchy"),
	WEIR_FIELD_WITH(struct cgroup_row, container, WEIR_NONE, WEIR_KEY,
			WEIR_OPTIONAL | WEIR_QUIET, "container that it belongs to"),
	ROW_FIELD(state, WEIR_NONE, WEIR_GAUGE, WEIR_QUIET,
		  "new, gone or replaced within the window; else empty"),
	ROW_SHOWN(cpus, WEIR_COUNT, WEIR_DELTA, "CPUs", WEIR_COUNT, "CPUs used on average"),
	ROW_SHOWN(cpus_max, WEIR_COUNT, WEIR_GAUGE, "of", WEIR_COUNT, "CPUs that its quota allows"),
	WEIR_FIELD_DURATION(struct cgroup_row, cpu_time, WEIR_DELTA, WEIR_OPTIONAL | WEIR_QUIET,
			    "CPU time used"),
	ROW_COUNT(periods, WEIR_QUIET, "periods of the quota in which it ran"),
	ROW_SHOWN(throttled, WEIR_COUNT, WEIR_DELTA, "thr", WEIR_COUNT,
		  "of them, periods in which its quota ran out"),
	WEIR_FIELD_DURATION(struct cgroup_row, throttled_time, WEIR_DELTA,
			    WEIR_OPTIONAL | WEIR_QUIET,
			    "time it was stopped for that, added up over CPUs"),
	ROW_SHOWN(cpu_some, WEIR_RATIO, WEIR_DELTA, "%cpu", WEIR_PERCENT,
		  "time in which a task of it waited for a CPU"),
	ROW_SHARE(cpu_full, WEIR_QUIET, "... in which all that had something to do waited"),
	ROW_BYTES(memory, WEIR_GAUGE, 0, "memory used, page cache included"),
	ROW_SHOWN(memory_max, WEIR_BYTES, WEIR_GAUGE, "limit", WEIR_BYTES, "limit of memory"),
	ROW_BYTES(memory_high, WEIR_GAUGE, WEIR_QUIET, "limit from which it is slowed down"),
	ROW_COUNT(memory_max_hits, WEIR_QUIET, "times that its memory came up to the limit"),
	ROW_COUNT(memory_high_hits, WEIR_QUIET, "times that it was slowed down"),
	ROW_BYTES(swap, WEIR_GAUGE, WEIR_QUIET, "swap used"),
	ROW_BYTES(swap_max, WEIR_GAUGE, WEIR_QUIET,
		  "limit of swap; version 1: with the memory at its limit"),
	ROW_COUNT(ooms, WEIR_QUIET, "times that it ran out of memory"),
	ROW_SHOWN(oom_kills, WEIR_COUNT, WEIR_DELTA, "oom", WEIR_COUNT, "processes killed for it"),
	ROW_SHOWN(memory_some, WEIR_RATIO, WEIR_DELTA, "%mem", WEIR_PERCENT,
		  "time in which a task of it waited for memory"),
	ROW_SHARE(memory_full, WEIR_QUIET, "... in which all that had something to do waited"),
	ROW_FIELD(pids, WEIR_COUNT, WEIR_GAUGE, WEIR_QUIET, "tasks"),
	ROW_FIELD(pids_max, WEIR_COUNT, WEIR_GAUGE, WEIR_QUIET, "limit of tasks"),
	ROW_COUNT(pids_max_hits, WEIR_QUIET, "forks refused for it"),
	ROW_SHOWN(io_some, WEIR_RATIO, WEIR_DELTA, "%io", WEIR_PERCENT,
		  "time in which a task of it waited for a device"),
	ROW_SHARE(io_full, WEIR_QUIET, "... in which all that had something to do waited"),
	ROW_BYTES(read_bytes, WEIR_DELTA, WEIR_QUIET, "read from devices"),
	ROW_BYTES(written_bytes, WEIR_DELTA, WEIR_QUIET, "written to devices"),
	ROW_COUNT(reads, WEIR_QUIET, "requests that read"),
	ROW_COUNT(writes, WEIR_QUIET, "requests that wrote"),
};

const struct weir_schema cgroup_schema = { sizeof(struct weir_schema), sizeof(struct cgroup_row),
					   "cgroups", WEIR_TABLE(cgroup_fields) };

_Static_assert(sizeof(struct cgroup_row) % 8 == 0, "cgroup_row: rows are multiples of 8 bytes");

/* Folders made again under the old name have other numbers. */
static bool cgroup_replaced(const struct cgroup_entry *old, const struct cgroup_entry *new)
{
	for (uint32_t i = 0; i < CGROUP_CONTROLLERS; i++)
		if (old->id[i] && new->id[i] && old->id[i] != new->id[i])
			return true;
	return false;
}

const char *cgroup_state(const struct cgroup_entry *old, const struct cgroup_entry *new)
{
	if (!new)
		return "gone";
	if (!old)
		return "new";
	return cgroup_replaced(old, new) ? "replaced" : "";
}

/*
 * By how much a counter has grown. That of a folder made within the window began with 0; one that
 * the folder did not have before, or that went back, says nothing.
 */
static uint64_t cgroup_added(struct weir_batch *batch, const struct cgroup_entry *old,
			     const struct cgroup_entry *new, enum cgroup_value number)
{
	uint64_t before = 0, after = new->values.value[number];
	uint8_t mount = new->values.mount[number];

	if (after == WEIR_ABSENT_U64)
		return WEIR_ABSENT_U64;
	if (old && old->id[mount] == new->id[mount]) {
		before = old->values.value[number];
		if (before == WEIR_ABSENT_U64 || old->values.mount[number] != mount)
			return WEIR_ABSENT_U64;
	}
	return weir_sample_added(batch, before, after);
}

static double cgroup_share(uint64_t part, uint64_t whole)
{
	return part == WEIR_ABSENT_U64 || whole == WEIR_ABSENT_U64 || whole == 0
		       ? NAN
		       : (double)part / (double)whole;
}

/* Pressure is told with a delay of up to two seconds, and may then exceed a short window. */
static double cgroup_pressure(uint64_t waited, uint64_t ns)
{
	double share = cgroup_share(waited, ns);

	return share > 1 ? 1 : share;
}

static uint64_t cgroup_less(uint64_t sum, uint64_t part)
{
	if (sum == WEIR_ABSENT_U64 || part == WEIR_ABSENT_U64)
		return WEIR_ABSENT_U64;
	return sum > part ? sum - part : 0;
}

static void cgroup_fill_levels(struct cgroup_row *row, const uint64_t *value)
{
	row->cpus_max = cgroup_share(value[CPU_QUOTA], value[CPU_PERIOD]);
	row->memory = value[MEMORY];
	row->memory_max = value[MEMORY_MAX];
	row->memory_high = value[MEMORY_HIGH];
	row->swap = value[SWAP];
	row->swap_max = value[SWAP_MAX];
	if (row->swap == WEIR_ABSENT_U64)
		row->swap = cgroup_less(value[MEMORY_SWAP], value[MEMORY]);
	if (row->swap_max == WEIR_ABSENT_U64)
		row->swap_max = cgroup_less(value[MEMORY_SWAP_MAX], value[MEMORY_MAX]);
	row->pids = value[PIDS];
	row->pids_max = value[PIDS_MAX];
}

static void cgroup_fill_counters(struct cgroup_row *row, const uint64_t *added, uint64_t ns)
{
	row->cpu_time = added[CPU_USAGE];
	row->cpus = cgroup_share(added[CPU_USAGE], ns);
	row->periods = added[PERIODS];
	row->throttled = added[THROTTLED];
	row->throttled_time = added[THROTTLED_TIME];
	row->memory_max_hits = added[MEMORY_MAX_HITS];
	row->memory_high_hits = added[MEMORY_HIGH_HITS];
	row->ooms = added[OOMS];
	row->oom_kills = added[OOM_KILLS];
	row->pids_max_hits = added[PIDS_MAX_HITS];
	row->read_bytes = added[READ_BYTES];
	row->written_bytes = added[WRITTEN_BYTES];
	row->reads = added[READS];
	row->writes = added[WRITES];
	row->cpu_some = cgroup_pressure(added[CPU_SOME], ns);
	row->cpu_full = cgroup_pressure(added[CPU_FULL], ns);
	row->memory_some = cgroup_pressure(added[MEMORY_SOME], ns);
	row->memory_full = cgroup_pressure(added[MEMORY_FULL], ns);
	row->io_some = cgroup_pressure(added[IO_SOME], ns);
	row->io_full = cgroup_pressure(added[IO_FULL], ns);
}

void cgroup_row_fill(struct cgroup_row *row, struct weir_batch *batch,
		     const struct cgroup_entry *old, const struct cgroup_entry *new, uint64_t ns)
{
	uint64_t added[CGROUP_VALUES];
	struct cgroup_values none;

	cgroup_values_clear(&none);
	for (uint32_t i = CPU_USAGE; i < CGROUP_VALUES; i++)
		added[i] = new ? cgroup_added(batch, old, new, i) : WEIR_ABSENT_U64;
	cgroup_fill_levels(row, new ? new->values.value : none.value);
	cgroup_fill_counters(row, added, ns);
}

static bool cgroup_some(uint64_t added)
{
	return added != WEIR_ABSENT_U64 && added > 0;
}

bool cgroup_row_matters(const struct cgroup_row *row)
{
	return row->state[0] || !isnan(row->cpus_max) || row->memory_max != WEIR_ABSENT_U64 ||
	       row->memory_high != WEIR_ABSENT_U64 || cgroup_some(row->cpu_time) ||
	       cgroup_some(row->read_bytes) || cgroup_some(row->written_bytes) ||
	       cgroup_some(row->memory_max_hits) || cgroup_some(row->oom_kills) ||
	       cgroup_some(row->pids_max_hits);
}
