/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stack that a BPF program took when it was called begins with the program itself and with what
 * the kernel needed to call it. That says nothing of what was observed.
 */
#ifndef FLAME_OBSERVER_H
#define FLAME_OBSERVER_H

#include <weir/plugin.h>

/*
 * Leaves such frames out of a named stack, in place; returns how many frames are left. Samples keep
 * theirs: what a clock met in a BPF program does cost time. They are told by their first kernel
 * frame, which is no return address.
 */
uint32_t observer_leave_out(struct weir_ctx *ctx, const struct weir_names *names,
			    struct weir_frame *frames, uint32_t count);

#endif
