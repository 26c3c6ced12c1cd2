/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One 64-bit word about a thread: its number in the low bits, a value of 42 bits above. As both
 * are read and written at once, a table of them needs no locks (bpf/thread_words.h). Shared by
 * BPF programs and the user side. Includes nothing.
 */
#ifndef WEIR_BPF_THREAD_WORD_H
#define WEIR_BPF_THREAD_WORD_H

/* The kernel numbers threads below 2^22. */
#define WEIR_TID_BITS 22

/* How many threads whose numbers end alike have room in such a table. */
#define WEIR_THREAD_WAYS 8

/* Moments are kept in units of 16 ns: 42 bits of them last for 19 hours. */
#define WEIR_STAMP_SHIFT 4

static inline unsigned long long weir_thread_word(unsigned int tid, unsigned long long value)
{
	return value << WEIR_TID_BITS | tid;
}

static inline unsigned int weir_thread_word_tid(unsigned long long word)
{
	return (unsigned int)word & ((1u << WEIR_TID_BITS) - 1);
}

static inline unsigned long long weir_thread_word_value(unsigned long long word)
{
	return word >> WEIR_TID_BITS;
}

/* A word whose value is a moment in ns. */
static inline unsigned long long weir_thread_stamp(unsigned int tid, unsigned long long now)
{
	return weir_thread_word(tid, now >> WEIR_STAMP_SHIFT);
}

/* The ns from a stamp to now, to within 16; 0 if the clock of another CPU is ahead of ours. */
static inline unsigned long long weir_thread_stamp_age(unsigned long long stamp,
						       unsigned long long now)
{
	unsigned long long age =
		((now >> WEIR_STAMP_SHIFT << WEIR_TID_BITS) - stamp) >> WEIR_TID_BITS;

	return age >> 41 ? 0 : age << WEIR_STAMP_SHIFT;
}

#if !defined(__bpf__)

/* User side: has a program forget the word of a thread, in its table of 2^log sets, if it has it. */
static inline void weir_thread_word_forget(unsigned long long *words, unsigned int log,
					   unsigned long long word)
{
	unsigned int set = weir_thread_word_tid(word) & ((1u << log) - 1);
	unsigned long long *way = words + (unsigned long long)set * WEIR_THREAD_WAYS;

	for (unsigned int i = 0; i < WEIR_THREAD_WAYS; i++) {
		unsigned long long expected = word;

		__atomic_compare_exchange_n(&way[i], &expected, 0, 0, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
	}
}

#endif

#endif
