/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacking .gnu_debugdata; see object_mini.h. */
#include "object_mini.h"

#include <errno.h>
#include <stdlib.h>

#ifdef FLAME_LZMA

#include <lzma.h>

enum {
	MINI_PACKED_MAX = 64 << 20, /* bytes: a larger one is none */
	MINI_MAX = 256 << 20,       /* unpacked */
	MINI_MEMORY = 128 << 20,    /* of the decoder: xz -9 asks for 65 MiB */
	MINI_FIRST = 1 << 20,
};

/* What was unpacked so far. */
struct mini_image {
	uint8_t *bytes;
	size_t used;
	size_t capacity;
};

static int mini_grow(struct mini_image *image)
{
	size_t capacity = image->capacity ? image->capacity * 2 : MINI_FIRST;
	uint8_t *bytes = capacity <= MINI_MAX ? realloc(image->bytes, capacity) : NULL;

	if (!bytes)
		return capacity <= MINI_MAX ? -ENOMEM : -EBADMSG;
	image->bytes = bytes;
	image->capacity = capacity;
	return 0;
}

static int mini_unpack(const uint8_t *packed, size_t size, struct mini_image *image)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret done = lzma_stream_decoder(&stream, MINI_MEMORY, 0);
	int err = 0;

	stream.next_in = packed;
	stream.avail_in = size;
	while (!err && done == LZMA_OK) {
		if (image->used == image->capacity)
			err = mini_grow(image);
		if (err)
			break;
		stream.next_out = image->bytes + image->used;
		stream.avail_out = image->capacity - image->used;
		done = lzma_code(&stream, LZMA_FINISH);
		image->used = image->capacity - stream.avail_out;
	}
	lzma_end(&stream);
	if (err)
		return err;
	return done == LZMA_STREAM_END ? 0 : done == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int mini_read(const struct elf *elf, const struct elf_section *section,
		     struct mini_image *image)
{
	uint8_t *packed;
	int err;

	if (section->bytes > MINI_PACKED_MAX || section->bytes > elf->source.size)
		return -EBADMSG;
	packed = malloc(section->bytes + 1);
	if (!packed)
		return -ENOMEM;
	err = elf_read(elf, section->offset, packed, section->bytes);
	if (!err)
		err = mini_unpack(packed, section->bytes, image);
	free(packed);
	return err;
}

int object_mini_symbols(const struct elf *elf, struct symbols *symbols)
{
	const struct elf_section *section = elf_section_named(elf, ".gnu_debugdata");
	struct mini_image image = { NULL, 0, 0 };
	struct elf_source source = { -1, NULL, 0 };
	struct elf mini;
	int err;

	if (!section)
		return -ENOENT;
	err = mini_read(elf, section, &image);
	if (!err) {
		source.image = image.bytes;
		source.size = image.used;
		err = elf_open(&mini, &source);
	}
	if (!err) {
		err = elf_symbols_with(elf, &mini, symbols);
		elf_clear(&mini);
	}
	free(image.bytes);
	return err;
}

#else

int object_mini_symbols(const struct elf *elf, struct symbols *symbols)
{
	(void)symbols;
	return elf_section_named(elf, ".gnu_debugdata") ? -EOPNOTSUPP : -ENOENT;
}

#endif
