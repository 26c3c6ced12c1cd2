/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: folded stacks. See file_run.c for what is promised. */
#include "file_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	file_run(&file_folded, data, size);
	return 0;
}
