/* SPDX-License-Identifier: BSD-2-Clause */
/* The mock host's vtable. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../core/batch.h"
#include "../../core/expr.h"
#include "../../core/names.h"
#include "../../core/schema.h"
#include "mock_parts.h"

static void WEIR_PRINTF(3, 0)
	mock_log(struct weir_ctx *ctx, int level, const char *format, va_list args)
{
	char line[512];

	vsnprintf(line, sizeof(line), format, args);
	if (level < WEIR_LOG_ERROR || level > WEIR_LOG_DEBUG)
		subject_fault(mock_of(ctx)->subject, "log: level %d is unknown", level);
	if (strchr(line, '\n'))
		subject_fault(mock_of(ctx)->subject, "log: more than one line: \"%s\"", line);
}

static int WEIR_PRINTF(3, 0)
	mock_fail(struct weir_ctx *ctx, int error, const char *format, va_list args)
{
	struct mock *mock = mock_of(ctx);

	vsnprintf(mock->reason, sizeof(mock->reason), format, args);
	if (error >= 0)
		subject_fault(mock->subject, "fail: %d is no negative errno (\"%s\")", error,
			      mock->reason);
	return error;
}

int mock_fails(struct weir_ctx *ctx, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error = mock_fail(ctx, error, format, args);
	va_end(args);
	return error;
}

static int WEIR_PRINTF(4, 0) mock_fail_option(struct weir_ctx *ctx, const char *path, int error,
					      const char *format, va_list args)
{
	const struct weir_component *component = mock_of(ctx)->component;
	size_t length = strcspn(path, "[");
	bool known = false;

	for (uint32_t i = 0; i < component->options.count; i++)
		known |= strlen(component->options.items[i].name) == length &&
			 strncmp(component->options.items[i].name, path, length) == 0;
	if (!known)
		subject_fault(mock_of(ctx)->subject, "fail_option: there is no option \"%s\"",
			      path);
	return mock_fail(ctx, error, format, args);
}

static void mock_need(struct weir_ctx *ctx, const struct weir_need *need)
{
	struct subject *subject = mock_of(ctx)->subject;

	if (!need->name || !*need->name || !need->found || !need->effect || !need->cure)
		subject_fault(subject, "need: a text is missing");
	else if (need->state < WEIR_NEED_MET || need->state > WEIR_NEED_MISSING)
		subject_fault(subject, "need %s: state %u is unknown", need->name, need->state);
	else if (need->state != WEIR_NEED_MET && !*need->effect)
		subject_fault(subject, "need %s: it does not say what that disables", need->name);
	if (need->name && strchr(need->name, '\n'))
		subject_fault(subject, "need %s: its name has more than one line", need->name);
	if (mock_of(ctx)->ctx.state)
		subject_fault(subject, "need: it is for probe() only");
}

static void mock_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	(void)n;
	(void)cure;
	mock_of(ctx)->losses++;
	if (!reason || !*reason)
		subject_fault(mock_of(ctx)->subject, "lost: no reason is given");
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t mock_now(struct weir_ctx *ctx)
{
	(void)ctx;
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t mock_wall(struct weir_ctx *ctx, uint64_t monotonic)
{
	(void)ctx;
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC) + monotonic;
}

static int mock_ending(struct weir_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static const struct weir_input *mock_input(struct weir_ctx *ctx, uint32_t i)
{
	return i < ctx->input_count ? &mock_of(ctx)->inputs[i] : NULL;
}

static const struct weir_field *mock_want(struct weir_ctx *ctx, uint32_t i,
					  const struct weir_want *want, const char *option)
{
	const struct weir_field *field = NULL;

	if (i >= ctx->input_count) {
		subject_fault(mock_of(ctx)->subject, "want: there is no input %u", i);
		return NULL;
	}
	switch (schema_want(mock_of(ctx)->natives[i], want, &field)) {
	case SCHEMA_FITS:
		return weir_field_at(mock_of(ctx)->inputs[i].schema,
				     (uint32_t)(field - mock_of(ctx)->natives[i]->fields.items));
	case SCHEMA_GOES_WITHOUT:
		return NULL;
	default:
		mock_fails(ctx, -EINVAL, "option %s: no column \"%s\" of that kind",
			   option ? option : "", want->name);
		return NULL;
	}
}

static int mock_declare(struct weir_ctx *ctx, uint32_t output, const struct weir_schema *schema)
{
	struct mock *mock = mock_of(ctx);
	char fault[256];

	if (output >= mock->component->outputs.count ||
	    mock->component->outputs.items[output].schema) {
		subject_fault(mock->subject, "declare: output %u is none without a schema", output);
		return -EINVAL;
	}
	free(mock->adopted[output]);
	mock->outputs[output] = schema_adopt(schema, &mock->adopted[output]);
	if (!mock->outputs[output])
		return -EINVAL;
	if (schema_lint(mock->outputs[output], fault, sizeof(fault)) < 0)
		subject_fault(mock->subject, "declare: output %u: %s", output, fault);
	return 0;
}

static int mock_every(struct weir_ctx *ctx, uint64_t period_ns)
{
	struct mock *mock = mock_of(ctx);

	if (period_ns && !mock->component->tick)
		subject_fault(mock->subject, "every: there is no tick()");
	if (!mock->started)
		subject_fault(mock->subject, "every: called before start()");
	mock->period = period_ns;
	return 0;
}

static struct mock_watch *find_watch(struct mock *mock, int fd)
{
	for (int i = 0; i < MOCK_WATCHES_MAX; i++)
		if (mock->watches[i].fd == fd)
			return &mock->watches[i];
	return NULL;
}

static int mock_watch(struct weir_ctx *ctx, int fd, uint32_t events, weir_ready_fn *ready)
{
	struct mock_watch *watch;

	if (mock_of(ctx)->hardships & HARD_REFUSED)
		return mock_fails(ctx, -ENOMEM, "watch");
	watch = find_watch(mock_of(ctx), fd);
	if (events == 0) {
		if (watch)
			watch->fd = -1;
		return 0;
	}
	if (!watch)
		watch = find_watch(mock_of(ctx), -1);
	if (!watch || fd < 0 || !ready)
		return -EINVAL;
	*watch = (struct mock_watch){ fd, events, ready };
	return 0;
}

static struct weir_batch *mock_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
				    uint32_t arena_bytes)
{
	struct mock *mock = mock_of(ctx);
	struct batch *batch;

	if (output >= mock->component->outputs.count || !mock->outputs[output]) {
		subject_fault(mock->subject, "loan: output %u has no schema", output);
		return NULL;
	}
	mock->loans_asked++;
	if (mock->hardships & HARD_REFUSED ||
	    (mock->hardships & HARD_PRESSURE && mock->loans_asked % 2)) {
		mock->loans_refused++;
		return NULL;
	}
	batch = batch_new(mock->outputs[output]->row_size, rows, arena_bytes);
	if (!batch)
		return NULL;
	batch->output = output;
	mock->loans++;
	return &batch->seen;
}

static int mock_reserve(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
			uint32_t arena_bytes)
{
	(void)ctx;
	return batch_reserve(batch_of(batch), rows, arena_bytes);
}

static void mock_discard(struct weir_ctx *ctx, struct weir_batch *batch)
{
	if (!batch)
		return;
	mock_of(ctx)->loans--;
	batch_release(batch_of(batch));
}

static int mock_commit(struct weir_ctx *ctx, struct weir_batch *batch)
{
	int err = batch_commit(batch_of(batch));

	if (err < 0)
		subject_fault(mock_of(ctx)->subject,
			      "commit: the batch's counts exceed its memory");
	else
		batch_check(mock_of(ctx), batch_of(batch)->output, batch);
	mock_discard(ctx, batch);
	return err;
}

static struct weir_names *mock_names_new(struct weir_ctx *ctx)
{
	return mock_of(ctx)->hardships & HARD_REFUSED ? NULL : names_new();
}

static void mock_finished(struct weir_ctx *ctx)
{
	if (mock_of(ctx)->component->kind != WEIR_SOURCE)
		subject_fault(mock_of(ctx)->subject, "finished: it is for sources");
	mock_of(ctx)->period = 0;
}

/* There are no files here. */
static const struct weir_tree *mock_tree_read(struct weir_ctx *ctx, const char *path,
					      uint32_t flags)
{
	(void)flags;
	mock_fails(ctx, -ENOENT, "read %s", path);
	return NULL;
}

static const struct weir_tree *mock_tree_text(struct weir_ctx *ctx, const char *name,
					      const char *text)
{
	(void)text;
	mock_fails(ctx, -ENOENT, "read %s", name);
	return NULL;
}

static void mock_losses(struct weir_ctx *ctx, weir_loss_fn *seen, void *arg)
{
	(void)ctx;
	(void)seen;
	(void)arg;
}

/* A schema that was given to the instance, in our sizes. */
static const struct weir_schema *native_of(const struct mock *mock,
					   const struct weir_schema *schema)
{
	for (uint32_t i = 0; i < mock->ctx.input_count; i++)
		if (mock->inputs[i].schema == schema)
			return mock->natives[i];
	return schema;
}

static struct weir_expr *mock_expr_compile(struct weir_ctx *ctx, const char *text,
					   const struct weir_schema *schema, const char *option)
{
	struct weir_expr *expr = NULL;
	struct expr_error error = { .message = "refused" };

	if (!(mock_of(ctx)->hardships & HARD_REFUSED) &&
	    expr_compile(text, native_of(mock_of(ctx), schema), &expr, &error) == 0)
		return expr;
	mock_fails(ctx, -EINVAL, "option %s: %s", option ? option : "", error.message);
	return NULL;
}

static int mock_command_again(struct weir_ctx *ctx)
{
	return mock_fails(ctx, -EINVAL, "there is no command");
}

const struct weir_host mock_calls = {
	.size = sizeof(struct weir_host),
	.abi_major = WEIR_ABI_MAJOR,
	.abi_minor = WEIR_ABI_MINOR,
	.log = mock_log,
	.fail = mock_fail,
	.fail_option = mock_fail_option,
	.need = mock_need,
	.lost = mock_lost,
	.now = mock_now,
	.wall = mock_wall,
	.ending = mock_ending,
	.input = mock_input,
	.want = mock_want,
	.declare = mock_declare,
	.service = mock_service,
	.service_at = mock_service_at,
	.every = mock_every,
	.watch = mock_watch,
	.loan = mock_loan,
	.reserve = mock_reserve,
	.commit = mock_commit,
	.discard = mock_discard,
	.names_new = mock_names_new,
	.names_release = names_release,
	.names_intern = names_intern,
	.names_text = names_text,
	.names_bytes = names_bytes,
	.expr_compile = mock_expr_compile,
	.expr_type = expr_type,
	.expr_eval = expr_eval,
	.expr_free = expr_free,
	.writer_open = mock_writer_open,
	.writer_write = mock_writer_write,
	.writer_flush = mock_writer_flush,
	.writer_close = mock_writer_close,
	.writer_columns = mock_writer_columns,
	.writer_rows = mock_writer_columns,
	.writer_color = mock_writer_color,
	.finished = mock_finished,
	.expr_unit = expr_unit,
	.tree_read = mock_tree_read,
	.tree_text = mock_tree_text,
	.losses = mock_losses,
	.names_hold = names_hold,
	.writer_patch = mock_writer_patch,
	.command_again = mock_command_again,
};
