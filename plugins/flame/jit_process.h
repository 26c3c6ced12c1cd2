/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process has told of the code that it made: its jitdump if it maps one, which has times,
 * else its perf map. Such files are written by strangers. One is believed when it belongs to the
 * process's own user, or to root and has no other name; when it is a plain file and no link to one;
 * and when it was written since the process began, for a pid comes again.
 */
#ifndef FLAME_JIT_PROCESS_H
#define FLAME_JIT_PROCESS_H

#include <sys/types.h>

#include <weir/plugin.h>
#include <weir/service/process.h>

#include "jit_dump.h"
#include "jit_map.h"

enum jit_trouble {
	JIT_NONE = 0,
	JIT_NO_FILE,   /* neither map nor dump */
	JIT_STRANGER,  /* it belongs to somebody else */
	JIT_STALE,     /* it was written before the process began */
	JIT_BROKEN,    /* it could not be read, or is not what its name says */
	JIT_ELSEWHERE, /* a recording of another machine, and no folder with its files */
};

#define JIT_OBJECT "[jit]" /* stands in place of a file */

enum { JIT_PATH = 256 };

struct jit_process {
	uint32_t pid;
	uint32_t name_pid;   /* what the process takes itself for: its innermost pid */
	uint64_t start;      /* CLOCK_MONOTONIC ns; 0: not known */
	uint64_t identified; /* the moment as of which pid, start and comm belong together */
	bool alive;          /* when last looked at */
	bool owner_known;
	uid_t owner;
	enum jit_trouble trouble;
	char comm[32];
	char dump_path[JIT_PATH]; /* "": maps none, as far as is known */
	uint64_t dump_inode;      /* 0: not known */
	struct jit_dump dump;
	struct jit_map map;
	uint64_t named;    /* frames */
	uint64_t nameless; /* frames */
	bool looked;       /* since the batch at hand came */
};

/* Reads what is new of the process's files; process->trouble tells why there is nothing. 0 or -ENOMEM. */
int jit_process_read(struct weir_ctx *ctx, const struct weir_service *service,
		     struct jit_process *process, uint64_t time);

/* "/any/where/jit-123.dump": a marker by which a run time tells where its dump is. */
bool jit_process_see_dump(struct jit_process *process, const char *path, uint64_t inode);

/*
 * Keeps an opened file that may be believed, `inode` being what it must have, or 0; else closes it and
 * notes the trouble. A negative errno as fd: it could not be opened. The fd, or a negative errno.
 */
int jit_process_believe(struct jit_process *process, int fd, uint64_t inode);

/* Read what is new of such a file, which they close; nothing where fd is negative. 0 or -ENOMEM. */
int jit_process_take_dump(struct jit_process *process, int fd);
int jit_process_take_map(struct jit_process *process, int fd);

/* The code at an address, and the name of the file that says so; NULL where nothing is known. */
const struct jit_code *jit_process_find(struct jit_process *process, uint64_t address,
					uint64_t time, const char **name);

void jit_process_clear(struct jit_process *process);

#endif
