/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files that read the rules share. All return 0, or a negative errno after having said
 * where in the file of rules something is wrong.
 */
#ifndef USE_RULES_H
#define USE_RULES_H

#include "use.h"

#define COUNT_OF(array_) (sizeof(array_) / sizeof((array_)[0]))

/* use_bind.c: pieces of a map of the rules. */
uint32_t rules_count(struct weir_ctx *ctx, const struct weir_tree *tree);
uint32_t rules_kind(struct weir_ctx *ctx, const struct weir_tree *tree);
bool rules_is_moot(struct weir_ctx *ctx, const struct use_resource *resource,
		   const struct weir_tree *map, const char *key);
int rules_expr(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
	       const struct weir_schema *schema, struct weir_expr **expr);
int rules_condition(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
		    const struct weir_schema *schema, struct weir_expr **expr);
bool rules_is_name(struct weir_ctx *ctx, const struct weir_expr *expr);
int rules_join(struct weir_ctx *ctx, const struct weir_tree *map, enum use_join *join);
bool rules_is(const struct weir_unit *unit, const char *dimension);
int use_bind_ask(struct weir_ctx *ctx, const struct weir_tree *map, const struct use_ask *own,
		 const char *of_key, struct use_ask *ask);
int use_bind_keys(struct weir_ctx *ctx, const struct weir_tree *map, const char *const *known,
		  size_t count);
/* The scalar's text, or NULL: there is none, or after having failed when it is `needed`. */
const char *use_bind_text(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
			  bool needed, int *err);
int use_bind_take(struct weir_ctx *ctx, const struct weir_tree *map, enum use_take *take);
/* The unit of what `take` makes of an expression's values. */
struct weir_unit use_unit_of(const struct weir_unit *unit, enum use_take take);
int use_bind_group(struct weir_ctx *ctx, const struct use_resource *resource,
		   const struct weir_tree *map, struct use_group **made);
void use_group_free(struct weir_ctx *ctx, struct use_group *group);

/* use_compare_rules.c: which differences between two runs matter. */
int rules_notable(struct weir_ctx *ctx, struct use_resource *resource, const struct weir_tree *map);
int rules_compare(struct weir_ctx *ctx, const struct weir_tree *rules);
/* A number that does not depend on anything, in the unit of what it is held against (NULL: none). */
int rules_constant(struct weir_ctx *ctx, const struct weir_tree *tree, const struct weir_unit *unit,
		   double *number);

/* use_finding_rules.c. */
int rules_find_figure(struct weir_ctx *ctx, const struct use_resource *resource,
		      const struct weir_tree *tree, uint32_t *found);
int rules_findings(struct weir_ctx *ctx, struct use_resource *resource,
		   const struct weir_tree *map);

#endif
