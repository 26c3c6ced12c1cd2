/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that debug information lies in, found, proven and opened; see dwarf_module.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "dwarf_module.h"

/* libdw reads all of a file's debug information into memory. */
#define DWARF_BYTES_MAX (UINT64_C(2) << 30)

static bool parts_has_dwarf(const struct elf *elf)
{
	return elf_section_named(elf, ".debug_info") || elf_section_named(elf, ".zdebug_info");
}

/* Bytes of a section in memory. */
static uint64_t parts_section_bytes(Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Chdr packed;

	if (header->sh_flags & SHF_COMPRESSED && gelf_getchdr(section, &packed))
		return packed.ch_size;
	return header->sh_size;
}

/* Bytes of all debug information, unpacked. */
static uint64_t parts_bytes(Elf *elf)
{
	Elf_Scn *section = NULL;
	uint64_t bytes = 0, more;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (!name || (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8)))
			continue;
		more = parts_section_bytes(section, &header);
		bytes = more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
	}
	return bytes;
}

/* libdw trusts sections of text to be closed by NUL. Asked once they are unpacked. */
static bool parts_texts_end(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		const Elf_Data *data;

		if (!name || strstr(name, "_offsets") ||
		    (!strstr(name, "debug_str") && !strstr(name, "debug_line_str")))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || !data->d_size)
			continue; /* a section without bits in this file is none to libdw either */
		if (((const char *)data->d_buf)[data->d_size - 1])
			return false;
	}
	return true;
}

/* Takes over the fd. 0, -EFBIG, or -EBADMSG. */
static int parts_begin(struct dwarf_module *module, struct dwarf_part *part, int fd)
{
	uint64_t bytes;

	part->fd = fd;
	part->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!part->elf || elf_kind(part->elf) != ELF_K_ELF)
		return -EBADMSG;
	bytes = parts_bytes(part->elf);
	if (bytes > DWARF_BYTES_MAX)
		return -EFBIG;
	module->steps += bytes;
	part->dwarf = dwarf_begin_elf(part->elf, DWARF_C_READ, NULL);
	return part->dwarf && parts_texts_end(part->elf) ? 0 : -EBADMSG;
}

/* What dwz has taken out of several files. Where it is not set, libdw would look for it itself. */
static int parts_alternate(struct dwarf_module *module, struct object_place *place)
{
	const char *name;
	const void *id;
	struct elf elf;
	ssize_t id_size = dwelf_dwarf_gnu_debugaltlink(module->main.dwarf, &name, &id);
	int fd, err;

	if (id_size <= 0)
		return 0;
	if (id_size > WEIR_BUILD_ID_MAX)
		return -EBADMSG;
	place->path = name;
	fd = object_debug_open_id(place, id, (uint32_t)id_size, parts_has_dwarf, &elf);
	if (fd < 0)
		return -ENOLINK;
	elf_clear(&elf);
	err = parts_begin(module, &module->alternate, fd);
	if (!err)
		dwarf_setalt(module->main.dwarf, module->alternate.dwarf);
	return err;
}

/* An fd on the file that has the debug information, or a negative errno. */
static int parts_find(const struct object_place *place, int fd)
{
	struct elf_source source = { fd, NULL, 0 };
	struct elf elf, found;
	struct stat status;
	int own, err;

	if (fstat(fd, &status))
		return -errno;
	source.size = (uint64_t)status.st_size;
	err = elf_open(&elf, &source);
	if (err)
		return err;
	if (parts_has_dwarf(&elf)) {
		own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		own = own < 0 ? -errno : own;
	} else {
		own = object_debug_open(place, &elf, parts_has_dwarf, &found);
		if (own >= 0)
			elf_clear(&found);
	}
	elf_clear(&elf);
	return own;
}

int dwarf_parts_open(struct dwarf_module *module, int root, const struct weir_service *store,
		     const struct weir_dwarf_file *file)
{
	struct object_place place = { root, file->pid, file->path, store };
	int fd, err;

	module->main.fd = module->alternate.fd = -1;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -EBADMSG;
	fd = parts_find(&place, file->fd);
	if (fd < 0)
		return fd;
	err = parts_begin(module, &module->main, fd);
	return err ? err : parts_alternate(module, &place);
}
