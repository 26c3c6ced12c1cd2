/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts from strangers as JSON: one character at a time, so that whoever writes keeps its own buffer. */
#ifndef WEIR_JSON_TEXT_H
#define WEIR_JSON_TEXT_H

#include <stdio.h>
#include <string.h>

#include "utf8.h"

#define WEIR_JSON_MAX 8

/*
 * The character at the start of `size` > 0 bytes as it stands within quotes: returns how many bytes
 * of `out` that are; *taken tells how many bytes it stood in. What is no UTF-8 becomes U+FFFD.
 */
static inline size_t weir_json_next(const char *text, size_t size, char out[WEIR_JSON_MAX],
				    size_t *taken)
{
	uint32_t code = 0xfffd;
	size_t bytes = weir_utf8_next(text, size, &code);

	*taken = bytes ? bytes : 1;
	if (bytes && code >= 0x20 && code != '"' && code != '\\' &&
	    !(code >= 0x7f && code < 0xa0)) {
		memcpy(out, text, bytes);
		return bytes;
	}
	if (code == '"' || code == '\\' || code == '\n' || code == '\t') {
		out[0] = '\\';
		out[1] = *text;
		if (code == '\n')
			out[1] = 'n';
		if (code == '\t')
			out[1] = 't';
		return 2;
	}
	return (size_t)snprintf(out, WEIR_JSON_MAX, "\\u%04x", bytes ? code : 0xfffdu);
}

#endif
