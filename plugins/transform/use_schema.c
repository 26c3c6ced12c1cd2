/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of the verdict: one row of nested tables. */
#include "use_row.h"

static const struct weir_field figure_fields[] = {
	WEIR_FIELD(struct figure_row, metric, WEIR_NONE, WEIR_KEY, "name of the figure"),
	WEIR_FIELD_WITH(struct figure_row, value, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"of the whole run, in `unit`"),
	WEIR_FIELD_WITH(struct figure_row, unit, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"UCUM code of its unit"),
	WEIR_FIELD_WITH(struct figure_row, mean, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"of its values over the windows; of what is added up, per second"),
	WEIR_FIELD_WITH(struct figure_row, spread, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"standard deviation of these values"),
	WEIR_FIELD(struct figure_row, windows, WEIR_NONE, WEIR_GAUGE, "how many there are"),
};
WEIR_SCHEMA(figure_schema, "figures", struct figure_row, figure_fields);

static const struct weir_field change_fields[] = {
	WEIR_FIELD(struct change_row, change, WEIR_NONE, WEIR_KEY,
		   "came, went, better, worse, or undecided: chance may explain it"),
	WEIR_FIELD(struct change_row, resource, WEIR_NONE, WEIR_KEY, "kind of resource"),
	WEIR_FIELD_WITH(struct change_row, instance, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"which one, where there are several"),
	WEIR_FIELD(struct change_row, about, WEIR_NONE, WEIR_KEY, "finding, resource or figure"),
	WEIR_FIELD_WITH(struct change_row, what, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"the finding's kind, or the figure's name"),
	WEIR_FIELD_WITH(struct change_row, before, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"mean of the figure, or time lost per second, in the earlier run"),
	WEIR_FIELD_WITH(struct change_row, before_spread, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"standard deviation over the windows of that"),
	WEIR_FIELD_WITH(struct change_row, after, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"the same in this run"),
	WEIR_FIELD_WITH(struct change_row, after_spread, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"standard deviation over the windows of this"),
	WEIR_FIELD_WITH(struct change_row, unit, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"UCUM code of the figure's unit"),
	WEIR_FIELD_WITH(struct change_row, text, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"the same for people"),
};
WEIR_SCHEMA(change_schema, "changes", struct change_row, change_fields);

static const struct weir_field resource_fields[] = {
	WEIR_FIELD(struct resource_row, resource, WEIR_NONE, WEIR_KEY, "kind of resource"),
	WEIR_FIELD_WITH(struct resource_row, instance, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"which one, where there are several"),
	WEIR_FIELD_HEAD(struct resource_row, utilization, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			WEIR_HEAD("%util", WEIR_PERCENT, 0), "share of it that was in use"),
	WEIR_FIELD_WITH(struct resource_row, saturation, WEIR_COUNT, WEIR_GAUGE, WEIR_OPTIONAL,
			"work that waited for it, as the rules measure it"),
	WEIR_FIELD_WITH(struct resource_row, errors, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			"errors in the window"),
	WEIR_FIELD(struct resource_row, state, WEIR_NONE, WEIR_GAUGE,
		   "ok, busy, SATURATED, ERRORS, LIMIT, or not checked"),
	WEIR_FIELD_WITH(struct resource_row, reason, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"why a figure is not known"),
	WEIR_FIELD_ROWS_WITH(struct resource_row, figures, &figure_schema, WEIR_QUIET,
			     "what another run is compared by"),
};
WEIR_SCHEMA(resource_schema, "resources", struct resource_row, resource_fields);

static const struct weir_field evidence_fields[] = {
	WEIR_FIELD(struct evidence_row, metric, WEIR_NONE, WEIR_KEY, "name of the figure"),
	WEIR_FIELD_WITH(struct evidence_row, value, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"in `unit`"),
	WEIR_FIELD_WITH(struct evidence_row, spread, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"standard deviation of its values over the windows; of a sum, per second"),
	WEIR_FIELD_WITH(struct evidence_row, unit, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"UCUM code of its unit"),
};
WEIR_SCHEMA(evidence_schema, "evidence", struct evidence_row, evidence_fields);

static const struct weir_field cause_fields[] = {
	WEIR_FIELD_WITH(struct cause_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process"),
	WEIR_FIELD(struct cause_row, comm, WEIR_NONE, WEIR_KEY, "its name"),
	WEIR_FIELD_WITH(struct cause_row, share, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			"of what all together did"),
	WEIR_FIELD(struct cause_row, value, WEIR_NONE, WEIR_GAUGE, "in `unit`"),
	WEIR_FIELD_WITH(struct cause_row, unit, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"UCUM code of its unit"),
	WEIR_FIELD_WITH(struct cause_row, text, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"the same for people"),
};
WEIR_SCHEMA(cause_schema, "causes", struct cause_row, cause_fields);

static const struct weir_field victim_fields[] = {
	WEIR_FIELD_WITH(struct victim_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process"),
	WEIR_FIELD(struct victim_row, comm, WEIR_NONE, WEIR_KEY, "its name"),
	WEIR_FIELD_WITH(struct victim_row, wait_s, WEIR_SECONDS, WEIR_DELTA, WEIR_OPTIONAL,
			"time that it waited"),
	WEIR_FIELD_WITH(struct victim_row, text, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"the same for people"),
};
WEIR_SCHEMA(victim_schema, "victims", struct victim_row, victim_fields);

#define FINDING_ROWS(member_, schema_, flags_, label_, doc_)                                       \
	{                                                                                          \
		.name = #member_, .doc = doc_, .type = WEIR_TYPE_ROWS,                             \
		.offset = offsetof(struct finding_row, member_),                                   \
		.bytes = sizeof(struct weir_rows_ref), .flags = flags_, .rows = &schema_,          \
		.head = WEIR_HEAD(label_, NULL, 0),                                                \
	}

static const struct weir_field finding_fields[] = {
	WEIR_FIELD(struct finding_row, rank, WEIR_NONE, WEIR_KEY, "1: the most costly"),
	WEIR_FIELD(struct finding_row, resource, WEIR_NONE, WEIR_KEY, "kind of resource"),
	WEIR_FIELD_WITH(struct finding_row, instance, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"which one, where there are several"),
	WEIR_FIELD(struct finding_row, kind, WEIR_NONE, WEIR_KEY,
		   "saturation, errors, limit, imbalance or churn"),
	WEIR_FIELD_WITH(struct finding_row, cost_s, WEIR_SECONDS, WEIR_DELTA, WEIR_OPTIONAL,
			"time that processes lost by waiting for it"),
	WEIR_FIELD_WITH(struct finding_row, cost_rate, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"the same per second: mean over the windows"),
	WEIR_FIELD_WITH(struct finding_row, cost_spread, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"standard deviation of that"),
	WEIR_FIELD(struct finding_row, windows, WEIR_NONE, WEIR_GAUGE, "how many windows"),
	WEIR_FIELD_WITH(struct finding_row, summary, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"what was found"),
	WEIR_FIELD(struct finding_row, because, WEIR_NONE, WEIR_GAUGE,
		   "why that is a finding: the rule's reason"),
	FINDING_ROWS(evidence, evidence_schema, WEIR_QUIET, "evidence", "the figures behind it"),
	FINDING_ROWS(causes, cause_schema, 0, "cause", "who uses the resource, most first"),
	FINDING_ROWS(victims, victim_schema, 0, "victim", "who waits for it, longest first"),
	WEIR_FIELD_HEAD(struct finding_row, why_now, WEIR_NONE, WEIR_GAUGE,
			WEIR_OPTIONAL | WEIR_SENTENCE, WEIR_HEAD("why now", NULL, 0),
			"what has begun lately"),
	WEIR_FIELD_WITH(struct finding_row, next, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"what to run next"),
};
WEIR_SCHEMA(finding_schema, "findings", struct finding_row, finding_fields);

static const struct weir_field unchecked_fields[] = {
	WEIR_FIELD(struct unchecked_row, resource, WEIR_NONE, WEIR_KEY, "kind of resource"),
	WEIR_FIELD(struct unchecked_row, what, WEIR_NONE, WEIR_KEY, "the input that is missing"),
	WEIR_FIELD(struct unchecked_row, reason, WEIR_NONE, WEIR_GAUGE, "why"),
	WEIR_FIELD_WITH(struct unchecked_row, text, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"the same for people"),
	WEIR_FIELD_WITH(struct unchecked_row, cure, WEIR_NONE, WEIR_GAUGE,
			WEIR_OPTIONAL | WEIR_SENTENCE, "what allows it"),
};
WEIR_SCHEMA(unchecked_schema, "not checked", struct unchecked_row, unchecked_fields);

static const struct weir_field lost_fields[] = {
	WEIR_FIELD(struct lost_row, what, WEIR_NONE, WEIR_KEY, "who lost it, and why"),
	WEIR_FIELD(struct lost_row, count, WEIR_COUNT, WEIR_DELTA, "rows or events"),
};
WEIR_SCHEMA(lost_schema, "lost", struct lost_row, lost_fields);

static const struct weir_field verdict_fields[] = {
	WEIR_FIELD_WITH(struct verdict_row, summary, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"how many findings, and how much was looked at"),
	WEIR_FIELD_WITH(struct verdict_row, compared_with, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"file of the earlier verdict"),
	{
		.name = "changes",
		.doc = "what differs from that by more than chance explains",
		.type = WEIR_TYPE_ROWS,
		.offset = offsetof(struct verdict_row, changes),
		.bytes = sizeof(struct weir_rows_ref),
		.rows = &change_schema,
		.head = WEIR_HEAD("changed", NULL, 0),
	},
	WEIR_FIELD_ROWS(struct verdict_row, resources, &resource_schema, "what was looked at"),
	WEIR_FIELD_ROWS(struct verdict_row, findings, &finding_schema,
			"what holds the machine back, the most costly first"),
	WEIR_FIELD_ROWS(struct verdict_row, not_checked, &unchecked_schema,
			"what could not be looked at"),
	WEIR_FIELD_ROWS_WITH(struct verdict_row, lost, &lost_schema, WEIR_KEYED,
			     "what sources have lost"),
};
const struct weir_schema use_schema = { sizeof(struct weir_schema), sizeof(struct verdict_row),
					"verdict", WEIR_TABLE(verdict_fields) };
