/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram as a BPF program fills it and a plugin empties it. Includes nothing but the index
 * function. The kernel side's function is in <weir/bpf/histogram.h>, the user side's below.
 *
 * The cells cover 30 powers of two from a place the tool chooses: `first` is the index of
 * cells[0] as weir_histogram_index() counts. There is no count member: it is the sum of zero,
 * under, over and all cells, which saves an atomic addition and can't disagree with them.
 */
#ifndef WEIR_BPF_HISTOGRAM_CELLS_H
#define WEIR_BPF_HISTOGRAM_CELLS_H

#include <weir/histogram_index.h>

#define WEIR_HISTOGRAM_CELLS 240

/* The index of the first cell when the cells shall begin just above 2^power. */
#define WEIR_HISTOGRAM_FIRST(power) (8 * (power) + 1)

struct weir_histogram_cells {
	unsigned long long zero;  /* samples of 0 */
	unsigned long long under; /* samples below cells[0], without 0 */
	unsigned long long over;  /* samples above the last cell */
	unsigned long long sum;
	unsigned long long inverse_min; /* ~smallest sample but 0; 0: none yet */
	unsigned long long max;
	unsigned long long cells[WEIR_HISTOGRAM_CELLS];
};

#if defined(__cplusplus)
#define WEIR_HISTOGRAM_ASSERT static_assert
#else
#define WEIR_HISTOGRAM_ASSERT _Static_assert
#endif
WEIR_HISTOGRAM_ASSERT(sizeof(struct weir_histogram_cells) == (6 + WEIR_HISTOGRAM_CELLS) * 8,
		      "weir_histogram_cells: kernel and user differ");
#undef WEIR_HISTOGRAM_ASSERT

#if !defined(__bpf__)

/*
 * Moves what a BPF program has counted at *cell into the return value. Nothing is lost or seen
 * twice: what is added meanwhile belongs to the next window. Any thread.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): the exchange writes */
static inline unsigned long long weir_cell_take(unsigned long long *cell)
{
	/* Most cells are 0: reading leaves their cache line with the CPU that counts. */
	if (!__atomic_load_n(cell, __ATOMIC_RELAXED))
		return 0;
	return __atomic_exchange_n(cell, 0, __ATOMIC_ACQ_REL);
}

/*
 * Empties `from`, which a BPF program may be filling, into `window`, which is overwritten, and
 * returns the number of samples. A sample that arrives meanwhile may have its cell in this window
 * and its sum in the next. window->inverse_min is 0 when the window holds no sample but 0.
 */
static inline unsigned long long weir_histogram_take(struct weir_histogram_cells *from,
						     struct weir_histogram_cells *window)
{
	unsigned long long count = 0;
	unsigned int i;

	count += window->zero = weir_cell_take(&from->zero);
	count += window->under = weir_cell_take(&from->under);
	count += window->over = weir_cell_take(&from->over);
	for (i = 0; i < WEIR_HISTOGRAM_CELLS; i++)
		count += window->cells[i] = weir_cell_take(&from->cells[i]);

	window->sum = weir_cell_take(&from->sum);
	window->inverse_min = weir_cell_take(&from->inverse_min);
	window->max = weir_cell_take(&from->max);
	return count;
}

/* Adds the samples of one window to those of another. */
static inline void weir_histogram_cells_merge(struct weir_histogram_cells *into,
					      const struct weir_histogram_cells *from)
{
	unsigned int i;

	into->zero += from->zero;
	into->under += from->under;
	into->over += from->over;
	into->sum += from->sum;
	for (i = 0; i < WEIR_HISTOGRAM_CELLS; i++)
		into->cells[i] += from->cells[i];
	if (from->inverse_min > into->inverse_min)
		into->inverse_min = from->inverse_min;
	if (from->max > into->max)
		into->max = from->max;
}

#endif

#endif
