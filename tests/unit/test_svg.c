/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink flame.svg: golden file, valid XML for any name, what is said of few samples. Run in tests/. */
#include <sys/wait.h>

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
