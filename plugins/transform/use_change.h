/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes in the making: for use_change.c (figures, resources) and use_change_finding.c. */
#ifndef USE_CHANGE_H
#define USE_CHANGE_H

#include "use_row.h"

struct changes {
	struct row_maker *maker;
	struct weir_rows_ref rows;
};

/* A level of this run as the JSON has it. */
struct use_level change_level(const struct use_level *level, const struct weir_unit *unit);
/* -1: less, 1: more, 0: they may be the same. */
int change_of(const struct use_difference *rule, const struct use_level *before,
	      const struct use_level *after, double notable);
/* The same of a figure, with its levels in both runs; 0 also where one does not know it. */
int change_figure(struct row_maker *maker, const struct use_case *found, uint32_t number,
		  const struct weir_tree *earlier, struct use_level levels[2]);
/* The case of an instance, with its levels; NULL: there is none, or no memory. */
struct use_case *change_case(struct changes *changes, const char *resource, const char *instance);
/* False: an input of the resource is missing in this run. */
bool change_is_checked(const struct changes *changes, const char *resource);

/* A row without figures; its figures; a sentence of them; and then its words, which add it. */
struct change_row change_row(struct changes *changes, const char *resource, const char *instance,
			     const char *about, const char *what);
void change_levels(struct change_row *row, const struct use_level levels[2]);
void change_say_levels(const struct use_level levels[2], const struct weir_unit *unit,
		       bool per_second, char *out, size_t size);
void change_put(struct changes *changes, struct change_row *row, const char *change,
		const char *text);

/* use_change_finding.c. */
void change_add_findings(struct changes *changes);

#endif
