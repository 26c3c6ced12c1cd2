/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an ELF file with debug information: no crash, no hang, and whatever address is asked
 * for, the frames end with one that is inlined nowhere.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf_module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_ADDRESSES = 16, FUZZ_STEP = 7 };

static void ask(struct dwarf_module *module, uint64_t start)
{
	const struct weir_dwarf_frame *frames;
	uint32_t count;

	for (uint64_t i = 0; i < FUZZ_ADDRESSES; i++)
		if (dwarf_module_find(module, start + i * FUZZ_STEP, &frames, &count) == 0 &&
		    frames[count - 1].flags & WEIR_DWARF_INLINED)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_module module = { .main.fd = -1, .alternate.fd = -1 };
	struct weir_dwarf_file file = { .size = sizeof(file),
					.fd = memfd_create("fuzz", MFD_CLOEXEC),
					.path = "/nowhere/fuzz" };
	int root = open("/proc/self/fdinfo", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (file.fd >= 0 && root >= 0 && write(file.fd, data, size) == (ssize_t)size &&
	    dwarf_module_open(&module, root, NULL, &file) == 0)
		for (uint32_t i = 0; i < module.ranges.count && i < FUZZ_ADDRESSES; i++)
			ask(&module, module.ranges.items[i].start);
	dwarf_module_clear(&module);
	close(root);
	close(file.fd);
	return 0;
}
