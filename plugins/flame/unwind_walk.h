/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk through the copy of a user stack; see weir/service/unwind.h. */
#ifndef FLAME_UNWIND_WALK_H
#define FLAME_UNWIND_WALK_H

#include "unwind_module.h"

struct unwind_walker {
	struct weir_service process;
	struct unwind_modules modules;
};

/* As the calls of struct weir_unwind_v1. */
int unwind_walk(struct unwind_walker *walker, int root, struct weir_unwind_stack *stack);
int unwind_judge(struct unwind_walker *walker, int root, uint32_t pid, uint64_t time,
		 struct weir_unwind_frame *frames, uint32_t count);

#endif
