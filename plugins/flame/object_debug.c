/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and proving separate debug files; see object_debug.h. */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object_debug.h"
#include "object_open.h"

#define DEBUG_FOLDER "/usr/lib/debug"

enum {
	DEBUG_LINK_MAX = 256 + 8, /* bytes of .gnu_debuglink: a name, padding, a CRC */
	DEBUG_CHUNK = 64 << 10
};

/* What is looked for, and where. */
struct debug_search {
	int root;
	const struct weir_mapping *mapping;
	const struct elf *stripped;
	struct symbols *symbols;
	bool by_crc; /* the stripped file has no build-id */
	uint32_t crc;
};

/* The CRC-32 of IEEE 802.3, as gdb has it of a whole file ("Separate Debug Files" in its manual). */
static void debug_crc_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		table[i] = crc;
	}
}

static bool debug_crc_is(int fd, uint32_t want)
{
	uint8_t *chunk = malloc(DEBUG_CHUNK);
	uint32_t table[256], crc = UINT32_MAX;
	off_t at = 0;
	ssize_t n = 0;

	debug_crc_table(table);
	while (chunk && (n = pread(fd, chunk, DEBUG_CHUNK, at)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ chunk[i]) & 0xff];
		at += n;
	}
	free(chunk);
	return chunk && n == 0 && ~crc == want;
}

static bool debug_is_proven(const struct debug_search *search, const struct elf *elf, int fd)
{
	const struct elf *stripped = search->stripped;

	if (search->by_crc)
		return debug_crc_is(fd, search->crc);
	return elf->build_id_size == stripped->build_id_size &&
	       memcmp(elf->build_id, stripped->build_id, elf->build_id_size) == 0;
}

/* Takes the names of an opened file, which it closes. A copy without names is passed over. */
static int debug_take(const struct debug_search *search, int fd)
{
	struct elf_source source = { fd, NULL, 0 };
	struct stat status;
	struct elf elf;
	int err = -ENOENT;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		source.size = (uint64_t)status.st_size;
		if (elf_open(&elf, &source) == 0) {
			if (elf_section_of_type(&elf, SHT_SYMTAB) &&
			    debug_is_proven(search, &elf, fd))
				err = elf_symbols(&elf, search->symbols);
			elf_clear(&elf);
		}
	}
	close(fd);
	return err;
}

static int debug_try(const struct debug_search *search, const char *path)
{
	int fd = object_open_below(search->root, path, 0), err = -ENOENT;

	if (fd >= 0)
		err = debug_take(search, fd);
	if (!err || !search->mapping->alive)
		return err;
	fd = object_open_in_process(search->root, search->mapping->pid, path, 0);
	return fd < 0 ? -ENOENT : debug_take(search, fd);
}

static int debug_by_build_id(const struct debug_search *search)
{
	const struct elf *elf = search->stripped;
	char path[sizeof(DEBUG_FOLDER "/.build-id/") + 2 * sizeof(elf->build_id) + 8];
	size_t at = (size_t)snprintf(path, sizeof(path), DEBUG_FOLDER "/.build-id/%02x/",
				     elf->build_id[0]);

	for (uint32_t i = 1; i < elf->build_id_size; i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "%02x", elf->build_id[i]);
	snprintf(path + at, sizeof(path) - at, ".debug");
	return debug_try(search, path);
}

/* The name in .gnu_debuglink, and the CRC behind it. False: there is none. */
static bool debug_read_link(const struct elf *elf, char name[DEBUG_LINK_MAX], uint32_t *crc)
{
	const struct elf_section *section = elf_section_named(elf, ".gnu_debuglink");
	size_t length, at;

	if (!section || section->bytes < 8 || section->bytes > DEBUG_LINK_MAX ||
	    elf_read(elf, section->offset, name, section->bytes))
		return false;
	length = strnlen(name, section->bytes);
	at = (length + 4) & ~(size_t)3; /* the end of the text, and padding */
	if (length == 0 || at + sizeof(*crc) > section->bytes || strchr(name, '/'))
		return false;
	memcpy(crc, name + at, sizeof(*crc));
	return true;
}

static int debug_by_link(struct debug_search *search, const char *path)
{
	static const struct {
		const char *before;
		const char *behind;
	} folders[] = { { "", "/" }, { "", "/.debug/" }, { DEBUG_FOLDER, "/" } };
	const char *slash = strrchr(path, '/');
	char name[DEBUG_LINK_MAX], tried[PATH_MAX];
	int err = -ENOENT;

	if (!slash || !debug_read_link(search->stripped, name, &search->crc))
		return -ENOENT;
	search->by_crc = search->stripped->build_id_size == 0;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && err; i++) {
		int n = snprintf(tried, sizeof(tried), "%s%.*s%s%s", folders[i].before,
				 (int)(slash - path), path, folders[i].behind, name);

		if (n > 0 && (size_t)n < sizeof(tried))
			err = debug_try(search, tried);
	}
	return err;
}

int object_debug_symbols(int root, const char *path, const struct weir_mapping *mapping,
			 const struct elf *elf, struct symbols *symbols)
{
	struct debug_search search = {
		.root = root, .mapping = mapping, .stripped = elf, .symbols = symbols
	};
	int err = elf->build_id_size ? debug_by_build_id(&search) : -ENOENT;

	return err ? debug_by_link(&search, path) : 0;
}
