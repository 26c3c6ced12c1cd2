/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file's path as an event carries it: written by bpf/path.h, made into text by path_text.h.
 * Includes nothing; fixed-width members only, the size is asserted.
 */
#ifndef WEIR_BPF_PATH_EVENT_H
#define WEIR_BPF_PATH_EVENT_H

/* The kernel takes names of that length, with their NUL. */
#define WEIR_PATH_NAME_MAX 4096

/* Bytes of a path: as many, then one more name. */
#define WEIR_PATH_MAX (4096 + 256)

enum weir_path_mark {
	WEIR_PATH_WALKED = 1 << 0,   /* the path is told; else only the name */
	WEIR_PATH_BASE = 1 << 1,     /* it is that of the directory which the name starts from */
	WEIR_PATH_CUT = 1 << 2,      /* what is nearest to the root is missing */
	WEIR_PATH_DELETED = 1 << 3,  /* its name was removed */
	WEIR_PATH_OUTSIDE = 1 << 4,  /* from the root of all: not below the task's root */
	WEIR_PATH_NOWHERE = 1 << 5,  /* it lies in no directory */
	WEIR_PATH_NAMELESS = 1 << 6, /* the name could not be read */
};

/*
 * The end of an event. Behind it: the names that the path consists of, from the last one to the
 * first, then the name that was asked for, if any, each with its NUL.
 */
struct weir_path_head {
	unsigned short path_length; /* bytes of the path that follow */
	unsigned short name_length; /* bytes of the name that follow */
	unsigned char marks;        /* enum weir_path_mark */
	unsigned char reserved[3];
};

#if defined(__cplusplus)
static_assert(sizeof(struct weir_path_head) == 8, "weir_path_head: kernel and user differ");
#else
_Static_assert(sizeof(struct weir_path_head) == 8, "weir_path_head: kernel and user differ");
#endif

#endif
