/* SPDX-License-Identifier: BSD-2-Clause */
/* For loads whose next step must wait until another thread sleeps, however busy the machine is. */
#ifndef THREAD_STATE_H
#define THREAD_STATE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 'S' if that thread of this process sleeps; 0: it has ended. */
static inline char thread_state(int tid)
{
	char path[64], text[256] = { 0 };
	const char *name_end = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(text, sizeof(text), file))
		name_end = strrchr(text, ')');
	fclose(file);
	return name_end ? name_end[2] : 0;
}

static inline void until_asleep(int tid)
{
	char state = thread_state(tid);

	for (; state && state != 'S'; state = thread_state(tid))
		usleep(1000);
}

#endif
