/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict's rows, and the batch in which they are made: for use_row.c, use_finding.c, use_schema.c. */
#ifndef USE_ROW_H
#define USE_ROW_H

#include "use.h"

struct resource_row {
	struct weir_text resource;
	struct weir_text instance;
	double utilization;
	double saturation;
	double errors;
	struct weir_text state;
	struct weir_text reason;
	struct weir_rows_ref figures;
};

struct figure_row {
	struct weir_text metric;
	double value;
	struct weir_text unit;
	double mean;
	double spread;
	uint32_t windows;
	uint32_t reserved;
};

struct change_row {
	struct weir_text change;
	struct weir_text resource;
	struct weir_text instance;
	struct weir_text about;
	struct weir_text what;
	double before;
	double before_spread;
	double after;
	double after_spread;
	struct weir_text unit;
	struct weir_text text;
};

struct evidence_row {
	struct weir_text metric;
	double value;
	double spread;
	struct weir_text unit;
};

struct cause_row {
	uint32_t pid;
	uint32_t reserved;
	struct weir_text comm;
	double share;
	double value;
	struct weir_text unit;
	struct weir_text text;
};

struct victim_row {
	uint32_t pid;
	uint32_t reserved;
	struct weir_text comm;
	double wait_s;
	struct weir_text text;
};

struct finding_row {
	uint32_t rank;
	uint32_t reserved;
	struct weir_text resource;
	struct weir_text instance;
	struct weir_text kind;
	double cost_s;
	double cost_rate;
	double cost_spread;
	uint32_t windows;
	uint32_t reserved2;
	struct weir_text summary;
	struct weir_text because;
	struct weir_text why_now;
	struct weir_rows_ref evidence;
	struct weir_rows_ref causes;
	struct weir_rows_ref victims;
	struct weir_names_ref next;
};

struct unchecked_row {
	struct weir_text resource;
	struct weir_text what;
	struct weir_text reason;
	struct weir_text text;
	struct weir_text cure;
};

struct lost_row {
	struct weir_text what;
	uint64_t count;
};

struct verdict_row {
	struct weir_text summary;
	struct weir_text compared_with;
	struct weir_rows_ref changes;
	struct weir_rows_ref resources;
	struct weir_rows_ref findings;
	struct weir_rows_ref not_checked;
	struct weir_rows_ref lost;
};

/* The batch in the making. Offsets stay when its arena moves, pointers do not. */
struct row_maker {
	struct weir_ctx *ctx;
	struct weir_batch *batch;
	struct use_judgement *judgement;
	uint32_t undecided; /* changes that chance may explain */
	int err;
};

/* Adds a text to the arena; room for a nested table, whose rows row_put() puts in. */
struct weir_text row_text(struct row_maker *maker, const char *text);
struct weir_rows_ref row_table(struct row_maker *maker, uint32_t count, uint32_t row_size);
void row_put(struct row_maker *maker, struct weir_rows_ref rows, uint32_t i, const void *row,
	     uint32_t row_size);

/* In the unit that is named, which is "" of a number without one; that number is then in ones. */
double row_value(double value, const struct weir_unit *unit);
const char *row_unit(const struct weir_unit *unit);
/* "ok", "SATURATED": of what the verdict found of it. */
const char *row_state(struct weir_ctx *ctx, const struct use_judgement *judgement,
		      const struct use_case *found);
/* A finding's sentence. */
void row_summary(struct row_maker *maker, const struct use_verdict *verdict, char out[USE_TEXT]);

/* use_change.c. What has changed since the earlier verdict, if there is one. */
struct weir_rows_ref row_changes(struct row_maker *maker);

/* use_finding.c. The figures of a resource that another run may be compared by; the findings. */
struct weir_rows_ref row_figures(struct row_maker *maker, const struct use_case *found);
struct weir_rows_ref row_findings(struct row_maker *maker);

/* use_unchecked.c. The resources whose own input said nothing, from row `at` on: where the rows now end. */
uint32_t row_add_unchecked_resource(struct row_maker *maker, struct weir_rows_ref rows, uint32_t at,
				    const struct use_resource *resource);
struct weir_rows_ref row_not_checked(struct row_maker *maker);
struct weir_rows_ref row_lost(struct row_maker *maker);

/* use_why.c. "rsync (pid 7) began 2 s ago, in backup.service": of the causes, who began lately; or "". */
struct weir_text row_why_now(struct row_maker *maker, const struct use_verdict *verdict);

#endif
