/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the transform use share: the rules as read (use_rules.c and its neighbours),
 * what is gathered over the window by them (use_gather.c, use_group.c, use_modes.c), and what they
 * make of it at its end (use_judge.c, use_text.c), which becomes one row (use_row.c, use_schema.c).
 */
#ifndef USE_H
#define USE_H

#include <weir/plugin.h>

#define USE_NAME  128        /* bytes of an instance's or a process's name, its NUL included */
#define USE_TEXT  512        /* of a sentence */
#define USE_NONE  UINT32_MAX /* no such input, figure or instance */
#define USE_MODES 4          /* of a histogram, at most */
#define USE_BEST  8          /* causes or victims, at most */

/* What becomes of a figure's values over the windows. */
enum use_take {
	USE_MEAN,  /* weighted by the windows' length */
	USE_SUM,   /* over all windows */
	USE_RATE,  /* the sum by the time that its input was looked at */
	USE_SHARE, /* of the time, in which a condition held */
	USE_MOST,
	USE_LEAST,
	USE_LAST,  /* value, or text */
	USE_PEAKS, /* how many modes a histogram has */
};

/* What becomes of several rows of one window. */
enum use_join {
	USE_ADD,
	USE_HIGHEST,
	USE_LOWEST,
};

/* Which rows of which input, whose they are, and what of them. */
struct use_ask {
	const char *name;        /* of the input, as the rules have it: "disks", "net.sockets" */
	uint32_t input;          /* USE_NONE: this pipeline has none of that name */
	struct weir_expr *where; /* NULL: all */
	struct weir_expr *match; /* the instance's name; NULL: see use_instance_of() */
	struct weir_expr *of;
};

struct use_figure {
	const char *name;
	struct use_ask ask;      /* of nothing when `value` is there */
	struct weir_expr *value; /* of figures before it */
	enum use_take take;
	enum use_join join;
	bool text;
	bool moot;                      /* this pipeline has no input for it */
	const struct weir_field *peaks; /* of USE_PEAKS: the histogram */
	struct weir_unit unit;          /* size 0: none */
};

/* Who causes, or suffers: rows added up by process, or by another name. */
struct use_group {
	struct use_ask ask;
	struct weir_expr *pid;   /* NULL: the name alone says who it is */
	struct weir_expr *who;   /* its name */
	struct weir_expr *since; /* a moment: when it began. NULL: not known */
	const char *say;
	enum use_take take; /* SUM, RATE, MEAN or MOST */
	uint32_t most;      /* of them are shown */
	double least;       /* share of the whole below which one is not worth naming */
	bool others;        /* leaves out who is among the causes, unless nobody else is left */
	struct weir_unit unit;
};

struct use_finding {
	const char *kind;
	struct weir_expr *when;
	struct weir_expr *cost; /* time lost by waiting; NULL: nobody knows */
	const char *summary;
	const char *because;
	const struct weir_tree *unless; /* "resource" or "resource/kind" that explains this one */
	const struct weir_tree *next;
	uint32_t *evidence; /* figures */
	uint32_t evidence_count;
	struct use_group *causes; /* NULL: none can be named */
	struct use_group *victims;
};

/* What the values of one figure have come to. */
struct use_total {
	double sum; /* of value * seconds for MEAN and SHARE, else of values */
	double seconds;
	double plain; /* sum of the windows' values, and of their squares, for the spread */
	double squares;
	double most;
	double least;
	double last;
	double window; /* rows of the window at hand, joined */
	uint32_t windows;
	uint32_t rows; /* in the window at hand */
	char *text;
	struct weir_histogram *histogram;
};

struct use_member {
	char name[USE_NAME];
	uint64_t since; /* 0: not known */
	double value;
	uint32_t pid;
	uint32_t windows;
};

/* The members of one group, open addressing by pid and name. */
struct use_tally {
	struct use_member *members;
	uint32_t *slots; /* index + 1 */
	uint32_t count;
	uint32_t room; /* of members; slots are twice as many */
	double total;
};

struct use_instance {
	char name[USE_NAME];
	bool own;                  /* the resource's own input has rows of it */
	struct use_total *totals;  /* by figure */
	struct use_tally *tallies; /* by finding: causes, victims */
};

struct use_resource {
	const char *name;
	struct use_ask ask; /* of: the instance's name, NULL where there is only one */
	struct weir_expr *busy;
	struct weir_expr *drop;          /* instances not worth a row */
	const struct weir_tree *unknown; /* why a figure may be absent, by its name */
	uint32_t utilization;            /* figures, or USE_NONE */
	uint32_t saturation;
	uint32_t errors;
	struct use_figure *figures;
	struct weir_field *fields; /* of figures, as columns for expressions */
	struct weir_schema schema;
	struct use_finding *findings;
	struct use_instance *instances; /* 0: what belongs to none of them */
	uint32_t figure_count;
	uint32_t finding_count;
	uint32_t instance_count;
};

struct use_input {
	uint64_t end; /* of the window at hand; 0: none yet */
	double seconds;
	double window; /* seconds of the window at hand; 1 where it is a moment */
};

struct use_conf {
	const char *rules;
};

struct use_state {
	const struct weir_tree *rules;
	struct use_resource *resources;
	uint32_t resource_count;
	struct use_input *inputs;
	uint64_t start; /* of all windows together; 0: nothing came */
	uint64_t end;
	struct weir_names *names;
};

/* An instance's figures at the end of the window. */
struct use_case {
	const struct use_resource *resource;
	const struct use_instance *instance;
	double *values; /* NaN: absent */
	double *spreads;
	const char **texts; /* of text figures and of USE_PEAKS; "" where there is none */
	char (*peaks)[USE_TEXT];
};

/* The largest members of a tally, the largest first. */
struct use_best {
	const struct use_member *members[USE_BEST];
	double values[USE_BEST];
	double total; /* of all members */
	uint32_t count;
};

/* A finding that holds. */
struct use_verdict {
	const struct use_finding *finding;
	const struct use_case *found;
	bool explained; /* by another one: no word of its own */
	double cost;    /* ns; NaN: not known */
	struct use_best causes;
	struct use_best victims;
};

struct use_judgement {
	struct use_case *cases;
	struct use_verdict *verdicts;
	uint32_t case_count;
	uint32_t verdict_count;
};

/* use_rules.c. 0, or a negative errno after having said where and why. use_rules_free: all of it. */
int use_rules_bind(struct weir_ctx *ctx);
void use_rules_free(struct weir_ctx *ctx);

/* use_gather.c. */
int use_gather(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch);
void use_fold(struct use_state *st, uint32_t input); /* ends the window at hand */
/* NULL: no memory. */
struct use_instance *use_instance(struct use_resource *resource, const char *name, size_t length);
void use_instance_free(const struct use_resource *resource, struct use_instance *instance);
/* False: absent. */
bool use_number(const struct weir_value *value, double *number);
/*
 * Whose row it is: NULL where it does not count, or *err. What a figure does not say of the
 * resource's own input (where, match), the resource does.
 */
struct use_instance *use_instance_of(struct weir_ctx *ctx, struct use_resource *resource,
				     const struct use_ask *ask, const struct weir_batch *batch,
				     const void *row, int *err);

/* use_group.c. */
int use_group_add(struct weir_ctx *ctx, struct use_resource *resource, uint32_t finding,
		  bool victims, const struct weir_batch *batch);
/* The largest members of a group; those of another one are left out where the group says so. */
void use_group_best(const struct use_state *st, const struct use_group *group,
		    const struct use_tally *tally, const struct use_group *not_group,
		    const struct use_tally *not_these, struct use_best *best);
/* When a member began, by its own group or by another one that knows the process; 0: not known. */
uint64_t use_group_since(const struct use_state *st, const struct use_member *member);
void use_tally_free(struct use_tally *tally);

/* use_modes.c. The middles of its modes, ascending; how many. */
uint32_t use_modes(const struct weir_histogram *histogram, double modes[USE_MODES]);

/* use_judge.c. 0 or a negative errno. */
int use_judge(struct weir_ctx *ctx, struct use_judgement *judgement);
void use_judgement_free(struct use_judgement *judgement);

/* use_text.c. */
struct use_words {
	const struct use_state *st;
	const struct use_case *found;
	const struct use_verdict *verdict;
	const struct use_group *group; /* of `member`, or NULL */
	const struct use_member *member;
	double value;
	double total;
};

/* Fills in ${...}. False: a value outside of [...] is absent, "-" stands for it. */
bool use_say(const struct use_words *words, const char *text, char *out, size_t size);
/* 0, or having failed at the tree's place: a name that is no figure and nothing else known. */
int use_check_text(struct weir_ctx *ctx, const struct use_resource *resource,
		   const struct weir_tree *tree, const char *text);
/* "38.2 ms", "176 MB/s", "45 %". */
void use_quantity(double value, const struct weir_unit *unit, char *out, size_t size);

/* use_row.c. Sends the verdict. */
int use_send(struct weir_ctx *ctx, const struct use_judgement *judgement);
extern const struct weir_schema use_schema;

#endif
