/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the transform metrics share: sets as they were read, and their values. */
#ifndef METRICS_H
#define METRICS_H

#include <weir/metric_set.h>
#include <weir/plugin.h>

#define METRICS_SETS  8
#define METRICS_WORDS 256 /* events and metrics of a set */
#define METRICS_RULES 64
#define METRICS_TEXT  512

struct metrics_conf {
	struct weir_texts metrics;
	const char *events;
};

/* How a metric is shown. */
struct metrics_unit {
	const char *name;      /* as files have it */
	const char *dimension; /* NULL: a number without unit */
	double size;           /* in base units of the dimension */
	int digits;
};

/* A word of formulas: an event, or a metric. */
struct metrics_word {
	const char *name;
	const char *event;   /* NULL: it is a metric */
	const char *formula; /* of a metric */
	const char *means;
	struct weir_expr *expr;
	const struct metrics_unit *unit;
};

struct metrics_rule {
	const char *name;
	const char *say;
	const char *advice;
	const char *next;
	struct weir_expr *when; /* NULL: where no other holds */
};

struct metrics_set {
	const struct weir_tree *tree;
	uint32_t count; /* of words; word 0 is the window's length */
	uint32_t rule_count;
	struct metrics_word words[METRICS_WORDS];
	struct weir_field fields[METRICS_WORDS];   /* a double each */
	struct weir_schema schemas[METRICS_WORDS]; /* for the formula of a word: those before it */
	struct metrics_rule rules[METRICS_RULES];
	double values[METRICS_WORDS];
	const char *notes[METRICS_WORDS]; /* why an event is not there */
};

struct metrics_state {
	struct weir_pmus pmus;
	struct metrics_set *sets[METRICS_SETS];
	uint32_t set_count;
	const struct weir_field *event;
	const struct weir_field *amount;
	const struct weir_field *place; /* NULL: the input has none */
	const struct weir_field *note;
	const struct weir_field *unit;
};

/* metrics_set.c: reads a set (create), compiles it (bind). Those that fail have said where. */
int metrics_set_read(struct weir_ctx *ctx, const char *name);
int metrics_set_bind(struct weir_ctx *ctx, struct metrics_set *set);
void metrics_set_free(struct weir_ctx *ctx, struct metrics_set *set);

/* The two batches of a window that are being filled. */
struct metrics_out {
	struct weir_ctx *ctx;
	struct weir_batch *values;
	struct weir_batch *readings;
	const char *place;
};

/* metrics_rows.c: a row. 0 or -ENOMEM. */
extern const struct weir_schema metrics_value_schema, metrics_reading_schema;
int metrics_add_value(const struct metrics_out *out, const struct metrics_set *set, uint32_t i);
int metrics_add_reading(const struct metrics_out *out, const struct metrics_set *set,
			const struct metrics_rule *rule);

/* metrics_window.c: one window. */
int metrics_send(struct weir_ctx *ctx, const struct weir_batch *batch);

#endif
