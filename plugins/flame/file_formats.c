/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that flame.file reads, in the order in which they are asked: the surest marks first. */
#include "file_reader.h"

static const struct file_reader *const file_readers[] = {
	&file_perf_data, &file_pprof_legacy, &file_script, &file_pprof, &file_folded,
};

const struct file_reader *file_reader_at(size_t i)
{
	return i < sizeof(file_readers) / sizeof(file_readers[0]) ? file_readers[i] : NULL;
}

const struct file_reader *file_reader_find(const uint8_t *bytes, size_t count)
{
	const struct file_reader *reader;

	for (size_t i = 0; (reader = file_reader_at(i)); i++)
		if (reader->recognise(bytes, count))
			return reader;
	return NULL;
}
