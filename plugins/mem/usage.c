/* SPDX-License-Identifier: BSD-2-Clause */
/* See usage.h. */
#include "usage.h"

#include <weir/host.h>
#include <weir/keyed.h>

struct mem_row {
	char kind[16];
	uint64_t total;
	uint64_t used;
	uint64_t free;
	uint64_t shared;
	uint64_t cache;
	uint64_t available;
};

#define MEM_BYTES(member_, flags_, doc_)                                                           \
	WEIR_FIELD_WITH(struct mem_row, member_, WEIR_BYTES, WEIR_GAUGE, flags_, doc_)

static const struct weir_field mem_fields[] = {
	WEIR_FIELD(struct mem_row, kind, WEIR_NONE, WEIR_KEY, "memory or swap"),
	MEM_BYTES(total, 0, "usable by the kernel and its processes"),
	MEM_BYTES(used, 0, "memory: total less available; swap: total less free"),
	MEM_BYTES(free, 0, "not used for anything"),
	MEM_BYTES(shared, WEIR_OPTIONAL, "tmpfs and shared memory"),
	MEM_BYTES(cache, WEIR_OPTIONAL, "page cache, buffers and reclaimable slabs"),
	MEM_BYTES(available, WEIR_OPTIONAL,
		  "what new programs can get without swapping, as the kernel estimates"),
};
const struct weir_schema mem_usage_schema = { sizeof(struct weir_schema),
					      WEIR_ROW_SIZE(struct mem_row), "memory",
					      WEIR_TABLE(mem_fields) };

static uint64_t mem_less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

static void mem_fill_memory(struct mem_row *row, const char *text)
{
	uint64_t slab = weir_keyed_bytes(text, "SReclaimable");

	memcpy(row->kind, "memory", 7);
	row->total = weir_keyed_bytes(text, "MemTotal");
	row->free = weir_keyed_bytes(text, "MemFree");
	row->shared = weir_keyed_bytes(text, "Shmem");
	row->available = weir_keyed_bytes(text, "MemAvailable");
	row->cache = weir_keyed_bytes(text, "Buffers") + weir_keyed_bytes(text, "Cached") +
		     (slab == WEIR_ABSENT_U64 ? 0 : slab);
	/* Kernels before 3.14 do not estimate what is available. */
	row->used = mem_less(row->total, row->available == WEIR_ABSENT_U64 ? row->free + row->cache
									   : row->available);
}

static void mem_fill_swap(struct mem_row *row, const char *text)
{
	memcpy(row->kind, "swap", 5);
	row->total = weir_keyed_bytes(text, "SwapTotal");
	row->free = weir_keyed_bytes(text, "SwapFree");
	row->used = mem_less(row->total, row->free);
	row->shared = row->cache = row->available = WEIR_ABSENT_U64;
}

/* The lines that every kernel has. One that is missing is an error, not a zero. */
static int mem_check(struct weir_ctx *ctx, const char *text)
{
	static const char *const must[] = { "MemTotal", "MemFree",   "Buffers",
					    "Cached",   "SwapTotal", "SwapFree" };

	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		if (weir_keyed_bytes(text, must[i]) == WEIR_ABSENT_U64)
			return weir_fail(ctx, -EBADMSG, "/proc/meminfo: no value of %s", must[i]);
	return 0;
}

int mem_usage_add(struct weir_ctx *ctx, struct weir_batch *batch, struct weir_buffer *buffer)
{
	struct mem_row *row;
	int err = weir_read_file(ctx, "proc/meminfo", buffer);

	if (err)
		return weir_fail(ctx, err, "read /proc/meminfo");
	err = mem_check(ctx, buffer->bytes);
	if (err)
		return err;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	mem_fill_memory(row, buffer->bytes);
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	mem_fill_swap(row, buffer->bytes);
	return 0;
}
