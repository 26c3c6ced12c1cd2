/* SPDX-License-Identifier: BSD-2-Clause */
/* A record of /dev/kmsg, as Documentation/ABI/testing/dev-kmsg defines it. */
#include <string.h>

#include "log_record.h"

/* A decimal number that ends with `end`, within the bytes. */
static bool log_take(const char **at, const char *last, char end, uint64_t *number)
{
	const char *digit = *at;

	*number = 0;
	for (; digit < last && *digit >= '0' && *digit <= '9'; digit++) {
		if (*number > (UINT64_MAX - 9) / 10)
			return false;
		*number = *number * 10 + (uint64_t)(*digit - '0');
	}
	if (digit == *at || digit == last || *digit != end)
		return false;
	*at = digit + 1;
	return true;
}

/* The end of a record: lines that begin with a blank belong to it. */
static const char *log_end(const char *at, const char *last)
{
	while (at < last) {
		const char *line = memchr(at, '\n', (size_t)(last - at));

		if (!line)
			return last;
		at = line + 1;
		if (at == last || *at != ' ')
			break;
	}
	return at;
}

size_t log_record_parse(const char *bytes, size_t size, struct log_record *record)
{
	const char *at = bytes, *last = bytes + size, *text, *line;
	uint64_t priority;

	if (!log_take(&at, last, ',', &priority) || !log_take(&at, last, ',', &record->sequence) ||
	    !log_take(&at, last, ',', &record->usec))
		return 0;
	text = memchr(at, ';', (size_t)(last - at));
	line = memchr(at, '\n', (size_t)(last - at));
	if (!text || (line && line < text) || priority > UINT32_MAX)
		return 0;
	record->level = (uint32_t)priority & 7;
	record->facility = (uint32_t)priority >> 3;
	record->text = text + 1;
	record->length = (size_t)((line ? line : last) - record->text);
	return (size_t)(log_end(at, last) - bytes);
}
