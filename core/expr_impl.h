/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the expression language among themselves. The way of a text:
 *
 *	expr_lex.c       characters to tokens, literals with their units
 *	expr_parse.c     tokens to calls of the checks, by precedence
 *	expr_check.c     operators: types, units, the node that will compute it
 *	expr_function.c  the same for functions
 *	expr_suffix.c    units written together with a number
 *	expr_unit.c      what units mean to each other
 *	expr_regex.c     regular expressions, kept from growing without bound
 *	expr_eval.c      what nodes do with a row: columns, conditions, comparisons
 *	expr_number.c    arithmetic that never wraps
 *	expr_text.c      texts and stacks
 *	expr_histogram.c histograms
 *	expr.c           nodes and errors, and the doors of expr.h
 *
 * Every function here that returns a node, a bool or a regex returns NULL or false after having
 * put the reason into the compiler, once.
 */
#ifndef CORE_EXPR_IMPL_H
#define CORE_EXPR_IMPL_H

#include <regex.h>
#include <stdbool.h>

#include "expr.h"

#define EXPR_TEXT_LIMIT   8192 /* bytes of a text */
#define EXPR_DEPTH_LIMIT  100  /* nested parentheses, signs and conditions */
#define EXPR_HEIGHT_LIMIT 1000 /* of the tree: evaluation recurses so deep */
#define EXPR_ARGS_LIMIT   16   /* of a function */
#define EXPR_CHARS_LIMIT  1024 /* bytes of a column of fixed text */

/* Tokens and operators are one list, so that the parser hands on what it read. */
enum expr_op {
	EXPR_END,
	EXPR_NUMBER,
	EXPR_TEXT,
	EXPR_WORD,
	EXPR_OPEN,
	EXPR_CLOSE,
	EXPR_COMMA,
	EXPR_QUESTION,
	EXPR_COLON,
	EXPR_NOT,
	EXPR_OR,
	EXPR_AND,
	EXPR_EQUAL,
	EXPR_UNEQUAL,
	EXPR_MATCH,
	EXPR_MISMATCH,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	EXPR_IN,
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_MODULO,
	EXPR_MIN,
	EXPR_MAX,
	EXPR_OPS,
};

/* Bytes [start, end) of the text. */
struct expr_span {
	uint32_t start;
	uint32_t end;
};

struct expr_token {
	enum expr_op op;
	struct expr_span span;
	struct weir_value value;      /* NUMBER */
	const struct weir_unit *unit; /* NUMBER; NULL: none */
};

struct expr_node;

/* A function as it was called. */
struct expr_call {
	struct expr_span name;
	struct expr_span all;
	struct expr_node *args[EXPR_ARGS_LIMIT];
	uint32_t count;
};

/* One evaluation. */
struct expr_frame {
	const struct weir_batch *batch;
	const uint8_t *row;
};

/* Sets *value, by the node's type, or to type NONE. */
typedef void expr_eval_fn(const struct expr_node *node, const struct expr_frame *frame,
			  struct weir_value *value);

struct expr_node {
	expr_eval_fn *eval;
	struct expr_node *args[3];
	struct expr_node *sibling; /* the next of a list that hangs on args[0] */
	union {
		struct weir_value value;        /* of a constant */
		const struct weir_field *field; /* of a column; of the stack of has_frame() */
		struct {
			uint64_t numerator;
			uint64_t denominator;
		} scale;
		double quantile;
		uint32_t accept; /* comparison: bit 0 less, bit 1 equal, bit 2 greater */
	};
	uint32_t type; /* UINT, INT, DOUBLE, BOOL, TEXT, HISTOGRAM or STACK */
	enum expr_op op;
	const struct weir_unit *unit; /* of a number, a histogram; NULL: none */
	bool constant;
	/* While compiling. */
	uint32_t height;
	struct expr_span span;
	/* What it owns. */
	char *text;
	regex_t *regex;
	struct expr_node *next; /* all nodes of the expression */
};

struct weir_expr {
	struct expr_node *root;
	struct expr_node *nodes;
};

struct expr_compiler {
	const char *text;
	uint32_t size;
	const struct weir_schema *schema;
	struct weir_expr *expr;
	struct expr_error *error;
	int err; /* 0, -EINVAL, -ENOMEM */
	uint32_t depth;
	struct expr_token token;
};

/* expr.c */

/* Keeps the first error. Always NULL. */
void *WEIR_PRINTF(3, 4)
	expr_fail(struct expr_compiler *c, struct expr_span span, const char *format, ...);
void *expr_fail_memory(struct expr_compiler *c);

/* Adds a copy of `draft`, folded if all its arguments are constant. Owns text and regex at once. */
struct expr_node *expr_add(struct expr_compiler *c, const struct expr_node *draft);
struct expr_node *expr_add_constant(struct expr_compiler *c, struct expr_span span,
				    const struct weir_value *value, const struct weir_unit *unit);

/* expr_lex.c */

bool expr_next(struct expr_compiler *c);
/* The text that a TEXT token means: malloc'd, closed by NUL, without other NULs. */
char *expr_unquote(struct expr_compiler *c, struct expr_span span, uint32_t *length);

/* expr_parse.c */

struct expr_node *expr_parse(struct expr_compiler *c);

/* expr_check.c */

static inline bool expr_is_number(const struct expr_node *node)
{
	return node->type == WEIR_TYPE_UINT || node->type == WEIR_TYPE_INT ||
	       node->type == WEIR_TYPE_DOUBLE;
}

/* For messages: "time", "a plain number", "a text". */
const char *expr_describe(const struct expr_node *node);
struct expr_node *expr_check_column(struct expr_compiler *c, struct expr_span span);
struct expr_node *expr_check_negative(struct expr_compiler *c, struct expr_span sign,
				      struct expr_node *a);
struct expr_node *expr_check_not(struct expr_compiler *c, struct expr_span sign,
				 struct expr_node *a);
struct expr_node *expr_check_binary(struct expr_compiler *c, enum expr_op op, struct expr_node *a,
				    struct expr_node *b);
struct expr_node *expr_check_condition(struct expr_compiler *c, struct expr_node *condition,
				       struct expr_node *a, struct expr_node *b);
/* Two values of one kind, numbers brought to one unit. For messages: "compare" a "with" b. */
bool expr_check_alike(struct expr_compiler *c, const char *verb, const char *joint,
		      struct expr_node **a, struct expr_node **b);
/* Converts one or both numbers to the type that holds both. */
bool expr_check_same_type(struct expr_compiler *c, struct expr_node **a, struct expr_node **b);
/* + - % min max: of two numbers of one kind. */
struct expr_node *expr_check_sum(struct expr_compiler *c, enum expr_op op, struct expr_node *a,
				 struct expr_node *b);

/* expr_function.c */

struct expr_node *expr_check_call(struct expr_compiler *c, const struct expr_call *call);

/* expr_suffix.c */

/* The unit that a number's suffix names, and what the number is to be multiplied by. */
bool expr_suffix(struct expr_compiler *c, struct expr_span span, const struct weir_unit **unit,
		 uint64_t *factor);

/* expr_unit.c */

/* Brings two numbers to one unit; false: see expr_check_alike(). */
bool expr_unit_alike(struct expr_compiler *c, const char *verb, const char *joint,
		     struct expr_node **a, struct expr_node **b);
/* Scales the factors of a product or quotient as it needs, and tells its unit. */
bool expr_unit_product(struct expr_compiler *c, struct expr_node **a, struct expr_node **b,
		       const struct weir_unit **unit);
bool expr_unit_quotient(struct expr_compiler *c, struct expr_node **a, struct expr_node **b,
			const struct weir_unit **unit);
/* The number in its dimension's base unit. */
struct expr_node *expr_unit_base(struct expr_compiler *c, struct expr_node *node);

/* expr_regex.c */

/* The regular expression that a constant text holds; freed by regfree() and free(). */
regex_t *expr_regex_new(struct expr_compiler *c, const struct expr_node *pattern);

/* expr_eval.c */

expr_eval_fn expr_eval_constant;
expr_eval_fn expr_eval_uint_column;
expr_eval_fn expr_eval_int_column;
expr_eval_fn expr_eval_double_column;
expr_eval_fn expr_eval_bool_column;
expr_eval_fn expr_eval_chars_column;
expr_eval_fn expr_eval_text_column;
expr_eval_fn expr_eval_name_column;
expr_eval_fn expr_eval_histogram_column;
expr_eval_fn expr_eval_stack_column;
expr_eval_fn expr_eval_and;
expr_eval_fn expr_eval_or;
expr_eval_fn expr_eval_not;
expr_eval_fn expr_eval_any; /* the list on args[0] has one that is true */
expr_eval_fn expr_eval_condition;
expr_eval_fn expr_eval_coalesce;
expr_eval_fn expr_eval_has;
expr_eval_fn expr_eval_compare;
expr_eval_fn expr_eval_match;

/* expr_number.c */

/* Less than, equal to or greater than 0; neither may be absent. Exact for every pair of types. */
int expr_compare_numbers(const struct weir_value *a, const struct weir_value *b);
expr_eval_fn expr_eval_uint;   /* + * % min max, both arguments UINT; - yields an INT */
expr_eval_fn expr_eval_int;    /* both INT */
expr_eval_fn expr_eval_double; /* both DOUBLE */
expr_eval_fn expr_eval_negative;
expr_eval_fn expr_eval_abs;
expr_eval_fn expr_eval_to_int;
expr_eval_fn expr_eval_to_double;
expr_eval_fn expr_eval_scale; /* whole numbers by whole factors stay whole */

/* expr_text.c */

expr_eval_fn expr_eval_starts;
expr_eval_fn expr_eval_ends;
expr_eval_fn expr_eval_contains;
expr_eval_fn expr_eval_length;
expr_eval_fn expr_eval_has_frame;

/* expr_histogram.c */

expr_eval_fn expr_eval_count;
expr_eval_fn expr_eval_sum;
expr_eval_fn expr_eval_mean;
expr_eval_fn expr_eval_least;
expr_eval_fn expr_eval_greatest;
expr_eval_fn expr_eval_quantile;

#endif
