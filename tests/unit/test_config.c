/* SPDX-License-Identifier: BSD-2-Clause */
/* YAML to a tree: what is taken, with its places, and what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int parse(struct diag *diag, const char *yaml, size_t size, struct tree **tree)
{
	char *bytes = calloc(1, size + 1);

	memcpy(bytes, yaml, size);
	return config_parse(diag_add_text(diag, "x.yaml", bytes, size), diag, tree);
}

static bool says(const struct diag *diag, const char *expected)
{
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);
	bool found;

	diag_print(diag, file);
	fclose(file);
	found = strstr(out, expected);
	if (!found)
		print_error("expected \"%s\" in:\n%s", expected, out);
	free(out);
	return found;
}

static void values_keep_their_places(void **state)
{
	static const char yaml[] = "weir: 1\n"
				   "é: {a: \"x\\ty\", b: [c, 'd']}\n"
				   "empty:\n"
				   "text: |\n"
				   "  two\n"
				   "  lines\n";
	struct diag *diag = diag_new();
	struct tree *tree, *map, *list;

	(void)state;
	assert_int_equal(parse(diag, yaml, strlen(yaml), &tree), 0);
	assert_int_equal(tree->count, 4);
	assert_string_equal(tree_get(tree, "weir")->text, "1");
	assert_false(tree_get(tree, "weir")->quoted);
	map = tree_get(tree, "é");
	assert_int_equal(map->kind, TREE_MAP);
	assert_string_equal(tree_get(map, "a")->text, "x\ty");
	assert_true(tree_get(map, "a")->quoted);
	assert_int_equal(tree_get(map, "a")->place.line, 2);
	assert_int_equal(tree_get(map, "a")->place.column, 8);
	assert_int_equal(tree_get(map, "a")->place.length, 6);
	list = tree_get(map, "b");
	assert_int_equal(list->kind, TREE_LIST);
	assert_int_equal(list->count, 2);
	assert_string_equal(list->items[1]->text, "d");
	assert_true(tree_is_null(tree_get(tree, "empty")));
	assert_string_equal(tree_get(tree, "text")->text, "two\nlines\n");
	assert_null(tree_get(tree, "nothing"));
	assert_int_equal(tree_key(tree, "empty")->place.line, 3);
	tree_free(tree);
	diag_free(diag);
}

static void a_value_can_be_taken_out_of_a_map(void **state)
{
	static const char yaml[] = "a: 1\nb: 2\nc: 3\n";
	struct diag *diag = diag_new();
	struct tree *tree, *taken;

	(void)state;
	assert_int_equal(parse(diag, yaml, strlen(yaml), &tree), 0);
	taken = tree_take(tree, "b");
	assert_string_equal(taken->text, "2");
	assert_null(tree_take(tree, "b"));
	assert_int_equal(tree->count, 2);
	assert_string_equal(tree_get(tree, "c")->text, "3");
	tree_free(taken);
	tree_free(tree);
	diag_free(diag);
}

static void hostile_texts_are_refused_with_a_place(void **state)
{
	static const struct {
		const char *yaml;
		size_t size; /* 0: up to the NUL */
		const char *error;
	} rows[] = {
		{ "a: \0b", 5, "x.yaml:1:4: error: a NUL byte" },
		{ "a: \"x\\0y\"", 0, "x.yaml:1:4: error: a NUL character in a value" },
		{ "a: b\n\xc3\x28", 0, "x.yaml:2:1: error: not valid UTF-8" },
		{ "a: b\rc: d", 0, "x.yaml:1:5: error: a carriage return without" },
		{ "a: \x07", 0, "x.yaml:1:4: error: a control character" },
		{ "a: \xc2\x85", 0, "x.yaml:1:4: error: a line separator" },
		{ "\xef\xbb\xbf"
		  "a: b",
		  0, "x.yaml:1:1: error: a byte order mark" },
		{ "\tb: c", 0, "x.yaml:1:1: error: a tab" },
		{ "a: &x b", 0, "x.yaml:1:4: error: anchors" },
		{ "a: *x", 0, "x.yaml:1:4: error: aliases" },
		{ "a: !!str b", 0, "x.yaml:1:4: error: tags" },
		{ "<<: {a: b}", 0, "x.yaml:1:1: error: merge keys" },
		{ "? [a]\n: b", 0, "x.yaml:1:3: error: a key is one word" },
		{ "a: b\n---\nc: d", 0, "x.yaml:2:1: error: a second document" },
		{ "a: b\na: c", 0, "x.yaml:2:1: error: \"a\" stands here twice: first in line 1" },
		{ "", 0, "x.yaml:1:1: error: nothing is written here" },
		{ "---\n...\n", 0, "x.yaml:1:1: error: nothing is written here" },
		{ "[a]", 0, "x.yaml:1:1: error: \"key: value\" lines" },
		{ "a: [b", 0, "a \"[\" that is not closed" },
		{ "a: 'b", 0, "a quote that is not closed" },
		{ "a: @b", 0, "x.yaml:1:4: error: a value cannot start with this character" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct diag *diag = diag_new();
		size_t size = rows[i].size ? rows[i].size : strlen(rows[i].yaml);
		struct tree *tree;

		assert_int_equal(parse(diag, rows[i].yaml, size, &tree), -EINVAL);
		assert_true(says(diag, rows[i].error));
		tree_free(tree);
		diag_free(diag);
	}
}

static void a_key_that_comes_twice_leaves_the_rest_to_be_checked(void **state)
{
	static const char yaml[] = "a: 1\na: 2\nb: 3\nb: 4\n";
	struct diag *diag = diag_new();
	struct tree *tree;

	(void)state;
	assert_int_equal(parse(diag, yaml, strlen(yaml), &tree), -EINVAL);
	assert_int_equal(diag_count(diag), 2);
	assert_string_equal(tree_get(tree, "b")->text, "3");
	tree_free(tree);
	diag_free(diag);
}

/* prefix, then `count` times `repeated` */
static int parse_many(struct diag *diag, const char *prefix, const char *repeated, size_t count,
		      struct tree **tree)
{
	size_t length = strlen(repeated);
	size_t size = strlen(prefix) + count * length;
	char *yaml = malloc(size + 1);
	int err;

	memcpy(yaml, prefix, strlen(prefix) + 1);
	for (size_t i = 0; i < count; i++)
		memcpy(yaml + strlen(prefix) + i * length, repeated, length + 1);
	err = parse(diag, yaml, size, tree);
	free(yaml);
	return err;
}

static void depth_and_number_are_limited(void **state)
{
	static const struct {
		const char *prefix, *repeated;
		size_t count;
		const char *error; /* NULL: fine */
	} rows[] = {
		{ "a: ", "[", 100000, "nested more than 32 deep" },
		{ "", "{a: ", 100000, "nested more than 32 deep" },
		{ "", "? ", 100000, "nested more than 32 deep" },
		{ "a:\n", "- b\n", 1024, NULL },
		{ "a:\n", "- b\n", 1025, "more than 1024 entries" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct diag *diag = diag_new();
		struct tree *tree;
		int err = parse_many(diag, rows[i].prefix, rows[i].repeated, rows[i].count, &tree);

		assert_int_equal(err, rows[i].error ? -EINVAL : 0);
		if (rows[i].error)
			assert_true(says(diag, rows[i].error));
		tree_free(tree);
		diag_free(diag);
	}
}

/* A file of `size` bytes; its path. */
static const char *make_file(char *path, size_t size, mode_t mode)
{
	int fd;

	memcpy(path, "/tmp/weir-test-XXXXXX", sizeof("/tmp/weir-test-XXXXXX"));
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return path;
}

static int read_path(const char *path, const char *error)
{
	struct diag *diag = diag_new();
	const struct diag_text *text;
	int err = config_read(path, diag, &text);

	if (error)
		assert_true(says(diag, error));
	else
		assert_non_null(text);
	diag_free(diag);
	return err;
}

static void only_regular_files_of_moderate_size_are_read(void **state)
{
	char path[64];

	(void)state;
	assert_int_equal(read_path(make_file(path, 1 << 20, 0644), NULL), 0);
	unlink(path);
	assert_int_equal(read_path(make_file(path, (1 << 20) + 1, 0644), "larger than 1 MiB"),
			 -EINVAL);
	unlink(path);
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_int_equal(read_path(path, "not a regular file"), -EINVAL);
	unlink(path);
	assert_int_equal(read_path("/dev/null", "/dev/null: not a regular file"), -EINVAL);
	assert_int_equal(read_path("/tmp", "/tmp: not a regular file"), -EINVAL);
	assert_int_equal(read_path("/nonexistent/x.yaml", "/nonexistent/x.yaml: No such file"),
			 -EINVAL);
}

static void root_reads_no_file_that_others_may_have_written(void **state)
{
	char path[64];

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: needs root\n");
		skip();
	}
	unsetenv("SUDO_UID");
	assert_int_equal(read_path(make_file(path, 1, 0666), "everybody can write it"), -EINVAL);
	unlink(path);
	make_file(path, 1, 0644);
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(read_path(path, "belongs to user 12345"), -EINVAL);
	setenv("SUDO_UID", "12345", 1);
	assert_int_equal(read_path(path, NULL), 0);
	setenv("SUDO_UID", "12345x", 1);
	assert_int_equal(read_path(path, "belongs to user 12345"), -EINVAL);
	unsetenv("SUDO_UID");
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_keep_their_places),
		cmocka_unit_test(a_value_can_be_taken_out_of_a_map),
		cmocka_unit_test(hostile_texts_are_refused_with_a_place),
		cmocka_unit_test(a_key_that_comes_twice_leaves_the_rest_to_be_checked),
		cmocka_unit_test(depth_and_number_are_limited),
		cmocka_unit_test(only_regular_files_of_moderate_size_are_read),
		cmocka_unit_test(root_reads_no_file_that_others_may_have_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
