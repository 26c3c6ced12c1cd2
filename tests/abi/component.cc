/* SPDX-License-Identifier: BSD-2-Clause */
/* A component in C++: every option and field macro, as C has them. For abi.sh. */
#include <weir/plugin.h>

struct conf {
	bool a;
	uint32_t b;
	int64_t c;
	double d;
	const char *e;
	uint64_t f;
	uint64_t g;
	uint32_t h;
	uint32_t i;
	weir_texts j;
	double k;
};

static const weir_option options[] = {
	WEIR_OPT_BOOL(conf, a, "true", "a"),
	WEIR_OPT_UINT(conf, b, "1", 0, 0, "b"),
	WEIR_OPT_INT(conf, c, "1", 0, 0, "c"),
	WEIR_OPT_DOUBLE(conf, d, "1", 0, 0, "d"),
	WEIR_OPT_TEXT(conf, e, "", "e"),
	WEIR_OPT_DURATION(conf, f, "1s", 0, WEIR_HOUR, "f"),
	WEIR_OPT_SIZE(conf, g, "0", 0, 0, "g"),
	WEIR_OPT_CHOICE(conf, h, "one", "one two", "h"),
	WEIR_OPT_CHOICES(conf, i, "one", "one two", "i"),
	WEIR_OPT_TEXTS(conf, j, "", "j"),
	WEIR_OPT_RATIO(conf, k, "1%", "k"),
};

struct row {
	uint64_t wait;
	uint64_t at;
	uint64_t pad;
};

static const weir_field fields[] = {
	WEIR_FIELD_DURATION(row, wait, WEIR_DELTA, 0, "how long"),
	WEIR_FIELD_TIME(row, at, WEIR_EVENT, "when"),
};

WEIR_SCHEMA(rows, "rows", row, fields);

static const weir_output outputs[] = { { "rows", "", &rows, 0, 0 } };

WEIR_COMPONENT("cxx.toy", WEIR_SOURCE, .summary = "a component in C++",
	       .options_size = sizeof(conf), .options = WEIR_TABLE(options),
	       .outputs = WEIR_TABLE(outputs));
