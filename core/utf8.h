/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 in what people wrote: what must not be shown as it is. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <weir/utf8.h>

/* True for characters that steer a terminal or cannot be seen, so that they must be escaped. */
static inline bool utf8_hidden(uint32_t code)
{
	return weir_utf8_steers(code) || (code >= 0x200b && code <= 0x200d) ||
	       (code >= 0x2060 && code <= 0x2065) || code == 0xfffe || code == 0xffff;
}

#endif
