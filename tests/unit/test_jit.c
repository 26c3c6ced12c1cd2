/* SPDX-License-Identifier: BSD-2-Clause */
/* Code made at run time: look-up by address and time, perf maps, jitdumps. */
#include <byteswap.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit_dump.h"
#include "jit_map.h"

#include <cmocka.h>

static const char *name_at(struct jit_codes *codes, uint64_t address, uint64_t time)
{
	const struct jit_code *code = jit_codes_find(codes, address, time);

	return code ? jit_codes_name(codes, code) : "";
}

static void add(struct jit_codes *codes, uint64_t start, uint64_t size, uint64_t time,
		const char *name)
{
	const struct jit_code code = { .start = start, .end = start + size, .time = time };

	assert_int_equal(jit_codes_add(codes, &code, name, strlen(name)), 0);
}

static void an_address_that_is_used_again_has_the_name_of_its_time(void **state)
{
	struct jit_codes codes = { 0 };

	(void)state;
	add(&codes, 0x1000, 0x100, 10, "first");
	add(&codes, 0x1000, 0x80, 20, "second");
	assert_string_equal(name_at(&codes, 0x1010, 9), "");
	assert_string_equal(name_at(&codes, 0x1010, 10), "first");
	assert_string_equal(name_at(&codes, 0x1010, 20), "second");
	assert_string_equal(name_at(&codes, 0x1090, 20), "first");
	assert_string_equal(name_at(&codes, 0x1100, 20), "");
	jit_codes_clear(&codes);
}

/* Beside a table that is looked through from its end to its start. */
static void any_overlap_is_answered_as_by_looking_at_all(void **state)
{
	enum { CODES = 3000, QUESTIONS = 3000 };
	struct jit_codes codes = { 0 };
	struct jit_code kept[CODES];
	unsigned int seed = 1;

	(void)state;
	for (uint32_t i = 0; i < CODES; i++) {
		char name[16];

		kept[i].start = (uint64_t)rand_r(&seed) % 50000;
		kept[i].end = kept[i].start + 1 + (uint64_t)rand_r(&seed) % (i % 50 ? 40 : 20000);
		kept[i].time = (uint64_t)rand_r(&seed) % 100;
		snprintf(name, sizeof(name), "%u", i);
		add(&codes, kept[i].start, kept[i].end - kept[i].start, kept[i].time, name);
	}
	for (uint32_t q = 0; q < QUESTIONS; q++) {
		uint64_t address = (uint64_t)rand_r(&seed) % 60000;
		uint64_t time = (uint64_t)rand_r(&seed) % 100;
		const struct jit_code *best = NULL;
		char want[16] = "";

		for (uint32_t i = 0; i < CODES; i++)
			if (kept[i].start <= address && address < kept[i].end &&
			    kept[i].time <= time && (!best || kept[i].time >= best->time))
				best = &kept[i];
		if (best)
			snprintf(want, sizeof(want), "%zu", (size_t)(best - kept));
		assert_string_equal(name_at(&codes, address, time), want);
	}
	jit_codes_clear(&codes);
}

static void lines_of_a_map_are_read_as_run_times_write_them(void **state)
{
	static const struct {
		const char *line;
		uint64_t start; /* 0: no line of a map */
		uint64_t end;
		const char *name;
	} cases[] = {
		{ "4000 40 plain", 0x4000, 0x4040, "plain" },
		{ "0x4000 0x40 with prefixes", 0x4000, 0x4040, "with prefixes" },
		{ "0X4000 AbC upper case", 0x4000, 0x4abc, "upper case" },
		{ "4000 40 crlf\r", 0x4000, 0x4040, "crlf" },
		{ "4000 40  two blanks", 0x4000, 0x4040, " two blanks" },
		{ "fffffffffffff000 fff the last", 0xfffffffffffff000, 0xffffffffffffffff,
		  "the last" },
		{ "4000 40 f(int, a::b<c;d>)", 0x4000, 0x4040, "f(int, a::b<c;d>)" },
		{ "ffffffffffffffff 10 around the end", 0, 0, NULL },
		{ "4000 0 nothing", 0, 0, NULL },
		{ "4000 40", 0, 0, NULL },
		{ "4000 40 ", 0, 0, NULL },
		{ "4000 zz size", 0, 0, NULL },
		{ "zz 40 start", 0, 0, NULL },
		{ "00000000000004000 40 seventeen digits", 0, 0, NULL },
		{ "0x 40 no digits", 0, 0, NULL },
		{ " 4000 40 a blank first", 0, 0, NULL },
		{ "\r", 0, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct jit_codes codes = { 0 };
		int err = jit_map_line(&codes, cases[i].line, strlen(cases[i].line));

		assert_int_equal(err, cases[i].start ? 0 : -EBADMSG);
		assert_int_equal(codes.count, cases[i].start ? 1 : 0);
		if (cases[i].start) {
			assert_true(codes.items[0].start == cases[i].start);
			assert_true(codes.items[0].end == cases[i].end);
			assert_string_equal(jit_codes_name(&codes, &codes.items[0]), cases[i].name);
		}
		jit_codes_clear(&codes);
	}
}

static void put(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void a_map_is_read_on_from_where_it_ended(void **state)
{
	int fd = memfd_create("map", 0);
	struct jit_map map = { 0 };

	(void)state;
	put(fd, "1000 100 one\nno line\n2000 100 tw");
	assert_int_equal(jit_map_read(&map, fd, false), 0);
	assert_string_equal(name_at(&map.codes, 0x1000, 0), "one");
	assert_string_equal(name_at(&map.codes, 0x2000, 0), "");
	assert_int_equal(map.bad_lines, 1);
	put(fd, "o\n1000 80 later\n3000 1 end");
	assert_int_equal(jit_map_read(&map, fd, false), 0);
	assert_string_equal(name_at(&map.codes, 0x2000, 0), "two");
	assert_string_equal(name_at(&map.codes, 0x1000, 0), "later");
	assert_string_equal(name_at(&map.codes, 0x1080, 0), "one");
	assert_string_equal(name_at(&map.codes, 0x3000, 0), "");
	assert_int_equal(jit_map_read(&map, fd, true), 0);
	assert_string_equal(name_at(&map.codes, 0x3000, 0), "end");
	assert_int_equal(map.codes.count, 4);
	assert_int_equal(map.bad_lines, 1);
	jit_map_clear(&map);
	close(fd);
}

static void a_map_that_was_written_anew_forgets_the_old_one(void **state)
{
	int fd = memfd_create("map", 0);
	struct jit_map map = { 0 };

	(void)state;
	put(fd, "1000 100 one\n2000 100 two\n");
	assert_int_equal(jit_map_read(&map, fd, false), 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	put(fd, "1000 100 other\n3000 100 three and more than before\n");
	assert_int_equal(jit_map_read(&map, fd, false), 0);
	assert_string_equal(name_at(&map.codes, 0x1000, 0), "other");
	assert_string_equal(name_at(&map.codes, 0x2000, 0), "");
	assert_string_equal(name_at(&map.codes, 0x3000, 0), "three and more than before");
	jit_map_clear(&map);
	close(fd);
}

/* A jitdump as jitdump-specification.txt of the kernel has it. */
struct dump_file {
	int fd;
	bool swapped;
};

static void put_u32(const struct dump_file *file, uint32_t value)
{
	value = file->swapped ? bswap_32(value) : value;
	assert_int_equal(write(file->fd, &value, sizeof(value)), sizeof(value));
}

static void put_u64(const struct dump_file *file, uint64_t value)
{
	value = file->swapped ? bswap_64(value) : value;
	assert_int_equal(write(file->fd, &value, sizeof(value)), sizeof(value));
}

static void put_header(const struct dump_file *file, uint64_t flags)
{
	put_u32(file, 0x4a695444);
	put_u32(file, 1);
	put_u32(file, 40);
	put_u32(file, 62);
	put_u32(file, 0);
	put_u32(file, 77);
	put_u64(file, 0);
	put_u64(file, flags);
}

static void put_load(const struct dump_file *file, uint64_t time, uint64_t address, uint64_t size,
		     const char *name)
{
	static const char code[64];

	put_u32(file, 0);
	put_u32(file, (uint32_t)(56 + strlen(name) + 1 + size));
	put_u64(file, time);
	put_u32(file, 77);
	put_u32(file, 77);
	put_u64(file, address);
	put_u64(file, address);
	put_u64(file, size);
	put_u64(file, 1);
	assert_int_equal(write(file->fd, name, strlen(name) + 1), (ssize_t)strlen(name) + 1);
	assert_int_equal(write(file->fd, code, size), (ssize_t)size);
}

static void put_move(const struct dump_file *file, uint64_t time, uint64_t from, uint64_t to,
		     uint64_t size)
{
	put_u32(file, 1);
	put_u32(file, 64);
	put_u64(file, time);
	put_u32(file, 77);
	put_u32(file, 77);
	put_u64(file, to);
	put_u64(file, from);
	put_u64(file, to);
	put_u64(file, size);
	put_u64(file, 1);
}

static void put_unknown(const struct dump_file *file)
{
	put_u32(file, 99);
	put_u32(file, 24);
	put_u64(file, 1);
	put_u64(file, 0);
}

static void a_dump_is_read_in_either_byte_order(void **state)
{
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct dump_file file = { memfd_create("dump", 0), swapped };
		struct jit_dump dump = { 0 };

		put_header(&file, 0);
		put_load(&file, 10, 0x1000, 32, "first");
		put_unknown(&file);
		put_load(&file, 20, 0x1000, 32, "second");
		put_move(&file, 30, 0x1000, 0x5000, 32);
		assert_int_equal(jit_dump_read(&dump, file.fd), 0);
		assert_false(dump.bad);
		assert_string_equal(name_at(&dump.codes, 0x1000, 9), "");
		assert_string_equal(name_at(&dump.codes, 0x1000, 19), "first");
		assert_string_equal(name_at(&dump.codes, 0x101f, 25), "second");
		assert_string_equal(name_at(&dump.codes, 0x5000, 29), "");
		assert_string_equal(name_at(&dump.codes, 0x5000, 30), "second");
		jit_dump_clear(&dump);
		close(file.fd);
	}
}

static void a_record_that_is_not_whole_is_read_when_it_is(void **state)
{
	struct dump_file file = { memfd_create("dump", 0), false };
	struct jit_dump dump = { 0 };
	off_t whole;

	(void)state;
	put_header(&file, 0);
	put_load(&file, 10, 0x1000, 32, "first");
	put_load(&file, 20, 0x2000, 32, "second");
	whole = lseek(file.fd, 0, SEEK_CUR);
	for (off_t size = 0; size < whole; size++) {
		assert_int_equal(ftruncate(file.fd, size), 0);
		assert_int_equal(jit_dump_read(&dump, file.fd), 0);
		assert_string_equal(name_at(&dump.codes, 0x2000, 20), "");
		assert_int_equal(ftruncate(file.fd, 0), 0);
		assert_int_equal(lseek(file.fd, 0, SEEK_SET), 0);
		put_header(&file, 0);
		put_load(&file, 10, 0x1000, 32, "first");
		put_load(&file, 20, 0x2000, 32, "second");
	}
	assert_int_equal(jit_dump_read(&dump, file.fd), 0);
	assert_string_equal(name_at(&dump.codes, 0x1000, 20), "first");
	assert_string_equal(name_at(&dump.codes, 0x2000, 20), "second");
	assert_int_equal(dump.codes.count, 2);
	jit_dump_clear(&dump);
	close(file.fd);
}

static void times_of_the_cpus_own_clock_are_not_compared(void **state)
{
	struct dump_file file = { memfd_create("dump", 0), false };
	struct jit_dump dump = { 0 };

	(void)state;
	put_header(&file, 1);
	put_load(&file, UINT64_C(1) << 60, 0x1000, 32, "first");
	put_load(&file, UINT64_C(1) << 61, 0x1000, 32, "second");
	assert_int_equal(jit_dump_read(&dump, file.fd), 0);
	assert_true(dump.untimed);
	assert_string_equal(name_at(&dump.codes, 0x1000, 5), "second");
	jit_dump_clear(&dump);
	close(file.fd);
}

static void what_is_no_record_ends_the_reading(void **state)
{
	struct dump_file file = { memfd_create("dump", 0), false };
	struct jit_dump dump = { 0 };

	(void)state;
	put_header(&file, 0);
	put_load(&file, 10, 0x1000, 32, "first");
	put_u32(&file, 0);
	put_u32(&file, 3);
	put_u64(&file, 0);
	put_load(&file, 20, 0x2000, 32, "never");
	assert_int_equal(jit_dump_read(&dump, file.fd), 0);
	assert_true(dump.bad);
	assert_int_equal(dump.codes.count, 1);
	jit_dump_clear(&dump);
	close(file.fd);

	file.fd = memfd_create("dump", 0);
	put(file.fd, "this is a text and no jitdump, but it is long enough to be one\n");
	assert_int_equal(jit_dump_read(&dump, file.fd), -EBADMSG);
	jit_dump_clear(&dump);
	close(file.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_that_is_used_again_has_the_name_of_its_time),
		cmocka_unit_test(any_overlap_is_answered_as_by_looking_at_all),
		cmocka_unit_test(lines_of_a_map_are_read_as_run_times_write_them),
		cmocka_unit_test(a_map_is_read_on_from_where_it_ended),
		cmocka_unit_test(a_map_that_was_written_anew_forgets_the_old_one),
		cmocka_unit_test(a_dump_is_read_in_either_byte_order),
		cmocka_unit_test(a_record_that_is_not_whole_is_read_when_it_is),
		cmocka_unit_test(times_of_the_cpus_own_clock_are_not_compared),
		cmocka_unit_test(what_is_no_record_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
