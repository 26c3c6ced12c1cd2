/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a process's code has no names, and what its user can do about it. */
#ifndef FLAME_JIT_ADVICE_H
#define FLAME_JIT_ADVICE_H

#include <stdbool.h>

#include "jit_process.h"

/* A sentence for the user, with the share of all user frames; false when there is nothing to say. */
bool jit_advise(const struct jit_process *process, uint64_t frames_of_all, char *out, size_t size);

/* The same of several, those with the most frames first; sorts them. */
void jit_processes_say(struct weir_ctx *ctx, struct jit_process **processes, uint32_t count,
		       uint64_t frames);

#endif
