/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was opened, and how, as text. Paths are those of the task: from its root on. What is not
 * plain is told in round brackets: (cut)/end/of/path, (unreachable)/outside/its/root,
 * /name/removed (deleted).
 */
#ifndef OPEN_TEXT_H
#define OPEN_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "open_event.h"

/* Room for any path or list of flags, its NUL included. */
#define OPEN_TEXT_MAX (OPEN_PATH_MAX + OPEN_NAME_MAX + 64)

/*
 * Writes the path of an event, behind which its names lie; "": not known. Returns its length, and
 * never writes more than OPEN_TEXT_MAX bytes.
 */
size_t open_path_write(char *text, const struct open_event *event);

/* Writes O_WRONLY|O_CREAT, and RESOLVE_ flags behind them. Returns the length. */
size_t open_flags_write(char *text, size_t size, uint32_t flags, uint32_t resolve);

/* The name that was asked for, or "". */
const char *open_name(const struct open_event *event, size_t *length);

#endif
