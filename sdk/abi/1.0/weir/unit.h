/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units. A unit is a dimension, an exact scale to the dimension's base unit, and a UCUM code
 * (https://ucum.org), so that a vendor's plugin can say slots or flits and every sink can
 * still print, convert and export the number.
 */
#ifndef WEIR_UNIT_H
#define WEIR_UNIT_H

#include "abi.h"

/*
 * One unit: value in base units = value * numerator / denominator. The base of "time" is the
 * second, of "data" the byte, of "ratio" 1. All members are constant for the plugin's life.
 */
struct weir_unit {
	uint32_t size;
	uint32_t reserved;
	const char *dimension; /* "time", "data", "ratio", "count", or a word of your own */
	const char *ucum;      /* "ns", "By", "%", "{sample}" */
	const char *symbol;    /* what people read: "ns", "B", "%", "samples" */
	uint64_t numerator;
	uint64_t denominator;
};

#define WEIR_DEFINE_UNIT(name_, dimension_, ucum_, symbol_, numerator_, denominator_)              \
	static const struct weir_unit name_ __attribute__((unused)) = {                            \
		sizeof(struct weir_unit), 0, dimension_, ucum_, symbol_, numerator_, denominator_  \
	}

WEIR_DEFINE_UNIT(weir_ns, "time", "ns", "ns", 1, 1000000000);
WEIR_DEFINE_UNIT(weir_us, "time", "us", "us", 1, 1000000);
WEIR_DEFINE_UNIT(weir_ms, "time", "ms", "ms", 1, 1000);
WEIR_DEFINE_UNIT(weir_seconds, "time", "s", "s", 1, 1);
WEIR_DEFINE_UNIT(weir_bytes, "data", "By", "B", 1, 1);
WEIR_DEFINE_UNIT(weir_kib, "data", "KiBy", "KiB", 1024, 1);
WEIR_DEFINE_UNIT(weir_ratio, "ratio", "1", "", 1, 1);
WEIR_DEFINE_UNIT(weir_percent, "ratio", "%", "%", 1, 100);
WEIR_DEFINE_UNIT(weir_count, "count", "1", "", 1, 1);
WEIR_DEFINE_UNIT(weir_samples, "count", "{sample}", "samples", 1, 1);
WEIR_DEFINE_UNIT(weir_hertz, "frequency", "Hz", "Hz", 1, 1);

#define WEIR_NONE    NULL /* a field without unit: an identifier, a name */
#define WEIR_NS      (&weir_ns)
#define WEIR_US      (&weir_us)
#define WEIR_MS      (&weir_ms)
#define WEIR_SECONDS (&weir_seconds)
#define WEIR_BYTES   (&weir_bytes)
#define WEIR_KIB     (&weir_kib)
#define WEIR_RATIO   (&weir_ratio)
#define WEIR_PERCENT (&weir_percent)
#define WEIR_COUNT   (&weir_count)
#define WEIR_SAMPLES (&weir_samples)
#define WEIR_HERTZ   (&weir_hertz)

#endif
