/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for what numbers of the ABI mean, as commands print them. */
#ifndef CORE_CMD_WORDS_H
#define CORE_CMD_WORDS_H

#include <weir/host.h>

static inline const char *cmd_kind(uint32_t kind)
{
	static const char *const words[] = { "", "source", "transform", "sink", "provider" };

	return kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "unknown";
}

static inline const char *cmd_need_state(uint32_t state)
{
	static const char *const words[] = { "", "ok", "limited", "missing" };

	return state < sizeof(words) / sizeof(words[0]) ? words[state] : "unknown";
}

#endif
