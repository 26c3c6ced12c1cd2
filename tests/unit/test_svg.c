/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink flame.svg: golden file, valid XML for any name, what is said of few samples. Run in tests/. */
#include <sys/wait.h>
#include <unistd.h>

#include "flame_host.h"
#include "flame_stacks.h"

static void draw(struct flame_host *flame, const char *const *options)
{
	assert_int_equal(flame_open(flame, options), 0);
	assert_int_equal(flame_start(flame), 0);
}

static void finish(struct flame_host *flame)
{
	assert_int_equal(flame_push(flame), 0);
	assert_int_equal(flame_drain(flame), 0);
	assert_true(flame->kept);
}

/* The script is not part of the golden file. */
static void cut_script(char *text)
{
	char *script = strstr(text, "<script>");

	assert_non_null(script);
	*script = '\0';
}

static void the_graph_is_the_golden_one(void **unused)
{
	struct flame_host flame;
	char *golden = flame_file("golden/flame/stacks.svg");

	(void)unused;
	draw(&flame, NULL);
	flame_stacks(&flame);
	finish(&flame);
	assert_non_null(strstr(flame.said, "17 samples only"));
	cut_script(flame.text);
	assert_string_equal(flame.text, golden);
	free(golden);
	flame_close(&flame);
}

static void inverted_by_kind_is_the_golden_one(void **unused)
{
	static const char *const options[] = { "inverted=true",   "palette=kind",
					       "value=samples",   "title=a <b> & \x01",
					       "subtitle=\xff c", NULL };
	struct flame_host flame;
	char *golden = flame_file("golden/flame/inverted.svg");

	(void)unused;
	draw(&flame, options);
	flame_stacks(&flame);
	finish(&flame);
	cut_script(flame.text);
	assert_string_equal(flame.text, golden);
	free(golden);
	flame_close(&flame);
}

static void nothing_gives_a_graph_that_says_so(void **unused)
{
	struct flame_host flame;

	(void)unused;
	draw(&flame, NULL);
	finish(&flame);
	assert_non_null(strstr(flame.text, ">no samples<"));
	assert_non_null(strstr(flame.said, "no samples"));
	flame_close(&flame);
}

/* Hands a text to xmllint; 127 when there is none. */
static int xmllint(const char *text, size_t size)
{
	FILE *pipe =
		popen("command -v xmllint >/dev/null || exit 127; exec xmllint --noout -", "w");

	assert_non_null(pipe);
	assert_int_equal(fwrite(text, 1, size, pipe), size);
	return WEXITSTATUS(pclose(pipe));
}

static void every_byte_in_a_name_gives_valid_xml(void **unused)
{
	struct flame_host flame;
	char name[256 * 3 + 1];
	uint32_t i, used = 0;
	int status;

	(void)unused;
	draw(&flame, NULL);
	for (i = 2; i < 256; i++) {
		if (i == ';' || i == '#' || i == '@')
			continue;
		name[used++] = (char)i;
		name[used++] = i % 7 ? 'x' : '&';
	}
	name[used] = '\0';
	for (i = 0; i < used; i++)
		flame_sample(&flame, "a", 1000000, name + i);
	finish(&flame);
	status = xmllint(flame.text, flame.text_size);
	flame_close(&flame);
	if (status == 127) {
		print_message("skipped: xmllint is not installed\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void what_is_not_known_is_grey_in_every_palette(void **unused)
{
	struct flame_host flame;

	(void)unused;
	draw(&flame, NULL);
	flame_sample(&flame, "a", 600, "f#t");
	flame_sample(&flame, "a", 400, "");
	finish(&flame);
	/* Warm colours have 205 of red and more, greys less than 200. */
	assert_non_null(strstr(flame.text,
			       "[truncated] (600 ns, 1 sample, 60.00 %)</title><rect "
			       "x=\"0.0000%\" y=\"16\" width=\"60.0000%\" height=\"15\" "
			       "fill=\"rgb(1"));
	assert_non_null(strstr(flame.text, ">1.00 \xc2\xb5s in 2 samples</text>"));
	flame_close(&flame);
}

static void narrow_frames_are_left_out_and_counted(void **unused)
{
	struct flame_host flame;

	(void)unused;
	draw(&flame, NULL);
	flame_sample(&flame, "a", 1000000000, "wide;main");
	flame_sample(&flame, "a", 1, "narrow;main");
	finish(&flame);
	assert_null(strstr(flame.text, "narrow ("));
	assert_non_null(strstr(flame.text, "1 narrower than 0.1 pixels are left out, with 1 of"));
	flame_close(&flame);
}

static void sums_near_the_end_of_64_bits_keep_their_shares(void **unused)
{
	struct flame_host flame;

	(void)unused;
	draw(&flame, NULL);
	flame_sample(&flame, "a", UINT64_MAX / 4, "one");
	flame_sample(&flame, "a", UINT64_MAX / 4 * 3, "three");
	finish(&flame);
	assert_non_null(strstr(flame.text, "1 sample, 25.00 %)"));
	assert_non_null(strstr(flame.text, "1 sample, 75.00 %)"));
	flame_close(&flame);
}

static void a_stack_of_any_depth_is_drawn(void **unused)
{
	struct flame_host flame;
	char stack[2048];
	uint32_t i;

	(void)unused;
	draw(&flame, NULL);
	for (i = 0; i < 510; i += 2)
		memcpy(stack + i, "f;", 3);
	for (i = 0; i < 100; i++)
		flame_sample(&flame, "a", 1000, stack);
	finish(&flame);
	assert_null(strstr(flame.said, "samples only"));
	assert_non_null(strstr(flame.text, "data-d=\"255\""));
	flame_close(&flame);
}

static void a_share_of_the_whole_may_be_the_least_width(void **unused)
{
	static const char *const options[] = { "min_width=10%", NULL };
	static const char *const wrong[] = { "min_width=1px", NULL };
	struct flame_host flame;

	(void)unused;
	draw(&flame, options);
	flame_sample(&flame, "a", 91, "wide");
	flame_sample(&flame, "a", 9, "narrow");
	finish(&flame);
	assert_null(strstr(flame.text, "narrow ("));
	assert_non_null(strstr(flame.text, "1 narrower than 10% are left out, with 9 of 100"));
	flame_close(&flame);
	assert_int_equal(flame_open(&flame, wrong), -EINVAL);
	flame_close(&flame);
}

/* The place of a frame: what stands in its element. */
static void stands(const struct flame_host *flame, const char *title, const char *place)
{
	char want[512];

	snprintf(want, sizeof(want), "%s><title>%s (", place, title);
	if (!strstr(flame->text, want))
		fail_msg("no %s in %s", want, flame->text);
}

static void reversed_stacks_stand_on_what_ran(void **unused)
{
	static const char *const options[] = { "reverse=true", NULL };
	struct flame_host flame;

	(void)unused;
	draw(&flame, options);
	flame_sample(&flame, "a", 100, "hot;one;main");
	flame_sample(&flame, "b", 300, "hot;two;main");
	finish(&flame);
	stands(&flame, "hot", "data-x=\"0\" data-w=\"400\" data-d=\"1\"");
	stands(&flame, "two", "data-x=\"100\" data-w=\"300\" data-d=\"2\"");
	stands(&flame, "b", "data-x=\"100\" data-w=\"300\" data-d=\"4\"");
	flame_close(&flame);
}

static void a_chart_keeps_the_order_of_time_and_merges_neighbours_only(void **unused)
{
	static const char *const options[] = { "chart=true", NULL };
	static const struct {
		uint64_t time;
		const char *stack;
	} samples[] = { { 30, "b;main" }, { 10, "b;main" }, { 20, "a;main" }, { 11, "b;main" } };
	struct flame_host flame;
	uint32_t i;

	(void)unused;
	draw(&flame, options);
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		flame.time = samples[i].time;
		flame_sample(&flame, "c", 100, samples[i].stack);
	}
	finish(&flame);
	stands(&flame, "main", "data-x=\"0\" data-w=\"400\" data-d=\"2\"");
	stands(&flame, "b", "data-x=\"0\" data-w=\"200\" data-d=\"3\"");
	stands(&flame, "a", "data-x=\"200\" data-w=\"100\" data-d=\"3\"");
	stands(&flame, "b", "data-x=\"300\" data-w=\"100\" data-d=\"3\"");
	assert_non_null(strstr(flame.text, ">Flame chart</text>"));
	flame_close(&flame);
}

static void totals_and_factors_change_shares_and_numbers(void **unused)
{
	static const char *const options[] = { "total=1000", "factor=10", "notes=seen <here>",
					       NULL };
	struct flame_host flame;

	(void)unused;
	draw(&flame, options);
	flame_sample(&flame, "a", 250, "main");
	finish(&flame);
	stands(&flame, "all", "data-x=\"0\" data-w=\"1000\" data-d=\"0\"");
	assert_non_null(strstr(flame.text, "main (2.50 \xc2\xb5s, 10 samples, 25.00 %)"));
	assert_non_null(strstr(flame.text, "<desc>seen &lt;here&gt;</desc>"));
	flame_close(&flame);
}

static void a_font_is_a_name_only(void **unused)
{
	static const char *const options[] = { "font=x}</style>", NULL };
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, options), -EINVAL);
	flame_close(&flame);
}

/* Changes count with all that a frame called; what is there no more keeps its width. */
static void a_comparison_shows_more_less_and_gone(void **unused)
{
	static const struct {
		const char *stack;
		uint64_t before, after;
	} rows[] = {
		{ "first;parent", 10, 30 },
		{ "second;parent", 10, 30 },
		{ "other", 30, 30 },
		{ "path;gone", 25, 0 },
	};
	struct flame_host flame;
	uint32_t i;

	(void)unused;
	assert_int_equal(flame_open_schema(&flame, &flame_schema_before, NULL), 0);
	assert_int_equal(flame_start(&flame), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		flame.before = rows[i].before;
		flame_sample(&flame, "", rows[i].after, rows[i].stack);
	}
	finish(&flame);
	assert_non_null(
		strstr(flame.text, ">parent (60.0 ns, 2 samples, 66.67 %; +44.44 %)</title>"));
	assert_non_null(strstr(flame.text, ">other (30.0 ns, 1 sample, 33.33 %; 0.00 %)</title>"));
	assert_non_null(strstr(flame.text, ">path (0 ns, 1 sample, 0.00 %; -27.78 %)</title>"));
	stands(&flame, "path", "data-x=\"0\" data-w=\"25\" data-d=\"2\"");
	stands(&flame, "all", "data-x=\"0\" data-w=\"115\" data-d=\"0\"");
	assert_int_equal(xmllint(flame.text, flame.text_size) % 127, 0);
	flame_close(&flame);
}

/* The red and blue of a frame. */
static void colour_of(const struct flame_host *flame, const char *name, uint32_t part[3])
{
	char title[64];
	const char *at;

	snprintf(title, sizeof(title), "<title>%s (", name);
	at = strstr(flame->text, title);
	assert_non_null(at);
	at = strstr(at, "rgb(");
	assert_int_equal(sscanf(at, "rgb(%u,%u,%u)", &part[0], &part[1], &part[2]), 3);
}

static void more_is_red_less_is_blue_and_the_same_is_white(void **unused)
{
	static const char *const negated[] = { "negate=true", NULL };
	struct flame_host flame;
	uint32_t part[3], i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		const uint32_t red = i ? 2 : 0, blue = 2 - red;

		assert_int_equal(
			flame_open_schema(&flame, &flame_schema_before, i ? negated : NULL), 0);
		assert_int_equal(flame_start(&flame), 0);
		flame.before = 100;
		flame_sample(&flame, "", 200, "more");
		flame_sample(&flame, "", 50, "less");
		flame_sample(&flame, "", 100, "same");
		finish(&flame);
		colour_of(&flame, "more", part);
		assert_true(part[red] == 255 && part[blue] == part[1] && part[1] < 50);
		colour_of(&flame, "less", part);
		assert_true(part[blue] == 255 && part[red] == part[1] && part[1] < 200);
		colour_of(&flame, "same", part);
		assert_true(part[0] == 255 && part[1] == 255 && part[2] == 255);
		flame_close(&flame);
	}
}

/* Names may hold "->" themselves: the last one counts. */
static void a_file_gives_colours_to_names(void **unused)
{
	char path[] = "/tmp/weir-palette-XXXXXX", option[64];
	const char *options[] = { option, NULL };
	struct flame_host flame;
	uint32_t part[3];
	int fd = mkstemp(path);

	(void)unused;
	assert_true(fd >= 0);
	dprintf(fd, "# colours\nmain->rgb(1,2,3)\r\na->b->rgb(4,5,6)\nbad\nworse->rgb(1,2,999)\n");
	close(fd);
	snprintf(option, sizeof(option), "palette_file=%s", path);
	draw(&flame, options);
	unlink(path);
	assert_non_null(strstr(flame.said, "2 lines are not"));
	flame_sample(&flame, "c", 100, "a->b;main");
	finish(&flame);
	colour_of(&flame, "main", part);
	assert_true(part[0] == 1 && part[1] == 2 && part[2] == 3);
	colour_of(&flame, "a-&gt;b", part);
	assert_true(part[0] == 4 && part[1] == 5 && part[2] == 6);
	flame_close(&flame);
}

/* The ranges that the palettes promise. */
static void palettes_colour_by_language(void **unused)
{
	static const struct {
		const char *palette, *frame, *name;
		uint32_t most; /* 0 red, 1 green, 2 blue: which part is the largest */
		uint32_t least;
	} rows[] = {
		{ "palette=mem", "f", "f", 1, 0 },
		{ "palette=io", "f", "f", 2, 0 },
		{ "palette=green", "f", "f", 1, 0 },
		{ "palette=blue", "f", "f", 2, 0 },
		{ "palette=wakeup", "f", "f", 1, 0 },
		{ "palette=chain", "f", "f", 2, 0 },
		{ "palette=chain", "f_[w]", "f_[w]", 1, 0 },
		{ "palette=java", "f#j", "f", 1, 0 },
		{ "palette=java", "java/util/Map.get", "java/util/Map.get", 1, 0 },
		{ "palette=java", "JavaThread::run", "JavaThread::run", 0, 2 },
		{ "palette=java", "sys_read#k", "sys_read", 0, 2 },
		{ "palette=js", "f /x/y.js:1#j", "f /x/y.js:1", 1, 0 },
		{ "palette=js", "Builtin:Call", "Builtin:Call", 1, 0 },
		{ "palette=js", "v8::Run", "v8::Run", 0, 2 },
	};
	uint32_t i;

	(void)unused;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *options[] = { rows[i].palette, NULL };
		struct flame_host flame;
		uint32_t part[3];

		draw(&flame, options);
		flame_sample(&flame, "c", 100, rows[i].frame);
		finish(&flame);
		colour_of(&flame, rows[i].name, part);
		if (part[rows[i].most] < part[3 - rows[i].most - rows[i].least] ||
		    part[rows[i].most] <= part[rows[i].least])
			fail_msg("%s %s: %u,%u,%u", rows[i].palette, rows[i].frame, part[0],
				 part[1], part[2]);
		flame_close(&flame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_graph_is_the_golden_one),
		cmocka_unit_test(inverted_by_kind_is_the_golden_one),
		cmocka_unit_test(nothing_gives_a_graph_that_says_so),
		cmocka_unit_test(every_byte_in_a_name_gives_valid_xml),
		cmocka_unit_test(what_is_not_known_is_grey_in_every_palette),
		cmocka_unit_test(narrow_frames_are_left_out_and_counted),
		cmocka_unit_test(sums_near_the_end_of_64_bits_keep_their_shares),
		cmocka_unit_test(a_stack_of_any_depth_is_drawn),
		cmocka_unit_test(a_share_of_the_whole_may_be_the_least_width),
		cmocka_unit_test(reversed_stacks_stand_on_what_ran),
		cmocka_unit_test(a_chart_keeps_the_order_of_time_and_merges_neighbours_only),
		cmocka_unit_test(totals_and_factors_change_shares_and_numbers),
		cmocka_unit_test(a_font_is_a_name_only),
		cmocka_unit_test(a_comparison_shows_more_less_and_gone),
		cmocka_unit_test(more_is_red_less_is_blue_and_the_same_is_white),
		cmocka_unit_test(a_file_gives_colours_to_names),
		cmocka_unit_test(palettes_colour_by_language),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
