/* SPDX-License-Identifier: BSD-2-Clause */
/* How a file was opened, as text. */
#ifndef OPEN_TEXT_H
#define OPEN_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Room for all flags. */
#define OPEN_FLAGS_MAX 512

/* Writes O_WRONLY|O_CREAT, and RESOLVE_ flags behind them. Returns the length. */
size_t open_flags_write(char *text, size_t size, uint32_t flags, uint32_t resolve);

#endif
