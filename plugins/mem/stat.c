/* SPDX-License-Identifier: BSD-2-Clause */
/* Source mem.stat: where the memory is, from /proc/meminfo. */

#include <weir/file.h>
#include <weir/plugin.h>
#include <weir/probe.h>

struct mem_conf {
	uint64_t interval;
};

static const struct weir_option mem_options[] = {
	WEIR_OPT_DURATION(struct mem_conf, interval, "0", 0, 24 * WEIR_HOUR,
			  "time between two readings; 0: one reading, then the end"),
};

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
WEIR_SCHEMA(mem_schema, "memory", struct mem_row, mem_fields);

static const struct weir_output mem_outputs[] = {
	{ "usage", "one row for memory, one for swap", &mem_schema, 0, 0 },
};

struct mem_state {
	struct weir_buffer buffer;
	bool started; /* the first reading was made, so ticks have the user's interval */
};

static uint64_t mem_kib(const char *text)
{
	const char *digits = text + strspn(text, " ");
	unsigned long long kib;
	char *end;

	if (*digits < '0' || *digits > '9')
		return WEIR_ABSENT_U64;
	errno = 0;
	kib = strtoull(digits, &end, 10);
	if (errno || kib > UINT64_MAX / 1024 - 1 || strncmp(end, " kB\n", 4) != 0)
		return WEIR_ABSENT_U64;
	return kib * 1024;
}

/* "MemFree:   1234 kB" as bytes; absent when there is no such line, or no number in it. */
static uint64_t mem_value(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == ':')
			return mem_kib(line + length + 1);
	}
	return WEIR_ABSENT_U64;
}

static uint64_t mem_less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

static void mem_fill_memory(struct mem_row *row, const char *text)
{
	uint64_t slab = mem_value(text, "SReclaimable");

	memcpy(row->kind, "memory", 7);
	row->total = mem_value(text, "MemTotal");
	row->free = mem_value(text, "MemFree");
	row->shared = mem_value(text, "Shmem");
	row->available = mem_value(text, "MemAvailable");
	row->cache = mem_value(text, "Buffers") + mem_value(text, "Cached") +
		     (slab == WEIR_ABSENT_U64 ? 0 : slab);
	/* Kernels before 3.14 do not estimate what is available. */
	row->used = mem_less(row->total, row->available == WEIR_ABSENT_U64 ? row->free + row->cache
									   : row->available);
}

static void mem_fill_swap(struct mem_row *row, const char *text)
{
	memcpy(row->kind, "swap", 5);
	row->total = mem_value(text, "SwapTotal");
	row->free = mem_value(text, "SwapFree");
	row->used = mem_less(row->total, row->free);
	row->shared = row->cache = row->available = WEIR_ABSENT_U64;
}

/* The lines that every kernel has. One that is missing is an error, not a zero. */
static int mem_check(struct weir_ctx *ctx, const char *text)
{
	static const char *const must[] = { "MemTotal", "MemFree",   "Buffers",
					    "Cached",   "SwapTotal", "SwapFree" };

	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		if (mem_value(text, must[i]) == WEIR_ABSENT_U64)
			return weir_fail(ctx, -EBADMSG, "/proc/meminfo: no value of %s", must[i]);
	return 0;
}

static int mem_add_rows(struct weir_ctx *ctx, struct weir_batch *batch, const char *text)
{
	struct mem_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	mem_fill_memory(row, text);
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	mem_fill_swap(row, text);
	return 0;
}

static int mem_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct mem_conf *conf = ctx->options;
	struct mem_state *st = ctx->state;
	struct weir_batch *batch;
	int err = weir_read_file(ctx, "proc/meminfo", &st->buffer);

	if (err)
		return weir_fail(ctx, err, "read /proc/meminfo");
	err = mem_check(ctx, st->buffer.bytes);
	if (err)
		return err;
	batch = weir_loan(ctx, 0, 2, 0);
	if (!batch) {
		weir_lost(ctx, "a full queue held the source up", 2, NULL);
		return 0;
	}
	batch->start = batch->end = now;
	err = mem_add_rows(ctx, batch, st->buffer.bytes);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "two rows");
	}
	err = weir_commit(ctx, batch);
	if (err)
		return err;
	if (conf->interval == 0)
		weir_finished(ctx);
	if (st->started)
		return 0;
	st->started = true;
	return weir_every(ctx, conf->interval);
}

/* A gauge need not wait for a window to pass: the first tick comes at once. */
static int mem_start(struct weir_ctx *ctx)
{
	return weir_every(ctx, 1);
}

static void mem_destroy(struct weir_ctx *ctx)
{
	struct mem_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
}

static void mem_probe(struct weir_ctx *ctx)
{
	weir_probe_psi(ctx, "how long tasks waited for a resource");
}

WEIR_COMPONENT("mem.stat", WEIR_SOURCE, .summary = "where the memory is",
	       .doc = "From /proc/meminfo. \"used\" is what cannot be had without swapping: total "
		      "less available.",
	       .options_size = sizeof(struct mem_conf), .state_size = sizeof(struct mem_state),
	       .options = WEIR_TABLE(mem_options), .outputs = WEIR_TABLE(mem_outputs),
	       .probe = mem_probe, .start = mem_start, .tick = mem_tick, .destroy = mem_destroy);
