/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of cpu.process share that read /proc. */
#ifndef CPU_PROCESS_PROC_H
#define CPU_PROCESS_PROC_H

#include "process.h"
#include "process_parse.h"

/* The names in a folder that are numbers. */
struct process_listing {
	int fd; /* -1: not open */
	uint32_t at;
	uint32_t filled;
	uint64_t entries[32768 / 8];
};

struct process_proc_way {
	uint64_t tick_ns;
	bool live; /* the kernel's own files, not recorded ones */
	bool told_denied;
	uint32_t vanished; /* files, in this sample */
	uint32_t denied;
	uint32_t broken;
	size_t path_length; /* of the folder that is being read, with its slash */
	char path[128];
	struct process_listing processes;
	struct process_listing threads;
	char text[16384]; /* of the file that was read last, closed by NUL */
};

/* process_list.c. Open: 0 or a negative errno. */
int process_list_open(struct process_listing *list, int folder, const char *path);
bool process_list_next(struct process_listing *list, uint32_t *number);
void process_list_close(struct process_listing *list);

/* process_proc.c. Reads a file of the folder way->path into way->text: its length, or -errno. */
int process_proc_read(struct process_proc_way *way, int folder, const char *file);

/*
 * process_settle.c. The end of a sample: what processes had used that were waited for since then
 * is taken off what their parents are said to have used.
 */
void process_proc_settle(struct process_state *st);

/* process_details.c. True when the process at way->path is in that cgroup or one below it. */
bool process_proc_in_cgroup(struct weir_ctx *ctx, const char *cgroup);

#endif
