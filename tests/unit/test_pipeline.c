/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipelines: file and command line brought together, and what is said of broken ones. The
 * environment's WEIR_TEST_BROKEN is the folder tests/broken.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "pipeline.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { WORDS_MAX = 32 };

/* A pipeline that was read, and what was said. */
struct fixture {
	struct diag *diag;
	struct pipeline *pipeline;
	char *printed;
	char *line;
	char *argv[WORDS_MAX + 1];
	int err;
};

static void print(struct fixture *f)
{
	size_t size;
	FILE *file = open_memstream(&f->printed, &size);

	diag_print(f->diag, file);
	fclose(file);
}

/* `words`: the command line, separated by blanks. */
static void read_text(struct fixture *f, const char *yaml, const char *words, uint64_t child)
{
	char *rest = NULL;
	int argc = 0;

	*f = (struct fixture){ .diag = diag_new(), .line = strdup(words) };
	for (char *word = strtok_r(f->line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		f->argv[argc++] = word;
	f->err = pipeline_parse(diag_add_text(f->diag, "x/t.yaml", strdup(yaml), strlen(yaml)),
				argc, f->argv, child, f->diag, &f->pipeline);
	print(f);
}

static void clear(struct fixture *f)
{
	pipeline_free(f->pipeline);
	diag_free(f->diag);
	free(f->printed);
	free(f->line);
}

static const char good[] =
	"# Which disk is slow? And how slow\n"
	"# is slow? By disk.\n"
	"#\n"
	"# More? Yes.\n"
	"weir: 1\n"
	"params:\n"
	"  disk: {type: string, default: \"\", help: only this disk, positional: true}\n"
	"  interval: {type: duration, default: 10s}\n"
	"  files: {type: strings, default: [a, b]}\n"
	"  all: {type: bool, default: true}\n"
	"  min_wait: {type: duration, default: 0}\n"
	"  order: {type: choice, choices: [time, count], default: time}\n"
	"  pid: {type: pid, default: 0}\n"
	"  format: {default: json}\n"
	"sources:\n"
	"  io:\n"
	"    plugin: disk.latency\n"
	"    disk: ${disk}\n"
	"    interval: ${interval}\n"
	"    files: ${files}\n"
	"    title: \"$$ ${disk:-all} of ${files} $5\"\n"
	"    rest: {all: [\"${all}\", \"${order}\"], wait: \"${min_wait}\"}\n"
	"    pid: ${pid}\n"
	"transforms:\n"
	"  best:\n"
	"    plugin: ./mine/top.so\n"
	"    inputs:\n"
	"      - io\n"
	"      - {from: io.errors, slot: b,\n"
	"         queue: {rows: 10, bytes: 1MiB, when_full: drop_oldest}}\n"
	"sinks:\n"
	"  out: {plugin: \"${format}\", inputs: best}\n";

static const char *option(const struct fixture *f, const char *name)
{
	return tree_get(f->pipeline->nodes[0].options, name)->text;
}

static void a_pipeline_without_arguments_has_its_defaults(void **state)
{
	const struct pipeline_input *input;
	const struct pipeline *pipeline;
	struct fixture f;

	(void)state;
	read_text(&f, good, "", 0);
	assert_string_equal(f.printed, "");
	assert_int_equal(f.err, 0);
	pipeline = f.pipeline;
	assert_string_equal(pipeline->name, "t");
	assert_string_equal(pipeline->path, "x/t.yaml");
	assert_string_equal(pipeline->question, "Which disk is slow? And how slow is slow?");
	assert_string_equal(pipeline->doc, "Which disk is slow? And how slow\nis slow? By disk.\n"
					   "\nMore? Yes.\n");
	assert_int_equal(pipeline->node_count, 3);
	assert_int_equal(pipeline->nodes[0].kind, WEIR_SOURCE);
	assert_string_equal(option(&f, "disk"), "");
	assert_string_equal(option(&f, "interval"), "10s");
	assert_string_equal(option(&f, "title"), "$ all of a,b $5");
	assert_string_equal(option(&f, "pid"), "0");
	assert_null(tree_get(pipeline->nodes[0].options, "plugin"));
	assert_int_equal(tree_get(pipeline->nodes[0].options, "files")->kind, TREE_LIST);
	assert_int_equal(tree_get(pipeline->nodes[0].options, "files")->count, 2);
	assert_string_equal(pipeline->nodes[1].plugin, "./mine/top.so");
	input = &pipeline->nodes[1].inputs[1];
	assert_string_equal(input->node, "io");
	assert_string_equal(input->output, "errors");
	assert_string_equal(input->slot, "b");
	assert_int_equal(input->queue.rows, 10);
	assert_int_equal(input->queue.bytes, 1 << 20);
	assert_int_equal(input->queue.when_full, QUEUE_DROP_OLDEST);
	assert_null(pipeline->nodes[1].inputs[0].output);
	assert_true(pipeline->nodes[2].by_format);
	assert_string_equal(pipeline->nodes[2].plugin, "json");
	assert_string_equal(pipeline->run.root, "/");
	assert_null(pipeline->run.format);
	assert_null(pipeline->run.output);
	assert_int_equal(pipeline->run.deadline_ns, UINT64_C(5000000000));
	clear(&f);
}

static void arguments_come_in_any_order_and_form(void **state)
{
	static const struct {
		const char *words, *option, *value;
	} rows[] = {
		{ "--interval 1s", "interval", "1s" },
		{ "--interval=1s", "interval", "1s" },
		{ "--interval=1s --interval 2s", "interval", "2s" },
		{ "vda --interval=1s", "disk", "vda" },
		{ "--stats vda -o out.json", "disk", "vda" },
		{ "--disk=", "disk", "" },
		{ "--disk -", "disk", "-" },
		{ "--disk $disk", "disk", "$disk" },
		{ "--disk ${disk}", "disk", "${disk}" },
		{ "--pid 7", "pid", "7" },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		read_text(&f, good, rows[i].words, 0);
		assert_string_equal(f.printed, "");
		assert_string_equal(option(&f, rows[i].option), rows[i].value);
		clear(&f);
	}
}

static void bools_and_lists_arrive_from_the_command_line(void **state)
{
	static const struct {
		const char *words, *all;
		uint32_t files;
	} rows[] = {
		{ "", "true", 2 },
		{ "--all", "true", 2 },
		{ "--no-all", "false", 2 },
		{ "--all=off --files x", "off", 1 },
		{ "--files=x,y,z", "true", 3 },
		{ "--files=", "true", 0 },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct tree *rest;

		read_text(&f, good, rows[i].words, 0);
		assert_string_equal(f.printed, "");
		rest = tree_get(f.pipeline->nodes[0].options, "rest");
		assert_string_equal(tree_get(rest, "all")->items[0]->text, rows[i].all);
		assert_int_equal(tree_get(f.pipeline->nodes[0].options, "files")->count,
				 rows[i].files);
		clear(&f);
	}
}

static void what_every_pipeline_understands_is_set(void **state)
{
	struct fixture f;

	(void)state;
	read_text(&f, good,
		  "--duration 3s --count=5 -o x.svg --format csv --root /x --stats --quiet "
		  "--verbose --deadline=1m --min-wait 1ms -- ls -l --help",
		  0);
	assert_string_equal(f.printed, "");
	assert_int_equal(f.pipeline->run.duration_ns, UINT64_C(3000000000));
	assert_int_equal(f.pipeline->run.count, 5);
	assert_string_equal(f.pipeline->run.output, "x.svg");
	assert_string_equal(f.pipeline->run.format, "csv");
	assert_string_equal(f.pipeline->nodes[2].plugin, "csv");
	assert_string_equal(f.pipeline->run.root, "/x");
	assert_true(f.pipeline->run.stats && f.pipeline->run.quiet && f.pipeline->run.verbose);
	assert_false(f.pipeline->run.help);
	assert_int_equal(f.pipeline->run.deadline_ns, UINT64_C(60000000000));
	assert_string_equal(f.pipeline->run.command[0], "ls");
	assert_string_equal(f.pipeline->run.command[2], "--help");
	assert_null(f.pipeline->run.command[3]);
	clear(&f);
}

static void the_command_is_the_pid(void **state)
{
	struct fixture f;

	(void)state;
	read_text(&f, good, "-- ls", 4711);
	assert_string_equal(f.printed, "");
	assert_string_equal(option(&f, "pid"), "4711");
	assert_int_equal(f.pipeline->run.child, 4711);
	clear(&f);
	read_text(&f, good, "--pid 5 -- ls", 4711);
	assert_int_equal(f.err, -EINVAL);
	assert_string_equal(f.printed,
			    "command line:1:14: error: --pid and a command exclude each other: the "
			    "command's pid is taken\n"
			    "    1 | weir t --pid 5 -- ls\n"
			    "      |              ^\n");
	clear(&f);
}

static void the_command_is_found_before_anything_is_read(void **state)
{
	char a[] = "--pid", b[] = "--", c[] = "ls";
	char *argv[] = { a, b, c, b, NULL };

	(void)state;
	assert_int_equal(pipeline_command(4, argv), 1);
	assert_int_equal(pipeline_command(1, argv), 1);
	assert_int_equal(pipeline_command(0, argv), 0);
}

static void errors_of_the_command_line_have_a_caret(void **state)
{
	static const struct {
		const char *words, *expected;
	} rows[] = {
		{ "-x", "command line:1:8: error: t has no option -x; --help lists them\n"
			"    1 | weir t -x\n"
			"      |        ^~\n" },
		{ "--interval=5",
		  "command line:1:19: error: interval: \"5\" is not a duration such as 250ms or "
		  "10s\n"
		  "    1 | weir t --interval=5\n"
		  "      |                   ^\n" },
		{ "--pid 0",
		  "command line:1:14: error: pid: \"0\" is out of range: must be 1 to 4194304\n"
		  "    1 | weir t --pid 0\n"
		  "      |              ^\n" },
		{ "--order tim",
		  "command line:1:16: error: order: \"tim\" is not time or count; did you mean "
		  "\"time\"?\n"
		  "    1 | weir t --order tim\n"
		  "      |                ^~~\n" },
		{ "--count -1",
		  "command line:1:16: error: count: \"-1\" is out of range: must be at least 0\n"
		  "    1 | weir t --count -1\n"
		  "      |                ^~\n" },
		{ "vda vdb",
		  "command line:1:12: error: t does not know what to do with \"vdb\"; --help lists "
		  "its options\n"
		  "    1 | weir t vda vdb\n"
		  "      |            ^~~\n" },
		{ "--disk --stats", "command line:1:8: error: --disk needs a value\n"
				    "    1 | weir t --disk --stats\n"
				    "      |        ^~~~~~\n" },
		{ "--", "command line:1:8: error: a command is expected after --\n"
			"    1 | weir t --\n"
			"      |        ^~\n" },
		{ "--no-stats=true", "command line:1:8: error: --no-stats takes no value\n"
				     "    1 | weir t --no-stats=true\n"
				     "      |        ^~~~~~~~~~\n" },
		{ "é --count=x", "command line:1:18: error: count: \"x\" is not a whole number\n"
				 "    1 | weir t é --count=x\n"
				 "      |                  ^\n" },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		read_text(&f, good, rows[i].words, 0);
		assert_string_equal(f.printed, rows[i].expected);
		assert_int_equal(f.err, -EINVAL);
		clear(&f);
	}
}

/* Without a sink that ${format} places; the sinks of others may know them. */
static void an_option_that_nobody_can_have_is_unknown(void **state)
{
	static const char fixed[] = "weir: 1\n"
				    "params: {interval: {type: duration, default: 1s}}\n"
				    "sources: {a: {plugin: x, interval: \"${interval}\"}}\n"
				    "sinks: {b: {plugin: y, inputs: [a]}}\n";
	struct fixture f;

	(void)state;
	read_text(&f, fixed, "--intervall 1s --stats", 0);
	assert_string_equal(
		f.printed,
		"command line:1:8: error: t has no option --intervall; did you mean --interval?\n"
		"    1 | weir t --intervall 1s --stats\n"
		"      |        ^~~~~~~~~~~\n");
	clear(&f);
	read_text(&f, fixed, "--wholly=1", 0);
	assert_string_equal(f.printed,
			    "command line:1:8: error: t has no option --wholly; --help lists them\n"
			    "    1 | weir t --wholly=1\n"
			    "      |        ^~~~~~~~\n");
	clear(&f);
	read_text(&f, good, "--title=x --wide --no-head --pid 5", 0);
	assert_string_equal(f.printed, "");
	assert_int_equal(f.pipeline->extra_count, 3);
	assert_string_equal(f.pipeline->extras[0].name, "title");
	assert_string_equal(f.pipeline->extras[0].value, "x");
	assert_int_equal(f.pipeline->extras[0].value_place.column, 16);
	assert_string_equal(f.pipeline->extras[1].value, "true");
	assert_string_equal(f.pipeline->extras[2].name, "no_head");
	assert_string_equal(option(&f, "pid"), "5");
	clear(&f);
}

static void a_value_of_the_command_line_keeps_its_place(void **state)
{
	struct fixture f;
	struct place place;

	(void)state;
	read_text(&f, good, "--interval 1ns", 0);
	assert_int_equal(f.err, 0);
	place = tree_get(f.pipeline->nodes[0].options, "interval")->place;
	assert_string_equal(place.text->name, "command line");
	assert_int_equal(place.column, 19);
	clear(&f);
}

static void the_environment_is_read_where_it_is_named(void **state)
{
	static const char yaml[] = "weir: 1\n"
				   "sources:\n"
				   "  io: {plugin: a.b, x: \"${env:WEIR_TEST_X}\", "
				   "y: \"${env:WEIR_TEST_Y:-none}\"}\n"
				   "sinks: {out: {plugin: table, inputs: [io]}}\n";
	struct fixture f;

	(void)state;
	setenv("WEIR_TEST_X", "${not} again", 1);
	unsetenv("WEIR_TEST_Y");
	read_text(&f, yaml, "", 0);
	assert_string_equal(f.printed, "");
	assert_string_equal(option(&f, "x"), "${not} again");
	assert_string_equal(option(&f, "y"), "none");
	clear(&f);
}

static void help_is_made_from_the_parameters(void **state)
{
	struct fixture f;
	char *help = NULL;
	size_t size;
	FILE *file = open_memstream(&help, &size);

	(void)state;
	read_text(&f, good, "--help", 0);
	assert_int_equal(f.err, 0);
	assert_true(f.pipeline->run.help);
	pipeline_help(f.pipeline, file);
	fclose(file);
	assert_non_null(strstr(help, "usage: weir t [disk] [options] [-- COMMAND]\n\n"
				     "Which disk is slow? And how slow\nis slow? By disk.\n"));
	assert_non_null(strstr(help, "\n  --disk STRING            only this disk\n"));
	assert_non_null(strstr(help, "\n  --min-wait DURATION      (default 0)\n"));
	assert_non_null(strstr(help, "\n  --order time|count       (default time)\n"));
	assert_non_null(strstr(help, "\n  --all                    (default true)\n"));
	assert_non_null(strstr(help, "\n  -o, --output FILE        write"));
	assert_non_null(strstr(help, "\n  --quiet                  warnings and errors only\n"));
	free(help);
	clear(&f);
}

/* All of a file; malloc'd. */
static char *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 65536);

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	*size = fread(text, 1, 65535, file);
	assert_true(*size < 65535);
	fclose(file);
	return text;
}

/* Not by pipeline_read(): as root, that would refuse the files of somebody else's checkout. */
static void check_broken(const char *yaml)
{
	struct fixture f = { .diag = diag_new() };
	char path[300];
	char *expected, *bytes;
	size_t size;

	snprintf(path, sizeof(path), "%.*s.expected", (int)strlen(yaml) - 5, yaml);
	expected = slurp(path, &size);
	bytes = slurp(yaml, &size);
	f.err = pipeline_parse(diag_add_text(f.diag, yaml, bytes, size), 0, NULL, 0, f.diag,
			       &f.pipeline);
	print(&f);
	assert_string_equal(f.printed, expected);
	assert_int_equal(f.err, -EINVAL);
	free(expected);
	clear(&f);
}

static void a_file_that_cannot_be_read_is_said(void **state)
{
	struct diag *diag = diag_new();
	struct pipeline *pipeline;

	(void)state;
	assert_int_equal(pipeline_read("/nonexistent/a.yaml", 0, NULL, 0, diag, &pipeline),
			 -EINVAL);
	assert_null(pipeline);
	assert_int_equal(diag_count(diag), 1);
	diag_free(diag);
}

static void every_broken_pipeline_is_told_in_full(void **state)
{
	const char *folder = getenv("WEIR_TEST_BROKEN");
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	(void)state;
	if (!folder || chdir(folder) < 0)
		fail_msg("WEIR_TEST_BROKEN is not set to tests/broken");
	dir = opendir(".");
	while ((entry = readdir(dir))) {
		size_t size = strlen(entry->d_name);

		if (size < 6 || strcmp(entry->d_name + size - 5, ".yaml") != 0)
			continue;
		check_broken(entry->d_name);
		count++;
	}
	closedir(dir);
	assert_true(count >= 25);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	fputs(text, file);
	fclose(file);
}

/* One parameter of each type, none with a default. */
static const char needy[] =
	"weir: 1\nparams:\n"
	"  a: {type: string}\n  b: {type: bool}\n  c: {type: int}\n  d: {type: number}\n"
	"  e: {type: duration}\n  f: {type: size}\n  g: {type: choice, choices: [one, two]}\n"
	"  h: {type: pid}\n  i: {type: strings}\n"
	"sources:\n  io: {plugin: x, all: '${a} ${b} ${c} ${d} ${e} ${f} ${g} ${h} ${i} ${a:-z}'}\n"
	"sinks:\n  out: {plugin: table, inputs: [io]}\n";

static void who_only_looks_need_not_give_what_must_be_given(void **state)
{
	char folder[] = "/tmp/weir-test-XXXXXX", path[64];
	struct fixture f = { 0 };

	(void)state;
	read_text(&f, needy, "--b --c 1 --d 1 --e 1s --f 1B --g one --i x --h 1", 0);
	assert_string_equal(
		f.printed, "x/t.yaml:13:25: error: parameter \"a\" has no value: give --a, or a "
			   "default\n   13 |   io: {plugin: x, all: '${a} ${b} ${c} ${d} ${e} ${f} "
			   "${g} ${h} ${i} ${a:-z}'}\n      |                         ^~~~\n");
	clear(&f);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/t.yaml", folder);
	write_file(folder, "t.yaml", needy);
	f = (struct fixture){ .diag = diag_new() };
	assert_int_equal(pipeline_look(path, f.diag, &f.pipeline), 0);
	assert_string_equal(tree_get(f.pipeline->nodes[0].options, "all")->text,
			    "true false 1 1 1s 1MiB one 1 true z");
	assert_string_equal(f.pipeline->params[0].stand_in, "true");
	clear(&f);
	unlink(path);
	rmdir(folder);
}

static void seen(const char *name, const char *path, const char *question, void *arg)
{
	fprintf(arg, "%s %s %s\n", name, strrchr(path, '/'), question);
}

/* Only the folders of $WEIR_PIPELINE_PATH: the test's own program has none beside it. */
static void pipelines_are_found_by_name_in_the_order_of_folders(void **state)
{
	char folder[] = "/tmp/weir-test-XXXXXX";
	char second[64];
	char path[200];
	char *list = NULL;
	size_t size;
	FILE *file = open_memstream(&list, &size);
	struct diag *diag = diag_new();
	char *found;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(second, sizeof(second), "%s/second", folder);
	assert_int_equal(mkdir(second, 0755), 0);
	write_file(folder, "iostat.yaml", "# SPDX-License-Identifier: X\n# How busy? Very.\n");
	write_file(second, "iostat.yaml", "# Hidden?\n");
	write_file(second, "free.yaml", "# Who has it\n# all\n");
	write_file(second, "evil.yaml", "# \033[31m?\n");
	write_file(second, "none.txt", "# No?\n");
	snprintf(path, sizeof(path), "/nonexistent::%s:%s", folder, second);
	setenv("WEIR_PIPELINE_PATH", path, 1);

	assert_int_equal(pipelines_each(seen, file), 0);
	fclose(file);
	assert_string_equal(list, "evil /evil.yaml \nfree /free.yaml Who has it\n"
				  "iostat /iostat.yaml How busy?\n");
	found = pipeline_locate("iostat", diag);
	snprintf(path, sizeof(path), "%s/iostat.yaml", folder);
	assert_string_equal(found, path);
	free(found);
	found = pipeline_locate("./some.yaml", diag);
	assert_string_equal(found, "./some.yaml");
	free(found);
	assert_null(pipeline_locate("iosat", diag));
	assert_int_equal(diag_count(diag), 1);
	free(list);
	diag_free(diag);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	assert_int_equal(system(path), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipeline_without_arguments_has_its_defaults),
		cmocka_unit_test(arguments_come_in_any_order_and_form),
		cmocka_unit_test(bools_and_lists_arrive_from_the_command_line),
		cmocka_unit_test(what_every_pipeline_understands_is_set),
		cmocka_unit_test(the_command_is_the_pid),
		cmocka_unit_test(the_command_is_found_before_anything_is_read),
		cmocka_unit_test(errors_of_the_command_line_have_a_caret),
		cmocka_unit_test(an_option_that_nobody_can_have_is_unknown),
		cmocka_unit_test(a_value_of_the_command_line_keeps_its_place),
		cmocka_unit_test(the_environment_is_read_where_it_is_named),
		cmocka_unit_test(help_is_made_from_the_parameters),
		cmocka_unit_test(who_only_looks_need_not_give_what_must_be_given),
		cmocka_unit_test(a_file_that_cannot_be_read_is_said),
		cmocka_unit_test(every_broken_pipeline_is_told_in_full),
		cmocka_unit_test(pipelines_are_found_by_name_in_the_order_of_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
