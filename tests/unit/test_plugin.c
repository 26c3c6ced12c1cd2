/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plugins: which files are taken, which are refused, and in what words. The environment's
 * WEIR_TEST_PLUGINS is the folder that tests/fixtures/plugins/build.sh filled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../core/plugin_parts.h"

static char *folder(const char *below)
{
	const char *gallery = getenv("WEIR_TEST_PLUGINS");
	char *path;

	if (!gallery)
		fail_msg("WEIR_TEST_PLUGINS is not set");
	if (asprintf(&path, "%s/%s", gallery, below) < 0)
		fail_msg("no memory");
	return path;
}

static struct plugins *open_folder(const char *below)
{
	char *path = folder(below);
	const char *paths[] = { path };
	struct plugins *plugins = plugins_new(paths, 1);

	assert_non_null(plugins);
	free(path);
	return plugins;
}

static const struct refusal {
	const char *name;
	const char *reason;
	bool root_only;
} refusals[] = {
	{ "abi_two",
	  "built for ABI 2.0; this weir accepts 1.x: build it with this weir's headers" },
	{ "too_new", "it needs ABI 1.1; this weir has 1.0: take a newer weir, or build it with" },
	{ "text", "not an ELF file; a plugin is a shared library (.so)" },
	{ "empty", "not an ELF file; a plugin is a shared library (.so)" },
	{ "cut", "it is cut short or damaged" },
	{ "foreign", "; this weir is " },
	{ "no_note",
	  "not a weir plugin: it has no weir note; a plugin is made by WEIR_COMPONENT()" },
	{ "misnamed", "its component is \"well.named\"; in a plugin folder the file must be called "
		      "well.named.so" },
	{ "no_symbol", "it exports no data symbol weir_component: define it by WEIR_COMPONENT()" },
	{ "undefined", "the dynamic loader says: undefined symbol: nobody_has_this" },
	{ "truncated", "its weir_component has 24 bytes; ABI 1.0 needs " },
	{ "oversized", "its weir_component says it has 100000 bytes, where " },
	{ "two_minds", "its note and its component differ in kind or ABI" },
	{ "faulty", "a source needs outputs (and 2 more faults: weir-conform lists them)" },
	{ "writable",
	  "it can be written by everybody (mode 0666); as root or with capabilities weir loads "
	  "only what root alone can write: chmod go-w ",
	  true },
};

static void each_bad_file_is_refused_in_one_line(void **unused)
{
	struct plugins *plugins = open_folder("bad");
	char error[1024];

	(void)unused;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *refusal = &refusals[i];
		char file[64];

		if (refusal->root_only && geteuid() != 0)
			continue;
		snprintf(file, sizeof(file), "/%s.so: refused: ", refusal->name);
		assert_null(plugin_find(plugins, refusal->name, error, sizeof(error)));
		if (!strstr(error, file) || !strstr(error, refusal->reason) || strchr(error, '\n'))
			fail_msg("%s: %s", refusal->name, error);
	}
	plugins_free(plugins);
}

struct tally {
	uint32_t loaded;
	uint32_t refused;
	const char *last;
};

static void tally(const char *path, const struct plugin *plugin, const char *error, void *arg)
{
	struct tally *sum = arg;

	(void)path;
	if (!plugin) {
		assert_non_null(error);
		sum->refused++;
		return;
	}
	assert_null(error);
	if (sum->last)
		assert_true(strcmp(sum->last, plugin->component.name) < 0);
	sum->last = plugin->component.name;
	sum->loaded++;
}

static void the_good_ones_are_there_beside_the_bad_ones(void **unused)
{
	char *paths[] = { folder("bad"), folder("good"), folder("good/../good") };
	struct plugins *plugins = plugins_new((const char *const *)paths, 3);
	struct tally sum = { 0 };

	(void)unused;
	plugins_each(plugins, tally, &sum);
	assert_int_equal(sum.loaded, 8);
	assert_int_equal(sum.refused, 15);
	plugins_free(plugins);
	for (int i = 0; i < 3; i++)
		free(paths[i]);
}

static void the_first_folder_wins_and_the_other_file_is_named(void **unused)
{
	char *copies = folder("copies");
	char *good = folder("good");
	char *from = folder("good/toy.so");
	char *to = folder("copies/toy.so");
	const char *paths[] = { good, copies };
	struct plugins *plugins;
	struct tally sum = { 0 };

	(void)unused;
	mkdir(copies, 0755);
	unlink(to);
	assert_int_equal(link(from, to), 0);
	plugins = plugins_new(paths, 2);
	plugins_each(plugins, tally, &sum);
	assert_int_equal(sum.loaded, 8);
	assert_int_equal(sum.refused, 1);
	plugins_free(plugins);
	unlink(to);
	rmdir(copies);
	free(copies);
	free(good);
	free(from);
	free(to);
}

static void a_missing_name_brings_the_nearest_one(void **unused)
{
	struct plugins *plugins = open_folder("good");
	char error[256];

	(void)unused;
	assert_null(plugin_find(plugins, "toy.rosw", error, sizeof(error)));
	assert_string_equal(error, "no component \"toy.rosw\"; did you mean \"toy.rows\"?");
	assert_null(plugin_find(plugins, "..", error, sizeof(error)));
	assert_string_equal(error, "no component \"..\"; `weir plugins` shows those there are");
	plugins_free(plugins);
}

static void a_plugin_is_loaded_once_and_by_path_too(void **unused)
{
	struct plugins *plugins = open_folder("good");
	char *path = folder("good/toy.rows.so");
	char error[256];
	const struct plugin *plugin = plugin_find(plugins, "toy.rows", error, sizeof(error));

	(void)unused;
	assert_non_null(plugin);
	assert_ptr_equal(plugin, plugin_find(plugins, "toy.rows", error, sizeof(error)));
	plugin = plugin_find(plugins, path, error, sizeof(error));
	assert_non_null(plugin);
	assert_ptr_equal(plugin, plugin_find(plugins, path, error, sizeof(error)));
	assert_null(plugin_find(plugins, "/nowhere/x.so", error, sizeof(error)));
	assert_string_equal(error, "/nowhere/x.so: refused: No such file or directory");
	plugins_free(plugins);
	free(path);
}

static void smaller_structs_end_in_zeroes(void **unused)
{
	struct plugins *plugins = open_folder("good");
	char error[256];
	const struct plugin *plugin = plugin_find(plugins, "smaller", error, sizeof(error));
	const struct weir_component *component;

	(void)unused;
	assert_non_null(plugin);
	component = &plugin->component;
	assert_null(component->cost);
	assert_int_equal(component->options.item_size, sizeof(struct weir_option));
	assert_string_equal(component->options.items[1].name, "second");
	assert_string_equal(component->options.items[1].fallback, "9");
	assert_int_equal(component->options.items[1].maximum, 0);
	assert_string_equal(component->outputs.items[0].schema->fields.items[0].name, "sum");
	plugins_free(plugins);
}

static void larger_structs_lose_what_is_unknown(void **unused)
{
	struct plugins *plugins = open_folder("good");
	char error[256];
	const struct plugin *plugin = plugin_find(plugins, "larger", error, sizeof(error));
	const struct weir_component *component;

	(void)unused;
	assert_non_null(plugin);
	component = &plugin->component;
	assert_string_equal(component->options.items[1].name, "high");
	assert_int_equal(component->options.items[1].maximum, 10);
	assert_string_equal(component->inputs.items[1].name, "more");
	assert_int_equal(component->inputs.items[1].flags, WEIR_MANY | WEIR_MAY_LACK);
	assert_string_equal(component->inputs.items[0].wants.items[1].name, "sum");
	assert_string_equal(component->formats.items[1].extension, ".larger");
	plugins_free(plugins);
}

static void formats_and_extensions_find_their_sink(void **unused)
{
	struct plugins *plugins = open_folder("good");
	const struct plugin *plugin = plugin_for_format(plugins, "toy");

	(void)unused;
	assert_non_null(plugin);
	assert_string_equal(plugin->component.name, "toy.sink");
	assert_ptr_equal(plugin_for_format(plugins, "toy.sink"), plugin);
	assert_ptr_equal(plugin_for_extension(plugins, "dir.x/out.toy"), plugin);
	assert_null(plugin_for_extension(plugins, ".toy"));
	assert_null(plugin_for_extension(plugins, "out.toys"));
	assert_null(plugin_for_format(plugins, "toy.rows"));
	assert_null(plugin_for_format(plugins, "../good/toy.sink"));
	plugins_free(plugins);
}

static void a_service_finds_its_provider(void **unused)
{
	struct plugins *plugins = open_folder("good");
	char error[256];
	const struct plugin *plugin = plugin_find_service(plugins, "toy", error, sizeof(error));

	(void)unused;
	assert_non_null(plugin);
	assert_string_equal(plugin->component.name, "toy");
	assert_null(plugin_find_service(plugins, "rows::toy", error, sizeof(error)));
	assert_string_equal(error,
			    "no provider of \"rows::toy\"; `weir plugins` shows those there are");
	assert_null(plugin_find_service(plugins, "to", error, sizeof(error)));
	plugins_free(plugins);
}

static void all_providers_of_a_service_can_be_asked(void **unused)
{
	struct plugins *plugins = open_folder("good");
	char error[256];
	const struct plugin *plugin = plugin_service_at(plugins, "toy", 0, error, sizeof(error));

	(void)unused;
	assert_non_null(plugin);
	assert_string_equal(plugin->component.name, "toy");
	/* toy.rows, toy.sink and others are no providers. */
	assert_null(plugin_service_at(plugins, "toy", 1, error, sizeof(error)));
	assert_string_equal(error, "");
	plugins_free(plugins);
}

static void a_minor_version_counts_where_it_is_needed(void **unused)
{
	static const struct {
		uint32_t host[2];
		struct weir_note note;
		bool accepted;
	} rows[] = {
		{ { 1, 0 }, { .abi_major = 0, .abi_minor = 1 }, false },
		{ { 1, 0 }, { .abi_major = 1 }, true },
		{ { 1, 3 }, { .abi_major = 1 }, true },
		{ { 1, 3 }, { .abi_major = 1, .abi_minor = 3, .needs_minor = 3 }, true },
		{ { 1, 2 }, { .abi_major = 1, .abi_minor = 3, .needs_minor = 3 }, false },
		{ { 1, 2 }, { .abi_major = 1, .abi_minor = 3, .needs_minor = 2 }, true },
		{ { 1, 3 }, { .abi_major = 2 }, false },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			plugin_abi_accepted(rows[i].host[0], rows[i].host[1], &rows[i].note),
			rows[i].accepted);
}

static void names_are_words_joined_by_dots(void **unused)
{
	static const struct {
		const char *name;
		bool ok;
	} rows[] = {
		{ "table", true },
		{ "disk.latency", true },
		{ "a.b2.c_d", true },
		{ "", false },
		{ ".a", false },
		{ "a.", false },
		{ "a..b", false },
		{ "A", false },
		{ "a/b", false },
		{ "2a", false },
		{ "a.2", false },
		{ "a.b\n", false },
		{ NULL, false },
		{ "a123456789b123456789c123456789d123456789e1234567", false },
		{ "a123456789b123456789c123456789d123456789e123456", true },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (plugin_name_ok(rows[i].name) != rows[i].ok)
			fail_msg("name \"%s\"", rows[i].name);
}

/* A folder of another owner, or one that others may write, on the way to the file. */
static void as_root_each_folder_on_the_way_is_judged(void **unused)
{
	static const struct {
		mode_t mode;
		uid_t owner;
		const char *reason;
	} rows[] = {
		{ 0755, 0, NULL },
		{ 01777, 0, NULL },
		{ 0777, 0, "can be written by everybody (mode 0777)" },
		{ 0775, 0, "can be written by its group (mode 0775)" },
		{ 0755, 12345, "belongs to uid 12345" },
		{ 01777, 12345, "belongs to uid 12345" },
	};
	char *from = folder("good/toy.so");
	char *way = folder("way");
	char *to = folder("way/toy.so");
	char error[1024];

	(void)unused;
	if (geteuid() != 0) {
		print_message("skipped: needs root\n");
		skip();
	}
	mkdir(way, 0755);
	unlink(to);
	assert_int_equal(link(from, to), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_note note;
		int err;

		assert_int_equal(chown(way, rows[i].owner, 0), 0);
		assert_int_equal(chmod(way, rows[i].mode), 0);
		err = plugin_read_note(to, NULL, &note, error, sizeof(error));
		if (err != 0 ? !rows[i].reason || !strstr(error, rows[i].reason)
			     : rows[i].reason != NULL)
			fail_msg("row %zu: %s", i, err ? error : "accepted");
	}
	unlink(to);
	rmdir(way);
	free(from);
	free(way);
	free(to);
}

static void a_link_is_fine_when_its_target_is(void **unused)
{
	char *link_path = folder("link.so");
	char *good = folder("good/toy.so"), *bad = folder("bad/abi_two.so");
	struct weir_note note;
	char error[1024];

	(void)unused;
	unlink(link_path);
	assert_int_equal(symlink(good, link_path), 0);
	assert_int_equal(plugin_read_note(link_path, NULL, &note, error, sizeof(error)), 0);
	unlink(link_path);
	assert_int_equal(symlink(bad, link_path), 0);
	assert_true(plugin_read_note(link_path, NULL, &note, error, sizeof(error)) < 0);
	assert_non_null(strstr(error, "built for ABI 2.0"));
	unlink(link_path);
	assert_int_equal(mkfifo(link_path, 0644), 0);
	assert_true(plugin_read_note(link_path, NULL, &note, error, sizeof(error)) < 0);
	assert_non_null(strstr(error, "not a regular file"));
	unlink(link_path);
	free(link_path);
	free(good);
	free(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bad_file_is_refused_in_one_line),
		cmocka_unit_test(the_good_ones_are_there_beside_the_bad_ones),
		cmocka_unit_test(the_first_folder_wins_and_the_other_file_is_named),
		cmocka_unit_test(a_missing_name_brings_the_nearest_one),
		cmocka_unit_test(a_plugin_is_loaded_once_and_by_path_too),
		cmocka_unit_test(smaller_structs_end_in_zeroes),
		cmocka_unit_test(larger_structs_lose_what_is_unknown),
		cmocka_unit_test(formats_and_extensions_find_their_sink),
		cmocka_unit_test(a_service_finds_its_provider),
		cmocka_unit_test(all_providers_of_a_service_can_be_asked),
		cmocka_unit_test(a_minor_version_counts_where_it_is_needed),
		cmocka_unit_test(names_are_words_joined_by_dots),
		cmocka_unit_test(as_root_each_folder_on_the_way_is_judged),
		cmocka_unit_test(a_link_is_fine_when_its_target_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
