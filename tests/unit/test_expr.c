/* SPDX-License-Identifier: BSD-2-Clause */
/* The expression language: one row with every kind of column, and what texts make of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "expr.h"
#include "names.h"

/* Last: its macro fail() hides a member of struct weir_host. */
#include <cmocka.h>

struct row {
	uint64_t wait;      /* 38.2 ms */
	uint64_t latency;   /* absent */
	uint64_t service;   /* 5000 us */
	uint64_t bytes;     /* 65536 */
	uint64_t memory;    /* 64 KiB */
	uint64_t huge;      /* 2^64-1 */
	uint64_t frequency; /* 99 Hz */
	uint64_t slots;     /* 400 */
	uint64_t cycles;    /* 100 */
	int64_t balance;    /* -7 */
	int64_t least;      /* the smallest */
	double busy;        /* 0.25 */
	double share;       /* 25 % */
	double load;        /* absent */
	struct weir_text path;
	struct weir_text container; /* absent */
	struct weir_histogram_ref times;
	struct weir_histogram_ref nothing;
	struct weir_stack_ref stack;
	struct weir_names_ref labels;
	struct weir_name op;
	uint32_t count; /* 3 */
	int32_t state;  /* absent */
	uint16_t port;  /* 443 */
	uint8_t cpu;    /* 1 */
	bool ok;        /* true */
	char comm[8];   /* "postgres", without NUL */
};

WEIR_DEFINE_UNIT(unit_slots, "slots", "{slot}", "slots", 1, 1);
WEIR_DEFINE_UNIT(unit_cycles, "cycles", "{cycle}", "cycles", 1, 1);

static const struct weir_field fields[] = {
	WEIR_FIELD_DURATION(struct row, wait, WEIR_EVENT, 0, ""),
	WEIR_FIELD_DURATION(struct row, latency, WEIR_EVENT, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, service, WEIR_US, WEIR_EVENT, ""),
	WEIR_FIELD(struct row, bytes, WEIR_BYTES, WEIR_EVENT, ""),
	WEIR_FIELD(struct row, memory, WEIR_KIB, WEIR_GAUGE, ""),
	WEIR_FIELD(struct row, huge, WEIR_NONE, WEIR_GAUGE, ""),
	WEIR_FIELD(struct row, frequency, WEIR_HERTZ, WEIR_GAUGE, ""),
	WEIR_FIELD(struct row, slots, &unit_slots, WEIR_DELTA, ""),
	WEIR_FIELD(struct row, cycles, &unit_cycles, WEIR_DELTA, ""),
	WEIR_FIELD(struct row, balance, WEIR_NONE, WEIR_GAUGE, ""),
	WEIR_FIELD(struct row, least, WEIR_NONE, WEIR_GAUGE, ""),
	WEIR_FIELD(struct row, busy, WEIR_RATIO, WEIR_GAUGE, ""),
	WEIR_FIELD(struct row, share, WEIR_PERCENT, WEIR_GAUGE, ""),
	WEIR_FIELD_WITH(struct row, load, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, path, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD_WITH(struct row, container, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, times, WEIR_NS, WEIR_DELTA, ""),
	WEIR_FIELD_WITH(struct row, nothing, WEIR_NS, WEIR_DELTA, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, stack, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, labels, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, op, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, count, WEIR_COUNT, WEIR_DELTA, ""),
	WEIR_FIELD_WITH(struct row, state, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, port, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, cpu, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, ok, WEIR_NONE, WEIR_GAUGE, ""),
	{ "comm", "", NULL, WEIR_TYPE_CHARS, WEIR_KEY, offsetof(struct row, comm), 8, 0, 0, NULL },
};

static const struct weir_schema schema = { sizeof(schema), sizeof(struct row), "test",
					   WEIR_TABLE(fields) };

static struct {
	struct weir_batch batch;
	struct row row;
	struct {
		uint64_t times[sizeof(struct weir_histogram) / 8 + 1];
		struct weir_frame frames[2];
		char path[16];
	} arena;
} world;

static int world_make(void **state)
{
	struct weir_histogram *histogram = (struct weir_histogram *)world.arena.times;

	(void)state;
	world.row = (struct row){ .wait = 38200000,
				  .latency = WEIR_ABSENT_U64,
				  .service = 5000,
				  .bytes = 65536,
				  .memory = 64,
				  .huge = UINT64_MAX,
				  .frequency = 99,
				  .slots = 400,
				  .cycles = 100,
				  .balance = -7,
				  .least = INT64_MIN,
				  .busy = 0.25,
				  .share = 25,
				  .load = __builtin_nan(""),
				  .count = 3,
				  .state = WEIR_ABSENT_I32,
				  .port = 443,
				  .cpu = 1,
				  .ok = true };
	memcpy(world.row.comm, "postgres", 8);
	memcpy(world.arena.path, "/var/lib/a.so", 14);
	world.row.path.offset = (uint32_t)((char *)world.arena.path - (char *)&world.arena);
	world.row.path.length = 13;
	/* Four waits of 8 to 16 ns: bucket 32 ends at 16. */
	histogram->count = 4;
	histogram->sum = 50;
	histogram->min = 15;
	histogram->max = 16;
	histogram->scale = 3;
	histogram->offset = 32;
	histogram->buckets = 1;
	histogram->counts[0] = 4;
	world.row.times.bytes = sizeof(world.arena.times);
	world.batch.names = names_new();
	assert_non_null(world.batch.names);
	world.row.op.id = names_intern(world.batch.names, "read", 4);
	world.arena.frames[1].symbol = names_intern(world.batch.names, "btrfs_sync_file", 15);
	world.row.stack.offset = (uint32_t)((char *)world.arena.frames - (char *)&world.arena);
	world.row.stack.count = 2;
	world.batch.arena = (uint8_t *)&world.arena;
	return 0;
}

static int world_end(void **state)
{
	(void)state;
	names_release(world.batch.names);
	return 0;
}

/* A value as the tables below write it. */
static void show(const struct weir_value *value, char *out, size_t size)
{
	switch (value->type) {
	case WEIR_TYPE_UINT:
		snprintf(out, size, "%ju", (uintmax_t)value->u);
		break;
	case WEIR_TYPE_INT:
		snprintf(out, size, "%jdi", (intmax_t)value->i);
		break;
	case WEIR_TYPE_DOUBLE:
		snprintf(out, size, "%.9gd", value->d);
		break;
	case WEIR_TYPE_BOOL:
		snprintf(out, size, "%s", value->u ? "true" : "false");
		break;
	case WEIR_TYPE_TEXT:
		snprintf(out, size, "'%.*s'", (int)value->length, value->text);
		break;
	default:
		snprintf(out, size, "absent");
	}
}

struct meaning {
	const char *text;
	const char *value; /* i: INT, d: DOUBLE */
};

static void check_meanings(const struct meaning *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct expr_error error = { 0, 0, "" };
		struct weir_expr *expr = NULL;
		struct weir_value value;
		char shown[64];

		if (expr_compile(rows[i].text, &schema, &expr, &error))
			fail_msg("%s: column %u: %s", rows[i].text, error.column, error.message);
		assert_int_equal(expr_eval(expr, &world.batch, &world.row, &value), 0);
		show(&value, shown, sizeof(shown));
		if (strcmp(shown, rows[i].value) != 0)
			fail_msg("%s: %s, not %s", rows[i].text, shown, rows[i].value);
		if (value.type != WEIR_TYPE_NONE)
			assert_int_equal(value.type, expr_type(expr));
		expr_free(expr);
	}
}

#define CHECK_MEANINGS(rows_) check_meanings(rows_, sizeof(rows_) / sizeof((rows_)[0]))

static void literals_are_read_exactly(void **state)
{
	static const struct meaning rows[] = {
		{ "42", "42" },
		{ "0x1F", "31" },
		{ "18446744073709551615", "18446744073709551615" },
		{ "0xffffffffffffffff", "18446744073709551615" },
		{ "-9223372036854775808", "-9223372036854775808i" },
		{ "0.1", "0.1d" },
		{ ".5", "0.5d" },
		{ "2.50e1", "25" },
		{ "1e3", "1000" },
		{ "25e-3", "0.025d" },
		{ "10ms", "10000000" },
		{ "1.1s == 1100ms", "true" },
		{ "0.29s == 290ms", "true" },
		{ "64KiB == 65536B", "true" },
		{ "1.5MiB", "1572864" },
		{ "1kHz == 1000Hz", "true" },
		{ "7%2", "1" },
		{ "7 % 2", "1" },
		{ "50%*2", "100" },
		{ "12slots", "12" },
		{ "\"a\\tb\" == 'a\\x09b'", "true" },
		{ "'a\\.b'", "'a\\.b'" },
		{ "'\\\\' == \"\\x5c\"", "true" },
		{ "'don\\'t'", "'don't'" },
		{ "true", "true" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void operators_bind_as_in_c(void **state)
{
	static const struct meaning rows[] = {
		{ "1 + 2 * 3", "7" },
		{ "(1 + 2) * 3", "9" },
		{ "10 - 4 - 3", "3i" },
		{ "-2 * -3", "6i" },
		{ "true || false && false", "true" },
		{ "!true || true", "true" },
		{ "1 < 2 == true", "true" },
		{ "true ? 1 : false ? 2 : 3", "1" },
		{ "false ? 1 : false ? 2 : 3", "3" },
		{ "1 + 1 in (2, 3) && ok", "true" },
		{ "comm == 'x' || comm =~ 'gres$' && cpu == 1", "true" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void columns_have_their_own_types(void **state)
{
	static const struct meaning rows[] = {
		{ "wait", "38200000" },
		{ "balance", "-7i" },
		{ "busy", "0.25d" },
		{ "ok", "true" },
		{ "comm", "'postgres'" },
		{ "op", "'read'" },
		{ "port", "443" },
		{ "cpu", "1" },
		{ "path", "'/var/lib/a.so'" },
		{ "count", "3" },
		{ "count(times)", "4" },
		{ "least", "-9223372036854775808i" },
		{ "latency", "absent" },
		{ "state", "absent" },
		{ "load", "absent" },
		{ "container", "absent" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void units_of_one_dimension_are_converted_exactly(void **state)
{
	static const struct meaning rows[] = {
		{ "wait > 10ms", "true" },
		{ "wait == 38.2ms", "true" },
		{ "wait >= 38200001ns", "false" },
		{ "wait != 0", "true" },
		{ "service == 5ms", "true" },
		{ "service > 4999999ns", "true" },
		{ "wait - service", "33200000i" },
		{ "service + wait", "43200000" },
		{ "bytes == memory", "true" },
		{ "memory == 64KiB", "true" },
		{ "memory > 65537B", "false" },
		{ "frequency == 99Hz", "true" },
		{ "busy == share", "true" },
		{ "busy > 5%", "true" },
		{ "busy > 0.2", "true" },
		{ "share == 25%", "true" },
		{ "max(wait, service, 1s)", "1000000000" },
		{ "min(service, wait)", "5000000" },
		{ "service in (1ms, 5ms)", "true" },
		{ "ok ? service : wait", "5000000" },
		{ "p50(times) < 1us", "true" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void products_and_quotients_have_units(void **state)
{
	static const struct meaning rows[] = {
		{ "wait * 2 > 76ms", "true" },
		{ "wait / 2 < 20ms", "true" },
		{ "wait * 50% == 19.1ms", "true" },
		{ "wait / service", "7.64d" },
		{ "wait / service > 7.6", "true" },
		{ "busy * share", "0.0625d" },
		{ "bytes / 2s == 32KiB / 1s", "true" },
		{ "bytes / 2s * 4s == 128KiB", "true" },
		{ "bytes / (bytes / 2s) == 2s", "true" },
		{ "count / 1.5s == 2Hz", "true" },
		{ "1 / frequency < 11ms", "true" },
		{ "frequency * 2s", "198d" },
		{ "bytes / count > 21KiB", "true" },
		{ "count * count", "9" },
		{ "slots / cycles", "4d" },
		{ "slots > 10", "true" },
		{ "slots * 64B == 25600B", "true" },
		{ "slots / bytes < 1", "true" },
		{ "-wait < 0", "true" },
		{ "abs(service - wait) == 33.2ms", "true" },
		{ "wait % 1ms == 200us", "true" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void nothing_wraps(void **state)
{
	static const struct meaning rows[] = {
		{ "3 / 2", "1.5d" },
		{ "huge + 1", "absent" },
		{ "huge * 2", "absent" },
		{ "huge - 1", "absent" },
		{ "huge - huge", "0i" },
		{ "0 - huge", "absent" },
		{ "count - 5", "-2i" },
		{ "-huge", "absent" },
		{ "-least", "absent" },
		{ "least - 1", "absent" },
		{ "least % -1", "0i" },
		{ "abs(least)", "9223372036854775808" },
		{ "huge + balance", "absent" },
		{ "huge + 1 > 0", "false" },
		{ "huge * 1.0", "18446744073709551615" },
		{ "huge > 18446744073709551614", "true" },
		{ "huge > balance", "true" },
		{ "balance < huge", "true" },
		{ "balance < -6.5", "true" },
		{ "balance == -7", "true" },
		{ "9007199254740993 > 9007199254740992.5", "true" },
		{ "1e308 * 10.5", "absent" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void absent_is_not_zero(void **state)
{
	static const struct meaning rows[] = {
		{ "latency + 1ms", "absent" },
		{ "latency == 0", "false" },
		{ "latency != 0", "false" },
		{ "!(latency == 0)", "true" },
		{ "latency in (0, 1ms)", "false" },
		{ "container !~ 'x'", "false" },
		{ "container == ''", "false" },
		{ "has(latency)", "false" },
		{ "has(wait)", "true" },
		{ "has(nothing)", "false" },
		{ "has(stack) && has(times)", "true" },
		{ "coalesce(latency, wait)", "38200000" },
		{ "coalesce(state, load, -1)", "-1d" },
		{ "coalesce(container, 'none')", "'none'" },
		{ "count / 0", "absent" },
		{ "count % 0", "absent" },
		{ "has(1 / 0)", "false" },
		{ "min(latency, wait)", "absent" },
		{ "count(nothing)", "absent" },
		{ "length(container)", "absent" },
		{ "ok ? latency : wait", "absent" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void texts_are_compared_and_matched(void **state)
{
	static const struct meaning rows[] = {
		{ "comm == 'postgres'", "true" },
		{ "comm < 'postgresql'", "true" },
		{ "comm =~ '^post.*s$'", "true" },
		{ "comm !~ 'mysql|maria'", "true" },
		{ "op in ('write', \"read\")", "true" },
		{ "starts(path, '/var/') && ends(path, '.so')", "true" },
		{ "contains(path, 'lib') && !contains(comm, 'x')", "true" },
		{ "ends('a', 'ba')", "false" },
		{ "length(comm)", "8" },
		{ "path =~ '[.]so$' && path =~ '\\.so$'", "true" },
		{ "comm =~ '^([a-z]+[.]?)*(-[0-9]*)?$'", "true" },
		{ "comm =~ '^(po|pa)(st)?(g|x){1,3}[[:lower:]]+'", "true" },
		{ "comm =~ '[]^(]|[^)*]s$'", "true" },
		{ "has_frame(stack, '^btrfs_')", "true" },
		{ "has_frame(stack, 'ext4')", "false" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void histograms_answer_questions(void **state)
{
	static const struct meaning rows[] = {
		{ "count(times) == 4", "true" },
		{ "sum(times)", "50" },
		{ "mean(times)", "12.5d" },
		{ "min(times)", "15" },
		{ "max(times) == 16ns", "true" },
		{ "p50(times) <= 16ns", "true" },
		{ "quantile(times, 1)", "16d" },
		{ "quantile(times, 0%)", "15d" },
		{ "p999(times) >= p50(times)", "true" },
	};

	(void)state;
	CHECK_MEANINGS(rows);
}

static void errors_say_what_and_where(void **state)
{
	static const struct {
		const char *text;
		uint32_t column, length;
		const char *message;
	} rows[] = {
		{ "wiat > 1ms", 1, 4, "unknown column \"wiat\"; did you mean \"wait\"?" },
		{ "'\u00e4' == wiat", 8, 4, "unknown column \"wiat\"" },
		{ "comm == nginx", 9, 5, "texts are written in quotes" },
		{ "lenght(comm)", 1, 6, "unknown function \"lenght\"; did you mean \"length\"?" },
		{ "wait > 10", 8, 2, "10 has no unit, but the other side is time: write 10ms" },
		{ "10 < wait", 1, 2, "write 10ms" },
		{ "wait + (1 + 1)", 8, 7, "write" },
		{ "share > 50", 9, 2, "write 50%" },
		{ "bytes > 10ms", 9, 4, "cannot compare data with time" },
		{ "bytes + wait", 9, 4, "cannot add data and time" },
		{ "wait * wait", 8, 4, "cannot multiply time by time" },
		{ "wait / bytes", 8, 5, "cannot divide time by data" },
		{ "slots == cycles", 10, 6, "cannot compare slots with cycles" },
		{ "comm == 1", 9, 1, "cannot compare a text with a plain number" },
		{ "port > wait", 1, 4, "cannot compare a plain number with time" },
		{ "times > 1ms", 9, 3, "cannot compare a histogram with time" },
		{ "times", 1, 5, "a histogram is not a value" },
		{ "stack", 1, 5, "a stack is not a value" },
		{ "has(labels)", 5, 6, "is a list" },
		{ "count && ok", 1, 5, "a condition is needed here, and this is count" },
		{ "!comm", 2, 4, "a condition is needed here, and this is a text" },
		{ "ok < true", 1, 9, "no order" },
		{ "1 < 2 < 3", 9, 1, "cannot compare a condition with a plain number" },
		{ "ok ? 1 : 'a'", 10, 3, "cannot choose between a plain number and a text" },
		{ "wait > 10mss", 10, 3, "unknown unit \"mss\"; did you mean \"ms\"?" },
		{ "comm =~ '('", 9, 3, "regular expression: " },
		{ "comm =~ '((((a{99}){99}){99}){99})'", 9, 27, "it repeats too much" },
		{ "comm =~ '(((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+'", 9, 49,
		  "it repeats too much" },
		{ "comm =~ '(a*|b)+'", 9, 9, "it repeats a part that may be empty" },
		{ "comm =~ '(a)\\1'", 9, 7, "back references" },
		{ "comm =~ op", 9, 2, "a text in quotes, and this is not constant" },
		{ "comm = 'x'", 6, 1, "did you mean \"==\"?" },
		{ "ok and ok", 4, 3, "did you mean \"&&\"?" },
		{ "(1 + 2", 7, 1, "ends where \")\" or an operator should follow" },
		{ "", 1, 1, "ends where a value should follow" },
		{ "1 +", 4, 1, "ends where a value should follow" },
		{ "1 2", 3, 1, "unexpected \"2\"" },
		{ "comm == 'x", 9, 2, "no closing '" },
		{ "'a\\x00'", 1, 7, "NUL" },
		{ "1 # 2", 3, 1, "unexpected \"#\"" },
		{ "99999999999999999999", 1, 20, "more digits" },
		{ "1e999", 1, 5, "out of range" },
		{ "1e-400", 1, 6, "out of range" },
		{ "'it''s'", 5, 3, "unexpected text" },
		{ "5.5 % 2", 1, 7, "whole numbers" },
		{ "quantile(times, 2)", 17, 1, "between 0 and 1" },
		{ "quantile(times, busy)", 17, 4, "a fixed share" },
		{ "starts(comm)", 1, 12, "starts() takes 2 arguments, not 1" },
		{ "min(1)", 1, 6, "two and more numbers" },
		{ "max()", 1, 5, "max() takes 1 argument or more, not 0" },
		{ "min(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", 44, 2, "more than 16" },
		{ "p99(wait)", 5, 4, "p99() takes a histogram, and this is time" },
		{ "op in ()", 8, 1, "unexpected \")\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct expr_error error = { 0, 0, "" };
		struct weir_expr *expr;

		if (expr_compile(rows[i].text, &schema, &expr, &error) != -EINVAL)
			fail_msg("%s: no error", rows[i].text);
		assert_null(expr);
		if (!strstr(error.message, rows[i].message) || error.column != rows[i].column ||
		    error.length != rows[i].length)
			fail_msg("%s: %u+%u: %s", rows[i].text, error.column, error.length,
				 error.message);
	}
}

/* `count` times `part`, then `end`. */
static char *repeat(const char *part, size_t count, const char *end)
{
	const size_t length = strlen(part);
	char *text = malloc(length * count + strlen(end) + 1);

	assert_non_null(text);
	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, part, length);
	memcpy(text + count * length, end, strlen(end) + 1);
	return text;
}

static void what_is_too_deep_or_long_is_an_error(void **state)
{
	static const struct {
		const char *part;
		size_t count;
		const char *end, *message;
	} rows[] = {
		{ "(", 100000, "1", "longer than" },
		{ "(", 5000, "1", "nested more than" },
		{ "!", 5000, "ok", "nested more than" },
		{ "-", 5000, "1", "nested more than" },
		{ "abs(", 1000, "1", "nested more than" },
		{ "ok?1:", 1000, "1", "nested more than" },
		{ "cpu+", 1999, "1", "too many parts" },
		{ " ", 100000, "1", "longer than" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = repeat(rows[i].part, rows[i].count, rows[i].end);
		struct expr_error error = { 0, 0, "" };
		struct weir_expr *expr;

		assert_int_equal(expr_compile(text, &schema, &expr, &error), -EINVAL);
		if (!strstr(error.message, rows[i].message))
			fail_msg("%s: %s", rows[i].part, error.message);
		free(text);
	}
}

static void long_lists_and_sums_are_fine(void **state)
{
	char *list = repeat("2,", 3000, "1)");
	char *text = repeat("cpu in (", 1, list);
	char *sum = repeat("cpu + ", 900, "1");
	const struct meaning rows[] = { { text, "true" }, { sum, "901" } };

	(void)state;
	CHECK_MEANINGS(rows);
	free(list);
	free(text);
	free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_are_read_exactly),
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(columns_have_their_own_types),
		cmocka_unit_test(units_of_one_dimension_are_converted_exactly),
		cmocka_unit_test(products_and_quotients_have_units),
		cmocka_unit_test(nothing_wraps),
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(texts_are_compared_and_matched),
		cmocka_unit_test(histograms_answer_questions),
		cmocka_unit_test(errors_say_what_and_where),
		cmocka_unit_test(what_is_too_deep_or_long_is_an_error),
		cmocka_unit_test(long_lists_and_sums_are_fine),
	};

	return cmocka_run_group_tests(tests, world_make, world_end);
}
