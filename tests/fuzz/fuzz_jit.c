/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: what processes tell of code that they make. The input is a file that has grown: its
 * first half is read, then the whole. What is promised: all code has a name within the table and ends
 * above its start, and a look-up gives code that holds the address.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit_dump.h"
#include "jit_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
	if (!kept)
		__builtin_trap();
}

static void check_codes(struct jit_codes *codes)
{
	for (uint32_t i = 0; i < codes->count; i++) {
		const struct jit_code code = codes->items[i];
		const struct jit_code *found;

		promise(code.end > code.start && code.name < codes->names_used);
		promise(memchr(codes->names + code.name, 0, codes->names_used - code.name));
		found = jit_codes_find(codes, code.start, code.time);
		promise(found && found->start <= code.start && found->end > code.start &&
			found->time <= code.time);
	}
}

static bool grow(int fd, const uint8_t *data, size_t size)
{
	return write(fd, data, size) == (ssize_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	struct jit_dump dump = { 0 };
	struct jit_map map = { 0 };

	if (fd < 0 || !grow(fd, data, size / 2))
		return 0;
	jit_dump_read(&dump, fd);
	jit_map_read(&map, fd, false);
	if (grow(fd, data + size / 2, size - size / 2)) {
		jit_dump_read(&dump, fd);
		jit_map_read(&map, fd, true);
		check_codes(&dump.codes);
		check_codes(&map.codes);
	}
	jit_dump_clear(&dump);
	jit_map_clear(&map);
	close(fd);
	return 0;
}
