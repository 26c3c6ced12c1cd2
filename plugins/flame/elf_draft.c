/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting functions by address: files have many of them, and few at one address; see elf_draft.h. */
#include <errno.h>
#include <stdlib.h>

#include "elf_draft.h"

enum { ELF_SORT_BITS = 11 }; /* of an address at a time */

static int elf_compare(const void *left, const void *right)
{
	const struct elf_draft *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->local != b->local)
		return a->local < b->local ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return 0;
}

/* Drafts by some bits of their addresses, which keeps the order of equal ones. */
static void elf_sort_bits(const struct elf_draft *from, struct elf_draft *to, uint32_t count,
			  uint32_t shift)
{
	uint32_t places[1 << ELF_SORT_BITS] = { 0 }, at = 0, i;

	for (i = 0; i < count; i++)
		places[from[i].address >> shift & ((1 << ELF_SORT_BITS) - 1)]++;
	for (i = 0; i < 1 << ELF_SORT_BITS; i++) {
		uint32_t here = places[i];

		places[i] = at;
		at += here;
	}
	for (i = 0; i < count; i++)
		to[places[from[i].address >> shift & ((1 << ELF_SORT_BITS) - 1)]++] = from[i];
}

int elf_draft_sort(struct elf_draft **drafts, uint32_t count)
{
	struct elf_draft *from = *drafts, *to = malloc(((size_t)count + 1) * sizeof(*to)), *sorted;
	uint32_t first = 0, i, shift;
	uint64_t highest = 0;

	if (!to)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		highest |= from[i].address;
	for (shift = 0; shift < 64 && highest >> shift; shift += ELF_SORT_BITS) {
		elf_sort_bits(from, to, count, shift);
		sorted = to;
		to = from;
		from = sorted;
	}
	free(to);
	*drafts = from;
	for (i = 1; i <= count; i++) {
		if (i < count && from[i].address == from[first].address)
			continue;
		if (i - first > 1)
			qsort(from + first, i - first, sizeof(*from), elf_compare);
		first = i;
	}
	return 0;
}
