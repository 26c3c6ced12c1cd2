/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of addresses, found by an address that they hold; see dwarf_module.h. */
#include <errno.h>
#include <stdlib.h>

#include "dwarf_module.h"

void *dwarf_grow(void *items, uint32_t count, uint32_t *capacity, size_t size)
{
	uint32_t wanted = *capacity ? *capacity * 2 : 64;
	void *grown;

	if (count < *capacity)
		return items;
	if (wanted <= *capacity)
		return NULL;
	grown = reallocarray(items, wanted, size);
	if (grown)
		*capacity = wanted;
	return grown;
}

int dwarf_ranges_add(struct dwarf_ranges *ranges, uint64_t start, uint64_t end, uint32_t place)
{
	struct dwarf_range *items =
		dwarf_grow(ranges->items, ranges->count, &ranges->capacity, sizeof(*items));

	if (!items)
		return -ENOMEM;
	ranges->items = items;
	items[ranges->count++] = (struct dwarf_range){ .start = start, .end = end, .place = place };
	return 0;
}

/* Larger ones first where two begin together: the inner one is met first on the way back. */
static int ranges_compare(const void *left, const void *right)
{
	const struct dwarf_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

void dwarf_ranges_sort(struct dwarf_ranges *ranges)
{
	uint64_t most = 0;

	if (!ranges->count)
		return;
	qsort(ranges->items, ranges->count, sizeof(*ranges->items), ranges_compare);
	for (uint32_t i = 0; i < ranges->count; i++) {
		most = ranges->items[i].end > most ? ranges->items[i].end : most;
		ranges->items[i].most = most;
	}
}

/* How many begin at the address or before it. */
static uint32_t ranges_before(const struct dwarf_ranges *ranges, uint64_t address)
{
	uint32_t low = 0, high = ranges->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct dwarf_range *dwarf_ranges_next(const struct dwarf_ranges *ranges, uint64_t address,
					    uint32_t *at)
{
	if (*at > ranges->count)
		*at = ranges_before(ranges, address);
	while (*at > 0) {
		const struct dwarf_range *range = &ranges->items[--*at];

		if (range->most <= address)
			break;
		if (address < range->end)
			return range;
	}
	*at = 0;
	return NULL;
}
