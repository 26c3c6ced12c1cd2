/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side of cpu.offcpu: stacks in a buffer of the CPU, and a name for each of them of 128 bits,
 * seeded anew by each run, so that no two stacks are ever taken for one.
 */
#ifndef OFFCPU_WALK_BPF_H
#define OFFCPU_WALK_BPF_H

#include <linux/bpf.h>

#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "offcpu_event.h"

/* Words that are hashed in one go: both limits are multiples of it. */
#define OFFCPU_HASH_WORDS 4
#define OFFCPU_HASH_STEPS ((OFFCPU_KERNEL_FRAMES + OFFCPU_USER_FRAMES) / OFFCPU_HASH_WORDS)

const volatile __u64 seed[2] = {};
const volatile bool walk_kernel = true;
const volatile bool walk_user = true;

/* The scheduler's events do not interrupt each other, but they do interrupt an iterator. */
enum walk_buffer { WALK_EVENT = 0, WALK_ITERATOR = 1 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* enum walk_buffer */
	__type(key, __u32);
	__type(value, struct offcpu_walk);
} walks SEC(".maps");

static __always_inline void hash_word(__u64 *first, __u64 *second, __u64 word)
{
	*first = (*first ^ word) * 0x9e3779b97f4a7c15ULL;
	*first ^= *first >> 32;
	*second = (*second + word) * 0xd6e8feb86659fd93ULL;
	*second ^= *second >> 29;
}

struct walk_hash {
	__u64 first;
	__u64 second;
	const __u64 *words; /* the kernel's frames, behind which are the user's */
	__u32 from;         /* steps that come before */
};

/* Of the words behind the last frame, all are 0. */
static long hash_step(__u32 i, struct walk_hash *hash)
{
	__u32 step = hash->from + i;
	__u64 first = hash->first, second = hash->second;
	__u32 word;

	if (step >= OFFCPU_HASH_STEPS)
		return 1;
	for (word = 0; word < OFFCPU_HASH_WORDS; word++)
		hash_word(&first, &second, hash->words[step * OFFCPU_HASH_WORDS + word]);
	hash->first = first;
	hash->second = second;
	return 0;
}

static __always_inline __u32 walk_steps(__u32 count)
{
	return (count + OFFCPU_HASH_WORDS - 1) / OFFCPU_HASH_WORDS;
}

/*
 * Names what was walked, and by whom; the counts and flags are part of it. Not static, so that it is
 * verified once and not for each way here.
 */
__noinline int walk_name(struct offcpu_walk *walk)
{
	struct walk_hash hash = { .first = seed[0], .second = seed[1] };

	if (!walk)
		return 0;
	hash.words = walk->kernel;
	hash_word(&hash.first, &hash.second,
		  (__u64)walk->flags << 32 | walk->kernel_count << 16 | walk->user_count);
	bpf_loop(walk_steps(walk->kernel_count), hash_step, &hash, 0);
	hash.from = OFFCPU_KERNEL_FRAMES / OFFCPU_HASH_WORDS;
	bpf_loop(walk_steps(walk->user_count), hash_step, &hash, 0);
	walk->hash[0] = hash.first;
	walk->hash[1] = hash.second;
	return 0;
}

/*
 * The buffer, for a stack of `task`. The pointer's detour through it makes it a mere number for
 * the verifier, who would not pass a task to functions that it checks by themselves.
 */
static __always_inline struct offcpu_walk *walk_begin(__u32 buffer, void *task)
{
	struct offcpu_walk *walk = bpf_map_lookup_elem(&walks, &buffer);

	if (!walk)
		return 0;
	walk->task = (__u64)task;
	walk->kernel_count = walk->user_count = walk->flags = 0;
	return walk;
}

/* `bytes`: as the kernel's helper returned them. The number of frames. */
static __always_inline __u32 walk_count(struct offcpu_walk *walk, long bytes, __u32 lost)
{
	if (bytes > 0)
		return (__u32)bytes / 8;
	walk->flags |= lost;
	return 0;
}

#endif
