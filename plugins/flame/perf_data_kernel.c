/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: whether this machine runs the kernel of the recording, at the same addresses. Names of
 * another kernel's functions look plausible, and are wrong.
 */
#include "perf_data.h"

#include <stdlib.h>

#include <weir/build_id.h>
#include <weir/file.h>

/* The kernel's own mapping; its offset is where its code began. NULL: the recording has none. */
static const struct perf_data_map *kernel_map(const struct perf_data *data)
{
	const struct perf_data_space *space =
		perf_data_space_of(&data->processes, PERF_DATA_KERNEL_PID);

	for (uint32_t i = 0; space && i < space->count; i++) {
		const struct perf_data_object *object =
			&data->processes.objects[space->maps[i].object];

		if (strncmp(perf_data_text(data, object->path), PERF_DATA_CORE,
			    sizeof(PERF_DATA_CORE) - 1) == 0)
			return &space->maps[i];
	}
	return NULL;
}

/* The build-id that the recording tells, of the mapping or by a feature. */
static const uint8_t *kernel_build_id(const struct perf_data *data, const struct perf_data_map *map,
				      uint32_t *size)
{
	const struct perf_data_object *object = &data->processes.objects[map->object];

	*size = object->build_id_size ? object->build_id_size : data->features.kernel.size;
	return object->build_id_size ? object->build_id : data->features.kernel.bytes;
}

static bool kernel_has_id(struct perf_data *data, const uint8_t *id, uint32_t size)
{
	struct weir_buffer notes = { NULL, 0, 0 };
	uint8_t here[WEIR_BUILD_ID_MAX];
	bool same = weir_read_file(data->ctx, "sys/kernel/notes", &notes) == 0 &&
		    weir_notes_build_id(notes.bytes, notes.size, here) == size &&
		    memcmp(id, here, size) == 0;

	weir_buffer_release(&notes);
	return same;
}

static bool kernel_is_release(struct perf_data *data)
{
	struct weir_buffer release = { NULL, 0, 0 };
	const char *told = data->features.osrelease;
	bool same = weir_read_file(data->ctx, "proc/sys/kernel/osrelease", &release) == 0 &&
		    release.bytes && strncmp(release.bytes, told, strlen(told)) == 0 &&
		    strcmp(release.bytes + strlen(told), "\n") == 0;

	weir_buffer_release(&release);
	return same;
}

/* Where the kernel's code begins here: its first function, modules' left aside. */
static uint64_t kernel_begin(const struct kallsyms *kallsyms)
{
	for (uint32_t i = 0; i < kallsyms->symbols.count; i++)
		if (kallsyms->modules[i] == 0)
			return kallsyms->symbols.items[i].address;
	return 0;
}

/* NULL: it is the same. Else why its names are not used. */
static const char *kernel_differs(struct perf_data *data)
{
	const struct perf_data_map *map = kernel_map(data);
	const uint8_t *id;
	uint32_t size;

	if (!map)
		return "the recording does not tell where the kernel was";
	id = kernel_build_id(data, map, &size);
	if (!size || !data->features.osrelease)
		return "the recording does not tell the kernel's release and build-id";
	if (!kernel_is_release(data) || !kernel_has_id(data, id, size))
		return "the recording is of another kernel than the one that runs here";
	resolve_read_kernel(data->ctx, data->resolve);
	if (map->offset != kernel_begin(&data->resolve->kallsyms))
		return "the kernel's functions have other addresses than when it was recorded";
	return NULL;
}

bool perf_data_kernel_is_here(struct perf_data *data)
{
	if (data->kernel == PERF_DATA_UNASKED) {
		data->kernel_reason = kernel_differs(data);
		data->kernel = data->kernel_reason ? PERF_DATA_OTHER : PERF_DATA_SAME;
	}
	return data->kernel == PERF_DATA_SAME;
}

/* Lines of /proc/modules: "ext4 1122304 2 - Live 0xffffffffc0201000". */
static bool module_line_is(const char *line, size_t length, const char *name, size_t name_length,
			   uint64_t start)
{
	const char *address = memrchr(line, 'x', length);

	return length > name_length && line[name_length] == ' ' &&
	       memcmp(line, name, name_length) == 0 && address && address > line &&
	       address[-1] == '0' && strtoull(address + 1, NULL, 16) == start;
}

bool perf_data_module_is_here(struct perf_data *data, const char *name, uint64_t start)
{
	struct weir_buffer modules = { NULL, 0, 0 };
	const char *line;
	bool here = false;

	if (weir_read_file(data->ctx, "proc/modules", &modules) == 0 && modules.bytes)
		for (line = modules.bytes; *line && !here; line += *line == '\n') {
			size_t length = strcspn(line, "\n");

			here = module_line_is(line, length, name + 1, strlen(name) - 2, start);
			line += length;
		}
	weir_buffer_release(&modules);
	return here;
}
