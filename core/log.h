/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines on stderr. One write each, so that lines of different threads never mix. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include <stdarg.h>
#include <stddef.h>

#include <weir/abi.h>

/* "weir: WHO: text", or "weir: text" when `who` is NULL. Control characters are shown escaped. */
void WEIR_PRINTF(2, 3) log_line(const char *who, const char *format, ...);
void WEIR_PRINTF(2, 0) log_vline(const char *who, const char *format, va_list args);

/* Copies a text so that a terminal may show it: control characters as \n, \t, \xHH. */
size_t log_escape(const char *text, char *out, size_t size);

#endif
