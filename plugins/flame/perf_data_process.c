/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes of a recording; see perf_data_process.h. */
#include "perf_data_process.h"

#include <stdlib.h>

int perf_data_processes_init(struct perf_data_processes *processes, struct weir_ctx *ctx)
{
	processes->ctx = ctx;
	processes->texts = ctx->host->names_new(ctx);
	return processes->texts ? 0 : -ENOMEM;
}

void perf_data_processes_clear(struct perf_data_processes *processes)
{
	for (uint32_t i = 0; i < processes->task_count; i++)
		perf_data_space_release(processes->tasks[i].space);
	if (processes->ctx)
		processes->ctx->host->names_release(processes->texts);
	free(processes->objects);
	free(processes->tasks);
	free(processes->threads);
	intmap_clear(&processes->paths);
	intmap_clear(&processes->pids);
	intmap_clear(&processes->tids);
	memset(processes, 0, sizeof(*processes));
}

/* Room for one more item. NULL: no memory. */
static void *table_grow(void *items, uint32_t count, uint32_t *capacity, size_t size)
{
	uint32_t more = *capacity ? *capacity * 2 : 64;
	void *grown = items;

	if (count < *capacity)
		return items;
	grown = more > *capacity ? reallocarray(items, more, size) : NULL;
	if (grown)
		*capacity = more;
	return grown;
}

static bool object_is(const struct perf_data_object *a, const struct perf_data_object *b)
{
	return a->device_major == b->device_major && a->device_minor == b->device_minor &&
	       a->inode == b->inode && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* The place of an object, + 1. 0: no memory. */
static uint32_t object_find(struct perf_data_processes *processes,
			    const struct perf_data_object *object)
{
	uint32_t place, nth = 0;
	void *grown;

	while ((place = intmap_get(&processes->paths, object->path, nth))) {
		if (object_is(&processes->objects[place - 1], object))
			return place;
		nth++;
	}
	grown = table_grow(processes->objects, processes->object_count, &processes->object_capacity,
			   sizeof(*processes->objects));
	if (!grown)
		return 0;
	processes->objects = grown;
	if (intmap_add(&processes->paths, object->path, nth, processes->object_count + 1))
		return 0;
	processes->objects[processes->object_count] = *object;
	return ++processes->object_count;
}

static struct perf_data_task *task_of(struct perf_data_processes *processes, uint32_t pid)
{
	uint32_t place = intmap_get(&processes->pids, pid, 0);
	void *grown;

	if (place)
		return &processes->tasks[place - 1];
	grown = table_grow(processes->tasks, processes->task_count, &processes->task_capacity,
			   sizeof(*processes->tasks));
	if (!grown)
		return NULL;
	processes->tasks = grown;
	if (intmap_add(&processes->pids, pid, 0, processes->task_count + 1))
		return NULL;
	processes->tasks[processes->task_count] = (struct perf_data_task){ .pid = pid };
	return &processes->tasks[processes->task_count++];
}

static struct perf_data_thread *thread_of(struct perf_data_processes *processes, uint32_t tid)
{
	uint32_t place = intmap_get(&processes->tids, tid, 0);
	void *grown;

	if (place)
		return &processes->threads[place - 1];
	grown = table_grow(processes->threads, processes->thread_count, &processes->thread_capacity,
			   sizeof(*processes->threads));
	if (!grown)
		return NULL;
	processes->threads = grown;
	if (intmap_add(&processes->tids, tid, 0, processes->thread_count + 1))
		return NULL;
	processes->threads[processes->thread_count] = (struct perf_data_thread){ tid, 0 };
	return &processes->threads[processes->thread_count++];
}

/* A space of the task's own, which is about to change. NULL: no memory. */
static struct perf_data_space *task_space(struct perf_data_processes *processes,
					  struct perf_data_task *task)
{
	struct perf_data_space *space = task->space;

	if (task->exec) {
		task->exec = false;
		perf_data_space_release(space);
		space = task->space = NULL;
	}
	if (!space || space->references > 1) {
		space = perf_data_space_copy(space);
		if (!space)
			return NULL;
		perf_data_space_release(task->space);
		task->space = space;
	}
	space->version = ++processes->versions;
	return space;
}

int perf_data_map_remove(struct perf_data_processes *processes, uint32_t pid, uint64_t start,
			 uint64_t end)
{
	struct perf_data_task *task = task_of(processes, pid);
	struct perf_data_space *space = task ? task_space(processes, task) : NULL;

	return space && start < end ? perf_data_space_replace(space, start, end, NULL)
	       : space              ? 0
				    : -ENOMEM;
}

static void core_changed(struct perf_data_processes *processes, const struct perf_data_map *map,
			 const char *path)
{
	struct perf_data_core *core = &processes->core;

	core->version = processes->versions;
	if (strncmp(path, PERF_DATA_CORE, sizeof(PERF_DATA_CORE) - 1) != 0)
		return;
	core->start = map->start;
	core->end = map->end;
}

int perf_data_map_add(struct perf_data_processes *processes, uint32_t pid,
		      struct perf_data_map *map, const char *path,
		      const struct perf_data_object *object)
{
	const struct weir_host *host = processes->ctx->host;
	struct perf_data_object mapped = *object;
	struct perf_data_task *task;
	struct perf_data_space *space;
	uint32_t place;

	if (map->end <= map->start || !path[0])
		return 0;
	mapped.path = host->names_intern(processes->texts, path, strlen(path));
	place = mapped.path ? object_find(processes, &mapped) : 0;
	task = place ? task_of(processes, pid) : NULL;
	space = task ? task_space(processes, task) : NULL;
	if (!space)
		return -ENOMEM;
	if (space->count >= PERF_DATA_MAPS_MAX) {
		processes->refused++;
		return 0;
	}
	map->object = place - 1;
	if (pid == PERF_DATA_KERNEL_PID && map->kind == PERF_DATA_CODE)
		core_changed(processes, map, path);
	return perf_data_space_replace(space, map->start, map->end, map);
}

int perf_data_comm_set(struct perf_data_processes *processes, uint32_t pid, uint32_t tid,
		       const char *comm, size_t length, bool exec)
{
	struct perf_data_thread *thread = thread_of(processes, tid);
	struct perf_data_task *task = exec ? task_of(processes, pid) : NULL;
	uint32_t text =
		length ? processes->ctx->host->names_intern(processes->texts, comm, length) : 0;

	if (!thread || (length && !text) || (exec && !task))
		return -ENOMEM;
	thread->comm = text;
	/* Until the new program is mapped, the registers still point into the old one. */
	if (exec)
		task->exec = true;
	return 0;
}

int perf_data_fork(struct perf_data_processes *processes, uint32_t pid, uint32_t ppid, uint32_t tid,
		   uint32_t ptid)
{
	struct perf_data_thread *thread = thread_of(processes, tid);
	struct perf_data_task *child = pid != ppid ? task_of(processes, pid) : NULL;
	uint32_t parent;

	if (!thread || (pid != ppid && !child))
		return -ENOMEM;
	thread->comm = perf_data_comm_of(processes, ptid);
	if (!child)
		return 0;
	perf_data_space_release(child->space);
	parent = intmap_get(&processes->pids, ppid, 0);
	child->exec = false;
	child->space = parent ? processes->tasks[parent - 1].space : NULL;
	if (child->space)
		child->space->references++;
	return 0;
}

const struct perf_data_space *perf_data_space_of(const struct perf_data_processes *processes,
						 uint32_t pid)
{
	uint32_t place = intmap_get(&processes->pids, pid, 0);

	return place ? processes->tasks[place - 1].space : NULL;
}

uint32_t perf_data_comm_of(const struct perf_data_processes *processes, uint32_t tid)
{
	uint32_t place = intmap_get(&processes->tids, tid, 0);

	return place ? processes->threads[place - 1].comm : 0;
}
