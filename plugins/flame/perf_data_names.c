/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: names of frames. User code is named by the files that were mapped, if these are still
 * there and are the same; kernel code by what the recording tells itself, or by this machine's
 * kernel where it is that of the recording.
 */
#include "perf_data.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "file_resolve.h"

enum { INODE_UNASKED = 0, INODE_PROVES, INODE_PROVES_NOTHING };

const char *perf_data_text(const struct perf_data *data, uint32_t text)
{
	return text ? data->ctx->host->names_text(data->processes.texts, text, NULL) : "";
}

static bool names_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

bool perf_data_is_from_here(const struct perf_data *data)
{
	struct utsname here;

	return data->file->input.regular && data->features.hostname && uname(&here) == 0 &&
	       strcmp(here.nodename, data->features.hostname) == 0;
}

/*
 * Without a build-id, a file is known by its inode: on the machine that recorded, if it has not
 * changed since. Inodes are used again.
 */
static bool names_inode_proves(struct perf_data *data, const struct perf_data_object *object)
{
	const struct file_input *in = &data->file->input;
	const char *path = perf_data_text(data, object->path);
	struct stat recording, file;

	return object->inode && perf_data_is_from_here(data) && path[0] == '/' &&
	       fstat(in->fd, &recording) == 0 &&
	       fstatat(data->ctx->root, path + 1, &file, 0) == 0 &&
	       names_before(&file.st_ctim, &recording.st_mtim);
}

/* The service that `resolve` asks: it is about data->map. */
static int names_mapping(struct weir_ctx *self, uint32_t pid, uint64_t time, uint64_t address,
			 struct weir_mapping *mapping)
{
	struct perf_data *data = self->state;

	(void)time;
	(void)address;
	perf_data_mapping(data, data->map, pid, mapping);
	return 0;
}

void perf_data_mapping(struct perf_data *data, const struct perf_data_map *map, uint32_t pid,
		       struct weir_mapping *mapping)
{
	struct perf_data_object *object = &data->processes.objects[map->object];

	if (object->asked == INODE_UNASKED)
		object->asked = !object->build_id_size && names_inode_proves(data, object)
					? INODE_PROVES
					: INODE_PROVES_NOTHING;
	*mapping = (struct weir_mapping){
		.size = sizeof(*mapping),
		.pid = pid,
		.id = (uint64_t)map->object + 1,
		.start = map->start,
		.end = map->end,
		.file_offset = map->offset,
		.path = perf_data_text(data, object->path),
		.inode = object->asked == INODE_PROVES ? object->inode : 0,
		.device_major = object->device_major,
		.device_minor = object->device_minor,
		.build_id_size = object->build_id_size,
		.executable = map->kind != PERF_DATA_NO_CODE,
	};
	memcpy(mapping->build_id, object->build_id, object->build_id_size);
	file_resolve_trust(data->file, mapping);
}

static const struct weir_process_v1 names_service = {
	.size = sizeof(struct weir_process_v1),
	.mapping = names_mapping,
};

static uint64_t names_lookup(const struct weir_frame *frame)
{
	return frame->address - (frame->flags & WEIR_FRAME_CALLER ? 1 : 0);
}

bool perf_data_is_foreign_vdso(struct perf_data *data, const struct perf_data_map *map)
{
	const struct perf_data_object *object = &data->processes.objects[map->object];

	return strcmp(perf_data_text(data, object->path), "[vdso]") == 0 &&
	       !object->build_id_size && !perf_data_kernel_is_here(data);
}

int perf_data_name_user(struct perf_data *data, const struct perf_data_space *space,
			struct weir_frame *frame)
{
	const struct perf_data_object *object;
	const struct resolve_moment moment = { 0 };
	const struct object *file;
	const char *path;

	/* Nothing is known of the process: neither good nor bad. */
	if (!space || !space->count)
		return RESOLVE_DONE;
	data->map = perf_data_map_at(space, names_lookup(frame));
	if (!data->map)
		return RESOLVE_OUTSIDE;
	object = &data->processes.objects[data->map->object];
	path = perf_data_text(data, object->path);
	if (perf_data_is_foreign_vdso(data, data->map)) {
		frame->object = file_name(&data->file->profile, path, strlen(path));
		frame->object_offset = frame->address - data->map->start;
		return frame->object ? RESOLVE_DONE : -ENOMEM;
	}
	data->self = (struct weir_ctx){ .size = sizeof(data->self), .state = data };
	data->resolve->process = (struct weir_service){ &names_service, &data->self };
	return resolve_user(data->ctx, data->resolve, &moment, frame, &file);
}

/* "/lib/modules/6.1/kernel/fs/ext4.ko.xz" and "[ext4]" are "[ext4]": as kallsyms writes it. */
static void names_module(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strcspn(name[0] == '[' ? name + 1 : name, ".]");

	snprintf(out, size, "[%.*s]", (int)length, name[0] == '[' ? name + 1 : name);
	for (char *at = out; *at; at++)
		if (*at == '-')
			*at = '_';
}

/* This machine's name for the address, if it is of that object, else none. */
static int names_from_here(struct perf_data *data, const char *object, struct weir_frame *frame)
{
	struct weir_frame named = *frame;
	uint32_t wanted = file_name(&data->file->profile, object, strlen(object));
	int err = resolve_kernel(data->ctx, data->resolve, &named);

	if (err == RESOLVE_DONE && named.symbol && named.object == wanted) {
		frame->symbol = named.symbol;
		frame->symbol_offset = named.symbol_offset;
	}
	return err;
}

/* What the kernel made at run time is called as the recording says. */
static int names_of_function(struct perf_data *data, const struct perf_data_map *map,
			     const char *name, struct weir_frame *frame)
{
	const char *object = map->kind == PERF_DATA_PROGRAM ? "[bpf]" : "[kernel]";

	frame->object = file_name(&data->file->profile, object, strlen(object));
	frame->symbol = file_name(&data->file->profile, name, strlen(name));
	frame->symbol_offset = (uint32_t)(frame->address - map->start);
	return frame->object && frame->symbol ? RESOLVE_DONE : -ENOMEM;
}

int perf_data_name_kernel(struct perf_data *data, const struct perf_data_space *space,
			  struct weir_frame *frame)
{
	const struct perf_data_map *map =
		space ? perf_data_map_at(space, names_lookup(frame)) : NULL;
	char object[64] = "[kernel]";
	const char *path = "";
	bool module = false;

	if (map) {
		path = perf_data_text(data, data->processes.objects[map->object].path);
		frame->object_offset = frame->address - map->start;
		if (map->kind == PERF_DATA_PROGRAM || map->kind == PERF_DATA_FUNCTION)
			return names_of_function(data, map, path, frame);
		module = strncmp(path, "[kernel", 7) != 0 && strncmp(path, "[guest", 6) != 0;
		if (module)
			names_module(path, object, sizeof(object));
	}
	frame->object = file_name(&data->file->profile, object, strlen(object));
	if (!frame->object)
		return -ENOMEM;
	if (!map || !perf_data_kernel_is_here(data) ||
	    (module && !perf_data_module_is_here(data, object, map->start)))
		return RESOLVE_DONE;
	return names_from_here(data, object, frame);
}

uint32_t perf_data_comm(struct perf_data *data, uint32_t tid)
{
	struct file_profile *profile = &data->file->profile;
	uint32_t text = perf_data_comm_of(&data->processes, tid), id;
	char number[16];

	if (!text && tid == 0)
		return file_name(profile, "swapper", sizeof("swapper") - 1);
	if (!text)
		return file_name(profile, number,
				 (size_t)snprintf(number, sizeof(number), ":%d", (int)tid));
	id = intmap_get(&data->comms, text, 0);
	if (id)
		return id;
	id = file_name(profile, perf_data_text(data, text), strlen(perf_data_text(data, text)));
	if (id && intmap_add(&data->comms, text, 0, id))
		return 0;
	return id;
}
