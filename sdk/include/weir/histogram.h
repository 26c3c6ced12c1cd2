/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms as rows carry them (struct weir_histogram): making one, reading one, merging two.
 * Needs no libm. Every function may be called from any thread, but weir_add_... on the loop only.
 */
#ifndef WEIR_HISTOGRAM_H
#define WEIR_HISTOGRAM_H

#include "bpf/histogram_cells.h"
#include "host.h"

/* Bytes of a histogram with that many buckets. */
static inline size_t weir_histogram_bytes(uint32_t buckets)
{
	return sizeof(struct weir_histogram) + (size_t)buckets * sizeof(uint64_t);
}

/* The histogram that a row refers to, or NULL: the row has none. */
static inline const struct weir_histogram *weir_histogram_of(const struct weir_batch *batch,
							     struct weir_histogram_ref ref)
{
	return ref.bytes ? (const struct weir_histogram *)weir_arena(batch, ref.offset) : NULL;
}

/* A power of two whose exponent fits a normal double. */
static inline double weir_histogram_power(int64_t exponent)
{
	uint64_t bits = (uint64_t)(exponent + 1023) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return power;
}

/*
 * 2^(position / 2^scale): the upper bound of bucket `position`, and the lower one of the next.
 * Exact to double precision on the bounds of scales up to 3; between them a straight line stands
 * in for the curve, which is off by less than 0.1 %.
 */
static inline double weir_histogram_value(int32_t scale, double position)
{
	static const uint64_t eighths[9] = {
		WEIR_HISTOGRAM_BOUND_0, WEIR_HISTOGRAM_BOUND_1, WEIR_HISTOGRAM_BOUND_2,
		WEIR_HISTOGRAM_BOUND_3, WEIR_HISTOGRAM_BOUND_4, WEIR_HISTOGRAM_BOUND_5,
		WEIR_HISTOGRAM_BOUND_6, WEIR_HISTOGRAM_BOUND_7, UINT64_MAX,
	};
	double eighth = position;
	double low, high;
	int64_t whole, power, rest;

	for (; scale < WEIR_HISTOGRAM_SCALE && eighth != 0 && eighth > -8000 && eighth < 8000;
	     scale++)
		eighth *= 2;
	for (; scale > WEIR_HISTOGRAM_SCALE && eighth != 0; scale--)
		eighth /= 2;
	if (eighth < -8000)
		return 0;
	if (eighth > 8000)
		eighth = 8000;

	whole = (int64_t)eighth;
	if ((double)whole > eighth)
		whole--;
	rest = ((whole % 8) + 8) % 8;
	power = (whole - rest) / 8;
	low = (double)eighths[rest];
	high = (double)eighths[rest + 1];
	return (low + (high - low) * (eighth - (double)whole)) * weir_histogram_power(power - 63);
}

/* The bounds of bucket `index`, as counted in the field's unit: above lower, up to upper. */
static inline double weir_histogram_lower(int32_t scale, int32_t index)
{
	return weir_histogram_value(scale, (double)index - 1);
}

static inline double weir_histogram_upper(int32_t scale, int32_t index)
{
	return weir_histogram_value(scale, (double)index);
}

/* NaN while nothing was counted. */
static inline double weir_histogram_mean(const struct weir_histogram *histogram)
{
	if (histogram->count == 0)
		return __builtin_nan("");
	return (double)histogram->sum / (double)histogram->count;
}

static inline double weir_histogram_clamp(const struct weir_histogram *histogram, double value)
{
	if (value < (double)histogram->min)
		return (double)histogram->min;
	return value > (double)histogram->max ? (double)histogram->max : value;
}

/*
 * The value that a share q (0 to 1) of all values do not exceed, interpolated within its bucket
 * and never outside of what was seen. What was too small or too large for the buckets stands at
 * the minimum and the maximum. NaN while nothing was counted.
 */
static inline double weir_histogram_quantile(const struct weir_histogram *histogram, double q)
{
	double rank = q * (double)histogram->count;
	double before = (double)histogram->underflow;

	if (histogram->count == 0)
		return __builtin_nan("");
	if (rank <= before || q <= 0)
		return (double)histogram->min;
	for (uint32_t i = 0; i < histogram->buckets && q < 1; i++) {
		double here = (double)histogram->counts[i];

		if (here > 0 && rank <= before + here) {
			double position = (double)histogram->offset + i - 1;

			return weir_histogram_clamp(
				histogram, weir_histogram_value(histogram->scale,
								position + (rank - before) / here));
		}
		before += here;
	}
	return (double)histogram->max;
}

/* The bucket at a scale lower by `steps` that bucket `index` is part of. */
static inline int32_t weir_histogram_coarser(int32_t index, uint32_t steps)
{
	if (steps > 62)
		steps = 62;
	/* Rounds up, as upper bounds are inclusive. */
	return (int32_t) - (-(int64_t)index >> steps);
}

/* Halves the scale in place: each two neighbours become one. Nothing but resolution is lost. */
static inline void weir_histogram_halve(struct weir_histogram *histogram)
{
	int32_t offset = weir_histogram_coarser(histogram->offset, 1);
	uint32_t buckets = 0;

	for (uint32_t i = 0; i < histogram->buckets; i++) {
		int32_t index = weir_histogram_coarser(histogram->offset + (int32_t)i, 1);
		uint64_t count = histogram->counts[i];

		histogram->counts[i] = 0;
		histogram->counts[index - offset] += count;
		buckets = (uint32_t)(index - offset) + 1;
	}
	histogram->scale--;
	histogram->offset = offset;
	histogram->buckets = buckets;
}

static inline void weir_histogram_merge_totals(struct weir_histogram *into,
					       const struct weir_histogram *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (into->count == 0 || from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
	into->underflow += from->underflow;
	into->overflow += from->overflow;
}

/*
 * Adds `from` to `into`, whose scale, offset and number of buckets stay: zero it but for these
 * before the first merge. 0, or with nothing changed -EINVAL: `into` has the finer scale (halve
 * it first); -ERANGE: a count lies outside of its buckets.
 */
static inline int weir_histogram_merge(struct weir_histogram *into,
				       const struct weir_histogram *from)
{
	uint32_t steps = (uint32_t)from->scale - (uint32_t)into->scale;

	if (from->scale < into->scale)
		return -EINVAL;
	for (uint32_t i = 0; i < from->buckets; i++) {
		int64_t at = weir_histogram_coarser(from->offset + (int32_t)i, steps);

		if (from->counts[i] && (at < into->offset || at - into->offset >= into->buckets))
			return -ERANGE;
	}
	for (uint32_t i = 0; i < from->buckets; i++) {
		int32_t at = weir_histogram_coarser(from->offset + (int32_t)i, steps);

		if (from->counts[i])
			into->counts[at - into->offset] += from->counts[i];
	}
	weir_histogram_merge_totals(into, from);
	return 0;
}

/* How many of `count` 64-bit cells are left without the zeroes at both ends; *first: where. */
static inline uint32_t weir_histogram_trim(const void *cells, uint32_t count, uint32_t *first)
{
	static const uint8_t zero[sizeof(uint64_t)] = { 0 };
	const uint8_t *cell = (const uint8_t *)cells;

	*first = 0;
	while (count && memcmp(cell + (size_t)(count - 1) * sizeof(zero), zero, sizeof(zero)) == 0)
		count--;
	while (*first < count && memcmp(cell + (size_t)*first * sizeof(zero), zero, 8) == 0)
		++*first;
	return count - *first;
}

/*
 * Puts a histogram into the arena: `head` says everything but counts[], which are head->buckets
 * 64-bit cells at `cells`. Empty buckets at both ends are left out. 0 or -ENOMEM. Loop only.
 */
static inline int weir_add_histogram(struct weir_ctx *ctx, struct weir_batch *batch,
				     const struct weir_histogram *head, const void *cells,
				     struct weir_histogram_ref *out)
{
	uint32_t first;
	uint32_t buckets = weir_histogram_trim(cells, head->buckets, &first);
	uint32_t bytes = (uint32_t)weir_histogram_bytes(buckets);
	struct weir_histogram *histogram;

	out->offset = out->bytes = 0;
	histogram = (struct weir_histogram *)weir_add_bytes(ctx, batch, bytes, &out->offset);
	if (!histogram)
		return -ENOMEM;
	out->bytes = bytes;
	memcpy(histogram, head, sizeof(*histogram));
	histogram->buckets = buckets;
	histogram->offset = buckets ? head->offset + (int32_t)first : 0;
	if (buckets)
		memcpy(histogram->counts, (const uint8_t *)cells + (size_t)first * sizeof(uint64_t),
		       (size_t)buckets * sizeof(uint64_t));
	return 0;
}

/*
 * The same from what weir_histogram_take() has emptied: `index` is that of cells[0]. An extreme
 * that a racing sample left for the next window is made up from its bucket. 0 or -ENOMEM.
 */
static inline int weir_add_histogram_cells(struct weir_ctx *ctx, struct weir_batch *batch,
					   const struct weir_histogram_cells *window,
					   unsigned int index, struct weir_histogram_ref *out)
{
	struct weir_histogram head;
	uint32_t first;
	uint32_t buckets = weir_histogram_trim(window->cells, WEIR_HISTOGRAM_CELLS, &first);

	memset(&head, 0, sizeof(head));
	head.scale = WEIR_HISTOGRAM_SCALE;
	head.offset = (int32_t)index;
	head.buckets = WEIR_HISTOGRAM_CELLS;
	head.sum = window->sum;
	head.underflow = window->zero + window->under;
	head.overflow = window->over;
	head.count = head.underflow + head.overflow;
	for (uint32_t i = 0; i < WEIR_HISTOGRAM_CELLS; i++)
		head.count += window->cells[i];

	head.max = window->max;
	if (head.max == 0 && buckets)
		head.max = weir_histogram_bound(index + first + buckets - 1);
	if (window->zero == 0)
		head.min = ~window->inverse_min;
	if (window->zero == 0 && window->inverse_min == 0)
		head.min = buckets && index + first ? weir_histogram_bound(index + first - 1) + 1
						    : head.max;
	return weir_add_histogram(ctx, batch, &head, window->cells, out);
}

#endif
