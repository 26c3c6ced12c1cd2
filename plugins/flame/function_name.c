/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions as people read them; see function_name.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "function_name.h"

#ifdef FLAME_DEMANGLE
#include FLAME_DEMANGLE

/* The hash at the end tells Rust's old names from those of C++: whoever checks it goes first. */
static char *demangle(const char *name)
{
	char *plain = NULL;

	if (name[0] != '_')
		return NULL;
	if (name[1] == 'Z' || name[1] == 'R')
		plain = rust_demangle(name, 0);
	if (!plain && name[1] == 'Z')
		plain = cplus_demangle_v3(name, DMGL_ANSI);
	if (!plain && name[1] == 'D')
		plain = dlang_demangle(name, 0);
	return plain;
}

char *function_demangle(const char *name)
{
	char *plain = demangle(name);

	if (plain)
		plain[function_without_parameters(plain, strlen(plain))] = '\0';
	return plain;
}
#else
char *function_demangle(const char *name)
{
	(void)name;
	return NULL;
}
#endif

enum { RUST_HASH = 16 };

/* "::h" and 16 hexadecimal digits end the name. */
static bool has_rust_hash(const char *name, size_t length)
{
	const char *hash = name + length - RUST_HASH;

	return length > RUST_HASH + 3 && memcmp(hash - 3, "::h", 3) == 0 &&
	       strspn(hash, "0123456789abcdef") == RUST_HASH;
}

/* The character that "$LT$" stands for at `at`, and the length of that; 0: it is no such thing. */
static int rust_escape(const char *at, size_t length, size_t *taken)
{
	static const struct {
		const char *code;
		int is;
	} codes[] = { { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
		      { "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' } };
	unsigned long number;
	char *end;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		*taken = strlen(codes[i].code);
		if (length >= *taken && memcmp(at, codes[i].code, *taken) == 0)
			return codes[i].is;
	}
	if (length < 4 || at[1] != 'u')
		return 0;
	number = strtoul(at + 2, &end, 16);
	*taken = (size_t)(end + 1 - at);
	return *end == '$' && number >= 0x20 && number < 0x7f ? (int)number : 0;
}

size_t function_finish_rust(char *name, size_t length)
{
	size_t from = 0, to = 0, taken;

	if (!has_rust_hash(name, length))
		return length;
	length -= RUST_HASH + 3;
	name[length] = '\0';
	while (from < length) {
		bool begins = from == 0 || name[from - 1] == ':';
		int is = name[from] == '$' ? rust_escape(name + from, length - from, &taken) : 0;

		if (is) {
			name[to++] = (char)is;
			from += taken;
		} else if (name[from] == '_' && name[from + 1] == '$' && begins) {
			from++; /* so that an element does not begin with '$' */
		} else if (name[from] == '.' && name[from + 1] == '.') {
			name[to++] = ':';
			name[to++] = ':';
			from += 2;
		} else {
			name[to++] = name[from++];
		}
	}
	name[to] = '\0';
	return to;
}

static bool is_word(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c & 0x80);
}

/* The length of "operator" and the sign that it names, at `at`; 0: there is none. */
static size_t operator_length(const char *name, size_t length, size_t at)
{
	static const char word[] = "operator";
	size_t i = at + sizeof(word) - 1;

	if (length - at < sizeof(word) - 1 || memcmp(name + at, word, sizeof(word) - 1) != 0 ||
	    (at && is_word(name[at - 1])))
		return 0;
	if (i + 1 < length && name[i] == '(' && name[i + 1] == ')')
		return i + 2 - at;
	while (i < length && strchr("<>=-+*/%^&|~!,", name[i]))
		i++;
	return i - at;
}

/* Whether the bracket at `at` begins a list of parameters: they follow a name, or a closed list. */
static bool begins_list(const char *name, size_t at)
{
	return at && (is_word(name[at - 1]) || strchr(">)]}'\"", name[at - 1]));
}

/* Behind the list that begins at `at`, if a part of the name follows it: "f(int)::{lambda()#1}". */
static size_t list_within(const char *name, size_t length, size_t at)
{
	static const char constant[] = " const";
	size_t depth = 0;

	for (; at < length; at++) {
		if (name[at] == '(')
			depth++;
		else if (name[at] == ')' && --depth == 0)
			break;
	}
	at++;
	if (at < length && length - at > sizeof(constant) &&
	    memcmp(name + at, constant, sizeof(constant) - 1) == 0)
		at += sizeof(constant) - 1;
	return at + 1 < length && name[at] == ':' && name[at + 1] == ':' ? at : 0;
}

/* Where the last list of parameters begins, if `at` is where one begins; else `at`, or behind it. */
static size_t list_begins(const char *name, size_t length, size_t at, size_t operator_name)
{
	size_t behind;

	if (at >= length || name[at] != '(' || (!operator_name && !begins_list(name, at)))
		return at;
	behind = list_within(name, length, at);
	return behind ? behind : SIZE_MAX;
}

static size_t depth_behind(const char *name, size_t at, size_t depth)
{
	if (strchr("(<{[", name[at]))
		return depth + 1;
	if (strchr(")}]", name[at]) || (name[at] == '>' && at && name[at - 1] != '-'))
		return depth - (depth > 0);
	return depth;
}

size_t function_without_parameters(const char *name, size_t length)
{
	size_t depth = 0, i = 0;

	if (!memchr(name, '(', length))
		return length;
	while (i < length) {
		size_t skip = name[i] == 'o' ? operator_length(name, length, i) : 0;
		size_t next = depth ? i + skip : list_begins(name, length, i + skip, skip);

		if (next == SIZE_MAX)
			return i + skip;
		if (next == i) {
			depth = depth_behind(name, i, depth);
			next++;
		}
		i = next;
	}
	return length;
}
