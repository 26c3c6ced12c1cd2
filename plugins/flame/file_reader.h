/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What source flame.file is made of: options, state, and the interface of a reader. A reader knows
 * one format. It is told from the first bytes, takes bytes from file->input, and gives samples to
 * file->profile; when rows are sent, and who waits for whom, is no concern of it.
 */
#ifndef FLAME_FILE_READER_H
#define FLAME_FILE_READER_H

#include "file_input.h"
#include "file_profile.h"

enum {
	FILE_RECOGNISE = 64 << 10, /* first bytes that a format is known by */
	FILE_STEP = 1 << 20,       /* bytes that a step should take at a time */
};

enum file_weight { FILE_WEIGHT_PERIOD = 0, FILE_WEIGHT_SAMPLES = 1 };

struct file_conf {
	const char *path;
	const char *event;
	struct weir_texts comm;
	struct weir_texts pid;
	struct weir_texts tid;
	uint64_t from;
	uint64_t to;
	const char *compat;
	const char *jit_dir;
	uint32_t by;
	uint32_t weight; /* enum file_weight */
	uint32_t threads;
	bool only_kernel;
	bool only_user;
	bool no_demangle;
	bool inlined;
	bool lines;
	bool trust_files;
	uint32_t unwind; /* enum file_unwind */
};

enum file_unwind { FILE_UNWIND_AUTO, FILE_UNWIND_FP, FILE_UNWIND_DWARF };

/* What `compat: flamegraph:...` asks for. */
struct file_compat {
	bool on;
	bool pid;
	bool tid;
	bool kernel;
	bool jit;
	bool addrs;
};

/* What the source waits for, but for room behind it. */
enum file_wait {
	FILE_WAITS_NOT, /* there is more to do */
	FILE_WAITS_INPUT,
	FILE_WAITS_PARTS, /* what the threads have read */
	FILE_WAITS_NEVER, /* all is done */
};

struct file;
struct file_parts;

struct file_reader {
	const char *name; /* "perf script text" */
	/* The first FILE_RECOGNISE bytes, or all that there are. */
	bool (*recognise)(const uint8_t *bytes, size_t count);
	/* 0, or a negative errno after having failed. Sets file->reading. */
	int (*open)(struct file *file);
	/*
	 * Reads on by about FILE_STEP bytes. 1: there is more; 0: that was all, and everything has
	 * been given; -EAGAIN of file->input; a negative errno after having failed. Frames, names
	 * and whatever else came of file->profile may be kept until its `epoch` changes.
	 */
	int (*step)(struct file *file);
	/* Called once after open, also when that failed. */
	void (*close)(struct file *file);
	/*
	 * NULL, or: where in these bytes, which begin anywhere, another reading may begin, so that
	 * both together read the same; 0: nowhere.
	 */
	size_t (*boundary)(const char *bytes, size_t count);
};

/* Each format's is in a file of its own; the order in which they are asked is file_formats.c's. */
extern const struct file_reader file_script;
extern const struct file_reader file_folded;
extern const struct file_reader file_perf_data;
extern const struct file_reader file_pprof;
extern const struct file_reader file_pprof_legacy;

/* The one that knows these bytes, or NULL. `i` to go through all: NULL past the last. */
const struct file_reader *file_reader_find(const uint8_t *bytes, size_t count);
const struct file_reader *file_reader_at(size_t i);

/* The source's state. */
struct file {
	struct weir_ctx *ctx;
	const struct file_conf *conf;
	struct file_compat compat;
	struct weir_service store; /* of debug files that are not here; vtable NULL: none */
	struct weir_service dwarf; /* vtable NULL: neither inlined functions nor lines are wanted */
	struct weir_service unwind; /* vtable NULL: copies of stacks are not to be walked */
	struct file_input input;
	struct file_profile profile;
	const struct file_reader *reader;
	void *reading;            /* the reader's */
	uint64_t bad;             /* lines or records that could not be read */
	uint64_t bad_line;        /* of the first of them */
	uint64_t skipped;         /* bytes before this part of the file, and, once known, */
	uint64_t before;          /* the lines in them */
	struct file_parts *parts; /* read by threads; NULL: none */
	int more;                 /* eventfd, always ready: there is something to do */
	enum file_wait wait;
	bool whole; /* it was decided whether threads read parts of it */
	bool read;  /* all was read */
};

/* Fills the filter and what else the options say. 0, or a negative errno after having failed. */
int file_options_read(struct file *file);

/* Counts a line that could not be read; the first ones are shown. */
void file_bad_line(struct file *file, uint64_t line, const char *text, size_t length);

#endif
