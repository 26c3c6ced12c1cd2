/* SPDX-License-Identifier: BSD-2-Clause */
/* What diag.c keeps and diag_print.c shows. For those two only. */
#ifndef CORE_DIAG_LIST_H
#define CORE_DIAG_LIST_H

#include "diag.h"

struct diag_item {
	struct place place;
	char *message;
	uint32_t rank;  /* of the place's text, in the order the texts were added */
	uint32_t order; /* of reporting */
};

struct diag {
	struct diag_text *texts;
	struct diag_item items[DIAG_KEPT_MAX];
	uint32_t kept;
	uint32_t count;
};

#endif
