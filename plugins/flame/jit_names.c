/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of code made at run time; see jit_names.h. */
#include "jit_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit_advice.h"
#include "profile_input.h"

enum { JIT_NAME_MAX = 1024 };

static struct jit_process *jit_add_process(struct jit_names *jit, uint32_t pid)
{
	struct jit_process **processes =
		reallocarray(jit->processes, jit->process_count + 1, sizeof(struct jit_process *));
	struct jit_process *process;

	if (!processes)
		return NULL;
	jit->processes = processes;
	process = calloc(1, sizeof(*process));
	if (!process || intmap_add(&jit->pids, pid, 0, jit->process_count + 1) < 0) {
		free(process);
		return NULL;
	}
	process->pid = pid;
	processes[jit->process_count++] = process;
	return process;
}

/* Who the pid is now; another process than before has made other code. */
static void jit_identify(struct jit_names *jit, struct jit_process *process, uint64_t time)
{
	const struct weir_process_v1 *vtable = jit->process.vtable;
	struct weir_process_info info = { .size = sizeof(info) };
	uint32_t pid = process->pid;

	if (!vtable || vtable->info(jit->process.ctx, pid, pid, time, &info) < 0)
		return;
	if (process->start && process->start != info.start) {
		jit_process_clear(process);
		process->pid = pid;
	}
	process->identified = time;
	process->start = info.start;
	snprintf(process->comm, sizeof(process->comm), "%s", info.comm);
}

/* The process with what it has told until now. NULL: no memory. */
static struct jit_process *jit_get_process(struct weir_ctx *ctx, struct jit_names *jit,
					   uint32_t pid, uint64_t time)
{
	uint32_t place = intmap_get(&jit->pids, pid, 0);
	struct jit_process *process = place ? jit->processes[place - 1] : jit_add_process(jit, pid);

	if (!process || process->looked)
		return process;
	/* Rows that have waited may be of a time that nobody remembers. */
	if (time > process->identified)
		jit_identify(jit, process, time);
	return jit_process_read(ctx, &jit->process, process, time) ? NULL : process;
}

/* "LazyCompile:*walk tree.js:3" without what follows the first colon, if that is a tier. */
static uint32_t jit_intern(struct weir_ctx *ctx, const struct jit_names *jit, const char *name)
{
	const char *colon = jit->merge_tiers ? strchr(name, ':') : NULL;
	char merged[JIT_NAME_MAX];
	int length;

	if (!colon || !colon[1] || !strchr("*~^+", colon[1]))
		return ctx->host->names_intern(jit->names, name, strlen(name));
	length = snprintf(merged, sizeof(merged), "%.*s%s", (int)(colon + 1 - name), name,
			  colon + 2);
	if (length < 0 || (size_t)length >= sizeof(merged))
		return ctx->host->names_intern(jit->names, name, strlen(name));
	return ctx->host->names_intern(jit->names, merged, (size_t)length);
}

static int jit_name_frame(struct weir_ctx *ctx, const struct jit_names *jit,
			  struct jit_process *process, uint64_t time, struct weir_frame *frame)
{
	uint64_t lookup = frame->address - (frame->flags & WEIR_FRAME_CALLER ? 1 : 0);
	const struct jit_code *code;
	const char *name;

	frame->flags |= WEIR_FRAME_JIT;
	code = time >= process->start ? jit_process_find(process, lookup, time, &name) : NULL;
	if (!code)
		return 0;
	frame->symbol = jit_intern(ctx, jit, name);
	frame->symbol_offset = (uint32_t)(frame->address - code->start);
	frame->object = ctx->host->names_intern(jit->names, JIT_OBJECT, sizeof(JIT_OBJECT) - 1);
	return frame->symbol && frame->object ? 1 : -ENOMEM;
}

static bool jit_is_made(const struct weir_frame *frame)
{
	return !frame->symbol && frame->address && frame->flags & WEIR_FRAME_JIT &&
	       !(frame->flags & WEIR_FRAME_KERNEL);
}

/* How many frames of the row are without a name still, or a negative errno. */
static int jit_name_row(struct weir_ctx *ctx, struct jit_names *jit, struct weir_batch *batch,
			uint32_t i)
{
	uint8_t *row = batch->rows + (size_t)i * batch->row_size;
	uint64_t time = jit->time ? profile_uint(row, jit->time) : batch->end;
	uint32_t pid = (uint32_t)profile_uint(row, jit->pid);
	struct weir_stack_ref stack;
	struct weir_frame *frames;
	int nameless = 0;

	memcpy(&stack, row + jit->stack->offset, sizeof(stack));
	frames = (void *)(batch->arena + stack.offset);
	for (uint32_t f = 0; f < stack.count; f++) {
		struct jit_process *process;
		int named;

		if (!jit_is_made(&frames[f]))
			continue;
		process = jit_get_process(ctx, jit, pid, time);
		named = process ? jit_name_frame(ctx, jit, process, time, &frames[f]) : -ENOMEM;
		if (named < 0)
			return named;
		nameless += !named;
	}
	return nameless;
}

int jit_names_fill(struct weir_ctx *ctx, struct jit_names *jit, struct weir_batch *batch)
{
	int nameless = 0;

	for (uint32_t i = 0; jit->pid && i < batch->row_count; i++) {
		int row = jit_name_row(ctx, jit, batch, i);

		if (row < 0)
			return weir_fail(ctx, row, "names of code made at run time");
		nameless |= row > 0;
	}
	return nameless;
}

void jit_names_count(struct jit_names *jit, const struct weir_batch *batch)
{
	for (uint32_t i = 0; jit->pid && i < batch->row_count; i++) {
		const uint8_t *row = weir_row(batch, i);
		uint32_t place = intmap_get(&jit->pids, profile_uint(row, jit->pid), 0);
		struct weir_stack_ref stack;
		const struct weir_frame *frames;

		memcpy(&stack, row + jit->stack->offset, sizeof(stack));
		frames = weir_arena(batch, stack.offset);
		for (uint32_t f = 0; f < stack.count; f++) {
			jit->user_frames += !(frames[f].flags & WEIR_FRAME_KERNEL);
			if (!place || !(frames[f].flags & WEIR_FRAME_JIT))
				continue;
			if (frames[f].symbol)
				jit->processes[place - 1]->named++;
			else
				jit->processes[place - 1]->nameless++;
		}
	}
}

void jit_names_say(struct weir_ctx *ctx, struct jit_names *jit)
{
	jit_processes_say(ctx, jit->processes, jit->process_count, jit->user_frames);
}

void jit_names_renew(struct jit_names *jit)
{
	for (uint32_t i = 0; i < jit->process_count; i++)
		jit->processes[i]->looked = false;
}

void jit_names_clear(struct jit_names *jit)
{
	for (uint32_t i = 0; i < jit->process_count; i++) {
		jit_process_clear(jit->processes[i]);
		free(jit->processes[i]);
	}
	free(jit->processes);
	intmap_clear(&jit->pids);
}
