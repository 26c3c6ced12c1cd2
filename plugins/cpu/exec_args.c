/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's arguments as a line of text: see exec_args.h. */
#include "exec_args.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/utf8.h>

static void text_add(struct exec_text *text, const void *bytes, size_t count)
{
	size_t capacity = text->capacity ? text->capacity : 256;
	char *grown;

	while (capacity - text->length < count)
		capacity *= 2;
	if (capacity != text->capacity) {
		grown = realloc(text->bytes, capacity);
		if (!grown) {
			text->failed = true;
			return;
		}
		text->bytes = grown;
		text->capacity = capacity;
	}
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
}

/* How an argument has to be quoted, in rising order. */
enum quoting { PLAIN, QUOTED, ESCAPED };

/* The same of one character, whose bytes are 1 also when they are not UTF-8. */
static enum quoting next_quoting(const char *arg, size_t length, size_t *bytes)
{
	static const char plain[] = "%+,-./:=@_";
	uint32_t code = 0;

	*bytes = weir_utf8_next(arg, length, &code);
	if (*bytes == 0) {
		*bytes = 1;
		return ESCAPED;
	}
	if (code == '\'' || weir_utf8_steers(code))
		return ESCAPED;
	if (code > 0x7f || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
	    (code >= '0' && code <= '9') || strchr(plain, (int)code))
		return PLAIN;
	return QUOTED;
}

static enum quoting arg_quoting(const char *arg, size_t length)
{
	enum quoting most = length ? PLAIN : QUOTED;
	size_t bytes;

	for (size_t i = 0; i < length; i += bytes) {
		enum quoting one = next_quoting(arg + i, length - i, &bytes);

		if (one > most)
			most = one;
	}
	return most;
}

static void add_escaped_byte(struct exec_text *text, unsigned char byte)
{
	static const char codes[] = "\a\b\t\n\v\f\r'", letters[] = "abtnvfr'";
	const char *code = strchr(codes, byte);
	char escape[8];

	if (code && byte)
		snprintf(escape, sizeof(escape), "\\%c", letters[code - codes]);
	else
		snprintf(escape, sizeof(escape), "\\x%02x", byte);
	text_add(text, escape, strlen(escape));
}

static void add_escaped(struct exec_text *text, const char *arg, size_t length)
{
	size_t bytes;

	text_add(text, "$'", 2);
	for (size_t i = 0; i < length; i += bytes) {
		enum quoting quoting = next_quoting(arg + i, length - i, &bytes);

		if (arg[i] == '\\')
			text_add(text, "\\\\", 2);
		else if (quoting != ESCAPED)
			text_add(text, arg + i, bytes);
		else
			for (size_t b = 0; b < bytes; b++)
				add_escaped_byte(text, (unsigned char)arg[i + b]);
	}
	text_add(text, "'", 1);
}

static void add_arg(struct exec_text *text, const char *arg, size_t length, enum exec_quote quote)
{
	enum quoting quoting = arg_quoting(arg, length);

	if (quoting == ESCAPED) {
		add_escaped(text, arg, length);
		return;
	}
	if (quoting == PLAIN && quote == EXEC_QUOTE_ALWAYS)
		quoting = QUOTED;
	if (quoting == QUOTED)
		text_add(text, "'", 1);
	text_add(text, arg, length);
	if (quoting == QUOTED)
		text_add(text, "'", 1);
}

static void add_note(struct exec_text *text, const char *note)
{
	if (text->length)
		text_add(text, " ", 1);
	text_add(text, note, strlen(note));
}

/* What did not come with the event; the last argument shown may be cut. */
static void add_left(struct exec_text *text, const struct exec_args *args, uint32_t left, bool cut)
{
	char note[64];

	if (cut)
		add_note(text, "(cut)");
	if (left > cut) {
		snprintf(note, sizeof(note), "(+%" PRIu32 " argument%s)", left - cut,
			 left - cut == 1 ? "" : "s");
		add_note(text, note);
	}
	if (args->bytes_all > args->length) {
		snprintf(note, sizeof(note), "(+%" PRIu64 " bytes)",
			 args->bytes_all - args->length);
		add_note(text, note);
	}
}

static bool arg_unreadable(const struct exec_args *args, uint32_t i)
{
	return i < 64 && (args->unreadable >> i & 1);
}

uint32_t exec_args_write(struct exec_text *text, const struct exec_args *args,
			 enum exec_quote quote)
{
	const char *at = args->bytes, *end = at + args->length;
	uint32_t whole = 0;
	bool cut = false;

	text->length = 0;
	text->failed = false;
	for (; at < end && whole < args->count; whole += !cut) {
		const char *nul = memchr(at, '\0', (size_t)(end - at));

		cut = !nul;
		if (at > args->bytes)
			text_add(text, " ", 1);
		if (arg_unreadable(args, whole))
			text_add(text, "(unreadable)", 12);
		else
			add_arg(text, at, (size_t)((nul ? nul : end) - at), quote);
		at = nul ? nul + 1 : end;
	}
	add_left(text, args, args->count - whole, cut);
	return args->count - whole;
}
