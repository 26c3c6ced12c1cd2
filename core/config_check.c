/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks at a text before libyaml does, so that what no editor shows is named with its place, and
 * so that libyaml and diag.c agree on what a line is.
 */
#include "config_check.h"

#include <string.h>

#include "utf8.h"

static const char *complaint(uint32_t code, bool crlf)
{
	if (code == '\t' || code == '\n' || (code == '\r' && crlf))
		return NULL;
	if (code == 0)
		return "a NUL byte: this is not a text file";
	if (code == '\r')
		return "a carriage return without a line feed";
	if (code == 0x85 || code == 0x2028 || code == 0x2029)
		return "a line separator that most editors do not show: end the line by a line "
		       "feed";
	if (code == 0xfeff)
		return "a byte order mark: save the file as UTF-8 without it";
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff)
		return "a control character: write it as an escape in double quotes";
	return NULL;
}

int config_check(const struct diag_text *text, struct diag *diag)
{
	struct place place = { text, 1, 1, 1 };
	size_t at = 0;

	while (at < text->size) {
		const char *bytes = text->bytes + at;
		uint32_t code = 0;
		size_t length = weir_utf8_next(bytes, text->size - at, &code);
		const char *why = length ? complaint(code, bytes[1] == '\n') : "not valid UTF-8";

		if (why)
			return diag_error(diag, &place, "%s", why);
		place.column++;
		if (code == '\n') {
			place.line++;
			place.column = 1;
		}
		at += length;
	}
	return 0;
}
