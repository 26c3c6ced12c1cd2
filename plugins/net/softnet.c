/* SPDX-License-Identifier: BSD-2-Clause */
/* See softnet.h. */
#include "softnet.h"

#include <stdlib.h>

#include <weir/host.h>

struct softnet_row {
	uint32_t cpu;
	uint32_t pad;
	uint64_t counters[SOFTNET_COUNTERS];
};

#define SOFTNET_FIELD(name_, counter_, head_, doc_)                                                \
	{                                                                                          \
		.name = (name_), .doc = (doc_), .unit = WEIR_COUNT, .type = WEIR_TYPE_UINT,        \
		.role = WEIR_DELTA, .bytes = 8, .flags = WEIR_OPTIONAL,                            \
		.offset = (uint32_t)(offsetof(struct softnet_row, counters) + 8 * (counter_)),     \
		.head = WEIR_HEAD(head_, WEIR_COUNT, WEIR_PER_SECOND)                              \
	}

static const struct weir_field softnet_fields[] = {
	WEIR_FIELD(struct softnet_row, cpu, WEIR_NONE, WEIR_KEY, "CPU number"),
	SOFTNET_FIELD("processed", SOFTNET_PROCESSED, "total/s", "packets taken in"),
	SOFTNET_FIELD("dropped", SOFTNET_DROPPED, "dropd/s", "dropped, as the backlog was full"),
	SOFTNET_FIELD("squeezed", SOFTNET_SQUEEZED, "squeezd/s",
		      "times that time or budget ran out before the work was done"),
	SOFTNET_FIELD("rps", SOFTNET_RPS, "rx_rps/s", "wakeups by other CPUs"),
	SOFTNET_FIELD("flow_limit", SOFTNET_FLOW_LIMIT, "flw_lim/s", "dropped by the flow limit"),
	{ .name = "backlog",
	  .doc = "packets that wait at the window's end",
	  .unit = WEIR_COUNT,
	  .type = WEIR_TYPE_UINT,
	  .role = WEIR_GAUGE,
	  .bytes = 8,
	  .flags = WEIR_OPTIONAL,
	  .offset = (uint32_t)(offsetof(struct softnet_row, counters) + 8 * SOFTNET_BACKLOG),
	  .head = WEIR_HEAD("blg_len", WEIR_COUNT, 0) },
};

const struct weir_schema softnet_schema = { sizeof(struct weir_schema),
					    WEIR_ROW_SIZE(struct softnet_row), "CPUs",
					    WEIR_TABLE(softnet_fields) };

enum { SOFTNET_COLUMNS = 15, SOFTNET_CPU_COLUMN = 12 };

/* Where the kernel has which counter; columns behind the eleventh came with time. */
static const uint8_t softnet_columns[SOFTNET_COUNTERS] = {
	[SOFTNET_PROCESSED] = 0, [SOFTNET_DROPPED] = 1,     [SOFTNET_SQUEEZED] = 2,
	[SOFTNET_RPS] = 9,       [SOFTNET_FLOW_LIMIT] = 10, [SOFTNET_BACKLOG] = 11,
};

static struct softnet_cpu *softnet_add(struct softnet_sample *sample)
{
	uint32_t capacity = sample->capacity ? sample->capacity * 2 : 16;
	struct softnet_cpu *cpus;

	if (sample->count == sample->capacity) {
		cpus = realloc(sample->cpus, capacity * sizeof(*cpus));
		if (!cpus)
			return NULL;
		sample->cpus = cpus;
		sample->capacity = capacity;
	}
	memset(&sample->cpus[sample->count], 0, sizeof(*sample->cpus));
	return &sample->cpus[sample->count++];
}

/* Hexadecimal columns; kernels before 5.10 do not tell the CPU: there, lines are those in order. */
static bool softnet_parse(const char *line, uint32_t place, struct softnet_cpu *cpu)
{
	uint32_t columns[SOFTNET_COLUMNS];
	int n = 0;

	while (n < SOFTNET_COLUMNS && *line && *line != '\n') {
		char *end;
		unsigned long value = strtoul(line, &end, 16);

		if (end == line || value > UINT32_MAX)
			return false;
		columns[n++] = (uint32_t)value;
		line = end + strspn(end, " ");
	}
	for (int i = 0; i < SOFTNET_COUNTERS; i++) {
		cpu->has[i] = softnet_columns[i] < n;
		cpu->counters[i] = cpu->has[i] ? columns[softnet_columns[i]] : 0;
	}
	cpu->cpu = n > SOFTNET_CPU_COLUMN ? columns[SOFTNET_CPU_COLUMN] : place;
	return n > softnet_columns[SOFTNET_SQUEEZED];
}

int softnet_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct softnet_sample *sample)
{
	const char *line;

	sample->count = 0;
	sample->there = weir_read_file(ctx, "proc/net/softnet_stat", buffer) == 0;
	for (line = sample->there ? buffer->bytes : NULL; line && *line;
	     line = strchr(line, '\n')) {
		struct softnet_cpu *cpu;

		line += *line == '\n';
		if (!*line)
			break;
		cpu = softnet_add(sample);
		if (!cpu)
			return weir_fail(ctx, -ENOMEM, "remember counters of CPUs");
		if (!softnet_parse(line, sample->count - 1, cpu))
			return weir_fail(ctx, -EBADMSG,
					 "/proc/net/softnet_stat: cannot read \"%.*s\"",
					 (int)strcspn(line, "\n"), line);
	}
	return 0;
}

static const struct softnet_cpu *softnet_find(const struct softnet_sample *sample, uint32_t cpu)
{
	for (uint32_t i = 0; i < sample->count; i++)
		if (sample->cpus[i].cpu == cpu)
			return &sample->cpus[i];
	return NULL;
}

/* They turn over at 32 bits, so a difference is right; what is more than half of that went back. */
static void softnet_fill(struct weir_batch *batch, struct softnet_row *row,
			 const struct softnet_cpu *old, const struct softnet_cpu *new)
{
	row->cpu = new->cpu;
	for (int i = 0; i < SOFTNET_COUNTERS; i++) {
		uint32_t delta = old ? new->counters[i] - old->counters[i] : UINT32_MAX;

		if (!new->has[i])
			row->counters[i] = WEIR_ABSENT_U64;
		else if (i == SOFTNET_BACKLOG)
			row->counters[i] = new->counters[i];
		else if (delta <= INT32_MAX)
			row->counters[i] = delta;
		else {
			row->counters[i] = WEIR_ABSENT_U64;
			batch->flags |= WEIR_BATCH_GAP;
		}
	}
}

int softnet_add_rows(struct weir_ctx *ctx, struct weir_batch *batch,
		     const struct softnet_sample *old, const struct softnet_sample *new)
{
	for (uint32_t i = 0; i < new->count; i++) {
		struct softnet_row *row = weir_add_row(ctx, batch);

		if (!row)
			return -ENOMEM;
		softnet_fill(batch, row, softnet_find(old, new->cpus[i].cpu), &new->cpus[i]);
	}
	if (new->count < old->count)
		batch->flags |= WEIR_BATCH_GAP;
	return 0;
}
