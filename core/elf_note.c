/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the weir note of an ELF file. The file is hostile: each offset and size in it is held
 * against the file's size before it is used.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_note.h"

#define SEGMENT_MAX 65536
#define HEADERS_MAX 256

struct elf_file {
	int fd;
	uint64_t size;
	char *why;
	size_t why_size;
};

static const struct machine {
	uint16_t id;
	const char *name;
} machines[] = {
	{ EM_386, "i386" },        { EM_X86_64, "x86_64" }, { EM_ARM, "arm" },
	{ EM_AARCH64, "aarch64" }, { EM_RISCV, "riscv" },   { EM_PPC64, "ppc64" },
	{ EM_S390, "s390" },       { EM_MIPS, "mips" },     { EM_SPARCV9, "sparc64" },
};

/* The linker puts this at weir's own ELF header, so that weir knows its own machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static int WEIR_PRINTF(2, 3) refuse(const struct elf_file *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(file->why, file->why_size, format, args);
	va_end(args);
	return -ENOEXEC;
}

static int read_at(const struct elf_file *file, void *out, size_t bytes, uint64_t offset)
{
	ssize_t n;

	if (offset > file->size || bytes > file->size - offset)
		return refuse(file, "it is cut short or damaged");
	n = pread(file->fd, out, bytes, (off_t)offset);
	if (n < 0)
		return refuse(file, "cannot be read: %s", strerror(errno));
	if ((size_t)n != bytes)
		return refuse(file, "it is cut short or damaged");
	return 0;
}

static const char *machine_name(uint16_t id)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].id == id)
			return machines[i].name;
	return "another machine";
}

/* `header` may be of the other class: its first 20 bytes are the same in both. */
static int check_machine(const struct elf_file *file, const ElfW(Ehdr) * header)
{
	const ElfW(Ehdr) *own = &__ehdr_start;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(file, "not an ELF file; a plugin is a shared library (.so)");
	if (header->e_ident[EI_DATA] != own->e_ident[EI_DATA])
		return refuse(file, "built for a machine of another byte order; this weir is %s",
			      machine_name(own->e_machine));
	if (header->e_machine != own->e_machine)
		return refuse(file, "built for %s; this weir is %s",
			      machine_name(header->e_machine), machine_name(own->e_machine));
	if (header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS])
		return refuse(file, "built for %s-bit programs; this weir has %zu bits",
			      header->e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64",
			      8 * sizeof(void *));
	if (header->e_type != ET_DYN)
		return refuse(file, "not a shared library; link it with -shared");
	if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum > HEADERS_MAX)
		return refuse(file, "it is cut short or damaged");
	return 0;
}

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

static bool is_ours(const ElfW(Nhdr) * head, const uint8_t *owner)
{
	return head->n_type == WEIR_NOTE_TYPE && head->n_namesz == sizeof(WEIR_NOTE_OWNER) &&
	       memcmp(owner, WEIR_NOTE_OWNER, sizeof(WEIR_NOTE_OWNER)) == 0 &&
	       head->n_descsz >= sizeof(struct weir_note);
}

/* Looks through the notes of one segment. */
static bool find_note(const uint8_t *bytes, uint64_t size, uint64_t alignment,
		      struct weir_note *note)
{
	uint64_t at = 0;

	while (at < size && size - at >= sizeof(ElfW(Nhdr))) {
		uint64_t owner = at + sizeof(ElfW(Nhdr));
		ElfW(Nhdr) head;
		uint64_t desc;

		memcpy(&head, bytes + at, sizeof(head));
		desc = align_up(owner + head.n_namesz, alignment);
		if (desc > size || head.n_descsz > size - desc)
			return false;
		if (is_ours(&head, bytes + owner)) {
			memcpy(note, bytes + desc, sizeof(*note));
			return true;
		}
		at = align_up(desc + head.n_descsz, alignment);
	}
	return false;
}

/* 1: found, 0: not here, or a negative errno. */
static int search_segment(const struct elf_file *file, const ElfW(Phdr) * segment,
			  struct weir_note *note)
{
	uint8_t *bytes;
	int err;

	if (segment->p_filesz > SEGMENT_MAX)
		return refuse(file, "its notes are too large (%ju bytes)",
			      (uintmax_t)segment->p_filesz);
	bytes = malloc(segment->p_filesz + 1);
	if (!bytes)
		return refuse(file, "%s", strerror(ENOMEM));
	err = read_at(file, bytes, segment->p_filesz, segment->p_offset);
	if (err == 0)
		err = find_note(bytes, segment->p_filesz, segment->p_align == 8 ? 8 : 4, note);
	free(bytes);
	return err;
}

static int search(const struct elf_file *file, const ElfW(Ehdr) * header, struct weir_note *note)
{
	for (uint16_t i = 0; i < header->e_phnum; i++) {
		ElfW(Phdr) segment = { 0 };
		int err = read_at(file, &segment, sizeof(segment),
				  header->e_phoff + (uint64_t)i * sizeof(segment));

		if (err == 0 && segment.p_type == PT_NOTE)
			err = search_segment(file, &segment, note);
		if (err != 0)
			return err;
	}
	return 0;
}

int elf_note_read(int fd, struct weir_note *note, char *why, size_t why_size)
{
	struct elf_file file;
	ElfW(Ehdr) header;
	struct stat st;
	int err;

	file.fd = fd;
	file.why = why;
	file.why_size = why_size;
	if (fstat(fd, &st) < 0)
		return refuse(&file, "cannot be read: %s", strerror(errno));
	file.size = (uint64_t)st.st_size;
	if (file.size < sizeof(header))
		return refuse(&file, "not an ELF file; a plugin is a shared library (.so)");
	err = read_at(&file, &header, sizeof(header), 0);
	if (err == 0)
		err = check_machine(&file, &header);
	if (err == 0)
		err = search(&file, &header, note);
	if (err < 0)
		return err;
	if (err == 0)
		return refuse(&file, "not a weir plugin: it has no weir note; a plugin is made by "
				     "WEIR_COMPONENT() of <weir/plugin.h>");
	if (note->magic != WEIR_NOTE_MAGIC || !memchr(note->name, '\0', sizeof(note->name)))
		return refuse(&file, "its weir note is damaged; build it again");
	return 0;
}
