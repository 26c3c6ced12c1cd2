/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting a sample into a histogram from a BPF program. Needs -mcpu=v3 (cmpxchg, kernel 5.12).
 */
#ifndef WEIR_BPF_HISTOGRAM_H
#define WEIR_BPF_HISTOGRAM_H

#include <linux/types.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/histogram_cells.h>

/* How often another CPU may raise the same cell at the same moment before we give way to it. */
#define WEIR_RAISE_TRIES 8

/*
 * Makes *cell at least `value`. Returns 0. Not inlined, as new extremes are rare and the verifier
 * would walk through all tries once more for each cell.
 */
__noinline int weir_cell_raise(unsigned long long *cell, unsigned long long value)
{
	unsigned long long seen;
	int i;

	if (!cell)
		return 0;
	for (i = 0; i < WEIR_RAISE_TRIES; i++) {
		seen = *(volatile unsigned long long *)cell;
		if (seen >= value || __sync_val_compare_and_swap(cell, seen, value) == seen)
			break;
	}
	return 0;
}

/*
 * Counts `value` into `histogram`, a place in a map's value that other CPUs may be adding to.
 * `first` is the index of its first cell, see WEIR_HISTOGRAM_FIRST. Returns 0.
 *
 * Not static: the verifier then checks it once and by itself. Inlined at two places it would
 * walk through every combination of their branches, which takes 160 ms.
 */
__noinline int weir_histogram_add(struct weir_histogram_cells *histogram, unsigned long long value,
				  unsigned int first)
{
	unsigned int cell;

	if (!histogram)
		return 0;
	if (value == 0) {
		__sync_fetch_and_add(&histogram->zero, 1);
		return 0;
	}

	cell = weir_histogram_index(value) - first;
	/* Without this clang 14 checks one copy of the index and uses another: refused. */
	asm volatile("" : "+r"(cell));
	if (cell < WEIR_HISTOGRAM_CELLS)
		__sync_fetch_and_add(&histogram->cells[cell], 1);
	else if ((int)cell < 0)
		__sync_fetch_and_add(&histogram->under, 1);
	else
		__sync_fetch_and_add(&histogram->over, 1);

	__sync_fetch_and_add(&histogram->sum, value);
	if (histogram->inverse_min < ~value)
		weir_cell_raise(&histogram->inverse_min, ~value);
	if (histogram->max < value)
		weir_cell_raise(&histogram->max, value);
	return 0;
}

#endif
