/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel files of one "name number" a line: /proc/vmstat, /proc/meminfo. */
#ifndef WEIR_KEYED_H
#define WEIR_KEYED_H

#include "number.h"
#include "record.h"

/* What stands behind the name that begins a line, or NULL. */
static inline const char *weir_keyed_find(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && strchr(" \t:", line[length]) &&
		    line[length])
			return line + length + 1;
	}
	return NULL;
}

/* "pswpin 12": WEIR_ABSENT_U64 when there is no such line, or no number in it. */
static inline uint64_t weir_keyed_number(const char *text, const char *name)
{
	const char *at = weir_keyed_find(text, name);
	uint64_t number;

	if (!at || !weir_take_number(&at, &number) || (*at != '\n' && *at != '\0'))
		return WEIR_ABSENT_U64;
	return number;
}

/* "MemFree:   1234 kB" as bytes: WEIR_ABSENT_U64 when there is no such line, or it says other. */
static inline uint64_t weir_keyed_bytes(const char *text, const char *name)
{
	const char *at = weir_keyed_find(text, name);
	uint64_t kib;

	if (!at || !weir_take_number(&at, &kib) || kib > UINT64_MAX / 1024 - 1 ||
	    strncmp(at, " kB\n", 4) != 0)
		return WEIR_ABSENT_U64;
	return kib * 1024;
}

#endif
