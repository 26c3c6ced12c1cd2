/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: pprof profiles. See file_run.c for what is promised. */
#include "file_run.h"

#include "pprof_legacy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	file_run(legacy_recognise(data, size) ? &file_pprof_legacy : &file_pprof, data, size);
	return 0;
}
