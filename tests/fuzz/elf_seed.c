/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled to the first input of fuzz_elf: functions of both bindings, and data, which is none. */
int elf_seed_data = 1;
int elf_seed_inner(int value);
int elf_seed_outer(int value);

static __attribute__((noinline)) int elf_seed_local(int value)
{
	return value * elf_seed_data;
}

__attribute__((weak)) int elf_seed_inner(int value)
{
	return elf_seed_local(value) + 1;
}

int elf_seed_outer(int value)
{
	return elf_seed_inner(value) + elf_seed_local(value);
}
