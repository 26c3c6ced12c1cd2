/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: regular expressions. glibc's regcomp() copies what is repeated, so that a short
 * pattern can ask for gigabytes, and takes ages over loops around what may be empty: both are
 * refused before it sees them.
 */
#include <stdlib.h>

#include "expr_impl.h"

#define REGEX_SIZE_LIMIT   1024 /* bytes of a pattern */
#define REGEX_WEIGHT_LIMIT 2000 /* characters and sets, each as often as it is repeated */
#define REGEX_DEPTH_LIMIT  32   /* nested parentheses */

/* An open group, or the whole: how heavy it is and what may match nothing. */
struct regex_group {
	uint64_t weight;
	bool solid;       /* the branch at hand has a part that matches something */
	bool maybe_empty; /* a branch before it had none */
};

struct regex_scan {
	const char *at;
	struct regex_group groups[REGEX_DEPTH_LIMIT];
	uint32_t depth;
	/* The part read last, which a repetition would repeat. */
	uint64_t weight;
	bool empty; /* it may match nothing */
	const char *fault;
};

/* Past a [set]: a ] at its start is a member, as are those of [:classes:]. */
static const char *regex_skip_set(const char *at)
{
	at++;
	if (*at == '^')
		at++;
	if (*at == ']')
		at++;
	while (*at && *at != ']') {
		const char close = at[1];
		const bool named = *at == '[' && (close == ':' || close == '.' || close == '=');

		at++;
		if (!named)
			continue;
		for (at++; *at && !(at[0] == close && at[1] == ']'); at++)
			;
		at += *at ? 2 : 0;
	}
	return *at ? at + 1 : at;
}

/* "{2,5}" means up to 5 copies, "{3,}" up to 4. */
static const char *regex_skip_bounds(const char *at, uint64_t *times)
{
	uint64_t number = 0;

	for (at++; *at && *at != '}'; at++) {
		if (*at == ',')
			number++;
		if (*at < '0' || *at > '9') {
			*times = number > *times ? number : *times;
			number = 0;
		} else if (number <= REGEX_WEIGHT_LIMIT) {
			number = number * 10 + (uint64_t)(*at - '0');
		}
	}
	*times = number > *times ? number : *times;
	return *at ? at + 1 : at;
}

/* The part read last cannot be repeated any more. */
static void regex_settle(struct regex_scan *scan)
{
	if (!scan->empty)
		scan->groups[scan->depth].solid = true;
	scan->empty = true;
	scan->weight = 0;
}

static void regex_add(struct regex_scan *scan, uint64_t weight, bool empty)
{
	regex_settle(scan);
	scan->weight = weight;
	scan->empty = empty;
	scan->groups[scan->depth].weight += weight;
}

static void regex_repeat(struct regex_scan *scan, uint64_t times)
{
	if (scan->empty && scan->weight)
		scan->fault = "it repeats a part that may be empty";
	scan->groups[scan->depth].weight += scan->weight * (times - 1);
	scan->weight *= times;
}

static void regex_end_branch(struct regex_scan *scan)
{
	struct regex_group *group = &scan->groups[scan->depth];

	regex_settle(scan);
	group->maybe_empty = group->maybe_empty || !group->solid;
	group->solid = false;
}

static void regex_open(struct regex_scan *scan)
{
	regex_settle(scan);
	if (scan->depth + 1 == REGEX_DEPTH_LIMIT)
		scan->fault = "it nests too deep";
	else
		scan->groups[++scan->depth] = (struct regex_group){ .weight = 1 };
}

static void regex_close(struct regex_scan *scan)
{
	const struct regex_group *group = &scan->groups[scan->depth];

	regex_end_branch(scan);
	if (!scan->depth)
		return;
	scan->depth--;
	regex_add(scan, group->weight, group->maybe_empty);
}

static const char *regex_escape(struct regex_scan *scan)
{
	const char escaped = scan->at[1];

	if (escaped >= '1' && escaped <= '9')
		scan->fault = "back references are not part of it";
	regex_add(scan, 1, escaped && strchr("bB<>`'", escaped));
	return scan->at + (escaped ? 2 : 1);
}

static const char *regex_part(struct regex_scan *scan)
{
	switch (*scan->at) {
	case '(':
		regex_open(scan);
		break;
	case ')':
		regex_close(scan);
		break;
	case '|':
		regex_end_branch(scan);
		break;
	case '[':
		regex_add(scan, 1, false);
		return regex_skip_set(scan->at);
	case '\\':
		return regex_escape(scan);
	default:
		regex_add(scan, 1, *scan->at == '^' || *scan->at == '$');
	}
	return scan->at + 1;
}

/* One part, or one repetition of the part before. */
static const char *regex_step(struct regex_scan *scan)
{
	uint64_t times = 1;
	const char *end;

	switch (*scan->at) {
	case '?':
		scan->empty = true;
		return scan->at + 1;
	case '*':
		regex_repeat(scan, 1);
		scan->empty = true;
		return scan->at + 1;
	case '+':
		regex_repeat(scan, 2);
		return scan->at + 1;
	case '{':
		end = regex_skip_bounds(scan->at, &times);
		regex_repeat(scan, times);
		/* "{0,3}" */
		scan->empty = scan->empty || scan->at[1] == '0' || scan->at[1] == ',';
		return end;
	default:
		return regex_part(scan);
	}
}

/* What is wrong with a pattern before regcomp() sees it, or NULL. */
static const char *regex_fault(const char *pattern)
{
	struct regex_scan scan = { .at = pattern, .empty = true };

	while (*scan.at && !scan.fault) {
		scan.at = regex_step(&scan);
		if (scan.groups[scan.depth].weight > REGEX_WEIGHT_LIMIT)
			scan.fault = "it repeats too much";
	}
	return scan.fault;
}

regex_t *expr_regex_new(struct expr_compiler *c, const struct expr_node *pattern)
{
	const char *fault;
	regex_t *regex;
	char reason[128];
	int err;

	if (!pattern->constant || pattern->value.type != WEIR_TYPE_TEXT)
		return expr_fail(c, pattern->span,
				 "a regular expression is a text in quotes, and this is %s",
				 pattern->constant ? expr_describe(pattern) : "not constant");
	fault = pattern->value.length > REGEX_SIZE_LIMIT ? "it is too long"
							 : regex_fault(pattern->value.text);
	if (fault)
		return expr_fail(c, pattern->span, "regular expression: %s", fault);
	regex = malloc(sizeof(*regex));
	if (!regex)
		return expr_fail_memory(c);
	err = regcomp(regex, pattern->value.text, REG_EXTENDED | REG_NOSUB);
	if (!err)
		return regex;
	regerror(err, regex, reason, sizeof(reason));
	free(regex);
	return expr_fail(c, pattern->span, "regular expression: %s", reason);
}
