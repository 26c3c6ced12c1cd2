/* SPDX-License-Identifier: BSD-2-Clause */
/* A pprof profile that is being read: what its samples refer to. */
#ifndef FLAME_FILE_PPROF_H
#define FLAME_FILE_PPROF_H

#include "file_reader.h"
#include "intmap.h"
#include "pprof_legacy.h"
#include "wire.h"

/* Bytes of the profile. */
struct pprof_span {
	const uint8_t *bytes;
	size_t count;
};

/* Spans by place; with `ids`, also by the number that they have in the profile. */
struct pprof_spans {
	struct pprof_span *items;
	uint32_t count;
	uint32_t capacity;
	struct intmap ids; /* number to place + 1 */
};

struct pprof_value_type {
	uint64_t type; /* strings */
	uint64_t unit;
};

struct pprof_names;

struct pprof_reading {
	struct pprof_spans strings;
	struct pprof_spans mappings;
	struct pprof_spans functions;
	struct pprof_spans locations;
	struct pprof_value_type *types;
	uint32_t type_count;
	uint64_t default_type; /* strings; 0: none */
	uint32_t weight;       /* which type is the weight, */
	uint32_t samples;      /* and which is the number of samples; type_count: none */
	struct pprof_span all;
	struct legacy legacy;    /* what an older profile was made into */
	struct wire_reader left; /* what the samples of which are still to be read */
	bool loaded;
	uint64_t epoch;
	struct pprof_known { /* frames of a location, by its place, in `frames` */
		uint32_t first;
		uint32_t count; /* 0: not known yet */
	} * known;
	struct pprof_frames {
		uint32_t *items;
		uint32_t count;
		uint32_t capacity;
	} frames, stack;
	uint64_t negative;         /* samples whose weight is below 0 */
	struct pprof_names *names; /* of addresses that have none; NULL: none was asked for yet */
};

/* Takes the profile apart, all but its samples. 0, -EBADMSG or -ENOMEM. */
int pprof_load(struct pprof_reading *reading);
void pprof_unload(struct pprof_reading *reading);

/* A string of the profile; an empty one where there is none of that number. */
struct pprof_span pprof_text(const struct pprof_reading *reading, uint64_t number);

/* The message of that number, or NULL. */
const struct pprof_span *pprof_by_id(const struct pprof_spans *spans, uint64_t id);

/* Appends the frames of a location to the stack. 0, -EBADMSG or -ENOMEM. */
int pprof_add_location(struct file *file, uint64_t id);

/* A number within a message; 0 where it has none. -EBADMSG where it is no message. */
int pprof_number(const struct pprof_span *span, uint32_t wanted, uint64_t *number);

/*
 * file_pprof_names.c: what code is at a frame's address in a mapping, if that can be known; what was inlined
 * there, innermost first, until the next one is asked for. 0 or a negative errno.
 */
int pprof_name_frame(struct file *file, const struct pprof_span *mapping,
		     const struct pprof_span *path, struct weir_frame *frame);
const struct weir_frame *pprof_names_inlined(const struct pprof_reading *reading, uint32_t *count);
void pprof_names_forget(struct pprof_reading *reading); /* ids of names have changed */
void pprof_names_report(const struct file *file, struct pprof_reading *reading);
void pprof_names_close(const struct file *file, struct pprof_reading *reading);

int pprof_frames_add(struct pprof_frames *frames, uint32_t frame);

static inline struct wire_reader pprof_reader(const struct pprof_span *span)
{
	return (struct wire_reader){ span->bytes, span->bytes + span->count };
}

#endif
