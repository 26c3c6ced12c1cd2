/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of before profile.proto: the binary CPU profile of gperftools, and texts that tell of
 * memory, contention, threads, or of what Go counts. They are made into a profile.proto, which is then
 * read as any other is.
 */
#ifndef FLAME_PPROF_LEGACY_H
#define FLAME_PPROF_LEGACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intmap.h"
#include "wire.h"

enum { LEGACY_VALUES = 4, LEGACY_DEPTH = 1 << 16, LEGACY_WORDS = 16 };

/* A line or a part of one. */
struct legacy_text {
	const char *at;
	const char *end;
};

/* What stands at an address: several where functions were inlined, the innermost first. */
struct legacy_name {
	uint64_t function; /* string */
	uint64_t file;     /* string; 0: not known */
	uint64_t line;
	uint64_t sample; /* with which it was told: the same is told again with others */
	uint32_t next;   /* place + 1; 0: the last */
};

/* The profile in the making. All zero is an empty one, but for the first string. */
struct legacy {
	struct legacy_text left;
	struct wire out;
	struct wire part; /* of out, and */
	struct wire item; /* of that */
	uint64_t strings;
	uint64_t samples;
	uint32_t depth; /* of the sample before */
	uint64_t mappings;
	uint64_t functions;
	struct legacy_list { /* of what samples stand on, in order */
		uint64_t *items;
		uint32_t count;
		uint32_t capacity;
	} addresses, stack, maps /* three numbers each: start, end, mapping */;
	struct intmap locations; /* address to place + 1 */
	struct intmap named;     /* address to place + 1 of its first name, */
	struct legacy_name *names;
	uint32_t name_count;
	uint32_t name_capacity;
	uint64_t values[LEGACY_VALUES]; /* of the sample at hand */
	uint32_t value_count;
	uint64_t period;     /* of sampling; 0: not told */
	uint64_t frequency;  /* of the clock that times are told in; 0: they are not in cycles */
	struct legacy_word { /* "name=/path": what "$name" stands for in paths */
		struct legacy_text name;
		struct legacy_text value;
	} words[LEGACY_WORDS];
	uint32_t word_count;
	bool java;    /* addresses are numbers of names */
	bool heap;    /* of Java: sizes stand first */
	uint64_t bad; /* lines that nobody understands */
	bool failed;  /* no memory */
};

/* Whether these first bytes are of such a profile. */
bool legacy_recognise(const uint8_t *bytes, size_t count);

/* The whole of one: fills legacy->out, also where it is cut off. 0, -EBADMSG or -ENOMEM. */
int legacy_convert(struct legacy *legacy, const uint8_t *bytes, size_t count);
void legacy_clear(struct legacy *legacy);

/* pprof_legacy_cpu.c */
bool legacy_cpu_recognise(const uint8_t *bytes, size_t count);
/* Reads the samples; text may be left. 0 or -EBADMSG. */
int legacy_cpu_read(struct legacy *legacy, const uint8_t *bytes, size_t count);

/* pprof_legacy_made.c: what the profile is made of. That there is no memory shows in `failed`. */
void legacy_type(struct legacy *legacy, const char *type, const char *unit);
/* Behind the sample's other addresses. `call`: it stands behind a call. Which one is taken. */
uint64_t legacy_address(struct legacy *legacy, uint64_t address, bool call);
/* The values are in legacy->values. The stack is empty afterwards. */
void legacy_sample(struct legacy *legacy);
/* The stack of the sample before stands there again. */
void legacy_again(struct legacy *legacy);
void legacy_map(struct legacy *legacy, uint64_t start, uint64_t end, uint64_t offset,
		const struct legacy_text *path);
void legacy_name(struct legacy *legacy, uint64_t address, const struct legacy_text *function,
		 const struct legacy_text *file, uint64_t line);
/* Writes what the samples stand on. */
void legacy_finish(struct legacy *legacy);

/* pprof_legacy_tail.c: a line that is no sample: of a mapping or of a name. False: neither. */
bool legacy_tail(struct legacy *legacy, struct legacy_text line);

/* pprof_legacy_text.c: parts of lines, each taken from their begin where it is there. */
bool legacy_line(struct legacy_text *text, struct legacy_text *line);
void legacy_blanks(struct legacy_text *text);
bool legacy_word(struct legacy_text *text, const char *word);
bool legacy_number(struct legacy_text *text, uint64_t *number);
bool legacy_hex(struct legacy_text *text, uint64_t *number); /* with or without 0x */

#endif
