/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: recordings of perf. See file_run.c for what is promised. */
#include "file_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	file_run(&file_perf_data, data, size);
	return 0;
}
