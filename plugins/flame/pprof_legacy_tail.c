/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands behind the samples of an old profile: what was mapped, in the form of /proc/PID/maps or a
 * shorter one; names of Java; and Go's remarks of what is where, behind each sample.
 */
#include <string.h>

#include "pprof_legacy.h"

/* "rights offset device inode path", of which only code counts. */
static bool tail_map_long(struct legacy *legacy, struct legacy_text *line, uint64_t start,
			  uint64_t end)
{
	uint64_t offset, number;
	bool executable;

	legacy_blanks(line);
	if (line->end - line->at < 4 || (line->at[0] != 'r' && line->at[0] != '-'))
		return false;
	executable = line->at[2] == 'x';
	line->at += 4;
	legacy_blanks(line);
	if (!legacy_hex(line, &offset))
		return false;
	legacy_blanks(line);
	if (!legacy_hex(line, &number) || !legacy_word(line, ":") || !legacy_hex(line, &number))
		return false;
	legacy_blanks(line);
	if (!legacy_number(line, &number))
		return false;
	legacy_blanks(line);
	if (executable)
		legacy_map(legacy, start, end, offset, line);
	return true;
}

static bool tail_map(struct legacy *legacy, struct legacy_text line)
{
	uint64_t start, end;

	if (!legacy_hex(&line, &start) || !legacy_word(&line, "-") || !legacy_hex(&line, &end))
		return false;
	if (!legacy_word(&line, ":"))
		return tail_map_long(legacy, &line, start, end);
	legacy_blanks(&line);
	legacy_map(legacy, start, end, 0, &line);
	return true;
}

/* The place of "file:line" at the end of a text. False: there is none. */
static bool tail_source(const struct legacy_text *text, struct legacy_text *file, uint64_t *number)
{
	const char *colon = memrchr(text->at, ':', (size_t)(text->end - text->at));
	struct legacy_text digits = { colon ? colon + 1 : text->end, text->end };

	if (!colon || !legacy_number(&digits, number) || digits.at != digits.end)
		return false;
	*file = (struct legacy_text){ text->at, colon };
	return true;
}

/* "0x000012 com.example.method (source.java:12)" */
static bool tail_java(struct legacy *legacy, struct legacy_text line)
{
	struct legacy_text inner, file = { NULL, NULL };
	const char *open;
	uint64_t address, number = 0;

	if (!legacy_hex(&line, &address))
		return false;
	legacy_blanks(&line);
	open = memrchr(line.at, '(', (size_t)(line.end - line.at));
	if (open && open > line.at && open[-1] == ' ' && line.end[-1] == ')') {
		inner = (struct legacy_text){ open + 1, line.end - 1 };
		if (tail_source(&inner, &file, &number))
			line.end = open - 1;
	}
	legacy_name(legacy, address, &line, &file, number);
	return true;
}

/* "#	0x44cb3	runtime.newm+0x23	/src/proc.go:12" */
static bool tail_remark(struct legacy *legacy, struct legacy_text line)
{
	struct legacy_text name, file = { NULL, NULL }, source;
	const char *plus;
	uint64_t address, number = 0;

	legacy_blanks(&line);
	if (!legacy_word(&line, "0x"))
		return true;
	if (!legacy_hex(&line, &address) || !legacy_word(&line, "\t"))
		return true;
	name = line;
	while (line.at < line.end && *line.at != '\t')
		line.at++;
	name.end = line.at;
	plus = memrchr(name.at, '+', (size_t)(name.end - name.at));
	name.end = plus ? plus : name.end;
	legacy_blanks(&line);
	source = line;
	if (!tail_source(&source, &file, &number))
		number = 0;
	legacy_name(legacy, address, &name, &file, number);
	return true;
}

static bool tail_word(struct legacy *legacy, const struct legacy_text *line)
{
	const char *equals = memchr(line->at, '=', (size_t)(line->end - line->at));

	if (!equals || equals == line->at)
		return false;
	if (legacy->word_count < LEGACY_WORDS)
		legacy->words[legacy->word_count++] =
			(struct legacy_word){ { line->at, equals }, { equals + 1, line->end } };
	return true;
}

bool legacy_tail(struct legacy *legacy, struct legacy_text line)
{
	legacy_blanks(&line);
	if (line.at == line.end || legacy_word(&line, "---") || legacy_word(&line, "MAPPED"))
		return true;
	if (legacy_word(&line, "#"))
		return tail_remark(legacy, line);
	return (legacy->java ? tail_java(legacy, line) : tail_map(legacy, line)) ||
	       tail_word(legacy, &line);
}
