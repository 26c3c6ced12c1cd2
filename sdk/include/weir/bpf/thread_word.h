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

#endif
