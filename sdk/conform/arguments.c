/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of weir-conform. */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int arguments_usage(void)
{
	fputs("usage: weir-conform [--plugin-path DIR]... [--set OPTION=VALUE]... [--patience "
	      "SECONDS] "
	      "PLUGIN.so...\n",
	      stderr);
	return 2;
}

static bool add_setting(struct arguments *arguments, char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || arguments->setting_count == SETTINGS_MAX)
		return false;
	*equals = '\0';
	arguments->settings[arguments->setting_count++] = (struct setting){ text, equals + 1 };
	return true;
}

static bool set_patience(struct arguments *arguments, const char *text)
{
	char *end;
	unsigned long seconds = strtoul(text, &end, 10);

	arguments->patience_s = (uint32_t)seconds;
	return end != text && !*end && seconds > 0 && seconds <= 3600;
}

bool arguments_read(int argc, char **argv, struct arguments *arguments)
{
	int i = 1;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--set") == 0 && add_setting(arguments, argv[i + 1]))
			continue;
		if (strcmp(argv[i], "--patience") == 0 && set_patience(arguments, argv[i + 1]))
			continue;
		if (strcmp(argv[i], "--only") == 0) {
			arguments->only = argv[i + 1];
			continue;
		}
		if (strcmp(argv[i], "--plugin-path") != 0 || arguments->folder_count == FOLDERS_MAX)
			return false;
		arguments->folders[arguments->folder_count++] = argv[i + 1];
	}
	arguments->files = i;
	return i < argc && argv[i][0] != '-';
}
