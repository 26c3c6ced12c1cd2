/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/kallsyms: the kernel's functions, those of its modules and BPF programs included. */
#ifndef FLAME_KALLSYMS_H
#define FLAME_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols.h"

/* All zero is an empty table. */
struct kallsyms {
	struct symbols symbols;
	uint16_t *modules;   /* per symbol: place in module_names, 0: the kernel itself */
	char **module_names; /* "[ext4]"; item 0 is "[kernel]" */
	uint32_t module_count;
	bool hidden; /* the kernel shows all addresses as zero: kptr_restrict */
};

/* Reads it from a root directory. 0 or a negative errno; then the table is empty. */
int kallsyms_read(struct kallsyms *kallsyms, int root);
void kallsyms_clear(struct kallsyms *kallsyms);

/* The function at an address, or NULL; *object is then its module, else "[kernel]". */
const struct symbol *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address,
				   const char **object);

#endif
