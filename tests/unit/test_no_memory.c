/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pipeline is read again and again, and each time one more allocation succeeds: it is an error
 * that is said, never a crash or a leak (under ASan). Link with -Wl,--wrap= of the six below.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "option.h"
#include "pipeline.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

static long left = -1; /* allocations that succeed; negative: all */

static bool fails(void)
{
	if (left < 0)
		return false;
	return left == 0 || left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fails() ? NULL : __real_strndup(text, size);
}

struct conf {
	const char *name;
	struct weir_texts files;
	uint32_t by;
};

static const struct weir_option options[] = {
	WEIR_OPT_TEXT(struct conf, name, "", "a name"),
	WEIR_OPT_TEXTS(struct conf, files, "a,b", "files"),
	WEIR_OPT_CHOICES(struct conf, by, "disk", "disk op", "keys"),
};

static const struct weir_component component = {
	.size = sizeof(struct weir_component),
	.name = "disk.latency",
	.options_size = sizeof(struct conf),
	.options = WEIR_TABLE(options),
};

static const char yaml[] = "# Who?\n"
			   "weir: 1\n"
			   "params:\n"
			   "  disk: {type: strings, default: [a, b]}\n"
			   "  by: {type: choice, choices: [disk, op], default: op}\n"
			   "sources:\n"
			   "  io:\n"
			   "    plugin: disk.latency\n"
			   "    files: ${disk}\n"
			   "    by: [\"${by}\"]\n"
			   "    name: \"${env:WEIR_TEST_NONE:-x}\"\n"
			   "sinks:\n"
			   "  out: {plugin: \"${format}\", inputs: [{from: io.a, slot: b}]}\n";

/* 0 when it was read and filled; the error must be said. */
static int attempt(void)
{
	char words[] = "--disk=x,y", more[] = "--stats";
	char *argv[] = { words, more, NULL };
	struct option_memory *memory = NULL;
	struct pipeline *pipeline = NULL;
	struct diag *diag = diag_new();
	struct conf conf = { 0 };
	const struct diag_text *text;
	char *bytes;
	int err = -ENOMEM;

	if (!diag)
		return err;
	bytes = strdup(yaml);
	text = bytes ? diag_add_text(diag, "x.yaml", bytes, strlen(bytes)) : NULL;
	if (text) {
		err = pipeline_parse(text, 2, argv, 0, diag, &pipeline);
		if (!err)
			err = option_fill(&component, pipeline->nodes[0].options, diag,
					  &pipeline->nodes[0].place, &conf, &memory);
		assert_int_equal(err<0, diag_count(diag)> 0);
	}
	option_release(memory);
	pipeline_free(pipeline);
	diag_free(diag);
	return err;
}

static void every_allocation_may_fail(void **state)
{
	long allowed = 0;
	int err;

	(void)state;
	do {
		left = allowed++;
		err = attempt();
		left = -1;
	} while (err < 0 && allowed < 5000);
	assert_int_equal(err, 0);
	assert_true(allowed > 50);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
