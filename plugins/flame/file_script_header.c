/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Headers of samples in `perf script` text. A command may hold blanks and numbers; so each number is
 * tried as the process, until what follows is what can follow.
 */
#include "file_script.h"

struct script_piece script_trim(struct script_piece piece)
{
	while (piece.length && script_is_blank(piece.text[piece.length - 1]))
		piece.length--;
	return piece;
}

uint64_t script_number(struct script_piece piece)
{
	uint64_t number = 0;

	for (size_t i = 0; i < piece.length; i++)
		if (__builtin_mul_overflow(number, 10u, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(piece.text[i] - '0'), &number))
			return UINT64_MAX;
	return number;
}

/* What is left of the line. */
struct script_scan {
	const char *at;
	const char *end;
};

static void scan_blanks(struct script_scan *scan)
{
	while (scan->at < scan->end && script_is_blank(*scan->at))
		scan->at++;
}

/* The piece up to the next blank; empty at the end. */
static struct script_piece scan_word(struct script_scan *scan)
{
	struct script_piece word = { scan->at, 0 };

	while (scan->at < scan->end && !script_is_blank(*scan->at))
		scan->at++;
	word.length = (size_t)(scan->at - word.text);
	return word;
}

static size_t digits_of(struct script_piece piece)
{
	size_t n = 0;

	while (n < piece.length && script_is_digit(piece.text[n]))
		n++;
	return n;
}

static struct script_piece piece_from(struct script_piece piece, size_t begin)
{
	return (struct script_piece){ piece.text + begin, piece.length - begin };
}

/* "-1" is what perf says of threads that are gone. */
static size_t signed_digits_of(struct script_piece piece)
{
	size_t sign = piece.length && piece.text[0] == '-', n = digits_of(piece_from(piece, sign));

	return n ? n + sign : 0;
}

/* "12", which is a thread, or "12/34" */
static bool read_process(struct script_piece word, struct script_header *header)
{
	size_t n = signed_digits_of(word);

	header->pid = (struct script_piece){ word.text, 0 };
	header->tid = (struct script_piece){ word.text, n };
	if (n == word.length)
		return n > 0;
	if (n == 0 || word.text[n] != '/')
		return false;
	header->pid = header->tid;
	header->tid = piece_from(word, n + 1);
	n = signed_digits_of(header->tid);
	return n && n == header->tid.length;
}

/* "[003]" */
static bool read_cpu(struct script_piece word, struct script_header *header)
{
	struct script_piece digits = { word.text + 1, word.length - 2 };
	uint64_t cpu;

	if (word.length < 3 || word.text[0] != '[' || word.text[word.length - 1] != ']' ||
	    digits_of(digits) != digits.length)
		return false;
	cpu = script_number(digits);
	header->cpu = cpu < WEIR_ABSENT_U32 ? (uint32_t)cpu : WEIR_ABSENT_U32;
	return true;
}

/* The state of interrupts and preemption: "d..2.", "....." */
static bool is_state(struct script_piece word)
{
	if (word.length < 4 || word.length > 6 || !memchr(word.text, '.', word.length))
		return false;
	for (size_t i = 0; i < word.length; i++)
		if (!strchr(".dDnNhHsSzZpPbBX#0123456789", word.text[i]))
			return false;
	return true;
}

/* "55595.541375:" */
static bool read_time(struct script_piece word, struct script_header *header)
{
	size_t n = digits_of(word), places;
	uint64_t seconds, ns = 0;
	struct script_piece rest;

	if (n == 0 || n + 2 >= word.length || word.text[n] != '.')
		return false;
	rest = piece_from(word, n + 1);
	places = digits_of(rest);
	if (places == 0 || places + 1 != rest.length || rest.text[places] != ':')
		return false;
	for (size_t i = 0; i < 9; i++)
		ns = ns * 10 + (i < places ? (uint64_t)(rest.text[i] - '0') : 0);
	seconds = script_number((struct script_piece){ word.text, n });
	header->time = seconds < UINT64_MAX / 1000000000 ? seconds * 1000000000 + ns : UINT64_MAX;
	header->has_time = true;
	return true;
}

/* Takes the next word if it is what `read` knows. */
static bool scan_known(struct script_scan *scan, struct script_header *header,
		       bool (*read)(struct script_piece, struct script_header *))
{
	struct script_scan ahead = *scan;

	scan_blanks(&ahead);
	if (!read(scan_word(&ahead), header))
		return false;
	*scan = ahead;
	return true;
}

static bool read_state(struct script_piece word, struct script_header *header)
{
	(void)header;
	return is_state(word);
}

static bool read_period(struct script_piece word, struct script_header *header)
{
	if (word.length == 0 || digits_of(word) != word.length)
		return false;
	header->period = script_number(word);
	return true;
}

static bool read_event(struct script_piece word, struct script_header *header)
{
	if (word.length < 2 || word.text[word.length - 1] != ':')
		return false;
	header->event = (struct script_piece){ word.text, word.length - 1 };
	return true;
}

/* What follows the process. */
static bool read_rest(struct script_scan scan, struct script_header *header)
{
	bool cpu, period;

	header->cpu = WEIR_ABSENT_U32;
	header->period = 1;
	header->has_time = false;
	header->time = 0;
	header->event = (struct script_piece){ scan.at, 0 };
	cpu = scan_known(&scan, header, read_cpu);
	if (!scan_known(&scan, header, read_time) && scan_known(&scan, header, read_state))
		scan_known(&scan, header, read_time);
	period = scan_known(&scan, header, read_period);
	if (!scan_known(&scan, header, read_event)) {
		scan_blanks(&scan);
		header->tail = (struct script_piece){ scan.at, 0 };
		return scan.at == scan.end && !period && (cpu || header->has_time);
	}
	scan_blanks(&scan);
	header->tail = (struct script_piece){ scan.at, (size_t)(scan.end - scan.at) };
	return true;
}

bool script_header(const char *line, size_t length, struct script_header *header)
{
	struct script_scan scan = { line, line + length };
	const char *begin;

	scan_blanks(&scan);
	begin = scan.at;
	while (scan.at < scan.end) {
		struct script_piece word = scan_word(&scan);

		if (read_process(word, header) && read_rest(scan, header)) {
			header->comm = script_trim(
				(struct script_piece){ begin, (size_t)(word.text - begin) });
			return true;
		}
		scan_blanks(&scan);
	}
	return false;
}
