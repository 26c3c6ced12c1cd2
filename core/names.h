/* SPDX-License-Identifier: BSD-2-Clause */
/* Name tables: 32-bit ids for texts that come again and again. Contract: weir_host's names_ calls. */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct weir_names;

struct weir_names *names_new(void);
struct weir_names *names_hold(struct weir_names *names); /* one more reference; NULL is allowed */
void names_release(struct weir_names *names);
uint32_t names_intern(struct weir_names *names, const char *text, size_t length);
const char *names_text(const struct weir_names *names, uint32_t id, uint32_t *length);
size_t names_bytes(const struct weir_names *names);

#endif
