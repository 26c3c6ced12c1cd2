/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice by run time and by what went wrong; see jit_advice.h. */
#include "jit_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JIT_PROCESSES_SAID = 5 };

/* What makes a run time tell of its code, by the start of the process's name. */
static const struct {
	const char *comm;
	const char *cure;
} jit_cures[] = {
	{ "java", "start it with -XX:+PreserveFramePointer, then: jcmd PID Compiler.perfmap" },
	{ "node", "start it with --perf-basic-prof (and --interpreted-frames-native-stack to tell "
		  "interpreted functions apart)" },
	{ "MainThread", "start it with --perf-basic-prof, if it is node" },
	{ "python", "start it with -X perf, from Python 3.12 on, one that was built with frame "
		    "pointers (-fno-omit-frame-pointer)" },
	{ "dotnet", "start it with DOTNET_PerfMapEnabled=1 in its environment" },
	{ "ruby", "start it with --yjit-perf" },
	{ "php", "start it with opcache.jit_debug=0x10" },
};

static const char *jit_cure(const char *comm)
{
	for (size_t i = 0; i < sizeof(jit_cures) / sizeof(jit_cures[0]); i++)
		if (strncmp(comm, jit_cures[i].comm, strlen(jit_cures[i].comm)) == 0)
			return jit_cures[i].cure;
	return "let its run time write a perf map (/tmp/perf-PID.map) or a jitdump";
}

static const char *jit_reason(const struct jit_process *process)
{
	switch (process->trouble) {
	case JIT_NONE:
		return "what it has told names other code";
	case JIT_NO_FILE:
		return "it has told nothing of it";
	case JIT_STRANGER:
		return "its map belongs to somebody else, or is a link";
	case JIT_STALE:
		return "the map that is there is older than the process";
	case JIT_ELSEWHERE:
		return "its map or dump is on the machine that recorded: --jit-dir names a folder "
		       "with a copy";
	case JIT_BROKEN:
		break;
	}
	return "its map cannot be read";
}

/* Parts of the file that could not be used, whatever was named by the rest. */
static bool jit_advise_file(const struct jit_process *process, char *out, size_t size)
{
	if (process->map.full || process->dump.full)
		snprintf(out, size,
			 "%s (pid %u) tells of more code than is kept: names are missing",
			 process->comm, process->pid);
	else if (process->dump.bad)
		snprintf(out, size, "%s: no record at byte %" PRIu64 ": the rest is not read",
			 process->dump_path, process->dump.offset);
	else if (process->map.bad_lines)
		snprintf(out, size,
			 "the perf map of %s (pid %u) has %" PRIu64
			 " lines that are no START SIZE NAME",
			 process->comm, process->pid, process->map.bad_lines);
	else
		return false;
	return true;
}

bool jit_advise(const struct jit_process *process, uint64_t frames_of_all, char *out, size_t size)
{
	uint64_t frames = process->named + process->nameless;

	if (!process->nameless)
		return jit_advise_file(process, out, size);
	snprintf(out, size,
		 "%.0f %% of %" PRIu64 " frames of code that %s (pid %u) made have no names: %s; "
		 "%s (%.1f %% of all user frames)",
		 100.0 * (double)process->nameless / (double)frames, frames, process->comm,
		 process->pid, jit_reason(process), jit_cure(process->comm),
		 frames_of_all ? 100.0 * (double)process->nameless / (double)frames_of_all : 100.0);
	return true;
}

static int jit_compare_nameless(const void *a, const void *b)
{
	const struct jit_process *one = *(struct jit_process *const *)a;
	const struct jit_process *other = *(struct jit_process *const *)b;

	return one->nameless < other->nameless ? 1 : -(one->nameless > other->nameless);
}

void jit_processes_say(struct weir_ctx *ctx, struct jit_process **processes, uint32_t count,
		       uint64_t frames)
{
	uint32_t nameless = 0;

	if (count)
		qsort(processes, count, sizeof(struct jit_process *), jit_compare_nameless);
	while (nameless < count && processes[nameless]->nameless)
		nameless++;
	for (uint32_t i = 0; i < count; i++) {
		const struct jit_process *process = processes[i];
		char text[512];

		if (i < nameless && i >= JIT_PROCESSES_SAID)
			continue;
		if (jit_advise(process, frames, text, sizeof(text)))
			weir_log(ctx, WEIR_LOG_WARNING, "%s", text);
	}
	if (nameless > JIT_PROCESSES_SAID)
		weir_log(ctx, WEIR_LOG_WARNING, "code without names in %u further processes",
			 nameless - JIT_PROCESSES_SAID);
}
