/* SPDX-License-Identifier: BSD-2-Clause */
/* See rates.h. */
#include "rates.h"

#include <math.h>

#include <weir/keyed.h>
#include <weir/sample.h>

struct mem_rates_row {
	uint64_t values[MEM_RATE_COUNT];
	double efficiency;
};

#define MEM_RATE_FIELD(id_, column_, unit_, head_, head_unit_, flags_, doc_)                       \
	{ .name = #column_,                                                                        \
	  .doc = (doc_),                                                                           \
	  .unit = (unit_),                                                                         \
	  .type = WEIR_TYPE_UINT,                                                                  \
	  .role = WEIR_DELTA,                                                                      \
	  .bytes = 8,                                                                              \
	  .flags = WEIR_OPTIONAL | (flags_),                                                       \
	  .offset = (uint32_t)(offsetof(struct mem_rates_row, values) + 8 * MEM_##id_),            \
	  .head = WEIR_HEAD(head_, head_unit_, WEIR_PER_SECOND) },
#define MEM_RATE(id_, name_, column_, head_, flags_, doc_)                                         \
	MEM_RATE_FIELD(id_, column_, WEIR_COUNT, head_, WEIR_COUNT, flags_, doc_)
#define MEM_BYTE_RATE(id_, name_, column_, head_, flags_, doc_)                                    \
	MEM_RATE_FIELD(id_, column_, WEIR_BYTES, head_, WEIR_KIB, flags_, doc_)

static const struct weir_field mem_rates_fields[] = {
	MEM_BYTE_RATES(MEM_BYTE_RATE) MEM_RATES(MEM_RATE)
		WEIR_FIELD_HEAD(struct mem_rates_row, efficiency, WEIR_RATIO, WEIR_GAUGE,
				WEIR_OPTIONAL | WEIR_QUIET, WEIR_HEAD("%vmeff", WEIR_PERCENT, 0),
				"share of the pages looked at that were taken"),
};

const struct weir_schema mem_rates_schema = { sizeof(struct weir_schema),
					      WEIR_ROW_SIZE(struct mem_rates_row), "paging",
					      WEIR_TABLE(mem_rates_fields) };

#define MEM_RATE_NAME(id_, name_, ...) [MEM_##id_] = name_,

static const char *const mem_names[MEM_RATE_COUNT] = { MEM_RATES(MEM_RATE_NAME)
							       MEM_BYTE_RATES(MEM_RATE_NAME) };

/* The name itself, or one with a zone behind it: "allocstall_normal". */
static bool mem_is(const char *line, const char *name)
{
	static const char *const ends[] = { " ",      "_dma ",     "_dma32 ", "_normal ",
					    "_high ", "_movable ", "_device " };
	size_t length = strlen(name);

	if (strncmp(line, name, length) != 0)
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strncmp(line + length, ends[i], strlen(ends[i])) == 0)
			return true;
	return false;
}

static int mem_take_line(struct weir_ctx *ctx, const char *line, struct mem_counters *counters)
{
	const char *at = line + strcspn(line, " \n");
	uint64_t number;

	for (int i = 0; i < MEM_RATE_COUNT; i++) {
		uint64_t *value = &counters->values[i];

		if (!mem_is(line, mem_names[i]))
			continue;
		if (!weir_take_number(&at, &number))
			return weir_fail(ctx, -EBADMSG, "/proc/vmstat: cannot read \"%.*s\"",
					 (int)strcspn(line, "\n"), line);
		*value = (*value == WEIR_ABSENT_U64 ? 0 : *value) + number;
		return 0;
	}
	return 0;
}

int mem_rates_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct mem_counters *counters)
{
	int err = weir_read_file(ctx, "proc/vmstat", buffer);

	if (err)
		return weir_fail(ctx, err, "read /proc/vmstat");
	for (int i = 0; i < MEM_RATE_COUNT; i++)
		counters->values[i] = WEIR_ABSENT_U64;
	for (const char *line = buffer->bytes; !err && line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		err = mem_take_line(ctx, line, counters);
	}
	return err;
}

static uint64_t mem_added(struct weir_batch *batch, uint64_t from, uint64_t to)
{
	if (from == WEIR_ABSENT_U64 || to == WEIR_ABSENT_U64)
		return WEIR_ABSENT_U64;
	return weir_sample_added(batch, from, to);
}

/* As sar: of what kswapd and tasks looked at. */
static double mem_efficiency(const uint64_t *values)
{
	uint64_t scan = values[MEM_SCAN_KSWAPD], direct = values[MEM_SCAN_DIRECT];
	uint64_t steal = values[MEM_STEAL_KSWAPD], direct_steal = values[MEM_STEAL_DIRECT];

	if (scan == WEIR_ABSENT_U64 || direct == WEIR_ABSENT_U64 || steal == WEIR_ABSENT_U64 ||
	    direct_steal == WEIR_ABSENT_U64 || scan + direct == 0)
		return NAN;
	return (double)(steal + direct_steal) / (double)(scan + direct);
}

int mem_rates_add(struct weir_ctx *ctx, struct weir_batch *batch, const struct mem_counters *old,
		  const struct mem_counters *new)
{
	struct mem_rates_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	for (int i = 0; i < MEM_RATE_COUNT; i++)
		row->values[i] = mem_added(batch, old->values[i], new->values[i]);
	row->efficiency = mem_efficiency(row->values);
	for (int i = MEM_PAGE_IN; i <= MEM_PAGE_OUT; i++)
		if (row->values[i] != WEIR_ABSENT_U64)
			row->values[i] *= 1024;
	return 0;
}
