/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data: code that was made at run time; see perf_data_jit.h. */
#include "perf_data_jit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit_advice.h"
#include "object_open.h"
#include "perf_data.h"

enum {
	JIT_FRAMES_MAX = 1 << 16,
	JIT_PROCESSES_MAX = 1 << 16,
};

static struct jit_process *jit_add_process(struct perf_data_jit *jit, uint32_t pid)
{
	struct jit_process **processes =
		reallocarray(jit->processes, jit->count + 1, sizeof(struct jit_process *));
	struct jit_process *process;

	if (!processes)
		return NULL;
	jit->processes = processes;
	process = calloc(1, sizeof(*process));
	if (!process || intmap_add(&jit->pids, pid, 0, jit->count + 1)) {
		free(process);
		return NULL;
	}
	process->pid = pid;
	jit->processes[jit->count++] = process;
	return process;
}

static struct jit_process *jit_process_of(struct perf_data_jit *jit, uint32_t pid)
{
	uint32_t place = intmap_get(&jit->pids, pid, 0);

	return place ? jit->processes[place - 1] : jit_add_process(jit, pid);
}

int perf_data_jit_see(struct perf_data *data, uint32_t pid, const char *path, uint64_t inode)
{
	const char *file = strrchr(path, '/');
	struct jit_process *process;

	if (!file || strncmp(file, "/jit-", 5) != 0 || data->jit.count >= JIT_PROCESSES_MAX)
		return 0;
	process = jit_process_of(&data->jit, pid);
	if (!process)
		return -ENOMEM;
	jit_process_see_dump(process, path, inode);
	return 0;
}

/* Reads both kinds out of the folder; they belong to whoever it belongs to. 0 or -ENOMEM. */
static int jit_read_folder(struct jit_process *process, int folder)
{
	const char *slash = strrchr(process->dump_path, '/');
	char name[JIT_PATH + 16];
	struct stat status;
	int err;

	process->owner_known = fstat(folder, &status) == 0;
	process->owner = status.st_uid;
	if (slash)
		snprintf(name, sizeof(name), "%s", slash);
	else
		snprintf(name, sizeof(name), "/jit-%u.dump", process->pid);
	err = jit_process_take_dump(
		process,
		jit_process_believe(process, object_open_below(folder, name, O_NOFOLLOW), 0));
	if (err || process->dump.codes.count)
		return err;
	snprintf(name, sizeof(name), "/perf-%u.map", process->pid);
	return jit_process_take_map(
		process,
		jit_process_believe(process, object_open_below(folder, name, O_NOFOLLOW), 0));
}

/* Reads them from where they were written, on the machine that recorded. 0 or -ENOMEM. */
static int jit_read_here(struct perf_data *data, struct jit_process *process)
{
	int root = data->ctx->root, err = 0;
	char name[64];

	if (process->dump_path[0])
		err = jit_process_take_dump(
			process,
			jit_process_believe(process,
					    object_open_below(root, process->dump_path, O_NOFOLLOW),
					    process->dump_inode));
	if (err || process->dump.codes.count)
		return err;
	snprintf(name, sizeof(name), "/tmp/perf-%u.map", process->pid);
	return jit_process_take_map(
		process,
		jit_process_believe(process, object_open_below(root, name, O_NOFOLLOW), 0));
}

static int jit_read(struct perf_data *data, struct jit_process *process)
{
	uint32_t comm = perf_data_comm_of(&data->processes, process->pid);
	const char *path = data->file->conf->jit_dir;
	int folder, err;

	process->looked = true;
	snprintf(process->comm, sizeof(process->comm), "%s", perf_data_text(data, comm));
	if (path[0]) {
		folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (folder < 0) {
			process->trouble = JIT_NO_FILE;
			return 0;
		}
		err = jit_read_folder(process, folder);
		close(folder);
		return err;
	}
	if (perf_data_is_from_here(data))
		return jit_read_here(data, process);
	process->trouble = JIT_ELSEWHERE;
	return 0;
}

/* Times of a dump are of CLOCK_MONOTONIC: without them the youngest code at an address has it. */
static uint64_t jit_time(struct perf_data *data, const struct jit_process *process, uint64_t time)
{
	struct perf_data_jit *jit = &data->jit;

	if (!jit->other_clock || !process->dump.codes.count || process->dump.untimed)
		return time;
	if (!jit->clock_said)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: its times are not those of jitdumps: where code was made anew at an "
			 "address, the latest name is shown; record with: perf record -k mono",
			 data->file->input.path);
	jit->clock_said = true;
	return UINT64_MAX;
}

/* A frame of that code. Its number; 0: no memory. */
static uint32_t jit_named(struct perf_data *data, const struct perf_data_made *made,
			  const struct jit_code *code, const char *name)
{
	struct file_profile *profile = &data->file->profile;
	struct weir_frame frame = *file_frames_at(&profile->frames, made->number);

	frame.flags |= WEIR_FRAME_JIT;
	frame.symbol = file_name(profile, name, strlen(name));
	frame.object = file_name(profile, JIT_OBJECT, sizeof(JIT_OBJECT) - 1);
	frame.object_offset = 0;
	if (!perf_data_merges(data))
		frame.symbol_offset = (uint32_t)(made->address - code->start);
	return frame.symbol && frame.object ? file_frame(profile, &frame) : 0;
}

/* The same, behind a cache where all addresses of a function are one frame. */
static uint32_t jit_known(struct perf_data *data, const struct perf_data_made *made,
			  const struct jit_code *code, const char *name)
{
	struct intmap *frames = &data->jit.frames;
	uint32_t place = intmap_get(&data->jit.pids, made->pid, 0), number;
	uint64_t key = (uint64_t)place << 32 | code->order;

	if (!perf_data_merges(data))
		return jit_named(data, made, code, name);
	number = intmap_get(frames, key, made->kind);
	if (number)
		return number;
	number = jit_named(data, made, code, name);
	if (frames->count >= JIT_FRAMES_MAX)
		intmap_reset(frames);
	return number && !intmap_add(frames, key, made->kind, number) ? number : 0;
}

uint32_t perf_data_jit_frame(struct perf_data *data, const struct perf_data_made *made)
{
	const struct weir_frame *frame = file_frames_at(&data->file->profile.frames, made->number);
	uint64_t lookup = made->address - (frame->flags & WEIR_FRAME_CALLER ? 1 : 0);
	const struct jit_code *code;
	struct jit_process *process;
	const char *name;

	if (data->jit.count >= JIT_PROCESSES_MAX && !intmap_get(&data->jit.pids, made->pid, 0))
		return made->number;
	process = jit_process_of(&data->jit, made->pid);
	if (!process || (!process->looked && jit_read(data, process)))
		return 0;
	code = jit_process_find(process, lookup, jit_time(data, process, made->time), &name);
	if (!code) {
		process->nameless++;
		return made->number;
	}
	process->named++;
	return jit_known(data, made, code, name);
}

void perf_data_jit_report(struct perf_data *data)
{
	jit_processes_say(data->ctx, data->jit.processes, data->jit.count,
			  data->resolve->objects.frames);
}

void perf_data_jit_renew(struct perf_data_jit *jit)
{
	intmap_reset(&jit->frames);
}

void perf_data_jit_clear(struct perf_data_jit *jit)
{
	for (uint32_t i = 0; i < jit->count; i++) {
		jit_process_clear(jit->processes[i]);
		free(jit->processes[i]);
	}
	free(jit->processes);
	intmap_clear(&jit->pids);
	intmap_clear(&jit->frames);
}
