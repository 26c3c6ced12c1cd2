/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an ELF file with tables of call frames, its last kilobyte as registers and stack of a
 * thread that runs in it: no crash, no hang, and the walk keeps what it promises of its frames.
 */
#include <elf.h>

#include "unwind_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_STATE = 1024, FUZZ_FRAMES = 64, FUZZ_FUNCTIONS = 16, FUZZ_REGISTERS = 33 };

/* All addresses are of the one file, as if it were mapped at 0. */
static int fuzz_mapping(struct weir_ctx *self, uint32_t pid, uint64_t time, uint64_t address,
			struct weir_mapping *mapping)
{
	(void)self;
	(void)pid;
	(void)time;
	(void)address;
	mapping->id = 1;
	mapping->end = UINT64_MAX;
	mapping->path = "/fuzz";
	mapping->executable = 1;
	return 0;
}

static void fuzz_walk(struct unwind_walker *walker, uint64_t pc, const uint8_t *state, size_t size)
{
	static const uint32_t machines[] = { EM_X86_64, EM_AARCH64 };
	uint64_t registers[FUZZ_REGISTERS] = { 0 };
	struct weir_unwind_frame frames[FUZZ_FRAMES] = { { 0 } };

	memcpy(registers, state, size < sizeof(registers) ? size : sizeof(registers));
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t pc_at = i ? 32 : 8, sp_at = i ? 31 : 7;
		struct weir_unwind_stack stack = { .size = sizeof(stack),
						   .machine = machines[i],
						   .mask = (UINT64_C(1) << FUZZ_REGISTERS) - 1,
						   .registers = registers,
						   .bytes = state,
						   .byte_count = size,
						   .frames = frames,
						   .most = FUZZ_FRAMES };

		registers[pc_at] = pc;
		registers[sp_at] &= 0xfff8;
		if (unwind_walk(walker, -1, &stack))
			continue;
		if (!stack.count || stack.count > FUZZ_FRAMES || frames[0].address != pc)
			__builtin_trap();
	}
}

static void fuzz_file(struct unwind_walker *walker, const struct unwind_cfi *cfi,
		      const uint8_t *state, size_t size)
{
	uint32_t count = unwind_cfi_count(cfi);
	struct unwind_function function;

	for (uint32_t nth = 0; nth < count && nth < FUZZ_FUNCTIONS; nth++)
		if (unwind_cfi_nth(cfi, nth, &function) == 0) {
			fuzz_walk(walker, function.start, state, size);
			fuzz_walk(walker, function.end - 1, state, size);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct weir_process_v1 process = { .size = sizeof(process),
							.mapping = fuzz_mapping };
	struct elf_source source = { -1, data, size };
	size_t state = size < FUZZ_STATE ? size : FUZZ_STATE;
	struct unwind_walker walker = { .process = { &process, NULL } };
	struct unwind_module module = { .state = UNWIND_READ, .file_offsets = true };
	struct unwind_module *modules[1] = { &module };
	struct elf elf;

	if (elf_open(&elf, &source))
		return 0;
	module.segments = elf.segments;
	module.segment_count = elf.segment_count;
	walker.modules = (struct unwind_modules){ .items = modules, .count = 1, .capacity = 1 };
	if (intmap_add(&walker.modules.ids, 1, 0, 1) == 0) {
		unwind_cfi_read(&module.exceptions, &elf, false);
		unwind_cfi_read(&module.debug, &elf, true);
		fuzz_file(&walker, &module.exceptions, data + size - state, state);
		fuzz_file(&walker, &module.debug, data + size - state, state);
	}
	unwind_cfi_clear(&module.exceptions);
	unwind_cfi_clear(&module.debug);
	walker.modules.items = NULL;
	walker.modules.count = 0;
	unwind_modules_clear(&walker.modules);
	elf_clear(&elf);
	return 0;
}
