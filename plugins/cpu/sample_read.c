/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.sample: from the records in the rings to rows. */
#include "sample.h"

#define SAMPLE_BATCH_ROWS  1024
#define SAMPLE_BATCH_ARENA (256 * 1024)

/* Names of cgroups come and go: a table that has grown so large is replaced. */
#define SAMPLE_NAMES_MAX (1u << 20)

/* The kernel's markers in a callchain are the topmost 4095 values. */
#define SAMPLE_MARKER_FIRST ((uint64_t)-4095)

struct sample_lost { /* PERF_RECORD_LOST, then a trailer */
	uint64_t id;
	uint64_t lost;
};

static uint32_t sample_count_frames(const uint64_t *addresses, uint64_t count)
{
	uint32_t frames = 0;

	for (uint64_t i = 0; i < count; i++)
		frames += addresses[i] < SAMPLE_MARKER_FIRST;
	return frames;
}

/* Frames from addresses and markers; `kernel`: before any marker. */
static void sample_fill_frames(struct weir_frame *frames, const uint64_t *addresses, uint64_t count,
			       bool kernel)
{
	bool leaf = true;

	for (uint64_t i = 0; i < count; i++) {
		if (addresses[i] >= SAMPLE_MARKER_FIRST) {
			kernel = addresses[i] == PERF_CONTEXT_KERNEL;
			/* Where user code entered the kernel is exact as well: it is no return
			 * address of a call, but the program counter that was saved. */
			leaf = true;
			continue;
		}
		frames->address = addresses[i];
		frames->flags = (kernel ? WEIR_FRAME_KERNEL : 0) | (leaf ? 0 : WEIR_FRAME_CALLER);
		leaf = false;
		frames++;
	}
}

/* The addresses of a sample, and what stands behind them. */
struct sample_chain {
	const uint64_t *addresses;
	uint64_t count;
	const uint64_t *rest;
	size_t rest_words;
};

/* Without a call chain, or where it is empty, the instruction pointer is all there is. */
static int sample_find_chain(const struct sample_conf *conf, const struct perf_event_header *header,
			     struct sample_chain *chain)
{
	const struct sample_record *record = (const void *)(header + 1);
	size_t room = (header->size - sizeof(*header) - sizeof(*record)) / 8;

	*chain = (struct sample_chain){ &record->ip, 1, NULL, 0 };
	if (!conf->stacks)
		return 0;
	if (room < 1 || record->chain[0] > room - 1)
		return -EBADMSG;
	chain->rest = record->chain + 1 + record->chain[0];
	chain->rest_words = room - 1 - (size_t)record->chain[0];
	if (sample_count_frames(record->chain + 1, record->chain[0])) {
		chain->addresses = record->chain + 1;
		chain->count = record->chain[0];
	}
	return 0;
}

static void sample_fill_unwound(struct weir_frame *frames, const struct weir_unwind_stack *user)
{
	for (uint32_t i = 0; i < user->count; i++) {
		frames[i].address = user->frames[i].address;
		frames[i].flags =
			WEIR_FRAME_UNWOUND |
			(user->frames[i].flags & WEIR_UNWIND_CALLER ? WEIR_FRAME_CALLER : 0);
	}
}

/* Room for the frames of a stack. NULL: no memory. */
static struct weir_frame *sample_add_frames(struct weir_ctx *ctx, struct weir_batch *batch,
					    uint32_t count, struct weir_stack_ref *stack)
{
	stack->count = count;
	return weir_add_bytes(ctx, batch, count * (uint32_t)sizeof(struct weir_frame),
			      &stack->offset);
}

/* The stack of a sample. 0, -EBADMSG or -ENOMEM. */
static int sample_add_stack(struct weir_ctx *ctx, struct weir_batch *batch,
			    const struct perf_event_header *header, bool copies,
			    struct weir_stack_ref *stack)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	const struct sample_record *record = (const void *)(header + 1);
	bool kernel = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct weir_unwind_stack user = { .count = 0 };
	struct sample_chain chain;
	struct weir_frame *frames;
	uint32_t own;
	int err = sample_find_chain(conf, header, &chain);

	if (!err && copies)
		err = sample_unwind(ctx, record, chain.rest, chain.rest_words, &user);
	if (err)
		return err;
	/* What is left of the chain then is the kernel's. */
	if (user.count && !kernel)
		chain.count = 0;
	own = sample_count_frames(chain.addresses, chain.count);
	frames = sample_add_frames(ctx, batch, own + user.count, stack);
	if (!frames)
		return -ENOMEM;
	sample_fill_frames(frames, chain.addresses, chain.count, kernel);
	sample_fill_unwound(frames + own, &user);
	if ((conf->stacks && own >= state->max_stack) || user.end == WEIR_UNWIND_SHORT ||
	    user.end == WEIR_UNWIND_DEEP)
		frames[stack->count - 1].flags |= WEIR_FRAME_TRUNCATED;
	if (!copies)
		return sample_choose_walked(state, record, frames, own);
	sample_choose_copied(state, record, &user);
	return 0;
}

static int sample_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
			  const struct perf_event_header *header, bool copies)
{
	const struct sample_record *record = (const void *)(header + 1);
	struct sample_state *state = ctx->state;
	struct weir_stack_ref stack = { 0, 0 };
	struct sample_row *row;
	int err = -EBADMSG;

	if (header->size >= sizeof(*header) + sizeof(*record))
		err = sample_add_stack(ctx, batch, header, copies, &stack);
	if (err == -EBADMSG)
		state->counts.broken++;
	if (err)
		return err == -EBADMSG ? 0 : err;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	row->time = record->time;
	row->pid = record->pid;
	row->tid = record->tid;
	row->cpu = record->cpu;
	row->count = 1;
	row->weight = record->period;
	row->stack = stack;
	state->counts.samples++;
	state->counts.copied += copies;
	return 0;
}

void sample_count_record(struct weir_ctx *ctx, const struct perf_event_header *header)
{
	struct sample_state *state = ctx->state;
	const struct sample_lost *lost = (const void *)(header + 1);
	size_t body = header->size - sizeof(*header);
	uint64_t count = 1;

	switch (header->type) {
	case PERF_RECORD_LOST:
		count = body >= sizeof(*lost) ? lost->lost : 1;
		state->counts.ring_lost += count;
		state->counts.all_lost += count;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		state->counts.kernel_lost += body >= sizeof(lost->id) ? lost->id : 1;
		break;
	case PERF_RECORD_THROTTLE:
		state->counts.throttled++;
		break;
	default:
		break;
	}
}

static int sample_take(struct weir_ctx *ctx, struct weir_batch *batch,
		       const struct perf_event_header *header, bool copies)
{
	if (header->type == PERF_RECORD_SAMPLE)
		return sample_add_row(ctx, batch, header, copies);
	sample_count_record(ctx, header);
	return 0;
}

/* Takes records of one ring until it is empty or the batch is full. 1: the batch is full. */
static int sample_read_ring(struct weir_ctx *ctx, struct weir_batch *batch,
			    struct weir_perf_ring *ring, bool copies)
{
	struct sample_state *state = ctx->state;
	const struct perf_event_header *header;
	int err = 0;

	while (!err && batch->row_count < SAMPLE_BATCH_ROWS && (header = weir_perf_ring_next(ring)))
		err = sample_take(ctx, batch, header, copies);
	weir_perf_ring_end(ring);
	if (ring->broken) {
		state->counts.broken++;
		ring->broken = 0;
	}
	if (err)
		return err;
	return batch->row_count >= SAMPLE_BATCH_ROWS;
}

/* A new table of names, when there is none or it has grown. */
static int sample_names(struct weir_ctx *ctx)
{
	const struct weir_host *host = ctx->host;
	struct sample_state *state = ctx->state;
	struct weir_names *names;

	if (state->names && host->names_bytes(state->names) < SAMPLE_NAMES_MAX)
		return 0;
	names = host->names_new(ctx);
	if (!names)
		return -ENOMEM;
	host->names_release(state->names);
	state->names = names;
	state->event_name.id =
		host->names_intern(names, state->event.name, strlen(state->event.name));
	return 0;
}

/*
 * Fills in who it was. Samples of a task that has lost its pid on its way out have none. False:
 * the row is not of the cgroup that is asked for.
 */
static bool sample_name_row(struct weir_ctx *ctx, struct sample_row *row)
{
	struct sample_state *state = ctx->state;
	const struct weir_process_v1 *process = state->process.vtable;
	struct weir_process_info info = { .size = sizeof(info) };
	int known;

	row->event = state->event_name;
	if (row->pid == WEIR_ABSENT_U32) {
		memcpy(row->comm, "[exiting]", sizeof("[exiting]"));
		return !state->filter_cgroup;
	}
	known = process->info(state->process.ctx, row->pid, row->tid, row->time, &info) == 0;
	if (known) {
		memcpy(row->comm, info.comm, strnlen(info.comm, sizeof(row->comm) - 1));
		row->cgroup.id =
			ctx->host->names_intern(state->names, info.cgroup, strlen(info.cgroup));
	}
	return !state->filter_cgroup || (known && sample_cgroup_has(state, info.cgroups));
}

static void sample_name_rows(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct sample_row *rows = (struct sample_row *)(void *)batch->rows;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < batch->row_count; i++)
		if (sample_name_row(ctx, &rows[i]))
			rows[kept++] = rows[i];
	batch->row_count = kept;
}

static int sample_send(struct weir_ctx *ctx, struct weir_batch *batch, uint64_t start, uint64_t end)
{
	struct sample_state *state = ctx->state;
	const struct weir_process_v1 *process = state->process.vtable;
	int err = sample_names(ctx);

	/* After the samples were read: all that happened before them is in the records then. */
	if (!err)
		err = process->sync(state->process.ctx);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "names of samples");
	}
	sample_name_rows(ctx, batch);
	batch->names = state->names;
	batch->start = start;
	batch->end = end;
	return weir_commit(ctx, batch);
}

void sample_say_lost(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;

	weir_lost(ctx, "ring buffer full", state->counts.ring_lost, "a larger `buffer`");
	weir_lost(ctx, "dropped by the kernel", state->counts.kernel_lost, "a lower `frequency`");
	weir_lost(ctx, "record cannot be read", state->counts.broken, NULL);
	state->counts.ring_lost = state->counts.kernel_lost = state->counts.broken = 0;
}

static int sample_sync(struct weir_ctx *ctx)
{
	const struct sample_state *state = ctx->state;
	const struct weir_process_v1 *process = state->process.vtable;
	int err = process->sync(state->process.ctx);

	return err ? weir_fail(ctx, err, "mappings of samples") : 0;
}

/* The rings of both sets, by number: first those of `set`. NULL: there are no more. */
static struct weir_perf_ring *sample_ring(struct sample_state *state, uint32_t number, bool *copies)
{
	*copies = state->unwind.how == SAMPLE_UNWIND_DWARF;
	if (number < state->set.ring_count)
		return &state->set.rings[number];
	*copies = true;
	number -= state->set.ring_count;
	return number < state->copies.ring_count ? &state->copies.rings[number] : NULL;
}

/* Looks how far the kernel has come, in all rings. */
static int sample_begin(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;
	struct weir_perf_ring *ring;
	bool copies;

	for (uint32_t i = 0; (ring = sample_ring(state, i, &copies)); i++)
		weir_perf_ring_begin(ring);
	/* Stacks are walked, and judged, through the mappings of their moment. */
	return state->unwind.walker ? sample_sync(ctx) : 0;
}

/* What is left in the rings from *number on, until the batch is full. Negative errno. */
static int sample_fill(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t *number)
{
	struct weir_perf_ring *ring;
	bool copies;
	int full = 0;

	while (full == 0 && (ring = sample_ring(ctx->state, *number, &copies))) {
		full = sample_read_ring(ctx, batch, ring, copies);
		*number += full == 0;
	}
	return full;
}

/* All batches of one reading have the same window. */
int sample_read(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	uint64_t start = state->window, end = weir_now(ctx);
	uint32_t ring = 0, rings = state->set.ring_count + state->copies.ring_count;
	int err;

	if (conf->as == SAMPLE_AS_RECORDING)
		return sample_record_read(ctx);
	err = sample_begin(ctx);
	while (!err && ring < rings) {
		struct weir_batch *batch = weir_loan(ctx, 0, SAMPLE_BATCH_ROWS, SAMPLE_BATCH_ARENA);
		int full;

		/* The rings keep what there is no room for now. */
		if (!batch)
			break;
		full = sample_fill(ctx, batch, &ring);
		if (full < 0) {
			weir_discard(ctx, batch);
			return weir_fail(ctx, full, "samples");
		}
		err = sample_send(ctx, batch, start, end);
		state->window = end;
	}
	sample_say_lost(ctx);
	return err;
}
