/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modes of a latency histogram: an average of two humps describes no request. A mode is a peak
 * of the counts per half octave that has at least a tenth of all values on its slopes and is
 * parted from its neighbours by valleys at most half as high as the lower of both.
 */
#include "use.h"

#include <weir/histogram.h>

#define STEPS 160 /* half octaves that 64 bits have, and some */
#define LEAST 10  /* a mode holds at least one of so many values */

/* Counts by half octave, from that of the first bucket on. */
static uint32_t modes_coarsen(const struct weir_histogram *histogram, uint64_t counts[STEPS],
			      int32_t *first)
{
	const uint32_t steps = histogram->scale > 1 ? (uint32_t)histogram->scale - 1 : 0;
	uint32_t count = 0;

	*first = weir_histogram_coarser(histogram->offset, steps);
	for (uint32_t i = 0; i < histogram->buckets; i++) {
		int32_t at = weir_histogram_coarser(histogram->offset + (int32_t)i, steps) - *first;

		if (at < 0 || at >= STEPS)
			break;
		counts[at] += histogram->counts[i];
		count = (uint32_t)at + 1;
	}
	return count;
}

struct modes_hump {
	uint32_t from; /* the valley before it */
	uint32_t peak;
};

/* Every rise that is followed by a fall. */
static uint32_t modes_split(const uint64_t *counts, uint32_t count, struct modes_hump *humps)
{
	uint32_t found = 0, valley = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t before = i ? counts[i - 1] : 0,
			       after = i + 1 < count ? counts[i + 1] : 0;

		if (counts[i] < counts[valley])
			valley = i;
		if (counts[i] > before && counts[i] >= after) {
			humps[found++] = (struct modes_hump){ valley, i };
			valley = i;
		}
	}
	return found;
}

/* Joins neighbours whose valley is more than half as high as the lower of their peaks. */
static uint32_t modes_join(const uint64_t *counts, struct modes_hump *humps, uint32_t found)
{
	uint32_t kept = 0;

	for (uint32_t i = 1; i < found; i++) {
		const uint64_t left = counts[humps[kept].peak], right = counts[humps[i].peak];

		if (counts[humps[i].from] * 2 <= (left < right ? left : right))
			humps[++kept] = humps[i];
		else if (right > left)
			humps[kept].peak = humps[i].peak;
	}
	return found ? kept + 1 : 0;
}

/* Where the values of a half octave lie, on average. */
static double modes_middle(const struct weir_histogram *histogram, int32_t half_octave)
{
	const uint32_t steps = histogram->scale > 1 ? (uint32_t)histogram->scale - 1 : 0;
	double sum = 0, count = 0;

	for (uint32_t i = 0; i < histogram->buckets; i++) {
		const int32_t at = histogram->offset + (int32_t)i;

		if (weir_histogram_coarser(at, steps) != half_octave)
			continue;
		sum += (double)histogram->counts[i] *
		       weir_histogram_value(histogram->scale, at - 0.5);
		count += (double)histogram->counts[i];
	}
	return sum / count;
}

uint32_t use_modes(const struct weir_histogram *histogram, double modes[USE_MODES])
{
	struct modes_hump humps[STEPS / 2 + 1] = { { 0, 0 } };
	uint64_t counts[STEPS] = { 0 };
	uint32_t count, found, told = 0;
	int32_t first;

	count = modes_coarsen(histogram, counts, &first);
	found = modes_join(counts, humps, modes_split(counts, count, humps));
	for (uint32_t i = 0; i < found && told < USE_MODES; i++) {
		const uint32_t end = i + 1 < found ? humps[i + 1].from : count;
		uint64_t sum = 0;

		for (uint32_t at = humps[i].from; at < end; at++)
			sum += counts[at];
		if (sum * LEAST >= histogram->count)
			modes[told++] = modes_middle(histogram, first + (int32_t)humps[i].peak);
	}
	return told;
}
