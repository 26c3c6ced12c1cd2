/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pressure stall information of the whole machine: which share of a window tasks stood still for
 * want of a resource, from the totals of /proc/pressure; its averages are of other times.
 */
#ifndef WEIR_PRESSURE_H
#define WEIR_PRESSURE_H

#include "file.h"
#include "host.h"
#include "number.h"
#include "schema.h"

/* Totals in us; WEIR_ABSENT_U64: the kernel does not tell. */
struct weir_pressure {
	uint64_t some; /* at least one task waited */
	uint64_t full; /* all that could run waited */
};

struct weir_pressure_row {
	char resource[16];
	double some;
	double full;
};

#define WEIR_PRESSURE_FIELDS                                                                       \
	WEIR_FIELD(struct weir_pressure_row, resource, WEIR_NONE, WEIR_KEY,                        \
		   "cpu, memory, io, irq"),                                                        \
		WEIR_FIELD_HEAD(struct weir_pressure_row, some, WEIR_RATIO, WEIR_GAUGE,            \
				WEIR_OPTIONAL, WEIR_HEAD("%some", WEIR_PERCENT, 0),                \
				"share of the window in which some task waited for it"),           \
		WEIR_FIELD_HEAD(struct weir_pressure_row, full, WEIR_RATIO, WEIR_GAUGE,            \
				WEIR_OPTIONAL, WEIR_HEAD("%full", WEIR_PERCENT, 0),                \
				"share in which all tasks waited, so that nothing was done")

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12" */
static inline uint64_t weir_pressure_total(const char *text, const char *word)
{
	const char *line = strncmp(text, word, strlen(word)) == 0 ? text : NULL;
	const char *at;
	uint64_t total;

	for (at = text; !line && (at = strchr(at, '\n')); at++)
		if (strncmp(at + 1, word, strlen(word)) == 0)
			line = at + 1;
	at = line ? strstr(line, " total=") : NULL;
	if (!at || at > line + strcspn(line, "\n"))
		return WEIR_ABSENT_U64;
	at += strlen(" total=");
	return weir_take_number(&at, &total) ? total : WEIR_ABSENT_U64;
}

/*
 * Reads proc/pressure/RESOURCE. What cannot be read, as the kernel has it not, has it switched off
 * (EOPNOTSUPP) or the line came with a later one, is absent; nothing else suffers.
 */
static inline void weir_pressure_read(struct weir_ctx *ctx, const char *resource,
				      struct weir_buffer *buffer, struct weir_pressure *pressure)
{
	char path[40] = "proc/pressure/";

	pressure->some = pressure->full = WEIR_ABSENT_U64;
	strncat(path, resource, sizeof(path) - strlen(path) - 1);
	if (weir_read_file(ctx, path, buffer) < 0 || !buffer->bytes)
		return;
	pressure->some = weir_pressure_total(buffer->bytes, "some ");
	pressure->full = weir_pressure_total(buffer->bytes, "full ");
}

/* A total is updated a little behind the clock: more than the whole window is the whole. */
static inline double weir_pressure_share(uint64_t from, uint64_t to, const struct weir_batch *batch)
{
	uint64_t window = batch->end - batch->start;
	double share;

	if (from == WEIR_ABSENT_U64 || to == WEIR_ABSENT_U64 || to < from || window == 0)
		return __builtin_nan("");
	share = (double)(to - from) * 1e3 / (double)window;
	return share > 1 ? 1 : share;
}

/* Adds a row; none where the kernel tells neither. 0 or -ENOMEM. */
static inline int weir_pressure_add(struct weir_ctx *ctx, struct weir_batch *batch,
				    const char *resource, const struct weir_pressure *from,
				    const struct weir_pressure *to)
{
	struct weir_pressure_row *row;

	if (to->some == WEIR_ABSENT_U64 && to->full == WEIR_ABSENT_U64)
		return 0;
	row = (struct weir_pressure_row *)weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	memcpy(row->resource, resource, strnlen(resource, sizeof(row->resource) - 1));
	row->some = weir_pressure_share(from->some, to->some, batch);
	row->full = weir_pressure_share(from->full, to->full, batch);
	if (row->some != row->some && row->full != row->full)
		batch->flags |= WEIR_BATCH_GAP;
	return 0;
}

#endif
