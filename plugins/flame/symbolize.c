/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform flame.symbolize: gives the frames of stacks their functions and objects, from
 * /proc/kallsyms and from the symbol tables of the files that were mapped, as the process service
 * knows them; and cuts stacks where the walk through the frame pointers went wrong.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "object_debug.h"
#include "observer.h"
#include "profile_input.h"
#include "remap.h"
#include "resolve.h"
#include "walk.h"

struct symbolize_conf {
	bool no_demangle;
	bool inlined;
	bool lines;
};

static const struct weir_option symbolize_options[] = {
	WEIR_OPT_BOOL(struct symbolize_conf, no_demangle, "false",
		      "leave the names of C++, Rust and D as the files have them"),
	WEIR_OPT_BOOL(struct symbolize_conf, inlined, "false",
		      "functions that were inlined are frames, too, as debug information has them"),
	WEIR_OPT_BOOL(struct symbolize_conf, lines, "false",
		      "frames have their source file and line, as debug information has them"),
};

struct symbolize_state {
	const struct weir_schema *schema;
	const struct weir_field *stack;
	const struct weir_field *pid;  /* NULL: kernel code only */
	const struct weir_field *time; /* NULL: the end of the batch */
	struct resolve resolve;
	struct remap remap;
	struct walk_quality quality;
	struct weir_frame *named; /* the stack of the row at hand */
	uint32_t named_count;
	uint32_t named_capacity;
};

static const struct weir_want symbolize_wants[] = {
	{ "stack", WEIR_TYPE_STACK, 0, NULL, 0, 0 },
	{ "pid", WEIR_TYPE_UINT, 0, NULL, WEIR_OPTIONAL, 0 },
	{ "time", WEIR_TYPE_TIME, 0, NULL, WEIR_OPTIONAL, 0 },
};
static const struct weir_slot symbolize_inputs[] = {
	{ "stacks", "rows with a stack of addresses", WEIR_TABLE(symbolize_wants), 0, 0 },
};
static const struct weir_output symbolize_outputs[] = {
	{ "stacks", "the same rows, with names", NULL, WEIR_SAME_AS_INPUT, 0 },
};

/* Cheap: one line of kallsyms tells whether the kernel shows its addresses. */
static void symbolize_probe(struct weir_ctx *ctx)
{
	char digits[17] = "";
	int fd = openat(ctx->root, "proc/kallsyms", O_RDONLY | O_CLOEXEC);
	bool shown = fd >= 0 && read(fd, digits, sizeof(digits) - 1) == sizeof(digits) - 1 &&
		     strspn(digits, "0") < sizeof(digits) - 1;

	if (fd >= 0)
		close(fd);
	weir_need(ctx, shown ? WEIR_NEED_MET : WEIR_NEED_LIMITED, "kernel symbols",
		  shown ? "shown" : "hidden", shown ? "" : "kernel functions have no names",
		  shown ? "" : "as root: sysctl -w kernel.kptr_restrict=1");
}

static int symbolize_bind(struct weir_ctx *ctx)
{
	const struct symbolize_conf *conf = ctx->options;
	struct symbolize_state *state = ctx->state;

	state->resolve.no_demangle = conf->no_demangle;
	state->schema = weir_input(ctx, 0)->schema;
	state->stack = weir_find(state->schema, "stack");
	state->pid = weir_find(state->schema, "pid");
	state->time = weir_find(state->schema, "time");
	if (state->stack->item_size != sizeof(struct weir_frame))
		return weir_fail(ctx, -EINVAL, "column stack has frames of %u bytes",
				 state->stack->item_size);
	return resolve_init(ctx, &state->resolve) ? weir_fail(ctx, -ENOMEM, "names") : 0;
}

static int symbolize_start(struct weir_ctx *ctx)
{
	const struct symbolize_conf *conf = ctx->options;
	struct symbolize_state *state = ctx->state;
	int err;

	if (!state->pid)
		return 0;
	state->resolve.inlined = conf->inlined;
	state->resolve.lines = conf->lines;
	err = resolve_ask_lines(ctx, conf->inlined, conf->lines, &state->resolve.objects.dwarf);
	if (err)
		return err;
	object_debug_store(ctx, &state->resolve.objects.store);
	return weir_service(ctx, WEIR_PROCESS_SERVICE, WEIR_PROCESS_VERSION,
			    &state->resolve.process);
}

/* What a row's stack ended with, as the judgement of the walk needs it. */
struct symbolize_user {
	uint32_t seen; /* user frames, dropped ones included */
	bool cut;
	bool too_deep;
	bool unwound;
	bool kept;
	struct weir_frame last;      /* kept */
	const struct object *object; /* of the last */
};

static void symbolize_count(struct walk_quality *quality, const struct weir_frame *frame)
{
	/* Who names that, and says what has no name, is flame.jit. */
	if (frame->flags & WEIR_FRAME_JIT && !frame->symbol)
		return;
	quality->frames++;
	if (frame->symbol)
		quality->with_symbol++;
	else if (frame->object)
		quality->with_object++;
}

static const char *symbolize_text(struct weir_ctx *ctx, uint32_t id)
{
	struct symbolize_state *state = ctx->state;
	uint32_t length;

	return id ? ctx->host->names_text(state->resolve.names, id, &length) : "";
}

static void symbolize_judge(struct weir_ctx *ctx, const struct symbolize_user *user)
{
	struct symbolize_state *state = ctx->state;
	struct walk_end end = { .symbol = "", .object = "" };

	if (!user->seen)
		return;
	end.truncated = user->cut;
	end.too_deep = user->too_deep;
	end.unwound = user->unwound;
	if (user->kept) {
		end.symbol = symbolize_text(ctx, user->last.symbol);
		end.object = symbolize_text(ctx, user->last.object);
		end.caller = user->last.flags & WEIR_FRAME_CALLER;
		end.nameless = !user->object || user->object->state != OBJECT_NAMED;
	}
	walk_judge(&state->quality, &end, 1);
}

/* One user frame. RESOLVE_OUTSIDE: here the walk had gone wrong. */
static int symbolize_user_frame(struct weir_ctx *ctx, const struct resolve_moment *moment,
				struct weir_frame *frame, struct symbolize_user *user)
{
	struct symbolize_state *state = ctx->state;
	const struct object *object = NULL;
	int err = 0;

	user->seen++;
	user->too_deep |= (frame->flags & WEIR_FRAME_TRUNCATED) != 0;
	user->unwound |= (frame->flags & WEIR_FRAME_UNWOUND) != 0;
	frame->flags &= ~(uint32_t)WEIR_FRAME_UNWOUND;
	if (!frame->symbol && !frame->object)
		err = resolve_user(ctx, &state->resolve, moment, frame, &object);
	/* The instruction pointer itself is no guess of the walk: it stays, whatever it points to. */
	if (err == RESOLVE_OUTSIDE && !(frame->flags & WEIR_FRAME_CALLER))
		err = RESOLVE_DONE;
	if (err == RESOLVE_DONE) {
		user->kept = true;
		user->last = *frame;
		user->object = object;
	}
	return err;
}

/* Puts the frame behind the others of the stack, what was inlined into it first. 0 or -ENOMEM. */
static int symbolize_put(struct symbolize_state *state, const struct weir_frame *frame)
{
	const struct resolve *resolve = &state->resolve;
	uint32_t count = state->named_count + resolve->chain_count + 1;

	if (count > state->named_capacity) {
		uint32_t capacity = count * 2;
		struct weir_frame *named = reallocarray(state->named, capacity, sizeof(*named));

		if (!named)
			return -ENOMEM;
		state->named = named;
		state->named_capacity = capacity;
	}
	memcpy(state->named + state->named_count, resolve->chain,
	       resolve->chain_count * sizeof(*frame));
	state->named[count - 1] = *frame;
	state->named_count = count;
	return 0;
}

/* Names the frames of a stack, which state->named then has. 0 or a negative errno. */
static int symbolize_frames(struct weir_ctx *ctx, const struct resolve_moment *moment,
			    const struct weir_frame *frames, uint32_t count)
{
	struct symbolize_state *state = ctx->state;
	struct symbolize_user user = { 0 };
	uint32_t i;
	int err = 0;

	state->named_count = 0;
	for (i = 0; i < count && !err; i++) {
		struct weir_frame frame = frames[i];

		state->resolve.chain_count = 0;
		if (!(frame.flags & WEIR_FRAME_KERNEL))
			err = symbolize_user_frame(ctx, moment, &frame, &user);
		else if (!frame.symbol && !frame.object)
			err = resolve_kernel(ctx, &state->resolve, &frame);
		if (err)
			break;
		symbolize_count(&state->quality, &frame);
		err = symbolize_put(state, &frame);
	}
	if (err == RESOLVE_OUTSIDE) {
		user.cut = true;
		state->quality.dropped += count - i;
		if (state->named_count > 0)
			state->named[state->named_count - 1].flags |= WEIR_FRAME_TRUNCATED;
		err = 0;
	}
	symbolize_judge(ctx, &user);
	return err;
}

/* The stack of a row becomes state->named: in its place, or behind all others where that is larger. */
static int symbolize_write(struct weir_ctx *ctx, struct weir_batch *batch,
			   struct weir_stack_ref *stack)
{
	const struct symbolize_state *state = ctx->state;
	size_t bytes = state->named_count * sizeof(*state->named);

	if (state->named_count > stack->count &&
	    (bytes > UINT32_MAX / 2 ||
	     !weir_add_bytes(ctx, batch, (uint32_t)bytes, &stack->offset)))
		return -ENOMEM;
	if (bytes)
		memcpy(batch->arena + stack->offset, state->named, bytes);
	stack->count = state->named_count;
	return 0;
}

static int symbolize_row(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t i)
{
	struct symbolize_state *state = ctx->state;
	uint8_t *row = batch->rows + (size_t)i * batch->row_size;
	struct resolve_moment moment = { .pid = 0, .time = batch->end };
	struct weir_stack_ref stack;
	int err;

	memcpy(&stack, row + state->stack->offset, sizeof(stack));
	if (stack.count == 0)
		return 0;
	if (stack.offset > batch->arena_used ||
	    stack.count > (batch->arena_used - stack.offset) / sizeof(struct weir_frame))
		return weir_fail(ctx, -EINVAL, "a stack lies outside of its batch");
	if (state->pid)
		moment.pid = (uint32_t)profile_uint(row, state->pid);
	if (state->time)
		moment.time = profile_uint(row, state->time);
	err = symbolize_frames(ctx, &moment, (const void *)(batch->arena + stack.offset),
			       stack.count);
	if (!err) {
		state->named_count = observer_leave_out(ctx, state->resolve.names, state->named,
							state->named_count);
		err = symbolize_write(ctx, batch, &stack);
	}
	memcpy(row + state->stack->offset, &stack, sizeof(stack));
	return err ? weir_fail(ctx, err, "names of functions") : 0;
}

static int symbolize_rows(struct weir_ctx *ctx, const struct weir_batch *in, struct weir_batch *out)
{
	struct symbolize_state *state = ctx->state;
	uint32_t i;
	int err;

	state->remap.names = state->resolve.names;
	err = remap_names(ctx, &state->remap, state->schema, in, out);
	if (err)
		return weir_fail(ctx, err, "names of a batch");
	for (i = 0; i < out->row_count && !err; i++)
		err = symbolize_row(ctx, out, i);
	return err;
}

/* Takes in what the kernel has told of processes; a failure means fewer names, not an end. */
static void symbolize_sync(struct weir_ctx *ctx)
{
	struct symbolize_state *state = ctx->state;
	const struct weir_process_v1 *process = state->resolve.process.vtable;

	if (process && process->sync(state->resolve.process.ctx) < 0)
		weir_log(ctx, WEIR_LOG_DEBUG, "the process service could not catch up");
}

static int symbolize_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct symbolize_state *state = ctx->state;
	struct weir_batch *out;
	int err;

	(void)input;
	if (resolve_begin(ctx, &state->resolve))
		return weir_fail(ctx, -ENOMEM, "names");
	out = remap_copy(ctx, 0, batch);
	if (!out) {
		weir_lost(ctx, "no room for named rows", batch->row_count, NULL);
		return 0;
	}
	symbolize_sync(ctx);
	err = symbolize_rows(ctx, batch, out);
	if (!err)
		return weir_commit(ctx, out);
	weir_discard(ctx, out);
	return err;
}

static double symbolize_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int symbolize_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct symbolize_state *state = ctx->state;
	struct walk_quality *quality = &state->quality;
	char text[512];

	(void)deadline;
	objects_report(ctx, &state->resolve.objects);
	if (quality->stacks) {
		walk_describe(quality, text, sizeof(text));
		weir_log(ctx, WEIR_LOG_INFO, "%s", text);
	}
	if (quality->frames)
		weir_log(ctx, WEIR_LOG_INFO,
			 "%" PRIu64 " frames: %.1f %% with a function, %.1f %% with their object "
			 "only, %.1f %% unknown",
			 quality->frames, symbolize_percent(quality->with_symbol, quality->frames),
			 symbolize_percent(quality->with_object, quality->frames),
			 symbolize_percent(quality->frames - quality->with_symbol -
						   quality->with_object,
					   quality->frames));
	return 0;
}

static void symbolize_destroy(struct weir_ctx *ctx)
{
	struct symbolize_state *state = ctx->state;

	resolve_clear(ctx, &state->resolve);
	intmap_clear(&state->remap.ids);
	free(state->named);
}

WEIR_COMPONENT(
	"flame.symbolize", WEIR_TRANSFORM, .summary = "names the functions of stacks",
	.doc = "Kernel code is named by /proc/kallsyms, user code by the symbol tables of the "
	       "files\n"
	       "that were mapped: read through the process while it lives, else by path, and only\n"
	       "when build-id, or device and inode, say that it is the very file. What has no "
	       "known\n"
	       "function keeps its object and its offset in it.\n"
	       "\n"
	       "Frames that lie in no executable mapping show that the walk through the frame\n"
	       "pointers went wrong: the stack is cut there and marked. A user stack counts as\n"
	       "complete when its outermost frame is where programs or threads begin: a function\n"
	       "known for that, or a return address within the C library or the dynamic loader "
	       "that\n"
	       "no symbol covers. A stack that ends in a file without any names is not judged.\n"
	       "\n"
	       "Of a stack that a BPF program took, the program itself and what called it are left "
	       "out.",
	.options_size = sizeof(struct symbolize_conf), .state_size = sizeof(struct symbolize_state),
	.options = WEIR_TABLE(symbolize_options), .outputs = WEIR_TABLE(symbolize_outputs),
	.inputs = WEIR_TABLE(symbolize_inputs), .probe = symbolize_probe, .bind = symbolize_bind,
	.start = symbolize_start, .push = symbolize_push, .drain = symbolize_drain,
	.destroy = symbolize_destroy);
