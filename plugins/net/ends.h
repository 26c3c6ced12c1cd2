/* SPDX-License-Identifier: BSD-2-Clause */
/* User side: the columns that say between whom a connection is, and the options that choose. */
#ifndef ENDS_H
#define ENDS_H

#include <weir/plugin.h>

#include "ends_event.h"

/* A member `ends` of the source's struct of options. */
struct ends_conf {
	struct weir_texts lport;
	struct weir_texts rport;
	uint32_t family; /* position in ENDS_FAMILIES */
};

#define ENDS_FAMILIES "all ipv4 ipv6"

#define ENDS_OPTION(type_, member_, kind_, default_, choices_, doc_)                               \
	{                                                                                          \
#member_, doc_, default_, choices_, NULL, kind_,                                   \
			(uint32_t)offsetof(type_, ends.member_),                                   \
			(uint32_t)sizeof(((type_ *)0)->ends.member_), 0, 0, 0                      \
	}
#define ENDS_OPTIONS(type_)                                                                        \
	ENDS_OPTION(type_, lport, WEIR_OPTION_TEXTS, "", NULL, "only these local ports"),          \
		ENDS_OPTION(type_, rport, WEIR_OPTION_TEXTS, "", NULL, "only these remote ports"), \
		ENDS_OPTION(type_, family, WEIR_OPTION_CHOICE, "all", ENDS_FAMILIES,               \
			    "only IPv4 or only IPv6")

/* A member `ends` of a row. */
struct ends_columns {
	struct weir_text laddr;
	struct weir_text raddr;
	uint32_t netns;
	uint16_t lport;
	uint16_t rport;
};

#define ENDS_COLUMN(type_, member_, kind_, flags_, doc_)                                           \
	{                                                                                          \
#member_, doc_, WEIR_NONE, kind_, WEIR_KEY,                                        \
			(uint32_t)offsetof(type_, ends.member_),                                   \
			(uint32_t)sizeof(((type_ *)0)->ends.member_), flags_, 0, NULL, NULL        \
	}
#define ENDS_COLUMNS(type_)                                                                        \
	ENDS_COLUMN(type_, laddr, WEIR_TYPE_TEXT, 0, "address of this side"),                      \
		ENDS_COLUMN(type_, lport, WEIR_TYPE_UINT, 0, "port of this side"),                 \
		ENDS_COLUMN(type_, raddr, WEIR_TYPE_TEXT, 0, "address of the other side"),         \
		ENDS_COLUMN(type_, rport, WEIR_TYPE_UINT, 0, "port of the other side"),            \
		ENDS_COLUMN(type_, netns, WEIR_TYPE_UINT, WEIR_QUIET,                              \
			    "network namespace, by its inode")

/* Fills the program's filter from the options. 0 or a negative errno, having said why. */
int ends_filter_set(struct weir_ctx *ctx, const struct ends_conf *conf, struct ends_filter *filter);

/* Fills the columns; the addresses go into the batch's arena. 0 or -ENOMEM. */
int ends_columns_fill(struct weir_ctx *ctx, struct weir_batch *batch, const struct ends *ends,
		      struct ends_columns *columns);

/* The kernel's name of a state without its TCP_; "" for a number that is none. */
const char *ends_state(uint32_t state);

#endif
