/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of profiles, run over bytes in memory; see file_run.h. What is promised: frames lie in their
 * batch and have names of its table, and each sample that was kept is counted in a row.
 */
#include "file_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "batch.h"
#include "names.h"

static void promise(bool kept)
{
	if (!kept)
		__builtin_trap();
}

struct file_host {
	struct weir_host host; /* first: a ctx leads back to it */
	struct weir_ctx ctx;
	struct file file;
	struct file_conf conf;
	uint64_t count; /* samples in rows */
};

static struct file_host *host_of(const struct weir_ctx *ctx)
{
	return (struct file_host *)(uintptr_t)ctx->host;
}

static void WEIR_PRINTF(3, 0)
	run_log(struct weir_ctx *ctx, int level, const char *format, va_list args)
{
	char line[512];

	(void)ctx;
	(void)level;
	vsnprintf(line, sizeof(line), format, args); /* reads what it is given */
}

static int WEIR_PRINTF(3, 0)
	run_fail(struct weir_ctx *ctx, int error, const char *format, va_list args)
{
	run_log(ctx, 0, format, args);
	return error;
}

static void run_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	(void)ctx;
	promise(n && reason && (!cure || cure[0]));
}

static uint64_t run_now(struct weir_ctx *ctx)
{
	(void)ctx;
	return 1;
}

static struct weir_batch *run_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
				   uint32_t arena_bytes)
{
	/* Small, so that it is quick, and grows. */
	struct batch *batch = batch_new(sizeof(struct file_row), rows & 15, 8 + (arena_bytes & 63));

	(void)ctx;
	promise(output == 0);
	return batch ? &batch->seen : NULL;
}

static int run_reserve(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
		       uint32_t arena_bytes)
{
	(void)ctx;
	return batch_reserve(batch_of(batch), rows, arena_bytes);
}

static void run_discard(struct weir_ctx *ctx, struct weir_batch *batch)
{
	(void)ctx;
	if (batch)
		batch_release(batch_of(batch));
}

static void check_frame(const struct weir_batch *batch, const struct weir_frame *frame)
{
	uint32_t length;

	if (frame->symbol)
		promise(names_text(batch->names, frame->symbol, &length) && length);
	if (frame->object)
		promise(names_text(batch->names, frame->object, &length) && length);
	promise(frame->symbol || frame->object || frame->address);
}

static int run_commit(struct weir_ctx *ctx, struct weir_batch *batch)
{
	promise(batch_commit(batch_of(batch)) == 0);
	promise(batch->start <= batch->end);
	for (uint32_t i = 0; i < batch->row_count; i++) {
		const struct file_row *row = weir_row(batch, i);
		const struct weir_frame *frames = weir_arena(batch, row->stack.offset);

		host_of(ctx)->count += row->count;
		promise(row->stack.offset + (uint64_t)row->stack.count * sizeof(*frames) <=
			batch->arena_used);
		for (uint32_t j = 0; j < row->stack.count; j++)
			check_frame(batch, &frames[j]);
	}
	batch_release(batch_of(batch));
	return 0;
}

static struct weir_names *run_names_new(struct weir_ctx *ctx)
{
	(void)ctx;
	return names_new();
}

static void run_options(struct file_host *host, uint8_t choice)
{
	struct file_compat *compat = &host->file.compat;

	host->conf = (struct file_conf){
		.path = "fuzz", .event = "", .compat = "", .jit_dir = "/nonexistent"
	};
	host->conf.no_demangle = choice & 1;
	compat->on = choice & 2;
	compat->tid = choice & 4;
	compat->kernel = compat->jit = choice & 8;
	compat->addrs = choice & 16;
	host->file.profile.by = choice & 32 ? FILE_BY_COMM : FILE_BY_COMM | FILE_BY_TIME;
	host->file.profile.filter = (struct file_filter){
		.event = "", .kernel = !(choice & 64), .user = true, .from = choice >> 7
	};
}

/* The whole profile is what was read of the file so far, and its end. */
static void run_input(struct file *file, const uint8_t *data, size_t size)
{
	struct file_window *window = &file->input.stages[0].window;

	file->input = (struct file_input){ .ctx = file->ctx, .path = "fuzz", .fd = -1 };
	file->input.packings_known = true;
	window->bytes = malloc(size + 1);
	promise(window->bytes != NULL);
	if (size)
		memcpy(window->bytes, data, size);
	window->end = window->capacity = size;
	window->ended = true;
}

static int run_steps(struct file *file)
{
	int more;

	do {
		if (!file_profile_ready(&file->profile))
			return -ENOMEM;
		more = file->reader->step(file);
		promise(more == 0 || more == 1 || more < -1);
		if (more < 0 || file_profile_send(&file->profile, more == 0) < 0)
			return -EIO;
	} while (more);
	return 0;
}

void file_run(const struct file_reader *reader, const uint8_t *data, size_t size)
{
	struct file_host host = {
		.host = { .size = sizeof(host.host),
			  .log = run_log,
			  .fail = run_fail,
			  .lost = run_lost,
			  .now = run_now,
			  .loan = run_loan,
			  .reserve = run_reserve,
			  .commit = run_commit,
			  .discard = run_discard,
			  .names_new = run_names_new,
			  .names_hold = names_hold,
			  .names_release = names_release,
			  .names_intern = names_intern,
			  .names_text = names_text,
			  .names_bytes = names_bytes },
	};
	struct file *file = &host.file;

	if (!size)
		return;
	host.ctx = (struct weir_ctx){ .size = sizeof(host.ctx), .host = &host.host, .root = -1 };
	run_options(&host, data[0]);
	file->ctx = &host.ctx;
	file->conf = &host.conf;
	file->reader = reader;
	promise(file_profile_init(file->ctx, &file->profile) == 0);
	run_input(file, data + 1, size - 1);
	reader->recognise(data + 1, size - 1);
	if (reader->open(file) == 0 && run_steps(file) == 0)
		promise(host.count == file->profile.counts.kept);
	reader->close(file);
	file_profile_clear(&file->profile);
	file_input_close(&file->input);
}
