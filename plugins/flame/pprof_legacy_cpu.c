/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU profile of gperftools: words of 4 or 8 bytes, of either byte order. First the header: 0, how
 * many words follow (3), a version, microseconds per sample, 0. Then the samples: how often, how
 * deep, addresses; 0, 1, 0 ends them, and text tells what was mapped, or the names of Java.
 */
#include <errno.h>
#include <string.h>

#include "pprof_legacy.h"

enum { CPU_HEADER = 5, CPU_JAVA = 1 };

struct cpu_words {
	const uint8_t *at;
	const uint8_t *end;
	uint32_t size;
	bool swapped;
};

static bool cpu_word(struct cpu_words *words, uint64_t *value)
{
	uint32_t narrow;

	if ((size_t)(words->end - words->at) < words->size)
		return false;
	if (words->size == 8) {
		memcpy(value, words->at, 8);
		*value = words->swapped ? __builtin_bswap64(*value) : *value;
	} else {
		memcpy(&narrow, words->at, 4);
		*value = words->swapped ? __builtin_bswap32(narrow) : narrow;
	}
	words->at += words->size;
	return true;
}

/* The header, of words of one form. */
static bool cpu_header(struct cpu_words *words, uint64_t header[CPU_HEADER])
{
	for (uint32_t i = 0; i < CPU_HEADER; i++)
		if (!cpu_word(words, &header[i]))
			return false;
	return header[0] == 0 && header[1] == 3 && header[2] <= CPU_JAVA && header[3] > 0 &&
	       header[3] < 1000000000 && header[4] == 0;
}

/* Finds the form of the words. */
static bool cpu_begin(struct cpu_words *words, const uint8_t *bytes, size_t count,
		      uint64_t header[CPU_HEADER])
{
	for (uint32_t form = 0; form < 4; form++) {
		*words = (struct cpu_words){ bytes, bytes + count, form & 1 ? 4 : 8, form & 2 };
		if (cpu_header(words, header))
			return true;
	}
	return false;
}

bool legacy_cpu_recognise(const uint8_t *bytes, size_t count)
{
	uint64_t header[CPU_HEADER];
	struct cpu_words words;

	return cpu_begin(&words, bytes, count, header);
}

/* One sample's head. 1: its addresses follow; 0: the end; -EBADMSG: cut off, or none. */
static int cpu_sample(struct cpu_words *words, uint64_t *times, uint64_t *depth)
{
	struct cpu_words peek = *words;
	uint64_t first = 1;

	if (!cpu_word(&peek, times) || !cpu_word(&peek, depth) ||
	    *depth > (uint64_t)(peek.end - peek.at) / peek.size)
		return -EBADMSG;
	*words = peek;
	if (*times || *depth != 1)
		return 1;
	cpu_word(&peek, &first);
	if (first)
		return 1;
	*words = peek;
	return 0;
}

/* Takes a sample's addresses. The one at that place; 0: it has not so many. */
static uint64_t cpu_address_at(struct cpu_words *words, uint64_t depth, uint32_t at)
{
	uint64_t address, found = 0;

	for (uint64_t i = 0; i < depth && cpu_word(words, &address); i++)
		found = i == at ? address : found;
	return found;
}

/*
 * What stands second, or third, in almost every sample is where the signal returned to: nothing of the
 * program, as pprof has it, too. 0: there is no such.
 */
static uint64_t cpu_signal_frame(struct cpu_words words, uint32_t at)
{
	uint64_t times, depth, address, candidate = 0, votes = 0, samples = 0, hits = 0;
	struct cpu_words again = words;

	/* Only what is left over when each votes against all others can be of so many. */
	while (cpu_sample(&words, &times, &depth) > 0) {
		address = cpu_address_at(&words, depth, at);
		candidate = votes ? candidate : address;
		votes += address == candidate ? 1 : -UINT64_C(1);
	}
	for (; cpu_sample(&again, &times, &depth) > 0; samples++)
		hits += cpu_address_at(&again, depth, at) == candidate;
	return samples > 1 && hits + samples / 50 >= samples && hits * 2 > samples ? candidate : 0;
}

static void cpu_take(struct legacy *legacy, struct cpu_words *words, uint64_t depth,
		     const uint64_t drop[2])
{
	uint64_t address;
	uint32_t dropped = 0;

	for (uint64_t i = 0; i < depth && cpu_word(words, &address); i++) {
		if (i == dropped + 1 && dropped < 2 && drop[dropped] && address == drop[dropped])
			dropped++;
		else
			legacy_address(legacy, address, i > 0);
	}
}

int legacy_cpu_read(struct legacy *legacy, const uint8_t *bytes, size_t count)
{
	uint64_t header[CPU_HEADER], times, depth, drop[2] = { 0, 0 };
	struct cpu_words words;
	int more;

	if (!cpu_begin(&words, bytes, count, header))
		return -EBADMSG;
	legacy->java = header[2] == CPU_JAVA;
	legacy->period = header[3] * 1000;
	legacy_type(legacy, "samples", "count");
	legacy_type(legacy, "cpu", "nanoseconds");
	if (!legacy->java)
		drop[0] = cpu_signal_frame(words, 1);
	if (drop[0])
		drop[1] = cpu_signal_frame(words, 2);
	while ((more = cpu_sample(&words, &times, &depth)) > 0 && !legacy->failed) {
		cpu_take(legacy, &words, depth, drop);
		legacy->values[0] = times;
		if (__builtin_mul_overflow(times, legacy->period, &legacy->values[1]))
			return -EBADMSG;
		legacy_sample(legacy);
	}
	legacy->bad += more < 0;
	legacy->left = (struct legacy_text){ (const char *)words.at, (const char *)words.end };
	if (more < 0)
		legacy->left.at = legacy->left.end;
	return 0;
}
