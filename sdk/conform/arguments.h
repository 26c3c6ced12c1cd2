/* SPDX-License-Identifier: BSD-2-Clause */
/* What the user of weir-conform asks for. */
#ifndef CONFORM_ARGUMENTS_H
#define CONFORM_ARGUMENTS_H

#include "conform.h"

#define SETTINGS_MAX 32
#define FOLDERS_MAX  8

struct arguments {
	const char *folders[FOLDERS_MAX];
	struct setting settings[SETTINGS_MAX];
	uint32_t folder_count;
	uint32_t setting_count;
	uint32_t patience_s;
	const char *only;
	int files; /* where they begin in argv */
};

/* Tells how it is called; returns the exit status. */
int arguments_usage(void);
bool arguments_read(int argc, char **argv, struct arguments *arguments);

#endif
