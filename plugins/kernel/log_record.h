/* SPDX-License-Identifier: BSD-2-Clause */
/* A record of /dev/kmsg, and what the rules make of its text. */
#ifndef KERNEL_LOG_RECORD_H
#define KERNEL_LOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest record that the kernel gives is 8 KiB. */
#define LOG_RECORD_MAX 8192

/* "6,339,5140900,-;text\n KEY=value\n" */
struct log_record {
	uint32_t level;    /* 0: emergency ... 7: debug */
	uint32_t facility; /* 0: the kernel itself */
	uint64_t sequence;
	uint64_t usec;    /* of the clock of the kernel's log */
	const char *text; /* in the caller's bytes; the kernel has escaped what is not printable */
	size_t length;
};

/*
 * Reads the record at the start of `size` bytes. Returns the bytes it takes, its lines of keys
 * included, or 0 when there is none.
 */
size_t log_record_parse(const char *bytes, size_t size, struct log_record *record);

enum { LOG_COMM_MAX = 32, LOG_INSTANCE_MAX = 64, LOG_CGROUP_MAX = 256 };

/* What a text tells. Texts are "" and numbers absent where it does not. */
struct log_facts {
	const struct log_rule *rule;
	char instance[LOG_INSTANCE_MAX];
	char comm[LOG_COMM_MAX];
	char cgroup[LOG_CGROUP_MAX];
	char op[LOG_COMM_MAX];
	uint64_t sector;
	uint32_t pid;
};

struct log_rule {
	const char *pattern; /* see log_rules.c; NULL ends the table */
	const char *kind;    /* "": tells something for the next record of the same process */
	const char *severity;
	const char *resource;
	const char *instance; /* where the text does not tell it */
};

/* The first rule that the text follows, with the facts it tells; NULL: none. */
const struct log_rule *log_rules_match(const char *text, size_t length, struct log_facts *facts);

#endif
