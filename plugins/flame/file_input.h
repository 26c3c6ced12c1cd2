/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a profile: of a file or a pipe, with gzip, zstd and UTF-16 taken away. A window moves
 * over them, so that memory is bounded whatever the input's length; nothing here blocks.
 */
#ifndef FLAME_FILE_INPUT_H
#define FLAME_FILE_INPUT_H

#include <weir/plugin.h>

enum {
	FILE_INPUT_CHUNK = 256 << 10, /* read at a time */
	FILE_INPUT_STAGES = 4,        /* the bytes themselves, and three packings around them */
};
#define FILE_INPUT_MAX ((size_t)256 << 20) /* the largest window */

struct file_codec;

/* The window over what one stage gives. */
struct file_window {
	uint8_t *bytes;
	size_t begin;
	size_t end;
	size_t capacity;
	bool ended; /* nothing will follow */
};

struct file_stage {
	const struct file_codec *codec; /* NULL: the file itself */
	void *state;
	struct file_window window; /* what comes out */
};

/* All zero, with fd -1, is a closed one. */
struct file_input {
	struct weir_ctx *ctx;
	const char *path; /* "-" as "standard input" */
	int fd;
	bool regular;
	uint32_t depth; /* stages above the file itself */
	struct file_stage stages[FILE_INPUT_STAGES];
	uint64_t at;         /* offset of the window's begin in the unpacked bytes */
	uint64_t fd_at;      /* of what is read next from the file */
	uint64_t size;       /* of a regular file, as it was at open */
	uint64_t limit;      /* where to end, of the file; 0: at its own end */
	bool packings_known; /* no further stage will come */
};

/* 0, or a negative errno after having failed. `path` must stay. */
int file_input_open(struct weir_ctx *ctx, struct file_input *in, const char *path);
void file_input_close(struct file_input *in);

/* The same file from `begin` on, for a thread of its own. 0, or a negative errno. */
int file_input_part(const struct file_input *whole, struct file_input *in, uint64_t begin);

/* Line ends in the first `count` bytes of such a file, as far as they can be read. */
uint64_t file_input_lines(const struct file_input *in, uint64_t count);

/*
 * Shows at least `want` bytes, or all that are left: *count tells. They stay until the next call. 0;
 * -EAGAIN: wait until in->fd is ready and ask again; another negative errno after having failed.
 */
int file_input_peek(struct file_input *in, size_t want, const uint8_t **bytes, size_t *count);

/* What was shown last is all that is left. */
bool file_input_is_last(const struct file_input *in);

/* Moves on by what is at most shown. */
void file_input_skip(struct file_input *in, size_t count);

/*
 * Bytes of anywhere in a file that can be read so: 0; -ESPIPE where it cannot (a pipe, or packed);
 * -ENODATA where it has not that many; the window stays.
 */
int file_input_at(const struct file_input *in, uint64_t offset, void *bytes, size_t count);

/* A packing. */
struct file_codec {
	const char *name;
	bool (*recognise)(const uint8_t *bytes, size_t count);
	/* The state, or NULL: no memory. */
	void *(*open)(void);
	/*
	 * Turns bytes of `in` into bytes of `out`; both `begin`/`end` move. 0; 1: the packing has
	 * ended properly here; a negative errno: broken. `in->ended`: no more bytes will come.
	 */
	int (*step)(void *state, struct file_window *in, struct file_window *out);
	void (*close)(void *state);
};

extern const struct file_codec file_codecs[];
extern const size_t file_codec_count;

#endif
