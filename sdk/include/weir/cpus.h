/* SPDX-License-Identifier: BSD-2-Clause */
/* How many CPUs a table that has a place for each needs. */
#ifndef WEIR_CPUS_H
#define WEIR_CPUS_H

#include <stdio.h>

#include "file.h"
#include "host.h"

/*
 * How many CPUs this kernel may ever number: the file ends with the last one, as "0-3". 0, or a
 * negative errno after having said why.
 */
static inline int weir_possible_cpus(struct weir_ctx *ctx, uint32_t *count)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	int err = weir_read_file(ctx, "sys/devices/system/cpu/possible", &buffer);
	const char *last = err || !buffer.bytes ? "" : buffer.bytes;

	for (const char *at = last; *at; at++)
		if (*at == '-' || *at == ',')
			last = at + 1;
	if (!err && sscanf(last, "%u", count) != 1)
		err = -EBADMSG;
	++*count;
	weir_buffer_release(&buffer);
	return err ? weir_fail(ctx, err, "read /sys/devices/system/cpu/possible") : 0;
}

#endif
