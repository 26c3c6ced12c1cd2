/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of rows as cells of comma-separated values. */
#ifndef CSV_CELL_H
#define CSV_CELL_H

#include "line.h"
#include "value.h"

/* What a cell shows of a value: all of it, or one figure of a histogram. */
enum csv_part {
	CSV_WHOLE,
	CSV_COUNT,
	CSV_SUM,
	CSV_MIN,
	CSV_MAX,
	CSV_P50,
	CSV_P90,
	CSV_P99,
	CSV_PARTS,
};

/* ".count" and its kind, "" for the whole. */
const char *csv_part_name(enum csv_part part);

/* A text as a cell: quoted where it must be. Its bytes stay as they are. */
void csv_text(struct line *line, const char *text, size_t length);

/* A moment of CLOCK_REALTIME, in ns: RFC 3339, UTC. */
void csv_time(struct line *line, uint64_t wall_ns);

/* A number; nothing for NaN and infinities. */
void csv_double(struct line *line, double value);

/* The cell of a field; nothing where the value is absent. */
void csv_cell(struct weir_ctx *ctx, const struct weir_batch *batch, const struct weir_field *field,
	      enum csv_part part, const void *row, struct line *line);

#endif
