/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a value lies in weir's histogram: the one place that knows, for BPF programs, plugins
 * and the host alike. Includes nothing.
 *
 * Bucket i holds the integers v with 2^((i-1)/8) < v <= 2^(i/8): eight buckets per power of two,
 * upper bounds inclusive. 0 lies in no bucket, 1 in bucket 0, 2^64-1 in bucket 512.
 */
#ifndef WEIR_HISTOGRAM_INDEX_H
#define WEIR_HISTOGRAM_INDEX_H

#define WEIR_HISTOGRAM_SCALE   3
#define WEIR_HISTOGRAM_BUCKETS 513

/*
 * floor(2^63 * 2^(n/8)): the bounds within one power of two, for a value that was shifted left
 * until its top bit is set. An integer is above the true bound exactly if it is above the floor.
 */
#define WEIR_HISTOGRAM_BOUND_0 0x8000000000000000ULL
#define WEIR_HISTOGRAM_BOUND_1 0x8b95c1e3ea8bd6e6ULL
#define WEIR_HISTOGRAM_BOUND_2 0x9837f0518db8a96fULL
#define WEIR_HISTOGRAM_BOUND_3 0xa5fed6a9b15138eaULL
#define WEIR_HISTOGRAM_BOUND_4 0xb504f333f9de6484ULL
#define WEIR_HISTOGRAM_BOUND_5 0xc5672a115506daddULL
#define WEIR_HISTOGRAM_BOUND_6 0xd744fccad69d6af4ULL
#define WEIR_HISTOGRAM_BOUND_7 0xeac0c6e7dd24392eULL

/*
 * Shifts *value, which is not 0, left until its top bit is set; returns by how many bits.
 * Not __builtin_clzll(): clang 14 crashes on it for bpf.
 */
static inline unsigned int weir_histogram_normalise(unsigned long long *value)
{
	unsigned int shifted = 0;
	unsigned int width;

#if defined(__clang__)
#pragma unroll
#endif
	for (width = 32; width > 0; width /= 2) {
		/* 1 if the upper `width` bits are clear, else 0: no branch to mispredict. */
		unsigned int clear = (unsigned int)(((*value >> (64 - width)) - 1) >> 63);

		*value <<= width * clear;
		shifted += width * clear;
	}
	return shifted;
}

/*
 * 1 if a > b, else 0, for two values whose top bits are set: their difference fits 63 bits, so
 * its sign is the answer. A comparison would be a branch in BPF.
 */
static inline unsigned int weir_histogram_above(unsigned long long a, unsigned long long b)
{
	return (unsigned int)((b - a) >> 63);
}

/* The bucket of a value that is not 0. */
static inline unsigned int weir_histogram_index(unsigned long long value)
{
	unsigned int index = 8 * (63 - weir_histogram_normalise(&value));

	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_0);
	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_1);
	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_2);
	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_3);
	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_4);
	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_5);
	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_6);
	index += weir_histogram_above(value, WEIR_HISTOGRAM_BOUND_7);
	return index;
}

#if !defined(__bpf__)

/* The largest integer of bucket `index` or of those below it: floor(2^(index/8)), capped to 64 bits. */
static inline unsigned long long weir_histogram_bound(unsigned int index)
{
	static const unsigned long long bounds[8] = {
		WEIR_HISTOGRAM_BOUND_0, WEIR_HISTOGRAM_BOUND_1, WEIR_HISTOGRAM_BOUND_2,
		WEIR_HISTOGRAM_BOUND_3, WEIR_HISTOGRAM_BOUND_4, WEIR_HISTOGRAM_BOUND_5,
		WEIR_HISTOGRAM_BOUND_6, WEIR_HISTOGRAM_BOUND_7,
	};

	if (index >= WEIR_HISTOGRAM_BUCKETS - 1)
		return ~0ULL;
	return bounds[index % 8] >> (63 - index / 8);
}

#endif

#endif
