/* SPDX-License-Identifier: BSD-2-Clause */
/* Building the graph: what can be wrong with a pipeline of good YAML, and how it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_toys.h"
#include "node.h"
#include "schema.h"

#include <cmocka.h>

#define HEAD "weir: 1\nsources:\n  io: {plugin: toy.source}\n"

static void each_mistake_is_named_with_its_place(void **state)
{
	static const struct {
		const char *yaml;
		const char *told[3];
	} cases[] = {
		{ HEAD "sinks:\n  f: {plugin: toy.stacks, inputs: [io]}\n",
		  { "toys.yaml:5:36: ", "node \"f\" (toy.stacks) wants \"stack\", a stack",
		    "node \"io\" (toy.source), defined at toys.yaml:3:3, has: time, n" } },
		{ HEAD "sinks:\n  f: {plugin: toy.pass, inputs: [io]}\n",
		  { "toys.yaml:5:", "\"toy.pass\" is a transform, but stands under sinks" } },
		{ HEAD "sinks:\n  f: {plugin: toy.nothing, inputs: [io]}\n",
		  { "toys.yaml:5:", "no plugin \"toy.nothing\"" } },
		{ HEAD "sinks:\n  f: {plugin: toy.sink, inputs: [io.words]}\n",
		  { "toys.yaml:5:34", "has no output words; it has: rows" } },
		{ HEAD "  b: {plugin: toy.source}\nsinks:\n"
		       "  f: {plugin: toy.single, inputs: [io, b]}\n",
		  { "toys.yaml:6:", "takes one input in its slot \"in\"" } },
		{ "weir: 1\nsources:\n  io: {plugin: toy.mute}\nsinks:\n"
		  "  f: {plugin: toy.sink, inputs: [io]}\n",
		  { "toys.yaml:3:", "output \"rows\": no schema" } },
		{ "weir: 1\nsources:\n  io: {plugin: toy.source, fail: option, batch: 7}\nsinks:\n"
		  "  f: {plugin: toy.sink, inputs: [io]}\n",
		  { "toys.yaml:3:49", "option \"batch\": the toy does not like it" } },
		{ HEAD "sinks:\n  f: {plugin: toy.sink, inputs: [io], column: words}\n",
		  { "toys.yaml:5:47", "wants \"words\", an unsigned integer" } },
		{ HEAD "sinks:\n  f: {plugin: toy.sink, inputs: [io], column: time}\n",
		  { "toys.yaml:5:47", "in node \"io\" (toy.source), defined at toys.yaml:3:3, it "
				      "is a time of time, event" } },
		{ "weir: 1\nsources:\n  io: {plugin: toy.source, need: toybox, version: "
		  "2}\nsinks:\n"
		  "  f: {plugin: toy.sink, inputs: [io]}\n",
		  { "toys.yaml:3:", "needs service toybox/2, but toy.box offers toybox/1" } },
		{ "weir: 1\nsources:\n  io: {plugin: toy.source, need: crane}\nsinks:\n"
		  "  f: {plugin: toy.sink, inputs: [io]}\n",
		  { "toys.yaml:3:", "nobody offers the service \"crane\"" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage stage;

		stage_begin();
		stage_build(&stage, cases[i].yaml, NULL);
		assert_int_not_equal(stage.built, 0);
		for (size_t j = 0; j < 3 && cases[i].told[j]; j++)
			if (!strstr(stage.errors, cases[i].told[j]))
				fail_msg("case %zu: no \"%s\" in:\n%s", i, cases[i].told[j],
					 stage.errors);
		assert_int_equal(diag_count(stage.diag), 1);
		stage_end(&stage);
		assert_int_equal(toys.live, 0);
	}
}

static void all_mistakes_are_told_at_once(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage,
		    "weir: 1\nsources:\n  io: {plugin: toy.source, fail: create}\n"
		    "  b: {plugin: toy.source, fail: bind}\nsinks:\n"
		    "  f: {plugin: toy.stacks, inputs: [b]}\n"
		    "  g: {plugin: toy.nothing, inputs: [io]}\n",
		    NULL);
	assert_int_equal(diag_count(stage.diag), 3);
	assert_non_null(strstr(stage.errors, "create: Input/output error"));
	assert_non_null(strstr(stage.errors, "bind: Input/output error"));
	assert_non_null(strstr(stage.errors, "toy.nothing"));
	stage_end(&stage);
	assert_int_equal(toys.live, 0);
}

static void the_file_chooses_the_sink(void **state)
{
	char option[] = "-o", known[] = "/x.toy", unknown[] = "/x.odd";
	char *good[] = { option, known, NULL }, *bad[] = { option, unknown, NULL };
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage, HEAD "sinks:\n  out: {plugin: \"${format}\", inputs: [io]}\n", good);
	assert_string_equal(stage.errors, "");
	assert_string_equal(stage.graph->nodes[1]->plugin->note.name, "toy.writer");
	stage_end(&stage);
	stage_build(&stage, HEAD "sinks:\n  out: {plugin: \"${format}\", inputs: [io]}\n", bad);
	assert_non_null(
		strstr(stage.errors, "no sink for the file \"/x.odd\"; known extensions: .toy"));
	stage_end(&stage);
}

static void seen_need(const struct weir_component *component, const struct weir_need *need,
		      void *arg)
{
	(void)component;
	if (need->state == WEIR_NEED_MISSING)
		(*(uint32_t *)arg)++;
}

static void a_probe_tells_what_is_missing(void **state)
{
	char error[8];
	uint32_t missing = 0;

	(void)state;
	stage_begin();
	graph_probe(plugin_find(NULL, "toy.source", error, 8), "/", seen_need, &missing);
	assert_int_equal(missing, 1);
	assert_int_equal(toys.live, 0);
}

struct row {
	uint64_t a;
	uint32_t b;
	uint32_t c;
};

static const struct weir_field row_fields[] = {
	WEIR_FIELD(struct row, a, WEIR_NS, WEIR_GAUGE, "a"),
	WEIR_FIELD(struct row, b, WEIR_NONE, WEIR_KEY, "b"),
};

static const struct weir_schema nameless = { sizeof(nameless), 16, "nameless",
					     WEIR_TABLE(row_fields) };

static void wrong_schemas_are_refused(void **state)
{
	static const struct {
		const char *told;
		uint32_t row_size;
		struct weir_field second;
	} cases[] = {
		{ "row size 12", 12, WEIR_FIELD(struct row, b, NULL, WEIR_KEY, "") },
		{ "is there twice", 16, WEIR_FIELD(struct row, a, NULL, WEIR_KEY, "") },
		{ "bad name", 16, { "B", "", NULL, WEIR_TYPE_UINT, WEIR_KEY, 8, 4, 0, 0, NULL } },
		{ "offset 16", 16, { "b", "", NULL, WEIR_TYPE_UINT, WEIR_KEY, 16, 4, 0, 0, NULL } },
		{ "offset 9", 16, { "b", "", NULL, WEIR_TYPE_UINT, WEIR_KEY, 9, 4, 0, 0, NULL } },
		{ "of 3 bytes", 16, { "b", "", NULL, WEIR_TYPE_UINT, WEIR_KEY, 8, 3, 0, 0, NULL } },
		{ "unknown type", 16, { "b", "", NULL, 99, WEIR_KEY, 8, 4, 0, 0, NULL } },
		{ "items of 0",
		  16,
		  { "b", "", NULL, WEIR_TYPE_STACK, WEIR_KEY, 8, 8, 0, 0, NULL } },
		{ "without columns", 16, { "b", "", NULL, WEIR_TYPE_ROWS, 0, 8, 8, 0, 0, NULL } },
		{ "a map needs a text",
		  16,
		  { "b", "", NULL, WEIR_TYPE_ROWS, 0, 8, 8, WEIR_KEYED, 0, &nameless } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct weir_field fields[] = { row_fields[0], cases[i].second };
		const struct weir_schema schema = { sizeof(schema), cases[i].row_size, "t",
						    WEIR_TABLE(fields) };
		char error[256] = "";

		assert_int_not_equal(schema_lint(&schema, error, sizeof(error)), 0);
		if (!strstr(error, cases[i].told))
			fail_msg("no \"%s\" in \"%s\"", cases[i].told, error);
	}
}

/* A field of tomorrow: one member more. */
struct longer_field {
	struct weir_field field;
	uint64_t more;
};

static void a_schema_with_longer_fields_is_converted(void **state)
{
	const struct longer_field fields[] = { { row_fields[0], 1 }, { row_fields[1], 2 } };
	const struct weir_schema schema = {
		sizeof(schema), 16, "t", { &fields[0].field, 2, sizeof(fields[0]) }
	};
	const struct weir_schema *native;
	char error[256];
	void *owned;

	(void)state;
	native = schema_adopt(&schema, &owned);
	assert_ptr_equal(native, owned);
	assert_int_equal(schema_lint(native, error, sizeof(error)), 0);
	assert_string_equal(native->fields.items[1].name, "b");
	assert_string_equal(schema_type_text(&native->fields.items[1]), "uint32");
	free(owned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mistake_is_named_with_its_place),
		cmocka_unit_test(all_mistakes_are_told_at_once),
		cmocka_unit_test(the_file_chooses_the_sink),
		cmocka_unit_test(a_probe_tells_what_is_missing),
		cmocka_unit_test(wrong_schemas_are_refused),
		cmocka_unit_test(a_schema_with_longer_fields_is_converted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
