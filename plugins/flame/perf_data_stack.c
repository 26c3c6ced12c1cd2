/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: from the addresses of a sample to frames. The same addresses come again and again: what
 * an address is in a space is found once, for as long as nothing is mapped anew there.
 */
#include "perf_data.h"

#include <stdlib.h>
#include <time.h>

#include "file_resolve.h"

enum {
	STACK_CACHE_MAX = 1 << 16, /* no more than the CPU's own caches hold */
	STACK_IN_FILES_MAX = 1 << 19,
	STACK_DEPTH = 127,         /* of the kernel, where the attribute does not tell another */
	STACK_OUTSIDE = INT32_MAX, /* in the cache: in no executable mapping */
};

#define STACK_CHAIN (1u << 31) /* in the cache: not a frame's number, but a place in `chains` */

/* What tells frames of one address apart; the low bits of the cache's key. */
enum stack_kind {
	KIND_KERNEL = 1,
	KIND_CALLER = 2,
	KIND_TRUNCATED = 4,
	KIND_HOST = 8, /* of a guest: not to be looked up here */
	KIND_BITS = 4,
};

/* How a user stack ended. */
enum stack_end { END_CUT = 1, END_DEEP = 2, END_UNWOUND = 4 };

/* The stack of a sample, being made. */
struct stack_walk {
	const struct perf_data_space *user;
	const struct perf_data_space *kernel;
	uint32_t pid;
	uint64_t time;
	uint64_t last; /* user address kept last */
	uint32_t last_kind;
	uint32_t count;      /* with what was inlined */
	uint32_t walked;     /* without */
	uint32_t user_count; /* user frames, those that were dropped too */
	bool cut;
};

int perf_data_stack_open(struct perf_data *data)
{
	data->resolve = file_resolve_new(data->file);
	return data->resolve ? 0 : -ENOMEM;
}

void perf_data_stack_close(struct perf_data *data)
{
	file_resolve_free(data->file, data->resolve);
	free(data->stack);
	free(data->chains);
	free(data->ends);
	free(data->seen);
	intmap_clear(&data->cache);
	intmap_clear(&data->in_files);
	intmap_clear(&data->comms);
	intmap_clear(&data->end_places);
}

/* The profile has new tables, or the first ones. */
static void stack_renew(struct perf_data *data)
{
	struct file_profile *profile = &data->file->profile;

	if (data->resolve->names == profile->names && data->epoch == profile->epoch)
		return;
	data->resolve->names = profile->names;
	data->epoch = profile->epoch;
	memset(data->resolve->cache, 0, sizeof(data->resolve->cache));
	memset(data->recent, 0, sizeof(data->recent));
	intmap_reset(&data->cache);
	intmap_reset(&data->in_files);
	intmap_reset(&data->comms);
	intmap_reset(&data->end_places);
	perf_data_jit_renew(&data->jit);
	perf_data_seen_forget(data);
	data->chain_used = 0;
}

static void stack_merge(struct weir_frame *frame)
{
	frame->address = frame->object ? 0 : frame->address;
	if (!frame->symbol)
		return;
	frame->object_offset = 0;
	frame->symbol_offset = 0;
}

/* A frame with what was inlined into it: its number, or that of the chain. 0: no memory. */
static uint32_t stack_chain(struct perf_data *data, struct weir_frame *frame)
{
	struct resolve *resolve = data->resolve;
	uint32_t count = resolve->chain_count + 1, place = data->chain_used;
	bool merges = perf_data_merges(data);

	if (merges)
		stack_merge(frame);
	if (count == 1)
		return file_frame(&data->file->profile, frame);
	if (count >= data->chain_capacity - place) {
		uint32_t capacity = data->chain_capacity * 2 + count + 1;
		uint32_t *chains = reallocarray(data->chains, capacity, sizeof(*chains));

		if (!chains || capacity >= STACK_CHAIN)
			return 0;
		data->chains = chains;
		data->chain_capacity = capacity;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct weir_frame *one = i < count - 1 ? &resolve->chain[i] : frame;
		uint32_t *number = &data->chains[place + 1 + i];

		if (merges)
			stack_merge(one);
		*number = file_frame(&data->file->profile, one);
		if (!*number)
			return 0;
	}
	data->chains[place] = count;
	data->chain_used += count + 1;
	return STACK_CHAIN | place;
}

/* A frame that was not seen yet: its number, STACK_CHAIN or STACK_OUTSIDE. 0: no memory. */
static uint32_t stack_find(struct perf_data *data, const struct perf_data_space *space,
			   uint64_t address, uint32_t kind)
{
	struct weir_frame frame = { .address = address };
	int err = RESOLVE_DONE;

	data->resolve->chain_count = 0;
	frame.flags = (kind & KIND_KERNEL ? WEIR_FRAME_KERNEL : 0) |
		      (kind & KIND_CALLER ? WEIR_FRAME_CALLER : 0) |
		      (kind & KIND_TRUNCATED ? WEIR_FRAME_TRUNCATED : 0);
	if (kind & KIND_HOST)
		frame.object = file_name(&data->file->profile, "[guest]", sizeof("[guest]") - 1);
	else if (kind & KIND_KERNEL)
		err = perf_data_name_kernel(data, space, &frame);
	else
		err = perf_data_name_user(data, space, &frame);
	if (err < 0)
		return 0;
	if (err == RESOLVE_OUTSIDE && kind & KIND_CALLER)
		return STACK_OUTSIDE;
	return stack_chain(data, &frame);
}

/* The same, of a file that other processes map elsewhere, and this one perhaps anew. */
static uint32_t stack_find_in_file(struct perf_data *data, const struct perf_data_space *space,
				   uint64_t address, uint32_t kind)
{
	uint64_t lookup = address - (kind & KIND_CALLER ? 1 : 0);
	const struct perf_data_map *map = space ? perf_data_map_at(space, lookup) : NULL;
	uint64_t offset;
	uint32_t key, number;

	if (!map || !perf_data_merges(data))
		return stack_find(data, space, address, kind);
	offset = address - map->start + map->offset;
	key = map->object << KIND_BITS | kind;
	number = intmap_get(&data->in_files, offset, key);
	if (number)
		return number;
	number = stack_find(data, space, address, kind);
	if (data->in_files.count >= STACK_IN_FILES_MAX)
		intmap_reset(&data->in_files);
	return number && !intmap_add(&data->in_files, offset, key, number) ? number : 0;
}

/* What an address is in a space changes with its version, but for the kernel's own code. */
static uint32_t stack_version(const struct perf_data *data, const struct perf_data_space *space,
			      uint64_t address, uint32_t kind)
{
	const struct perf_data_core *core = &data->processes.core;

	if (kind & KIND_KERNEL && address - core->start < core->end - core->start)
		return core->version;
	return space ? space->version : 0;
}

/* Behind the few hundred addresses that make up most of all stacks. */
static uint32_t stack_look_up(struct perf_data *data, const struct perf_data_space *space,
			      uint64_t address, uint32_t kind, uint32_t key)
{
	uint32_t number = intmap_get(&data->cache, address, key);

	if (number)
		return number;
	if (kind & (KIND_KERNEL | KIND_HOST))
		number = stack_find(data, space, address, kind);
	else
		number = stack_find_in_file(data, space, address, kind);
	if (!number)
		return 0;
	if (data->cache.count >= STACK_CACHE_MAX)
		intmap_reset(&data->cache);
	return intmap_add(&data->cache, address, key, number) ? 0 : number;
}

static uint32_t stack_frame(struct perf_data *data, const struct perf_data_space *space,
			    uint64_t address, uint32_t kind)
{
	uint32_t key = stack_version(data, space, address, kind) << KIND_BITS | kind;
	struct perf_data_recent *recent =
		&data->recent[(address ^ address >> 12 ^ key) % PERF_DATA_RECENT];

	if (recent->address == address && recent->key == key && recent->number)
		return recent->number;
	*recent = (struct perf_data_recent){ address, key,
					     stack_look_up(data, space, address, kind, key) };
	return recent->number;
}

/* A frame of user code; what was made at run time is asked for by time. */
static uint32_t stack_user_frame(struct perf_data *data, const struct stack_walk *walk,
				 uint64_t address, uint32_t kind)
{
	struct perf_data_made made = { walk->pid, walk->time, address, kind, 0 };
	const struct weir_frame *frame;

	made.number = stack_frame(data, walk->user, address, kind);
	if (!made.number || made.number == STACK_OUTSIDE || made.number & STACK_CHAIN)
		return made.number;
	frame = file_frames_at(&data->file->profile.frames, made.number);
	if (frame->symbol || !(frame->flags & WEIR_FRAME_JIT))
		return made.number;
	return perf_data_jit_frame(data, &made);
}

static int stack_reserve(struct perf_data *data, uint32_t count)
{
	uint32_t capacity = count * 2;
	void *stack;

	if (count <= data->stack_capacity)
		return 0;
	stack = reallocarray(data->stack, capacity, sizeof(*data->stack));
	if (!stack)
		return -ENOMEM;
	data->stack = stack;
	data->stack_capacity = capacity;
	return 0;
}

/* A number of frames and their numbers; NULL: it is one frame. */
static const uint32_t *stack_chain_of(const struct perf_data *data, uint32_t number)
{
	return number & STACK_CHAIN ? data->chains + (number & ~STACK_CHAIN) : NULL;
}

/* The frame's own number, without what was inlined into it. */
static uint32_t stack_outermost(const struct perf_data *data, uint32_t number)
{
	const uint32_t *chain = stack_chain_of(data, number);

	return chain ? chain[chain[0]] : number;
}

/* Puts a frame, or a chain, behind the others. 0 or -ENOMEM. */
static int stack_put(struct perf_data *data, struct stack_walk *walk, uint32_t number)
{
	const uint32_t *chain = stack_chain_of(data, number);
	uint32_t count = chain ? chain[0] : 1;

	if (stack_reserve(data, walk->count + count))
		return -ENOMEM;
	if (chain)
		memcpy(data->stack + walk->count, chain + 1, count * sizeof(*chain));
	else
		data->stack[walk->count] = number;
	walk->count += count;
	walk->walked++;
	return 0;
}

/* Says of the last frame that the stack may go on. 0 or -ENOMEM. */
static int stack_mark_end(struct perf_data *data, const struct stack_walk *walk)
{
	uint32_t number =
		stack_user_frame(data, walk, walk->last, walk->last_kind | KIND_TRUNCATED);

	data->stack[walk->count - 1] = stack_outermost(data, number);
	return number ? 0 : -ENOMEM;
}

/* One address. 0 or -ENOMEM. */
static int stack_add(struct perf_data *data, struct stack_walk *walk, uint64_t address,
		     uint32_t kind)
{
	bool user = !(kind & (KIND_KERNEL | KIND_HOST));
	uint32_t number;

	walk->user_count += user;
	/* No code is at 0: a walk that came there has ended. */
	if (user && !address)
		walk->cut = true;
	if (user && walk->cut)
		return 0;
	number = user ? stack_user_frame(data, walk, address, kind)
		      : stack_frame(data, walk->kernel, address, kind);
	if (number == STACK_OUTSIDE) {
		/* Here the walk through the frame pointers had gone wrong. */
		walk->cut = true;
		return walk->count ? stack_mark_end(data, walk) : 0;
	}
	if (!number || stack_put(data, walk, number))
		return -ENOMEM;
	if (user && perf_data_seen(data, stack_outermost(data, number)))
		return -ENOMEM;
	if (user) {
		walk->last = address;
		walk->last_kind = kind;
	}
	return 0;
}

/* What a marker says of the addresses behind it. */
static uint32_t stack_kind(uint64_t mark)
{
	if (mark == PERF_DATA_CHAIN_KERNEL)
		return KIND_KERNEL;
	return mark == PERF_DATA_CHAIN_USER || mark == PERF_DATA_CHAIN_DEFERRED ? 0 : KIND_HOST;
}

static int stack_add_chain(struct perf_data *data, const struct perf_data_sample *sample,
			   struct stack_walk *walk, uint32_t kind)
{
	uint32_t caller = 0;
	int err = 0;

	for (uint64_t i = 0; !err && i < sample->chain_count; i++) {
		uint64_t address = perf_data_u64(data, sample->chain + i * 8);

		if (address < PERF_DATA_CHAIN_MARK) {
			if (i == sample->calls_at)
				caller = 0;
			err = stack_add(data, walk, address, kind | caller);
			caller = i < sample->calls_at ? KIND_CALLER : 0;
			continue;
		}
		kind = stack_kind(address);
		/* Where user code entered the kernel is no return address either. */
		caller = 0;
		if (address == PERF_DATA_CHAIN_DEFERRED) {
			data->counts.deferred++;
			i++;
		}
	}
	return err;
}

static uint32_t stack_kind_of_cpu(uint16_t misc)
{
	uint32_t mode = misc & PERF_DATA_CPUMODE;

	if (mode == PERF_DATA_CPU_KERNEL)
		return KIND_KERNEL;
	return mode == PERF_DATA_CPU_USER || mode == 0 ? 0 : KIND_HOST;
}

static bool stack_object_nameless(const struct perf_data *data, const char *path)
{
	const struct objects *objects = &data->resolve->objects;

	for (uint32_t i = 0; i < objects->count; i++)
		if (objects->items[i]->state == OBJECT_NAMED &&
		    strcmp(objects->items[i]->path, path) == 0)
			return false;
	return true;
}

static uint32_t stack_text(struct perf_data *data, uint32_t name)
{
	const struct weir_host *host = data->ctx->host;
	uint32_t length;
	const char *text = host->names_text(data->file->profile.names, name, &length);

	return length ? host->names_intern(data->processes.texts, text, length) : 0;
}

/* A new way in which user stacks end. NULL: no memory. */
static struct perf_data_end *stack_new_end(struct perf_data *data, uint32_t number, uint32_t how,
					   const struct stack_walk *walk)
{
	const struct weir_frame *frame = file_frames_at(&data->file->profile.frames, number);
	struct perf_data_end *end;

	if (data->end_count == data->end_capacity) {
		uint32_t capacity = data->end_capacity ? data->end_capacity * 2 : 256;
		void *ends = reallocarray(data->ends, capacity, sizeof(*data->ends));

		if (!ends)
			return NULL;
		data->ends = ends;
		data->end_capacity = capacity;
	}
	if (intmap_add(&data->end_places, number, how, data->end_count + 1))
		return NULL;
	end = &data->ends[data->end_count++];
	*end = (struct perf_data_end){ .symbol = stack_text(data, frame->symbol),
				       .object = stack_text(data, frame->object),
				       .caller = frame->flags & WEIR_FRAME_CALLER,
				       .truncated = walk->cut,
				       .too_deep = how & END_DEEP,
				       .unwound = how & END_UNWOUND };
	end->nameless = stack_object_nameless(data, perf_data_text(data, end->object));
	return end;
}

static int stack_note_end(struct perf_data *data, const struct stack_walk *walk, uint32_t how)
{
	uint32_t place, number;

	if (!walk->user_count || !walk->count)
		return 0;
	number = data->stack[walk->count - 1];
	how |= walk->cut ? END_CUT : 0;
	place = intmap_get(&data->end_places, number, how);
	if (!place && !stack_new_end(data, number, how, walk))
		return -ENOMEM;
	data->ends[place ? place - 1 : data->end_count - 1].stacks++;
	return 0;
}

static int stack_walk(struct perf_data *data, const struct perf_data_event *event,
		      const struct perf_data_sample *sample, struct stack_walk *walk)
{
	uint32_t kind = stack_kind_of_cpu(sample->misc);
	uint32_t most = event->attr.max_stack ? event->attr.max_stack : STACK_DEPTH;
	bool too_deep;
	int err = stack_add_chain(data, sample, walk, kind);

	if (!err && !walk->count && !walk->cut)
		err = stack_add(data, walk, sample->ip, kind);
	too_deep = sample->unwound ? sample->is_short : walk->walked >= most;
	if (!err && sample->is_short && walk->last && !walk->cut)
		err = stack_mark_end(data, walk);
	if (!err && sample->chain)
		err = stack_note_end(data, walk,
				     (too_deep ? END_DEEP : 0) |
					     (sample->unwound ? END_UNWOUND : 0));
	return err;
}

int perf_data_push(struct perf_data *data, struct perf_data_event *event,
		   const struct perf_data_sample *sample)
{
	struct stack_walk walk = { .pid = sample->pid, .time = sample->time };
	struct file_sample out = { .time = sample->time,
				   .weight = sample->period,
				   .count = 1,
				   .pid = sample->pid,
				   .tid = sample->tid,
				   .cpu = sample->cpu };

	stack_renew(data);
	data->jit.other_clock = event->attr.clock != CLOCK_MONOTONIC;
	walk.user = perf_data_space_of(&data->processes, sample->pid);
	walk.kernel = perf_data_space_of(&data->processes, PERF_DATA_KERNEL_PID);
	if (stack_walk(data, event, sample, &walk))
		return weir_fail(data->ctx, -ENOMEM, "stack of a sample");
	out.event = perf_data_event_name(data, event);
	out.comm = perf_data_comm(data, sample->tid);
	out.frames = data->stack;
	out.frame_count = walk.count;
	return file_push(&data->file->profile, &out);
}

void perf_data_stack_report(struct perf_data *data)
{
	struct walk_quality quality = { 0 };
	char text[512];

	perf_data_seen_add_up(data);
	objects_report(data->ctx, &data->resolve->objects);
	perf_data_jit_report(data);
	if (data->kernel_reason)
		weir_log(data->ctx, WEIR_LOG_WARNING, "no names of kernel functions: %s",
			 data->kernel_reason);
	for (uint32_t i = 0; i < data->end_count; i++) {
		const struct perf_data_end *end = &data->ends[i];
		struct walk_end judged = { .symbol = perf_data_text(data, end->symbol),
					   .object = perf_data_text(data, end->object),
					   .caller = end->caller,
					   .truncated = end->truncated,
					   .too_deep = end->too_deep,
					   .nameless = end->nameless,
					   .unwound = end->unwound };

		walk_judge(&quality, &judged, end->stacks);
	}
	if (quality.stacks == quality.unjudged)
		return;
	walk_describe(&quality, text, sizeof(text));
	weir_log(data->ctx, WEIR_LOG_INFO, "%s", text);
}
