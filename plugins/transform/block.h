/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the transform block share: the sentences of its file (block_rules.c), and the rows. */
#ifndef BLOCK_H
#define BLOCK_H

#include <weir/plugin.h>

#define BLOCK_VERDICTS 16
#define BLOCK_TEXT     512

struct block_conf {
	const char *rules;
	const char *block;
	struct weir_texts columns;
};

/* A sentence, and what it takes to say it. */
struct block_verdict {
	struct weir_expr *when; /* NULL: in any case */
	const char *say;
	const char *next; /* "": nothing */
};

struct block_row {
	struct weir_text block;
	struct weir_text verdict;
	struct weir_text next;
	double seconds;
	struct weir_rows_ref rows;
};

struct block_state {
	const struct weir_tree *rules;
	struct block_verdict verdicts[BLOCK_VERDICTS];
	uint32_t verdict_count;
	struct weir_expr **values; /* of the input's fields, where a sentence has them */
	struct weir_field *shown;  /* the columns of the nested table */
	struct weir_schema rows;
	struct weir_field fields[5];
	struct weir_schema schema;
	struct weir_batch *kept; /* the window that will be told; NULL: none came */
};

/* 0, or having failed in the file's place. block_rules_free accepts what is half made. */
int block_rules_bind(struct weir_ctx *ctx);
void block_rules_free(struct weir_ctx *ctx);
/* The sentence for a window's rows; where none holds, both are "". */
int block_say(struct weir_ctx *ctx, const struct weir_batch *batch, char verdict[BLOCK_TEXT],
	      const char **next);

#endif
