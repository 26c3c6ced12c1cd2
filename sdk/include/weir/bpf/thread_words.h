/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: a table of threads with one word each (thread_word.h), in some 10 ns a look. It takes
 * no locks and no memory, so it may be used where the scheduler holds its own.
 *
 *	struct {
 *		__uint(type, BPF_MAP_TYPE_ARRAY);
 *		__uint(max_entries, 1 << 11);
 *		__type(key, __u32);
 *		__type(value, struct weir_thread_words);
 *	} waiting SEC(".maps");
 *
 *	words = weir_thread_words(&waiting, tid, 11);
 *
 * The kernel numbers threads one after another, so their low bits spread them evenly. The events
 * of one thread must follow one another; those of different threads may come on all CPUs at once.
 */
#ifndef WEIR_BPF_THREAD_WORDS_H
#define WEIR_BPF_THREAD_WORDS_H

#include <linux/types.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/thread_word.h>

/* How often another CPU may take the free word that we are about to take. */
#define WEIR_THREAD_TRIES 4

/* The threads whose numbers end alike, a cache line. 0: a free word. */
struct weir_thread_words {
	__u64 word[WEIR_THREAD_WAYS];
};

/* The words among which that of `tid` is, in a map with 2^log values. NULL: no such map value. */
static __always_inline struct weir_thread_words *weir_thread_words(void *map, __u32 tid, __u32 log)
{
	__u32 set = tid & ((1u << log) - 1);

	return bpf_map_lookup_elem(map, &set);
}

/*
 * Where the word of `tid` is, of 0 a free one; WEIR_THREAD_WAYS if there is none. Not static, so
 * that the verifier checks the loop by itself and does not follow the caller once for each way.
 */
__noinline __u32 weir_thread_way(const struct weir_thread_words *words, __u32 tid)
{
	__u32 way;

	if (!words)
		return WEIR_THREAD_WAYS;
	for (way = 0; way < WEIR_THREAD_WAYS; way++) {
		if (weir_thread_word_tid(words->word[way]) == tid)
			break;
	}
	return way;
}

/* `way` itself. clang 14 has compared one copy of it and uses another, unbounded to the verifier. */
static __always_inline __u32 weir_thread_way_index(__u32 way)
{
	asm volatile("" : "+r"(way));
	return way & (WEIR_THREAD_WAYS - 1);
}

/*
 * Adds the word of a thread that has none. The way that it is in, or WEIR_THREAD_WAYS: no room, or
 * `words` is NULL. Not static either.
 */
__noinline __u32 weir_thread_way_take(struct weir_thread_words *words, __u64 word)
{
	__u32 way;
	int i;

	if (!words)
		return WEIR_THREAD_WAYS;
	for (i = 0; i < WEIR_THREAD_TRIES; i++) {
		way = weir_thread_way(words, 0);
		if (way >= WEIR_THREAD_WAYS)
			break;
		if (!__sync_val_compare_and_swap(&words->word[way], 0, word))
			return way;
	}
	return WEIR_THREAD_WAYS;
}

/* The same, for whom the way does not matter. 1, or 0. */
static __always_inline int weir_thread_word_add(struct weir_thread_words *words, __u64 word)
{
	return weir_thread_way_take(words, word) < WEIR_THREAD_WAYS;
}

/* Removes the word of a thread and returns it; 0: it has none, or `words` is NULL. */
static __always_inline __u64 weir_thread_word_remove(struct weir_thread_words *words, __u32 tid)
{
	__u32 way = words ? weir_thread_way(words, tid) : WEIR_THREAD_WAYS;
	__u64 word;

	if (way >= WEIR_THREAD_WAYS)
		return 0;
	word = words->word[way];
	words->word[way] = 0;
	return word;
}

#endif
