/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF headers: segments, sections, build-id. Symbols are in elf_symbols.c. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/build_id.h>

#include "elf_file.h"

enum {
	ELF_SEGMENTS_MAX = 4096,
	ELF_SECTIONS_MAX = 65536,
	ELF_NOTES_MAX = 65536, /* bytes of one note segment that are looked at */
	ELF_SECTION_NAME = 32, /* longer than any that is asked for */
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ELF_NATIVE ELFDATA2LSB
#else
#define ELF_NATIVE ELFDATA2MSB
#endif

int elf_read(const struct elf *elf, uint64_t offset, void *out, size_t bytes)
{
	uint8_t *to = out;

	if (offset > elf->source.size || bytes > elf->source.size - offset)
		return -EBADMSG;
	if (elf->source.image) {
		memcpy(out, elf->source.image + offset, bytes);
		return 0;
	}
	while (bytes) {
		ssize_t got = pread(elf->source.fd, to, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EBADMSG;
		to += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return 0;
}

/* The members of the file's header that are used. */
struct elf_header {
	uint64_t segments_at;
	uint64_t sections_at;
	uint32_t segment_count;
	uint32_t section_count;
	uint32_t names;
};

static int elf_header_64(struct elf *elf, struct elf_header *header)
{
	Elf64_Ehdr raw;

	if (elf_read(elf, 0, &raw, sizeof(raw)) ||
	    (raw.e_phnum && raw.e_phentsize != sizeof(Elf64_Phdr)))
		return -EBADMSG;
	elf->machine = raw.e_machine;
	header->segments_at = raw.e_phoff;
	header->segment_count = raw.e_phnum;
	header->sections_at = raw.e_shentsize == sizeof(Elf64_Shdr) ? raw.e_shoff : 0;
	header->section_count = raw.e_shnum;
	header->names = raw.e_shstrndx;
	return 0;
}

static int elf_header_32(struct elf *elf, struct elf_header *header)
{
	Elf32_Ehdr raw;

	if (elf_read(elf, 0, &raw, sizeof(raw)) ||
	    (raw.e_phnum && raw.e_phentsize != sizeof(Elf32_Phdr)))
		return -EBADMSG;
	elf->machine = raw.e_machine;
	header->segments_at = raw.e_phoff;
	header->segment_count = raw.e_phnum;
	header->sections_at = raw.e_shentsize == sizeof(Elf32_Shdr) ? raw.e_shoff : 0;
	header->section_count = raw.e_shnum;
	header->names = raw.e_shstrndx;
	return 0;
}

static int elf_read_header(struct elf *elf, struct elf_header *header)
{
	uint8_t ident[EI_NIDENT];

	if (elf_read(elf, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != ELF_NATIVE)
		return -EBADMSG;
	elf->wide = ident[EI_CLASS] == ELFCLASS64;
	if (elf->wide)
		return elf_header_64(elf, header);
	return ident[EI_CLASS] == ELFCLASS32 ? elf_header_32(elf, header) : -EBADMSG;
}

/* One program header, of either class. */
static int elf_read_segment(const struct elf *elf, uint64_t at, uint32_t i, Elf64_Phdr *out)
{
	Elf32_Phdr raw;

	if (elf->wide)
		return elf_read(elf, at + (uint64_t)i * sizeof(*out), out, sizeof(*out));
	if (elf_read(elf, at + (uint64_t)i * sizeof(raw), &raw, sizeof(raw)))
		return -EBADMSG;
	memset(out, 0, sizeof(*out));
	out->p_type = raw.p_type;
	out->p_offset = raw.p_offset;
	out->p_vaddr = raw.p_vaddr;
	out->p_filesz = raw.p_filesz;
	return 0;
}

static int elf_read_section(const struct elf *elf, uint64_t at, uint32_t i, Elf64_Shdr *out)
{
	Elf32_Shdr raw;

	if (elf->wide)
		return elf_read(elf, at + (uint64_t)i * sizeof(*out), out, sizeof(*out));
	if (elf_read(elf, at + (uint64_t)i * sizeof(raw), &raw, sizeof(raw)))
		return -EBADMSG;
	memset(out, 0, sizeof(*out));
	out->sh_name = raw.sh_name;
	out->sh_type = raw.sh_type;
	out->sh_flags = raw.sh_flags;
	out->sh_addr = raw.sh_addr;
	out->sh_offset = raw.sh_offset;
	out->sh_size = raw.sh_size;
	out->sh_link = raw.sh_link;
	return 0;
}

static int elf_read_notes(struct elf *elf, uint64_t offset, uint64_t bytes)
{
	uint8_t *notes;

	if (elf->build_id_size || bytes == 0 || bytes > ELF_NOTES_MAX)
		return 0;
	notes = malloc(bytes);
	if (!notes)
		return -ENOMEM;
	if (elf_read(elf, offset, notes, bytes) == 0)
		elf->build_id_size = weir_notes_build_id(notes, bytes, elf->build_id);
	free(notes);
	return 0;
}

static int elf_read_segments(struct elf *elf, const struct elf_header *header)
{
	Elf64_Phdr segment;
	uint32_t i;
	int err = 0;

	if (header->segment_count > ELF_SEGMENTS_MAX)
		return -EBADMSG;
	/* What dwz has taken out of several files is never loaded. */
	if (header->segment_count == 0)
		return 0;
	elf->segments = calloc(header->segment_count, sizeof(*elf->segments));
	if (!elf->segments)
		return -ENOMEM;
	for (i = 0; i < header->segment_count && !err; i++) {
		err = elf_read_segment(elf, header->segments_at, i, &segment);
		if (err)
			break;
		if (segment.p_type == PT_NOTE)
			err = elf_read_notes(elf, segment.p_offset, segment.p_filesz);
		if (segment.p_type == PT_LOAD)
			elf->segments[elf->segment_count++] =
				(struct elf_segment){ segment.p_offset, segment.p_filesz,
						      segment.p_vaddr };
	}
	return err;
}

/* A file without sections, or with broken ones, is still good for its segments. */
static int elf_read_sections(struct elf *elf, const struct elf_header *header)
{
	uint32_t count = header->section_count, i;
	Elf64_Shdr section;

	if (header->sections_at == 0 || elf_read_section(elf, header->sections_at, 0, &section))
		return 0;
	if (count == 0 && section.sh_size <= ELF_SECTIONS_MAX)
		count = (uint32_t)section.sh_size;
	if (count == 0 || count > ELF_SECTIONS_MAX)
		return 0;
	elf->sections = calloc(count, sizeof(*elf->sections));
	if (!elf->sections)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		if (elf_read_section(elf, header->sections_at, i, &section))
			break;
		elf->sections[elf->section_count++] = (struct elf_section){
			section.sh_addr,
			section.sh_size,
			section.sh_offset,
			section.sh_type,
			section.sh_link,
			section.sh_name,
			(section.sh_flags & SHF_EXECINSTR) && (section.sh_flags & SHF_ALLOC),
		};
		/* The segments of a debug file may tell of bytes that it does not have. */
		if (section.sh_type == SHT_NOTE &&
		    elf_read_notes(elf, section.sh_offset, section.sh_size))
			return -ENOMEM;
	}
	elf->names = header->names == SHN_XINDEX ? elf->sections[0].link : header->names;
	return 0;
}

const struct elf_section *elf_section_of_type(const struct elf *elf, uint32_t type)
{
	for (uint32_t i = 0; i < elf->section_count; i++)
		if (elf->sections[i].type == type)
			return &elf->sections[i];
	return NULL;
}

const struct elf_section *elf_section_named(const struct elf *elf, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char found[ELF_SECTION_NAME];

	if (elf->names >= elf->section_count || bytes > sizeof(found))
		return NULL;
	for (uint32_t i = 1; i < elf->section_count; i++) {
		uint64_t at = elf->sections[elf->names].offset + elf->sections[i].name;

		if (elf_read(elf, at, found, bytes) == 0 && memcmp(found, name, bytes) == 0)
			return &elf->sections[i];
	}
	return NULL;
}

int elf_open(struct elf *elf, const struct elf_source *source)
{
	struct elf_header header;
	int err;

	memset(elf, 0, sizeof(*elf));
	elf->source = *source;
	err = elf_read_header(elf, &header);
	if (!err)
		err = elf_read_segments(elf, &header);
	if (!err)
		err = elf_read_sections(elf, &header);
	if (err)
		elf_clear(elf);
	return err;
}

void elf_clear(struct elf *elf)
{
	free(elf->segments);
	free(elf->sections);
	memset(elf, 0, sizeof(*elf));
	elf->source.fd = -1;
}

bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address)
{
	uint32_t i;

	for (i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->bytes) {
			*address = offset - segment->offset + segment->address;
			return true;
		}
	}
	return false;
}
