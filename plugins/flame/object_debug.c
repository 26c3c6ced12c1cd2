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

#include <weir/service/debug_file.h>

#include "object_debug.h"
#include "object_open.h"

#define DEBUG_FOLDER "/usr/lib/debug"

enum {
	DEBUG_LINK_MAX = 256 + 8, /* bytes of .gnu_debuglink: a name, padding, a CRC */
	DEBUG_CHUNK = 64 << 10
};

/* What is looked for, and where. */
struct debug_search {
	const struct object_place *place;
	object_debug_has_fn *has;
	struct elf *found;
	const uint8_t *id;
	uint32_t id_size; /* 0: the stripped file has none, the CRC decides */
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

static bool debug_is_proven(const struct debug_search *search, int fd)
{
	const struct elf *elf = search->found;

	if (!search->id_size)
		return debug_crc_is(fd, search->crc);
	return elf->build_id_size == search->id_size &&
	       memcmp(elf->build_id, search->id, search->id_size) == 0;
}

/* Keeps and returns an opened file that is the right one, else closes it. */
static int debug_take(const struct debug_search *search, int fd)
{
	struct elf_source source = { fd, NULL, 0 };
	struct stat status;

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		source.size = (uint64_t)status.st_size;
		if (elf_open(search->found, &source) == 0) {
			if (search->has(search->found) && debug_is_proven(search, fd))
				return fd;
			elf_clear(search->found);
		}
	}
	close(fd);
	return -ENOENT;
}

static int debug_try(const struct debug_search *search, const char *path)
{
	const struct object_place *place = search->place;
	int fd = debug_take(search, object_open_below(place->root, path, 0));

	if (fd >= 0 || !place->pid)
		return fd;
	return debug_take(search, object_open_in_process(place->root, place->pid, path, 0));
}

static int debug_by_build_id(const struct debug_search *search)
{
	char path[sizeof(DEBUG_FOLDER "/.build-id/") + 2 * WEIR_BUILD_ID_MAX + 8];
	size_t at = (size_t)snprintf(path, sizeof(path), DEBUG_FOLDER "/.build-id/%02x/",
				     search->id[0]);

	for (uint32_t i = 1; i < search->id_size; i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "%02x", search->id[i]);
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

static int debug_by_link(struct debug_search *search, const struct elf *elf)
{
	static const struct {
		const char *before;
		const char *behind;
	} folders[] = { { "", "/" }, { "", "/.debug/" }, { DEBUG_FOLDER, "/" } };
	const char *path = search->place->path, *slash = strrchr(path, '/');
	char name[DEBUG_LINK_MAX], tried[PATH_MAX];
	int fd = -ENOENT;

	if (!slash || !debug_read_link(elf, name, &search->crc))
		return -ENOENT;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && fd < 0; i++) {
		int n = snprintf(tried, sizeof(tried), "%s%.*s%s%s", folders[i].before,
				 (int)(slash - path), path, folders[i].behind, name);

		if (n > 0 && (size_t)n < sizeof(tried))
			fd = debug_try(search, tried);
	}
	return fd;
}

/* What nobody has installed, a server may have. */
static int debug_fetch(const struct debug_search *search)
{
	const struct weir_service *store = search->place->store;
	const struct weir_debug_file_v1 *service = store ? store->vtable : NULL;

	if (!service || !search->id_size)
		return -ENOENT;
	return debug_take(search, service->open(store->ctx, search->id, search->id_size));
}

void object_debug_store(struct weir_ctx *ctx, struct weir_service *store)
{
	const char *servers = getenv("DEBUGINFOD_URLS"); /* NOLINT(concurrency-mt-unsafe) */

	if (!servers || !servers[0])
		return;
	if (weir_service(ctx, WEIR_DEBUG_FILE_SERVICE, WEIR_DEBUG_FILE_VERSION, store) < 0)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "DEBUGINFOD_URLS is set, but no server is asked: this weir was built "
			 "without libdebuginfod");
}

int object_debug_open(const struct object_place *place, const struct elf *elf,
		      object_debug_has_fn *has, struct elf *found)
{
	struct debug_search search = { .place = place,
				       .has = has,
				       .found = found,
				       .id = elf->build_id,
				       .id_size = elf->build_id_size };
	int fd = elf->build_id_size ? debug_by_build_id(&search) : -ENOENT;

	if (fd < 0)
		fd = debug_by_link(&search, elf);
	return fd >= 0 ? fd : debug_fetch(&search);
}

int object_debug_open_id(const struct object_place *place, const uint8_t *id, uint32_t id_size,
			 object_debug_has_fn *has, struct elf *found)
{
	struct debug_search search = {
		.place = place, .has = has, .found = found, .id = id, .id_size = id_size
	};
	int fd;

	if (id_size == 0 || id_size > WEIR_BUILD_ID_MAX)
		return -ENOENT;
	fd = debug_by_build_id(&search);
	if (fd < 0 && place->path[0] == '/')
		fd = debug_try(&search, place->path);
	return fd >= 0 ? fd : debug_fetch(&search);
}

static bool debug_has_symbols(const struct elf *elf)
{
	return elf_section_of_type(elf, SHT_SYMTAB) != NULL;
}

int object_debug_symbols(const struct object_place *place, const struct elf *elf,
			 struct symbols *symbols)
{
	struct elf found;
	int fd = object_debug_open(place, elf, debug_has_symbols, &found), err;

	if (fd < 0)
		return fd;
	err = elf_symbols(&found, symbols);
	elf_clear(&found);
	close(fd);
	return err;
}
