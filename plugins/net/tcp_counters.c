/* SPDX-License-Identifier: BSD-2-Clause */
/* See tcp_counters.h. */
#include "tcp_counters.h"

#include <stdlib.h>

#include <weir/host.h>
#include <weir/number.h>

enum tcp_file { SNMP, NETSTAT, SNMP6, SOCKSTAT, SOCKSTAT6, TCP_FILES };

/* How a file says what a number means. */
enum tcp_form {
	FORM_TWO_LINES, /* "Tcp: name name" and below it "Tcp: 1 2" */
	FORM_PAIRS,     /* "TCP: name 1 name 2" */
	FORM_LINES,     /* "name 1" */
};

static const struct tcp_file_kind {
	const char *name;
	enum tcp_form form;
	bool must; /* without it, there is no row */
} tcp_files[TCP_FILES] = {
	[SNMP] = { "snmp", FORM_TWO_LINES, true },
	[NETSTAT] = { "netstat", FORM_TWO_LINES, false },
	[SNMP6] = { "snmp6", FORM_LINES, false },
	[SOCKSTAT] = { "sockstat", FORM_PAIRS, false },
	[SOCKSTAT6] = { "sockstat6", FORM_PAIRS, false },
};

struct tcp_known {
	enum tcp_value value;
	enum tcp_file file;
	const char *group;
	const char *name;
};

#define TCP_KNOWN(id_, file_, group_, name_, ...) { TCP_##id_, file_, group_, name_ },

static const struct tcp_known tcp_known[] = { TCP_RATES(TCP_KNOWN) TCP_LEVELS(TCP_KNOWN)
						      TCP_MORE(TCP_KNOWN) };

static bool tcp_is(const char *word, size_t length, const char *known)
{
	return strlen(known) == length && memcmp(word, known, length) == 0;
}

/* Adds a number to the value that it is part of, if anybody wants it. */
static void tcp_keep(struct tcp_sample *sample, enum tcp_file file, const char *group,
		     const char *word, uint64_t number)
{
	size_t group_length = strcspn(group, ":"), length = strcspn(word, " \t\n");

	for (size_t i = 0; i < sizeof(tcp_known) / sizeof(tcp_known[0]); i++) {
		const struct tcp_known *known = &tcp_known[i];
		uint64_t *value = &sample->values[known->value];

		if (known->file != file || !tcp_is(word, length, known->name))
			continue;
		if (*known->group && !tcp_is(group, group_length, known->group))
			continue;
		*value = (*value == WEIR_ABSENT_U64 ? 0 : *value) + number;
	}
}

static const char *tcp_next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static const char *tcp_next_word(const char *at)
{
	at += strcspn(at, " \t\n");
	return at + strspn(at, " \t");
}

static bool tcp_at_end(const char *at)
{
	return *at == '\n' || *at == '\0';
}

/* "-1", which some limits are, is passed over. False: it is no number. */
static bool tcp_take(const char **at, uint64_t *number, bool *negative)
{
	*negative = **at == '-';
	*at += *negative;
	return weir_take_number(at, number) && (tcp_at_end(*at) || **at == ' ');
}

static bool tcp_parse_two_lines(struct tcp_sample *sample, enum tcp_file file, const char *text)
{
	while (*text) {
		const char *names = text, *values = tcp_next_line(text);
		const char *name = tcp_next_word(names), *value = tcp_next_word(values);

		while (!tcp_at_end(name) && !tcp_at_end(value)) {
			uint64_t number;
			bool negative;

			if (!tcp_take(&value, &number, &negative))
				return false;
			if (!negative)
				tcp_keep(sample, file, names, name, number);
			name = tcp_next_word(name);
			value += strspn(value, " ");
		}
		if (!tcp_at_end(name) || !tcp_at_end(value))
			return false;
		text = tcp_next_line(values);
	}
	return true;
}

static bool tcp_parse_pairs(struct tcp_sample *sample, enum tcp_file file, const char *text)
{
	for (; *text; text = tcp_next_line(text)) {
		const char *name = tcp_next_word(text);

		while (!tcp_at_end(name)) {
			const char *at = tcp_next_word(name);
			uint64_t number;
			bool negative;

			if (!tcp_take(&at, &number, &negative))
				return false;
			if (!negative)
				tcp_keep(sample, file, text, name, number);
			name = at + strspn(at, " ");
		}
	}
	return true;
}

static bool tcp_parse_lines(struct tcp_sample *sample, enum tcp_file file, const char *text)
{
	for (; *text; text = tcp_next_line(text)) {
		const char *at = tcp_next_word(text);
		uint64_t number;

		if (!weir_take_number(&at, &number))
			return false;
		tcp_keep(sample, file, "", text, number);
	}
	return true;
}

typedef bool tcp_parse_fn(struct tcp_sample *sample, enum tcp_file file, const char *text);

static tcp_parse_fn *const tcp_parsers[] = {
	[FORM_TWO_LINES] = tcp_parse_two_lines,
	[FORM_PAIRS] = tcp_parse_pairs,
	[FORM_LINES] = tcp_parse_lines,
};

/* What is missing leaves its values absent: IPv6 may be switched off. */
int tcp_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
	     struct weir_buffer *buffer, struct tcp_sample *sample)
{
	for (int i = 0; i < TCP_VALUES; i++)
		sample->values[i] = WEIR_ABSENT_U64;
	for (int i = 0; i < TCP_FILES; i++) {
		const struct tcp_file_kind *kind = &tcp_files[i];
		int err = net_space_read(ctx, spaces, space, kind->name, buffer);

		if (err == -ESRCH || (err && kind->must && space->pid))
			return -ESRCH;
		if (err && kind->must)
			return weir_fail(ctx, err, "read /proc/net/%s", kind->name);
		if (!err && !tcp_parsers[kind->form](sample, (enum tcp_file)i, buffer->bytes))
			return weir_fail(ctx, -EBADMSG,
					 "/proc/net/%s: names and numbers do not fit", kind->name);
	}
	return 0;
}
