/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the sink table share. A schema becomes a view once (table_view.c); a batch's
 * rows are measured and fitted into the terminal (table_layout.c) and put on the page, line by
 * line (table_page.c), cell by cell (table_cell.c), with histograms below (table_bars.c).
 */
#ifndef TABLE_H
#define TABLE_H

#include <weir/plugin.h>

#include "line.h"

#define TABLE_PERCENTILES 16
#define TABLE_BARS        131 /* powers of two from 2^-64 to 2^64, what is below, what is above */

/* Choices of options, in the order of their tables. */
enum table_header {
	TABLE_HEADER_ONCE,
	TABLE_HEADER_EACH,
	TABLE_HEADER_NEVER,
	TABLE_HEADER_PAGE,
};

enum table_histogram {
	TABLE_HISTOGRAM_BARS,
	TABLE_HISTOGRAM_LINE,
	TABLE_HISTOGRAM_OFF,
};

enum table_units {
	TABLE_UNITS_HUMAN,
	TABLE_UNITS_RAW,
};

struct table_conf {
	const char *path;
	struct weir_texts columns;
	struct weir_texts percentiles;
	uint32_t units;
	uint32_t histogram;
	uint32_t header;
	bool live;
};

/* What of its field a column shows. */
enum table_part {
	TABLE_VALUE,
	TABLE_COUNT, /* the others are of a histogram */
	TABLE_MEAN,
	TABLE_PERCENTILE,
	TABLE_MAX,
};

struct table_column {
	const struct weir_field *field;
	const struct weir_field *depth; /* says how far to indent the text, or NULL */
	enum table_part part;
	uint32_t percentile; /* which one */
	char *head;
	bool text;      /* aligned to the left, and may be cut */
	uint32_t width; /* widest so far */
	uint32_t shown; /* on this page; 0: left out */
};

struct table_view;
struct value;

/* What is put below a row instead of into its line: bars, frames, tables. */
struct table_below {
	const struct weir_field *field;
	struct table_view *rows; /* ROWS: the view of the sub-schema */
};

/* How the rows of one schema are shown. */
struct table_view {
	const struct weir_schema *schema;
	struct table_column *columns;
	struct table_below *below;
	/* Rows are sentences: this field's, and no columns. NULL: they are not. */
	const struct weir_field *sentence;
	uint32_t column_count;
	uint32_t below_count;
	bool events;     /* rows stream under one header */
	bool histograms; /* the schema has some, shown or not */
	bool bars;       /* rows are blocks with bars below, not lines */
	bool settled;    /* widths stay as they are */
};

/* One line of a histogram's picture: values above `from`, up to `to`. */
struct table_bar {
	double from;
	double to;
	uint64_t count;
};

struct table_input {
	const char *node;
	struct table_view *view;
};

struct table {
	double percentiles[TABLE_PERCENTILES]; /* shares: 0 to 1 */
	struct weir_writer *writer;
	struct table_input *inputs;
	struct weir_histogram *picture; /* a histogram at one bucket per power of two */
	struct line line;               /* the one in the making */
	struct line cell;
	int error;       /* the first one in writing; the rest is then not written */
	uint32_t width;  /* of the terminal; 0: none, nothing is cut */
	uint32_t height; /* 0: none, or one whose cursor cannot move */
	uint32_t lines;  /* since the last head; of a live page, since its top */
	bool live;       /* windows take each other's place */
	bool color;
	bool told_left_out;
	bool printed; /* anything */
	uint32_t last_input;
	uint64_t last_start; /* the window that was printed last */
	uint64_t last_end;
	struct table_bar bars[TABLE_BARS];
};

/* Where rows are being put. */
struct table_page {
	struct weir_ctx *ctx;
	const struct weir_batch *batch;
	uint32_t indent;
};

static inline struct table *table_of(const struct table_page *page)
{
	return page->ctx->state;
}

static inline const struct table_conf *table_conf_of(const struct table_page *page)
{
	return page->ctx->options;
}

/*
 * table_view.c. Shows the columns that the option names, where the schema has any of them, else
 * all that are not quiet. NULL: no memory. table_view_free accepts NULL.
 */
struct table_view *table_view_new(const struct table_conf *conf, const struct weir_schema *schema,
				  const struct weir_texts *columns);
void table_view_free(struct table_view *view);

/* table_layout.c. Widens columns to hold these rows, and chooses what the page shows of them. */
void table_layout(const struct table_page *page, struct table_view *view, const void *rows,
		  uint32_t count);

/* table_cell.c. Appends a value; a text escaped for terminals; a moment as HH:MM:SS.mmm. */
void table_cell(const struct table_page *page, const struct table_column *column, const void *row,
		struct line *out);
void table_escape(struct line *out, const char *text, size_t length);
void table_clock(const struct table_page *page, uint64_t monotonic, struct line *out);

/*
 * table_quantity.c. Appends a number of the field's unit, scaled for reading unless `raw`; the
 * same of a mean or percentile, of which raw text gives tenths; a whole number as 1,234; a number
 * below a head that has the unit, of a window of so many seconds.
 */
void table_quantity(struct line *out, const struct weir_field *field, double value, bool raw);
void table_estimate(struct line *out, const struct weir_field *field, double value, bool raw);
void table_whole(struct line *out, uint64_t value);
void table_below_head(struct line *out, const struct weir_field *field, double value,
		      double seconds);

/* table_page.c. Bytes as they are: what moves the cursor. */
void table_put(const struct table_page *page, const char *bytes);

/*
 * table_page.c. Rows with what is below them; the head; an end to table->line; table->cell as one
 * more item of a comma list, which goes on in a new line where the terminal ends.
 */
void table_rows(const struct table_page *page, struct table_view *view, const void *rows,
		uint32_t count);
void table_heads(const struct table_page *page, const struct table_view *view);
void table_end_line(const struct table_page *page, bool bold);
void table_add_item(const struct table_page *page, bool first);

/* The rows of a nested table, with heads, further to the right. */
void table_nested(const struct table_page *page, struct table_view *view, const struct value *rows);

/* table_sentence.c. Rows of a view that has a sentence, with what is below them. */
void table_sentences(const struct table_page *page, struct table_view *view, const void *rows,
		     uint32_t count);

/* table_bars.c. A histogram (NULL: empty) as totals and bars. */
void table_bars(const struct table_page *page, const struct weir_field *field,
		const struct weir_histogram *histogram);

#endif
