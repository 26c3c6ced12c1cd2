/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile brought together from rows: a call tree whose nodes have labels that people read.
 * Labels of frames without a symbol are "[object]", with nothing known "[unknown]"; where lines are
 * wanted, "symbol:file.c:12"; where a walk
 * ended too early, "[truncated]" stands between the stack and its command.
 */
#ifndef FLAME_PROFILE_H
#define FLAME_PROFILE_H

#include "calltree.h"
#include "profile_input.h"

/* What tells frames of one label apart: the tag of their nodes. Commands have PROFILE_ROOT. */
enum profile_tag {
	PROFILE_BY_LABEL = 0,  /* nothing: tag 0 */
	PROFILE_BY_KIND = 1,   /* the frame's flags (PROFILE_KINDS) */
	PROFILE_BY_OBJECT = 2, /* the object's short name: an id of `names` */
};

#define PROFILE_KINDS (WEIR_FRAME_KERNEL | WEIR_FRAME_INLINED | WEIR_FRAME_JIT | WEIR_FRAME_SCRIPT)
#define PROFILE_ROOT  (1u << 31)

/* The row before, and the nodes that its frames led to: rows in order share most of their way. */
struct profile_path {
	struct profile_row row; /* valid within a batch */
	uint32_t root;          /* the node of its command; 0: none */
	uint32_t *nodes;        /* by step; those of `known` steps hold */
	uint32_t known;
	uint32_t capacity;
};

/* A frame as the rows have it, and the number of its label in the tree. */
struct profile_recent {
	uint32_t symbol;
	uint32_t object;
	uint32_t flags;
	uint32_t source;
	uint32_t line;
	uint32_t number; /* of calltree_label(); 0: none */
};

enum { PROFILE_RECENT = 8192 };

struct profile {
	struct profile_input input;
	struct calltree tree;
	struct weir_names *names; /* of labels */
	enum profile_tag by;
	bool leaf_first;         /* the tree stands on the leaves: who called this? */
	struct weir_names *seen; /* of the latest batch, held */
	struct intmap labels;    /* (symbol, object, line) of `seen` to label */
	struct intmap objects;   /* object of `seen` to its short name */
	struct profile_path path;
	struct profile_recent recent[PROFILE_RECENT]; /* of `seen` */
	uint64_t start;                               /* of the first batch; 0: there was none */
	uint64_t end;                                 /* of the last batch */
	uint64_t samples;                             /* all */
	uint32_t truncated;                           /* label of that name */
	bool has_weight; /* there is a column of it: not every weight is a sample count */
};

/* bind(): 0, or a negative errno after having failed. `names` are made here. */
int profile_bind(struct weir_ctx *ctx, struct profile *profile, enum profile_tag by);
void profile_clear(struct weir_ctx *ctx, struct profile *profile);

/* Takes in a batch of `input`. */
int profile_push(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch);

/* The node of a row's whole stack; weights are the caller's. profile_begin() came before. */
int profile_leaf(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch,
		 const struct profile_row *row, uint32_t *node);

/* The label of a frame and the short name of its object, as ids of profile->names. */
struct profile_label {
	uint32_t label;
	uint32_t object; /* 0: none */
};
int profile_label(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch,
		  const struct weir_frame *frame, struct profile_label *out);

/* The label of a row's command, with pid, tid and cpu as far as the row has them; 0: none. */
int profile_root_label(struct weir_ctx *ctx, struct profile *profile, const struct profile_row *row,
		       uint32_t *label);

/* Begin a batch. */
void profile_begin(struct weir_ctx *ctx, struct profile *profile, const struct weir_batch *batch);

const char *profile_text(struct weir_ctx *ctx, const struct profile *profile, uint32_t id,
			 uint32_t *length);

/* Bytewise order of two labels. */
int profile_compare(struct weir_ctx *ctx, const struct profile *profile, uint32_t a, uint32_t b);

#endif
