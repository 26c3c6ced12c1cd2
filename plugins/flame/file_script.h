/* SPDX-License-Identifier: BSD-2-Clause */
/* What `perf script` writes: headers of samples, and lines of frames. */
#ifndef FLAME_FILE_SCRIPT_H
#define FLAME_FILE_SCRIPT_H

#include "file_known.h"
#include "file_text.h"

/* A piece of a line; not closed by NUL. */
struct script_piece {
	const char *text;
	size_t length;
};

/*
 * "comm  pid/tid [cpu] time:  period event:  tail". perf leaves out what it was not asked for: pieces
 * of no length, numbers that are absent.
 */
struct script_header {
	struct script_piece comm;
	struct script_piece pid; /* as it is written, as is tid; empty: not told */
	struct script_piece tid;
	struct script_piece event;
	struct script_piece tail; /* a frame, or what a tracepoint tells */
	uint64_t time;
	uint64_t period; /* 1 where not told */
	uint32_t cpu;    /* WEIR_ABSENT_U32 where not told */
	bool has_time;
};

/* "  7f12 name+0x10 (module)" */
struct script_frame {
	struct script_piece pc;
	struct script_piece name;
	struct script_piece module; /* empty: not told */
};

/* The numbers of a stack's frames, leaf first. */
struct script_stack {
	uint32_t *frames;
	uint32_t count;
	uint32_t capacity;
};

struct script_reading {
	struct file_text text;
	struct file_known known[2]; /* lines of frames; [1]: in samples of Java, in compat mode */
	struct file_known names;    /* ids of commands, events and modules */
	struct script_stack stack;  /* of the sample at hand */
	struct script_stack line;   /* frames of a line */
	char *name;                 /* of a frame, being written */
	size_t name_capacity;
	struct script_header header;
	struct file_sample sample;
	uint64_t epoch;
	bool open;     /* a sample is */
	bool unwanted; /* lines of frames that follow belong to no sample that is wanted */
	bool java;     /* compat mode: the command is */
	bool threads;  /* it tells threads, not processes */
	uint64_t left; /* compat mode: samples that had no end */
};

static inline bool script_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool script_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool script_says(struct script_piece piece, const char *text)
{
	return strlen(text) == piece.length && memcmp(piece.text, text, piece.length) == 0;
}

static inline bool script_begins(struct script_piece piece, const char *text)
{
	return piece.length >= strlen(text) && memcmp(piece.text, text, strlen(text)) == 0;
}

/* Without blanks at its end. */
struct script_piece script_trim(struct script_piece piece);

/* Digits as a number; as large as can be where it is larger. */
uint64_t script_number(struct script_piece piece);

/* The id of a text that comes again and again; 0: it is empty, or there is no memory. */
uint32_t script_id(struct file *file, struct script_piece piece);

/* file_script_header.c: false: it is none. */
bool script_header(const char *line, size_t length, struct script_header *header);

/* file_script_frame.c: false: it is none. */
bool script_frame(const char *line, size_t length, struct script_frame *frame);

/*
 * file_script_name.c: appends to reading->line what a line of a frame stands for: one frame, or the
 * calls that were inlined into it. 0 or -ENOMEM.
 */
int script_name(struct file *file, const struct script_frame *given);
int script_append(struct script_stack *stack, const uint32_t *frames, uint32_t count);
/* Room for a name of that many bytes in reading->name. 0 or -ENOMEM. */
int script_name_room(struct script_reading *reading, size_t bytes);
/* The frame of that name, or of its object, or unknown, appended to reading->line. 0 or -ENOMEM. */
int script_add_frame(struct file *file, struct weir_frame *frame, const char *name, size_t length);
/* The name without "+0x1f" at its end. */
struct script_piece script_without_offset(struct script_piece name);

/* compat mode, file_compat.c: the same as stackcollapse-perf.pl sees and says it. */
bool compat_header(const char *line, size_t length, struct script_header *header);
bool compat_frame(const char *line, size_t length, struct script_frame *frame);
int compat_name(struct file *file, const struct script_frame *frame);
/* What the sample stands on: "comm-pid/tid". 0 or -ENOMEM. */
int compat_comm(struct file *file, const struct script_header *header, uint32_t *comm);

#endif
