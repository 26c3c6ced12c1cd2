/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbol tables: ELF files of both classes made here, and /proc/kallsyms. Run in tests/. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_file.h"
#include "kallsyms.h"

/* The text section: 0x1000 bytes at 0x401000, at 0x200 in the file. */
enum { TEXT = 0x401000, TEXT_OFFSET = 0x200, TEXT_SIZE = 0x1000, IMAGE = 0x2000 };

static const struct given {
	uint32_t value;
	uint32_t size;
	const char *name;
	uint8_t bind;
	uint8_t type;
	uint16_t section;
} given[] = {
	{ TEXT, 0x10, "_start", STB_GLOBAL, STT_FUNC, 1 },
	{ TEXT + 0x100, 0x80, "local_alias", STB_LOCAL, STT_FUNC, 1 },
	{ TEXT + 0x100, 0x80, "__write", STB_GLOBAL, STT_FUNC, 1 },
	{ TEXT + 0x100, 0x80, "write@@GLIBC_2.2.5", STB_WEAK, STT_FUNC, 1 },
	{ TEXT + 0x120, 0, "label_inside", STB_LOCAL, STT_NOTYPE, 1 },
	{ TEXT + 0x200, 0, "no_size", STB_GLOBAL, STT_FUNC, 1 },
	{ TEXT + 0x300, 0x100, "outer", STB_GLOBAL, STT_FUNC, 1 },
	{ TEXT + 0x340, 0x10, "inner", STB_LOCAL, STT_FUNC, 1 },
	{ TEXT + 0x500, 0, "$x", STB_LOCAL, STT_NOTYPE, 1 },
	{ TEXT + 0x600, 8, "variable", STB_GLOBAL, STT_OBJECT, 1 },
	{ TEXT + 0x700, 8, "elsewhere", STB_GLOBAL, STT_FUNC, 2 },
	{ TEXT + 0xff0, 0, "last", STB_GLOBAL, STT_FUNC, 1 },
	{ TEXT + 0xf00, 0xffff, "too_long", STB_GLOBAL, STT_FUNC, 1 },
};
enum { GIVEN = sizeof(given) / sizeof(given[0]) };

struct image {
	uint8_t bytes[IMAGE];
	uint32_t strings_used;
};

enum { HEADERS_AT = 0x80, SECTIONS_AT = 0x1200, SYMBOLS_AT = 0x1500, STRINGS_AT = 0x1900 };

#define DEFINE_MAKE(name_, bits_)                                                                  \
	static void name_(struct image *image)                                                     \
	{                                                                                          \
		Elf##bits_##_Ehdr header = { .e_type = ET_EXEC,                                    \
					     .e_machine = EM_X86_64,                               \
					     .e_phoff = HEADERS_AT,                                \
					     .e_phentsize = sizeof(Elf##bits_##_Phdr),             \
					     .e_phnum = 1,                                         \
					     .e_shoff = SECTIONS_AT,                               \
					     .e_shentsize = sizeof(Elf##bits_##_Shdr),             \
					     .e_shnum = 5 };                                       \
		Elf##bits_##_Phdr segment = { .p_type = PT_LOAD,                                   \
					      .p_offset = TEXT_OFFSET,                             \
					      .p_vaddr = TEXT,                                     \
					      .p_filesz = TEXT_SIZE };                             \
		Elf##bits_##_Shdr sections[5] = {                                                  \
			{ 0 },                                                                     \
			{ .sh_type = SHT_PROGBITS,                                                 \
			  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,                                   \
			  .sh_addr = TEXT,                                                         \
			  .sh_offset = TEXT_OFFSET,                                                \
			  .sh_size = TEXT_SIZE },                                                  \
			{ .sh_type = SHT_PROGBITS,                                                 \
			  .sh_flags = SHF_ALLOC,                                                   \
			  .sh_addr = TEXT,                                                         \
			  .sh_size = TEXT_SIZE },                                                  \
			{ .sh_type = SHT_SYMTAB,                                                   \
			  .sh_offset = SYMBOLS_AT,                                                 \
			  .sh_size = GIVEN * sizeof(Elf##bits_##_Sym),                             \
			  .sh_link = 4 },                                                          \
			{ .sh_type = SHT_STRTAB, .sh_offset = STRINGS_AT, .sh_size = 0x200 },      \
		};                                                                                 \
		Elf##bits_##_Sym symbols[GIVEN] = { { 0 } };                                       \
		uint32_t i;                                                                        \
                                                                                                   \
		memset(image, 0, sizeof(*image));                                                  \
		memcpy(header.e_ident, ELFMAG, SELFMAG);                                           \
		header.e_ident[EI_CLASS] = ELFCLASS##bits_;                                        \
		header.e_ident[EI_DATA] = ELFDATA2LSB;                                             \
		image->strings_used = 1;                                                           \
		for (i = 0; i < GIVEN; i++) {                                                      \
			symbols[i].st_name = image->strings_used;                                  \
			symbols[i].st_value = given[i].value;                                      \
			symbols[i].st_size = given[i].size;                                        \
			symbols[i].st_info = (uint8_t)(given[i].bind << 4 | given[i].type);        \
			symbols[i].st_shndx = given[i].section;                                    \
			memcpy((char *)image->bytes + STRINGS_AT + image->strings_used,            \
			       given[i].name, strlen(given[i].name) + 1);                          \
			image->strings_used += (uint32_t)strlen(given[i].name) + 1;                \
		}                                                                                  \
		memcpy(image->bytes, &header, sizeof(header));                                     \
		memcpy(image->bytes + HEADERS_AT, &segment, sizeof(segment));                      \
		memcpy(image->bytes + SECTIONS_AT, sections, sizeof(sections));                    \
		memcpy(image->bytes + SYMBOLS_AT, symbols, sizeof(symbols));                       \
	}

DEFINE_MAKE(make_wide, 64)
DEFINE_MAKE(make_narrow, 32)

/* What the function at a file offset is called; "" where there is none. */
static const char *named(const struct elf *elf, const struct symbols *symbols, uint64_t offset)
{
	const struct symbol *symbol;
	uint64_t address;

	if (!elf_address(elf, offset, &address))
		return "";
	symbol = symbols_find(symbols, address);
	return symbol ? symbols->names + symbol->name : "";
}

static void check_names(const struct image *image)
{
	static const struct {
		uint32_t offset;
		const char *name;
	} rows[] = {
		{ 0, "_start" },    { 0xf, "_start" },     { 0x10, "" },
		{ 0x100, "write" }, { 0x125, "write" },    { 0x17f, "write" },
		{ 0x180, "" },      { 0x200, "no_size" },  { 0x2ff, "no_size" },
		{ 0x33f, "outer" }, { 0x345, "inner" },    { 0x350, "outer" },
		{ 0x400, "" },      { 0x500, "" },         { 0x600, "" },
		{ 0x700, "" },      { 0xf00, "too_long" }, { 0xfff, "too_long" },
		{ 0x1000, "" },
	};
	struct elf_source source = { -1, image->bytes, sizeof(image->bytes) };
	struct symbols symbols;
	struct elf elf;
	uint32_t i;

	assert_int_equal(elf_open(&elf, &source), 0);
	assert_int_equal(elf_symbols(&elf, &symbols), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(named(&elf, &symbols, TEXT_OFFSET + rows[i].offset),
				    rows[i].name);
	symbols_clear(&symbols);
	elf_clear(&elf);
}

static void functions_of_both_classes_have_their_names(void **unused)
{
	struct image image;

	(void)unused;
	make_wide(&image);
	check_names(&image);
	make_narrow(&image);
	check_names(&image);
}

/* Reads an image of `size` bytes whatever is wrong with it. */
static void survive(const uint8_t *bytes, uint64_t size)
{
	uint8_t *copy = malloc(size ? size : 1); /* so that a sanitizer sees its end */
	struct elf_source source = { -1, copy, size };
	struct symbols symbols;
	struct elf elf;
	uint64_t address;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	if (elf_open(&elf, &source) == 0) {
		elf_address(&elf, TEXT_OFFSET, &address);
		if (elf_symbols(&elf, &symbols) == 0)
			symbols_find(&symbols, TEXT);
		symbols_clear(&symbols);
		elf_clear(&elf);
	}
	free(copy);
}

static void a_cut_file_has_fewer_names(void **unused)
{
	struct image image;
	uint32_t size;

	(void)unused;
	make_wide(&image);
	for (size = 0; size < IMAGE; size += 7)
		survive(image.bytes, size);
}

static void no_byte_of_a_file_can_do_harm(void **unused)
{
	struct image image;
	uint32_t i;

	(void)unused;
	make_wide(&image);
	for (i = 0; i < IMAGE; i++) {
		if (i >= TEXT_OFFSET && i < SECTIONS_AT)
			continue;
		image.bytes[i] ^= 0xff;
		survive(image.bytes, IMAGE);
		image.bytes[i] ^= 0xff;
	}
}

static void what_is_no_elf_file_is_refused(void **unused)
{
	struct elf_source source = { -1, (const uint8_t *)"#!/bin/sh\n and more of it", 24 };
	struct elf elf;

	(void)unused;
	assert_int_equal(elf_open(&elf, &source), -EBADMSG);
	assert_null(elf.segments);
}

static const char *kernel(const struct kallsyms *kallsyms, uint64_t address, const char **object)
{
	const struct symbol *symbol = kallsyms_find(kallsyms, address, object);

	return symbol ? kallsyms->symbols.names + symbol->name : "";
}

static int open_root(const char *path)
{
	int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(root >= 0);
	return root;
}

static void kernel_functions_have_names_and_modules(void **unused)
{
	static const struct {
		uint64_t address;
		const char *name;
		const char *object;
	} rows[] = {
		{ 0xffffffff80ffffff, "", "[kernel]" },
		{ 0xffffffff81000010, "startup_64", "[kernel]" },
		{ 0xffffffff81000100, "do_thing", "[kernel]" },
		{ 0xffffffff810002ff, "last_function", "[kernel]" },
		{ 0xffffffff81000300, "", "[kernel]" },
		{ 0xffffffff81000500, "", "[kernel]" },
		{ 0xffffffffc0100004, "mod_a_fn", "[mod_a]" },
		{ 0xffffffffc0200010, "bpf_prog_0123_x", "[bpf]" },
		{ 0xffffffffc0250010, "ftrace_trampoline", "[kernel]" },
		{ 0xffffffffc0300020, "mod_b_fn", "[mod_b]" },
		{ 0xffffffffc0300050, "", "[kernel]" },
	};
	int root = open_root("fixtures/flame");
	struct kallsyms kallsyms;
	const char *object;
	uint32_t i;

	(void)unused;
	assert_int_equal(kallsyms_read(&kallsyms, root), 0);
	assert_false(kallsyms.hidden);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(kernel(&kallsyms, rows[i].address, &object), rows[i].name);
		assert_string_equal(object, rows[i].object);
	}
	kallsyms_clear(&kallsyms);
	close(root);
}

static void hidden_kernel_addresses_are_noticed(void **unused)
{
	int root = open_root("fixtures/flame-hidden");
	struct kallsyms kallsyms;
	const char *object;

	(void)unused;
	assert_int_equal(kallsyms_read(&kallsyms, root), 0);
	assert_true(kallsyms.hidden);
	assert_string_equal(kernel(&kallsyms, 0xffffffff81000010, &object), "");
	assert_string_equal(object, "[kernel]");
	kallsyms_clear(&kallsyms);
	close(root);
}

static void a_host_without_kallsyms_is_an_error_not_a_crash(void **unused)
{
	int root = open_root("fixtures");
	struct kallsyms kallsyms;
	const char *object;

	(void)unused;
	assert_int_equal(kallsyms_read(&kallsyms, root), -ENOENT);
	assert_null(kallsyms_find(&kallsyms, 1, &object));
	close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_both_classes_have_their_names),
		cmocka_unit_test(a_cut_file_has_fewer_names),
		cmocka_unit_test(no_byte_of_a_file_can_do_harm),
		cmocka_unit_test(what_is_no_elf_file_is_refused),
		cmocka_unit_test(kernel_functions_have_names_and_modules),
		cmocka_unit_test(hidden_kernel_addresses_are_noticed),
		cmocka_unit_test(a_host_without_kallsyms_is_an_error_not_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
