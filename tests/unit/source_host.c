/* SPDX-License-Identifier: BSD-2-Clause */
/* A host for the unit tests of sources; see source_host.h. */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"
#include "option.h"
#include "source_host.h"

static struct source_host *source_of(const struct weir_ctx *ctx)
{
	return (struct source_host *)(uintptr_t)ctx->host;
}

static void WEIR_PRINTF(3, 0)
	source_log(struct weir_ctx *ctx, int level, const char *format, va_list args)
{
	struct source_host *source = source_of(ctx);
	size_t used = strlen(source->said);

	(void)level;
	vsnprintf(source->said + used, sizeof(source->said) - used, format, args);
	used = strlen(source->said);
	snprintf(source->said + used, sizeof(source->said) - used, "\n");
}

static int WEIR_PRINTF(3, 0)
	source_fail(struct weir_ctx *ctx, int error, const char *format, va_list args)
{
	source_log(ctx, WEIR_LOG_ERROR, format, args);
	return error;
}

static void source_need(struct weir_ctx *ctx, const struct weir_need *need)
{
	struct source_host *source = source_of(ctx);
	size_t used = strlen(source->needs);

	if (need->state != WEIR_NEED_MET)
		snprintf(source->needs + used, sizeof(source->needs) - used, "%s: %s (%s)\n",
			 need->name, need->found, need->cure);
}

static void source_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	(void)reason;
	(void)cure;
	source_of(ctx)->lost += n;
}

static uint64_t source_now(struct weir_ctx *ctx)
{
	return source_of(ctx)->now;
}

static struct weir_batch *source_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
				      uint32_t arena_bytes)
{
	struct batch *batch =
		batch_new(weir_component.outputs.items[output].schema->row_size, rows, arena_bytes);

	(void)ctx;
	assert_non_null(batch);
	batch->output = output;
	return &batch->seen;
}

static int source_reserve(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
			  uint32_t arena_bytes)
{
	(void)ctx;
	return batch_reserve(batch_of(batch), rows, arena_bytes);
}

static void source_release(struct weir_batch *batch)
{
	if (batch)
		batch_release(batch_of(batch));
}

static int source_commit(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct source_host *source = source_of(ctx);
	uint32_t output = batch_of(batch)->output;

	assert_int_equal(batch_commit(batch_of(batch)), 0);
	assert_true(output < SOURCE_OUTPUTS);
	source_release(source->out[output]);
	source->out[output] = batch;
	return 0;
}

static void source_discard(struct weir_ctx *ctx, struct weir_batch *batch)
{
	(void)ctx;
	source_release(batch);
}

static int source_every(struct weir_ctx *ctx, uint64_t period_ns)
{
	(void)ctx;
	(void)period_ns;
	return 0;
}

static int source_watch(struct weir_ctx *ctx, int fd, uint32_t events, weir_ready_fn *ready)
{
	source_of(ctx)->fd = events ? fd : -1;
	source_of(ctx)->ready = events ? ready : NULL;
	return 0;
}

static void source_finished(struct weir_ctx *ctx)
{
	source_of(ctx)->finished = true;
}

static const struct weir_host source_calls = {
	.size = sizeof(struct weir_host),
	.log = source_log,
	.fail = source_fail,
	.need = source_need,
	.lost = source_lost,
	.now = source_now,
	.every = source_every,
	.watch = source_watch,
	.loan = source_loan,
	.reserve = source_reserve,
	.commit = source_commit,
	.discard = source_discard,
	.finished = source_finished,
};

static void source_options(struct source_host *source, const char *const *options)
{
	source->options = calloc(1, weir_component.options_size + 1);
	assert_non_null(source->options);
	assert_int_equal(
		option_fill(&weir_component, NULL, NULL, NULL, source->options, &source->memory),
		0);
	for (; options && *options; options++) {
		size_t length = strcspn(*options, "=");
		char name[64], error[256] = "";

		snprintf(name, sizeof(name), "%.*s", (int)length, *options);
		if (option_set(&weir_component, source->options, name, *options + length + 1, error,
			       sizeof(error)))
			fail_msg("%s", error);
	}
}

void source_open(struct source_host *source, const char *const *options)
{
	memset(source, 0, sizeof(*source));
	source->host = source_calls;
	source->fd = -1;
	source->now = 1000 * (uint64_t)WEIR_SECOND;
	snprintf(source->root, sizeof(source->root), "/tmp/weir-source-XXXXXX");
	assert_non_null(mkdtemp(source->root));
	source_options(source, options);
	source->ctx.size = sizeof(source->ctx);
	source->ctx.host = &source->host;
	source->ctx.options = source->options;
	source->ctx.root = open(source->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(source->ctx.root >= 0);
	source->ctx.state = calloc(1, weir_component.state_size);
	assert_non_null(source->ctx.state);
	if (weir_component.create)
		assert_int_equal(weir_component.create(&source->ctx), 0);
}

static void source_folders(const struct source_host *source, char *path)
{
	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdirat(source->ctx.root, path, 0755);
		*slash = '/';
	}
}

void source_file(struct source_host *source, const char *path, const char *text)
{
	char copy[512];
	int fd;

	if (!text) {
		assert_int_equal(unlinkat(source->ctx.root, path, 0), 0);
		return;
	}
	snprintf(copy, sizeof(copy), "%s", path);
	source_folders(source, copy);
	fd = openat(source->ctx.root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

void source_print(struct source_host *source, const char *path, const char *format, ...)
{
	char text[8192];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	source_file(source, path, text);
}

/* A recorded tree's clock. */
static void source_clock(struct source_host *source)
{
	source_print(source, "proc/uptime", "%llu.%02llu 0.00\n",
		     (unsigned long long)(source->now / WEIR_SECOND),
		     (unsigned long long)(source->now % WEIR_SECOND / 10000000));
}

int source_start(struct source_host *source)
{
	source_clock(source);
	return weir_component.start(&source->ctx);
}

int source_tick(struct source_host *source, uint64_t later_ns)
{
	source->now += later_ns;
	source_clock(source);
	return weir_component.tick(&source->ctx, source->now);
}

void source_probe(struct source_host *source)
{
	source->needs[0] = '\0';
	weir_component.probe(&source->ctx);
}

static int source_remove(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	return remove(path);
}

void source_close(struct source_host *source)
{
	if (weir_component.stop)
		weir_component.stop(&source->ctx);
	if (weir_component.destroy)
		weir_component.destroy(&source->ctx);
	for (uint32_t i = 0; i < SOURCE_OUTPUTS; i++)
		source_release(source->out[i]);
	free(source->ctx.state);
	free(source->options);
	option_release(source->memory);
	close(source->ctx.root);
	nftw(source->root, source_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static const struct weir_field *source_field(uint32_t output, const char *name)
{
	const struct weir_field *field =
		weir_find(weir_component.outputs.items[output].schema, name);

	if (!field)
		fail_msg("there is no column %s", name);
	return field;
}

static const uint8_t *source_member(const struct source_host *source, uint32_t output, uint32_t i,
				    const char *name)
{
	if (i >= source_rows(source, output))
		fail_msg("there is no row %u", i);
	return (const uint8_t *)weir_row(source->out[output], i) +
	       source_field(output, name)->offset;
}

uint32_t source_rows(const struct source_host *source, uint32_t output)
{
	assert_non_null(source->out[output]);
	return source->out[output]->row_count;
}

uint64_t source_uint(const struct source_host *source, uint32_t output, uint32_t i,
		     const char *name)
{
	const uint8_t *member = source_member(source, output, i, name);
	uint64_t wide = 0;

	memcpy(&wide, member, source_field(output, name)->bytes);
	return wide;
}

double source_double(const struct source_host *source, uint32_t output, uint32_t i,
		     const char *name)
{
	double value;

	memcpy(&value, source_member(source, output, i, name), sizeof(value));
	return value;
}

const char *source_text(const struct source_host *source, uint32_t output, uint32_t i,
			const char *name)
{
	const uint8_t *member = source_member(source, output, i, name);
	struct weir_text text;

	if (source_field(output, name)->type != WEIR_TYPE_TEXT)
		return (const char *)member;
	memcpy(&text, member, sizeof(text));
	return weir_text_of(source->out[output], text);
}

uint32_t source_find(const struct source_host *source, uint32_t output, const char *name,
		     const char *text)
{
	for (uint32_t i = 0; i < source_rows(source, output); i++)
		if (strcmp(source_text(source, output, i, name), text) == 0)
			return i;
	fail_msg("no row has %s \"%s\"", name, text);
	return 0;
}
