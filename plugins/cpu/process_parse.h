/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a process below /proc say. By hand: thousands are read in each sample. */
#ifndef CPU_PROCESS_PARSE_H
#define CPU_PROCESS_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of "stat" is read. Times in clock ticks. */
struct process_stat {
	char comm[16];
	char state;
	uint32_t ppid;
	uint64_t minor;
	uint64_t major;
	uint64_t user; /* with guest */
	uint64_t system;
	uint64_t child_user;
	uint64_t child_system;
	int32_t priority;
	int32_t nice;
	uint32_t threads;
	uint64_t start;
	uint64_t vsz; /* bytes */
	uint64_t rss; /* pages */
	uint32_t cpu;
	uint64_t iowait;
	uint64_t guest;
};

struct process_schedstat {
	uint64_t run_ns;
	uint64_t wait_ns;
	uint64_t times; /* it ran */
};

/* What of "status" is read. */
struct process_status {
	uint32_t uid;
	uint64_t stack; /* bytes */
	uint64_t swap;
	uint64_t voluntary;
	uint64_t involuntary;
};

struct process_io {
	uint64_t read;
	uint64_t written;
	uint64_t cancelled;
};

/* Each text is closed by NUL. False: it is not what this file holds. */
bool process_parse_stat(const char *text, size_t length, struct process_stat *stat);
bool process_parse_schedstat(const char *text, struct process_schedstat *schedstat);
bool process_parse_status(const char *text, struct process_status *status);
bool process_parse_io(const char *text, struct process_io *io);

/* A number of decimal digits; false: none, or more than 64 bits. *at goes behind it. */
bool process_parse_number(const char **at, uint64_t *number);

#endif
