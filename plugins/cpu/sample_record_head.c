/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.sample as a recording: what a reader has to know before the first record: the event, the
 * machine, and where the kernel and its modules lie.
 */
#include <stdio.h>
#include <sys/utsname.h>

#include <weir/build_id.h>

#include "sample.h"

/* Of perf, not of the kernel. */
enum {
	HEAD_ATTR = 64,
	HEAD_FEATURE = 80,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_CPUS = 7,
	FEATURE_EVENTS = 12,
	FEATURE_TEXT = 64, /* room of a text is a multiple of that */
};

/* No kernel's code is larger; modules and programs may follow. */
#define HEAD_KERNEL_MAX (UINT64_C(256) << 20)

/* A feature's number, then what it tells. */
struct head_feature {
	uint64_t feature;
	uint8_t bytes[1024];
	size_t size;
};

static void head_put(struct head_feature *out, const void *bytes, size_t size)
{
	if (size > sizeof(out->bytes) - out->size)
		size = sizeof(out->bytes) - out->size;
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

static void head_put_text(struct head_feature *out, const char *text)
{
	char padded[4 * FEATURE_TEXT] = "";
	uint32_t room;

	snprintf(padded, sizeof(padded), "%s", text);
	room = (uint32_t)(strlen(padded) / FEATURE_TEXT + 1) * FEATURE_TEXT;
	head_put(out, &room, sizeof(room));
	head_put(out, padded, room);
}

static int head_add(struct sample_records *records, uint64_t number, struct head_feature *feature)
{
	feature->feature = number;
	return sample_records_add(records, HEAD_FEATURE, 0, feature,
				  sizeof(feature->feature) + feature->size);
}

static int head_add_text(struct sample_records *records, uint64_t number, const char *text)
{
	struct head_feature feature = { .size = 0 };

	head_put_text(&feature, text);
	return head_add(records, number, &feature);
}

static int head_events(struct weir_ctx *ctx, struct sample_records *records)
{
	const struct sample_state *state = ctx->state;
	uint32_t counts[2] = { 1, sizeof(state->attr) }, ids = 0;
	struct head_feature feature = { .size = 0 };

	head_put(&feature, counts, sizeof(counts));
	head_put(&feature, &state->attr, sizeof(state->attr));
	head_put(&feature, &ids, sizeof(ids));
	head_put_text(&feature, state->event.name);
	return head_add(records, FEATURE_EVENTS, &feature);
}

static int head_cpus(struct weir_ctx *ctx, struct sample_records *records)
{
	const struct sample_state *state = ctx->state;
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t counts[2] = { configured > 0 ? (uint32_t)configured : state->cpus.count,
			       state->cpus.count };
	struct head_feature feature = { .size = 0 };

	head_put(&feature, counts, sizeof(counts));
	return head_add(records, FEATURE_CPUS, &feature);
}

int sample_record_head(struct weir_ctx *ctx, struct sample_records *records)
{
	const struct sample_state *state = ctx->state;
	struct utsname machine;
	int err = sample_records_add(records, HEAD_ATTR, 0, &state->attr, sizeof(state->attr));

	if (!err && uname(&machine) < 0)
		return weir_fail(ctx, -errno, "uname");
	if (!err)
		err = head_add_text(records, FEATURE_HOSTNAME, machine.nodename);
	if (!err)
		err = head_add_text(records, FEATURE_OSRELEASE, machine.release);
	if (!err)
		err = head_add_text(records, FEATURE_ARCH, machine.machine);
	if (!err)
		err = head_cpus(ctx, records);
	return err ? err : head_events(ctx, records);
}

/* The body of a MMAP2 record of kernel code. */
struct head_map {
	struct weir_perf_map body;
	char path[96];
	struct sample_trailer trailer;
};

static int head_add_map(struct sample_records *records, struct head_map *map)
{
	/* The trailer stands right behind the path. */
	size_t path = (strlen(map->path) / 8 + 1) * 8;

	memset(map->path + path, 0, sizeof(map->trailer));
	map->body.pid = UINT32_MAX;
	return sample_records_add(
		records, PERF_RECORD_MMAP2,
		PERF_RECORD_MISC_KERNEL |
			(map->body.identity.build_id.size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0),
		map, offsetof(struct head_map, path) + path + sizeof(map->trailer));
}

/* Where the kernel's code begins; 0: that is hidden. It is among the first of kallsyms. */
static uint64_t head_kernel_begin(struct weir_ctx *ctx)
{
	char text[65536];
	int fd = openat(ctx->root, "proc/kallsyms", O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got = 1;
	char *line;

	while (fd >= 0 && used < sizeof(text) - 1 && got > 0) {
		got = read(fd, text + used, sizeof(text) - 1 - used);
		used += got > 0 ? (size_t)got : 0;
		text[used] = '\0';
		line = strstr(text, " T _text\n");
		if (!line)
			continue;
		while (line > text && line[-1] != '\n')
			line--;
		close(fd);
		return strtoull(line, NULL, 16);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

/* One line of /proc/modules: "ext4 1122304 2 - Live 0xffffffffc0201000". */
static int head_module(struct sample_records *records, const char *line, uint64_t after,
		       uint64_t *first)
{
	struct head_map map = { .path = "" };
	unsigned long long size = 0, address = 0;
	char name[64] = "";

	if (sscanf(line, "%63s %llu %*s %*s %*s 0x%llx", name, &size, &address) != 3 || !address)
		return 0;
	map.body.start = address;
	map.body.length = size;
	snprintf(map.path, sizeof(map.path), "[%s]", name);
	if (address > after && (!*first || address < *first))
		*first = address;
	return head_add_map(records, &map);
}

int sample_record_kernel(struct weir_ctx *ctx, struct sample_records *records)
{
	struct weir_buffer text = { NULL, 0, 0 };
	struct head_map map = { .body = { .start = head_kernel_begin(ctx),
					  .length = HEAD_KERNEL_MAX } };
	uint64_t module = 0;
	int err = 0;

	if (weir_read_file(ctx, "proc/modules", &text) == 0)
		for (char *line = text.bytes; line && *line && !err;) {
			char *end = strchrnul(line, '\n');

			err = head_module(records, line, map.body.start, &module);
			line = *end ? end + 1 : end;
		}
	if (weir_read_file(ctx, "sys/kernel/notes", &text) == 0)
		map.body.identity.build_id.size = (uint8_t)weir_notes_build_id(
			text.bytes, text.size, map.body.identity.build_id.bytes);
	weir_buffer_release(&text);
	if (err || !map.body.start)
		return err;
	if (module && module - map.body.start < map.body.length)
		map.body.length = module - map.body.start;
	map.body.offset = map.body.start;
	snprintf(map.path, sizeof(map.path), "[kernel.kallsyms]_text");
	return head_add_map(records, &map);
}
