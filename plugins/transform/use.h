/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the transform use share: the rules as read (use_rules.c and its neighbours),
 * what is gathered over the window by them (use_gather.c, use_instance.c, use_slices.c, use_group.c,
 * use_modes.c), and what they make of it at its end (use_judge.c, use_text.c), why now (use_why.c),
 * beside an earlier verdict (use_earlier.c, use_change.c), which becomes one row (use_row.c and its
 * neighbours).
 */
#ifndef USE_H
#define USE_H

#include <weir/plugin.h>

#define USE_NAME   128        /* bytes of an instance's or a process's name, its NUL included */
#define USE_UNIT   48         /* of what a process belongs to */
#define USE_TEXT   512        /* of a sentence */
#define USE_NONE   UINT32_MAX /* no such input, figure or instance */
#define USE_MODES  4          /* of a histogram, at most */
#define USE_BEST   8          /* causes or victims, at most */
#define USE_SLICES 16         /* that a run is cut into, at most */

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
	bool told;                      /* evidence, or notable: other runs may want to know it */
	double notable;                 /* difference between runs that matters; NaN: none does */
	const struct weir_field *peaks; /* of USE_PEAKS: the histogram */
	struct weir_unit unit;          /* size 0: none */
};

/* Who causes, or suffers: rows added up by process, or by another name. */
struct use_group {
	struct use_ask ask;
	struct weir_expr *pid;    /* NULL: the name alone says who it is */
	struct weir_expr *who;    /* its name */
	struct weir_expr *since;  /* a moment: when it began. NULL: not known */
	struct weir_expr *within; /* a path, or a name: what it belongs to. NULL: not known */
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

/* What one figure has come to in one slice of the run. */
struct use_slice {
	float sum;     /* as that of all windows; of the others, the value itself */
	float seconds; /* of the windows that had rows; 0: none had */
};

/* A figure's values over the slices: of what adds up, per second. */
struct use_level {
	double mean;    /* NaN: none is known */
	double squares; /* sum of the squared differences from it */
	uint32_t count;
};

/* What the values of one figure have come to. */
struct use_total {
	double sum; /* of value * seconds for MEAN and SHARE, else of values */
	double seconds;
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
	char within[USE_UNIT]; /* "": not known */
	uint64_t since;        /* 0: not known */
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
	struct use_slice *slices;  /* by figure: USE_SLICES each */
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
	uint32_t *slots;                /* by name: index + 1, open addressing */
	uint32_t slot_count;            /* a power of two, more than twice the instances; or 0 */
	uint32_t figure_count;
	uint32_t finding_count;
	uint32_t instance_count;
};

struct use_input {
	uint64_t end; /* of the window at hand; 0: none yet */
	double seconds;
	double window;             /* seconds of the window at hand; 1 where it is a moment */
	uint32_t slice;            /* that the window at hand is in */
	double slices[USE_SLICES]; /* seconds that its windows have of each */
};

/* When two runs differ in a figure: by more than all of these. */
struct use_difference {
	double chance;    /* times what chance makes of the difference of both means */
	double share;     /* of the larger one */
	uint32_t windows; /* fewer tell nothing */
};

/* Who starts a unit, as an input tells it: a timer. */
struct use_starter {
	char unit[USE_UNIT];
	char name[USE_UNIT];
	uint64_t since; /* when it last did; 0: not known */
};

/* What counts as begun lately, and who may have started it. */
struct use_why {
	uint64_t lately;    /* ns before the run */
	struct use_ask ask; /* match: the unit that is started, of: who starts it */
	struct weir_expr *since;
	struct use_starter *starters;
	uint32_t count;
	uint32_t room;
};

struct use_conf {
	const char *rules;
	const char *compare;
};

struct use_state {
	const struct weir_tree *rules;
	const struct weir_tree *earlier; /* another run's verdict; NULL: none to compare with */
	struct use_difference difference;
	struct use_why why;
	struct use_resource *resources;
	uint32_t resource_count;
	struct use_input *inputs;
	uint64_t start; /* of all windows together; 0: nothing came */
	uint64_t end;
	uint64_t base;     /* where the slices begin */
	uint64_t slice_ns; /* length of each; 0: none yet */
	struct weir_names *names;
};

/* An instance's figures at the end of the window. */
struct use_case {
	const struct use_resource *resource;
	const struct use_instance *instance;
	double *values; /* NaN: absent */
	struct use_level
		*levels;    /* by figure, then the time lost per second by finding; NULL: none */
	const char **texts; /* of text figures and of USE_PEAKS; "" where there is none */
	char (*peaks)[USE_TEXT];
	bool dropped; /* not worth a row */
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
/* False: absent. */
bool use_number(const struct weir_value *value, double *number);

/* use_instance.c. */
/* NULL: no memory. */
struct use_instance *use_instance(struct use_resource *resource, const char *name, size_t length);
void use_instance_free(const struct use_resource *resource, struct use_instance *instance);
/*
 * Whose row it is: NULL where it does not count, or *err. What a figure does not say of the
 * resource's own input (where, match), the resource does.
 */
struct use_instance *use_instance_of(struct weir_ctx *ctx, struct use_resource *resource,
				     const struct use_ask *ask, const struct weir_batch *batch,
				     const void *row, int *err);

/* use_slices.c. Where a window belongs; into which its figures are then added. */
void use_slice_begin(struct weir_ctx *ctx, struct use_input *input, const struct weir_batch *batch);
/* Ends the window at hand of an input. */
void use_fold(struct use_state *st, uint32_t input);
/* What all figures of a case come to, slice by slice: fills in its levels. 0 or -ENOMEM. */
int use_slice_levels(struct weir_ctx *ctx, struct use_case *found);
/* Standard deviation over the slices; NaN: one is too few. */
double use_level_spread(const struct use_level *level);

/* use_earlier.c: the JSON of another run. 0, or having failed where it is not what weir writes. */
int use_earlier_check(struct weir_ctx *ctx);
/* Item i of its "resources" or "findings", or NULL past the last; "" for what is null or absent. */
const struct weir_tree *use_earlier_item(struct weir_ctx *ctx, const char *list, uint32_t i);
const char *use_earlier_text(struct weir_ctx *ctx, const struct weir_tree *item, const char *key);
/* The one about that instance and, of findings, of that kind; NULL: there is none. */
const struct weir_tree *use_earlier_find(struct weir_ctx *ctx, const char *list,
					 const char *resource, const char *instance,
					 const char *kind);
/* A figure of a resource, or without a name what a finding cost; in base units. False: not known. */
bool use_earlier_level(struct weir_ctx *ctx, const struct weir_tree *item, const char *figure,
		       struct use_level *level);

/* use_group.c. Of a number that is not 0, or of a name. */
uint32_t use_hash(uint32_t number, const char *name);
int use_group_add(struct weir_ctx *ctx, struct use_resource *resource, uint32_t finding,
		  bool victims, const struct weir_batch *batch);
/* The largest members of a group; those of another one are left out where the group says so. */
void use_group_best(const struct use_state *st, const struct use_group *group,
		    const struct use_tally *tally, const struct use_group *not_group,
		    const struct use_tally *not_these, struct use_best *best);
/* The member, of its own group or of another one, by which it is known when it began; or itself. */
const struct use_member *use_group_known(const struct use_state *st,
					 const struct use_member *member);
void use_tally_free(struct use_tally *tally);

/* use_why.c. What the rules say of it; what a batch says of who starts what. 0 or a negative errno. */
int use_why_bind(struct weir_ctx *ctx, const struct weir_tree *rules);
int use_why_add(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch);

/* use_modes.c. The middles of its modes, ascending; how many. */
uint32_t use_modes(const struct weir_histogram *histogram, double modes[USE_MODES]);

/* use_judge.c. 0 or a negative errno. */
int use_judge(struct weir_ctx *ctx, struct use_judgement *judgement);
/* The instance that has what is asked: the case's own, or the one of all. */
const struct use_instance *use_judge_instance(const struct use_resource *resource,
					      const struct use_instance *own,
					      const struct use_ask *ask);
/* An expression over figures; false: absent. */
bool use_judge_expr(struct weir_ctx *ctx, const double *values, const struct weir_expr *expr,
		    double *number);
/* The time that a finding costs, in ns. */
bool use_judge_cost(struct weir_ctx *ctx, const double *values, const struct use_finding *finding,
		    double *cost);
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

/* use_row.c. Sends the verdict. */
int use_send(struct weir_ctx *ctx, struct use_judgement *judgement);
extern const struct weir_schema use_schema;

#endif
