/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the provider dwarf knows of addresses of a file, printed as `addr2line -a -f -i` does, for
 * comparison. Usage: dwarf_lines FILE [ROOT] <ADDRESSES, one a line, hexadecimal; debug files are looked
 * for below ROOT
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dwarf_module.h"

static void print_frames(struct dwarf_module *module, uint64_t address)
{
	const struct weir_dwarf_frame *frames;
	uint32_t count = 0, i;
	int err = dwarf_module_find(module, address, &frames, &count);

	printf("0x%016" PRIx64 "\n", address);
	if (err)
		puts("??\n??:0");
	for (i = 0; !err && i < count; i++) {
		const char *name = frames[i].linkage ? frames[i].linkage : frames[i].name;

		printf("%s\n%s:", name ? name : "??", frames[i].source ? frames[i].source : "??");
		if (frames[i].line)
			printf("%" PRIu32 "\n", frames[i].line);
		else
			puts(frames[i].source ? "?" : "0");
	}
}

static int run(const char *path, const char *below)
{
	int root = open(below, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct weir_dwarf_file file = { .size = sizeof(file), .fd = fd, .path = path };
	struct dwarf_module module = { .main.fd = -1, .alternate.fd = -1 };
	uint64_t address;
	int err = fd < 0 ? -errno : dwarf_module_open(&module, root, NULL, &file);

	if (err)
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
	while (!err && scanf("%" SCNx64, &address) == 1)
		print_frames(&module, address);
	dwarf_module_clear(&module);
	if (fd >= 0)
		close(fd);
	close(root);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: %s FILE [ROOT] <ADDRESSES\n", argv[0]);
		return 2;
	}
	return run(argv[1], argc == 3 ? argv[2] : "/");
}
