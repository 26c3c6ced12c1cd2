/* SPDX-License-Identifier: BSD-2-Clause */
/* A host for the unit tests of area flame; see flame_host.h. */
#include <fcntl.h>
#include <unistd.h>

#include "flame_host.h"

#define FLAME_FIELDS                                                                               \
	WEIR_FIELD_TIME(struct flame_row, time, WEIR_EVENT, "moment"),                             \
		WEIR_FIELD(struct flame_row, weight, WEIR_NS, WEIR_DELTA, "weight"),               \
		WEIR_FIELD(struct flame_row, samples, WEIR_SAMPLES, WEIR_DELTA, "samples"),        \
		WEIR_FIELD(struct flame_row, stack, WEIR_NONE, WEIR_KEY, "stack"),                 \
		WEIR_FIELD_WITH(struct flame_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,         \
				"process"),                                                        \
		WEIR_FIELD_WITH(struct flame_row, tid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,         \
				"thread"),                                                         \
		WEIR_FIELD(struct flame_row, comm, WEIR_NONE, WEIR_KEY, "command"),                \
		WEIR_FIELD(struct flame_row, cgroup, WEIR_NONE, WEIR_KEY,                          \
			   "a name that is handed on")

static const struct weir_field flame_fields[] = { FLAME_FIELDS };
static const struct weir_field flame_fields_before[] = {
	FLAME_FIELDS,
	WEIR_FIELD(struct flame_row, before, WEIR_NS, WEIR_DELTA, "weight in another profile"),
};
WEIR_SCHEMA(flame_schema, "samples", struct flame_row, flame_fields);
const struct weir_schema flame_schema_before = { sizeof(struct weir_schema),
						 sizeof(struct flame_row), "samples",
						 WEIR_TABLE(flame_fields_before) };

static struct flame_host *flame_of(const struct weir_ctx *ctx)
{
	return (struct flame_host *)(uintptr_t)ctx->host;
}

static void WEIR_PRINTF(3, 0)
	flame_log(struct weir_ctx *ctx, int level, const char *format, va_list args)
{
	struct flame_host *flame = flame_of(ctx);
	size_t used = strlen(flame->said);

	(void)level;
	vsnprintf(flame->said + used, sizeof(flame->said) - used, format, args);
	used = strlen(flame->said);
	snprintf(flame->said + used, sizeof(flame->said) - used, "\n");
}

static int WEIR_PRINTF(3, 0)
	flame_fail(struct weir_ctx *ctx, int error, const char *format, va_list args)
{
	flame_log(ctx, WEIR_LOG_ERROR, format, args);
	return error;
}

static int WEIR_PRINTF(4, 0) flame_fail_option(struct weir_ctx *ctx, const char *path, int error,
					       const char *format, va_list args)
{
	(void)path;
	flame_log(ctx, WEIR_LOG_ERROR, format, args);
	return error;
}

static void flame_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	(void)reason;
	(void)cure;
	flame_of(ctx)->lost += n;
}

static const struct weir_input *flame_input(struct weir_ctx *ctx, uint32_t i)
{
	return i ? NULL : &flame_of(ctx)->input;
}

static int flame_declare(struct weir_ctx *ctx, uint32_t output, const struct weir_schema *schema)
{
	assert_int_equal(output, 0);
	flame_of(ctx)->declared = schema;
	return 0;
}

static int flame_service(struct weir_ctx *ctx, const char *name, uint32_t version,
			 struct weir_service *service)
{
	assert_string_equal(name, "process");
	assert_int_equal(version, 1);
	*service = flame_of(ctx)->service;
	return 0;
}

static struct weir_batch *flame_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
				     uint32_t arena_bytes)
{
	const struct weir_schema *schema = weir_component.outputs.items[output].schema;
	struct batch *batch;

	if (!schema)
		schema = flame_of(ctx)->declared ? flame_of(ctx)->declared : &flame_schema;
	batch = batch_new(schema->row_size, rows, arena_bytes);
	return batch ? &batch->seen : NULL;
}

static int flame_reserve(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
			 uint32_t arena_bytes)
{
	(void)ctx;
	return batch_reserve(batch_of(batch), rows, arena_bytes);
}

static int flame_commit(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct flame_host *flame = flame_of(ctx);

	assert_int_equal(batch_commit(batch_of(batch)), 0);
	assert_true(flame->out_count < FLAME_OUT_MAX);
	flame->out[flame->out_count++] = batch_of(batch);
	return 0;
}

static void flame_discard(struct weir_ctx *ctx, struct weir_batch *batch)
{
	(void)ctx;
	if (batch)
		batch_release(batch_of(batch));
}

static struct weir_names *flame_names_new(struct weir_ctx *ctx)
{
	(void)ctx;
	return names_new();
}

static int flame_every(struct weir_ctx *ctx, uint64_t period_ns)
{
	(void)ctx;
	(void)period_ns;
	return 0;
}

static struct weir_writer *flame_writer_open(struct weir_ctx *ctx, const char *path, uint32_t flags)
{
	assert_string_equal(path, "");
	assert_int_equal(flags, WEIR_WRITE_WHOLE);
	return (struct weir_writer *)flame_of(ctx);
}

static uint32_t flame_columns(const struct weir_writer *writer)
{
	(void)writer;
	return 0;
}

static int flame_writer_write(struct weir_writer *writer, const void *bytes, size_t count)
{
	struct flame_host *flame = (struct flame_host *)writer;

	flame->text = realloc(flame->text, flame->text_size + count + 1);
	assert_non_null(flame->text);
	memcpy(flame->text + flame->text_size, bytes, count);
	flame->text_size += count;
	flame->text[flame->text_size] = '\0';
	return 0;
}

static int flame_writer_close(struct weir_writer *writer, int keep)
{
	struct flame_host *flame = (struct flame_host *)writer;

	if (flame && keep)
		flame->kept = true;
	return 0;
}

static const struct weir_host flame_calls = {
	.size = sizeof(struct weir_host),
	.log = flame_log,
	.fail = flame_fail,
	.fail_option = flame_fail_option,
	.lost = flame_lost,
	.input = flame_input,
	.declare = flame_declare,
	.service = flame_service,
	.every = flame_every,
	.loan = flame_loan,
	.reserve = flame_reserve,
	.commit = flame_commit,
	.discard = flame_discard,
	.names_new = flame_names_new,
	.names_release = names_release,
	.names_intern = names_intern,
	.names_text = names_text,
	.names_bytes = names_bytes,
	.names_hold = names_hold,
	.writer_open = flame_writer_open,
	.writer_write = flame_writer_write,
	.writer_columns = flame_columns,
	.writer_close = flame_writer_close,
};

static void flame_fill_options(struct flame_host *flame, const char *const *options)
{
	struct diag *diag = diag_new();
	struct place place = { NULL, 0, 0, 1 };
	char error[256] = "", name[64];

	flame->options = calloc(1, weir_component.options_size + 1);
	assert_non_null(flame->options);
	assert_int_equal(
		option_fill(&weir_component, NULL, diag, &place, flame->options, &flame->memory),
		0);
	diag_free(diag);
	for (; options && *options; options++) {
		const char *value = strchr(*options, '=');

		snprintf(name, sizeof(name), "%.*s", (int)(value - *options), *options);
		if (option_set(&weir_component, flame->options, name, value + 1, error,
			       sizeof(error)))
			fail_msg("%s: %s", *options, error);
	}
}

int flame_open(struct flame_host *flame, const char *const *options)
{
	return flame_open_schema(flame, &flame_schema, options);
}

int flame_open_schema(struct flame_host *flame, const struct weir_schema *schema,
		      const char *const *options)
{
	int err;

	memset(flame, 0, sizeof(*flame));
	flame->host = flame_calls;
	flame->input = (struct weir_input){ .size = sizeof(flame->input),
					    .node = "samples",
					    .output = "samples",
					    .schema = schema };
	flame->names = names_new();
	flame_fill_options(flame, options);
	flame->ctx = (struct weir_ctx){ .size = sizeof(flame->ctx),
					.input_count = 1,
					.host = &flame->host,
					.options = flame->options,
					.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	flame->ctx.state = calloc(1, weir_component.state_size);
	assert_non_null(flame->ctx.state);
	err = weir_component.create ? weir_component.create(&flame->ctx) : 0;
	return err ? err : weir_component.bind(&flame->ctx);
}

int flame_start(struct flame_host *flame)
{
	return weir_component.start ? weir_component.start(&flame->ctx) : 0;
}

static uint32_t flame_flags(const char *letters)
{
	static const struct {
		char letter;
		uint32_t flag;
	} flags[] = {
		{ 'k', WEIR_FRAME_KERNEL },    { 'i', WEIR_FRAME_INLINED }, { 'j', WEIR_FRAME_JIT },
		{ 't', WEIR_FRAME_TRUNCATED }, { 'c', WEIR_FRAME_CALLER },
	};
	uint32_t found = 0, i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strchr(letters, flags[i].letter))
			found |= flags[i].flag;
	return found;
}

/* "symbol@object#flags"; a '\1' stands for ';' in a name. */
static void flame_frame(struct flame_host *flame, char *text, struct weir_frame *frame)
{
	char *flags = strrchr(text, '#'), *object = strrchr(text, '@'), *at;

	if (flags) {
		*flags = '\0';
		frame->flags = flame_flags(flags + 1);
	}
	if (object) {
		*object = '\0';
		frame->object = names_intern(flame->names, object + 1, strlen(object + 1));
	}
	for (at = text; *at; at++)
		if (*at == '\1')
			*at = ';';
	if (*text)
		frame->symbol = names_intern(flame->names, text, strlen(text));
}

static struct flame_row *flame_add_row(struct flame_host *flame, uint64_t weight)
{
	struct flame_row *row;

	if (!flame->in)
		flame->in = batch_new(sizeof(struct flame_row), 16, 4096);
	assert_non_null(flame->in);
	row = weir_add_row(&flame->ctx, &flame->in->seen);
	assert_non_null(row);
	row->weight = weight;
	row->before = flame->before;
	row->time = flame->time;
	row->samples = 1;
	row->pid = row->tid = flame->pid ? flame->pid : WEIR_ABSENT_U32;
	row->cgroup.id = names_intern(flame->names, "/slice", 6);
	return row;
}

void flame_sample(struct flame_host *flame, const char *comm, uint64_t weight, const char *stack)
{
	struct flame_row *row = flame_add_row(flame, weight);
	char *copy = strdup(stack), *next, *rest = copy;
	struct weir_frame frames[256];
	uint32_t count = 0;
	void *room;

	snprintf(row->comm, sizeof(row->comm), "%s", comm);
	memset(frames, 0, sizeof(frames));
	while (*stack && count < 256 && (next = strsep(&rest, ";")))
		flame_frame(flame, next, &frames[count++]);
	free(copy);
	row->stack.count = count;
	if (count == 0)
		return;
	room = weir_add_bytes(&flame->ctx, &flame->in->seen, count * (uint32_t)sizeof(frames[0]),
			      &row->stack.offset);
	assert_non_null(room);
	memcpy(room, frames, count * sizeof(frames[0]));
}

void flame_addresses(struct flame_host *flame, uint32_t pid, const uint64_t *addresses,
		     uint32_t count, uint32_t flags)
{
	struct flame_row *row = flame_add_row(flame, 1);
	struct weir_frame *frames;
	uint32_t i;

	row->pid = pid;
	row->stack.count = count;
	frames = weir_add_bytes(&flame->ctx, &flame->in->seen, count * (uint32_t)sizeof(*frames),
				&row->stack.offset);
	assert_non_null(frames);
	for (i = 0; i < count; i++) {
		frames[i].address = addresses[i];
		frames[i].flags = flags | (i ? WEIR_FRAME_CALLER : 0);
	}
}

int flame_push(struct flame_host *flame)
{
	struct batch *batch = flame->in ? flame->in : batch_new(sizeof(struct flame_row), 0, 0);
	int err;

	flame->in = NULL;
	batch->seen.names = flame->names;
	batch->seen.start = 1000;
	batch->seen.end = 2000;
	assert_int_equal(batch_commit(batch), 0);
	err = weir_component.push(&flame->ctx, 0, &batch->seen);
	batch_release(batch);
	return err;
}

int flame_drain(struct flame_host *flame)
{
	return weir_component.drain(&flame->ctx, UINT64_MAX);
}

void flame_close(struct flame_host *flame)
{
	if (weir_component.stop)
		weir_component.stop(&flame->ctx);
	weir_component.destroy(&flame->ctx);
	while (flame->out_count)
		batch_release(flame->out[--flame->out_count]);
	names_release(flame->names);
	option_release(flame->memory);
	close(flame->ctx.root);
	free(flame->ctx.state);
	free(flame->options);
	free(flame->text);
}

const char *flame_name(const struct weir_batch *batch, uint32_t id)
{
	uint32_t length;

	return names_text(batch->names, id, &length);
}

char *flame_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 1 << 20);

	if (!file || !text)
		fail_msg("cannot open %s", path);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}
