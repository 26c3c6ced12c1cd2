/* SPDX-License-Identifier: BSD-2-Clause */
/* Toy components, and the plugin registry that the graph sees instead of the real one. */
#include "graph_toys.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <weir/plugin.h>

#include "node.h"

struct toys toys;
static pthread_mutex_t toys_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t toys_changed = PTHREAD_COND_INITIALIZER;
static uint32_t toys_round;

static void toys_note(const char *what, const char *who)
{
	pthread_mutex_lock(&toys_lock);
	strncat(toys.events, what, sizeof(toys.events) - strlen(toys.events) - 1);
	strncat(toys.events, who, sizeof(toys.events) - strlen(toys.events) - 1);
	strncat(toys.events, " ", sizeof(toys.events) - strlen(toys.events) - 1);
	pthread_mutex_unlock(&toys_lock);
}

void toys_open_gate(void)
{
	pthread_mutex_lock(&toys_lock);
	toys.gate_open = true;
	pthread_cond_broadcast(&toys_changed);
	pthread_mutex_unlock(&toys_lock);
}

void toys_wait(const uint64_t *number, uint64_t at_least)
{
	pthread_mutex_lock(&toys_lock);
	while (*number < at_least)
		pthread_cond_wait(&toys_changed, &toys_lock);
	pthread_mutex_unlock(&toys_lock);
}

static void toys_pass_gate(void)
{
	uint32_t round;

	pthread_mutex_lock(&toys_lock);
	round = toys_round;
	toys.at_gate++;
	pthread_cond_broadcast(&toys_changed);
	/* Who was left behind in an earlier round waits for ever. */
	while (!toys.gate_open || round != toys_round)
		pthread_cond_wait(&toys_changed, &toys_lock);
	pthread_mutex_unlock(&toys_lock);
}

/* All toys share these options; each looks at those that concern it. */
struct toy_options {
	uint32_t fail; /* the callback that fails */
	uint32_t error;
	uint32_t batch;
	uint32_t ticks; /* finished after so many; 0: never */
	uint32_t loans; /* batches per tick */
	uint64_t period;
	const char *need; /* a service */
	uint32_t version;
	uint32_t keep;
	const char *column;
	uint64_t work;
};

enum {
	FAIL_NONE,
	FAIL_CREATE,
	FAIL_OPTION,
	FAIL_BIND,
	FAIL_START,
	FAIL_TICK,
	FAIL_PUSH,
	FAIL_DRAIN
};

static const struct weir_option toy_option_table[] = {
	WEIR_OPT_CHOICE(struct toy_options, fail, "none",
			"none create option bind start tick push drain", "what fails"),
	WEIR_OPT_UINT(struct toy_options, error, "5", 1, 200, "with which errno"),
	WEIR_OPT_UINT(struct toy_options, batch, "10", 0, 100000, "rows in a batch"),
	WEIR_OPT_UINT(struct toy_options, ticks, "0", 0, 1000000, "ticks until finished"),
	WEIR_OPT_UINT(struct toy_options, loans, "1", 1, 1000, "batches per tick"),
	WEIR_OPT_DURATION(struct toy_options, period, "100us", 1, WEIR_HOUR, "between ticks"),
	WEIR_OPT_TEXT(struct toy_options, need, "", "a service"),
	WEIR_OPT_UINT(struct toy_options, version, "1", 0, 9, "of the service"),
	WEIR_OPT_UINT(struct toy_options, keep, "0", 0, 1,
		      "a transform keeps rows until the drain"),
	WEIR_OPT_TEXT(struct toy_options, column, "", "a column that it wants"),
	WEIR_OPT_DURATION(struct toy_options, work, "0", 0, WEIR_SECOND,
			  "CPU time that a sink uses for a batch"),
};

struct toy_state {
	void *memory;
	uint64_t ticks;
	uint64_t next;
	uint64_t kept;
	uint32_t place;
};

struct toy_row {
	uint64_t time;
	uint64_t n;
};

static const struct weir_field toy_fields[] = {
	WEIR_FIELD_TIME(struct toy_row, time, WEIR_EVENT, "when"),
	WEIR_FIELD(struct toy_row, n, WEIR_COUNT, WEIR_KEY, "a number, one more each time"),
};
WEIR_SCHEMA(toy_schema, "toy", struct toy_row, toy_fields);

static const char *toy_name(struct weir_ctx *ctx)
{
	return node_of(ctx)->name;
}

static int toy_fail_at(struct weir_ctx *ctx, uint32_t where, const char *what)
{
	const struct toy_options *options = ctx->options;

	if (options->fail != where)
		return 0;
	return weir_fail(ctx, -(int)options->error, "the toy's %s", what);
}

static int toy_create(struct weir_ctx *ctx)
{
	const struct toy_options *options = ctx->options;
	struct toy_state *state = ctx->state;
	struct weir_service service;

	pthread_mutex_lock(&toys_lock);
	toys.live++;
	pthread_mutex_unlock(&toys_lock);
	state->memory = malloc(16);
	if (options->fail == FAIL_OPTION)
		return weir_fail_option(ctx, "batch", -EINVAL, "the toy does not like it");
	if (options->need[0] && weir_service(ctx, options->need, options->version, &service) < 0)
		return -ENOENT;
	return toy_fail_at(ctx, FAIL_CREATE, "create");
}

static int toy_bind(struct weir_ctx *ctx)
{
	const struct toy_options *options = ctx->options;
	struct weir_want want = { options->column, WEIR_TYPE_UINT, 0, NULL, 0, 0 };

	if (options->column[0] && !ctx->host->want(ctx, 0, &want, "column"))
		return -EINVAL;
	return toy_fail_at(ctx, FAIL_BIND, "bind");
}

static int toy_source_start(struct weir_ctx *ctx)
{
	const struct toy_options *options = ctx->options;

	toys_note("start:", toy_name(ctx));
	if (options->fail == FAIL_START)
		return toy_fail_at(ctx, FAIL_START, "start");
	return weir_every(ctx, options->period);
}

static int toy_start(struct weir_ctx *ctx)
{
	struct toy_state *state = ctx->state;

	toys_note("start:", toy_name(ctx));
	pthread_mutex_lock(&toys_lock);
	state->place = toys.sinks++ & 3;
	pthread_mutex_unlock(&toys_lock);
	return toy_fail_at(ctx, FAIL_START, "start");
}

/* False: held up. */
static bool toy_emit(struct weir_ctx *ctx, uint32_t rows)
{
	struct toy_state *state = ctx->state;
	struct weir_batch *batch = weir_loan(ctx, 0, rows, 0);

	if (!batch) {
		pthread_mutex_lock(&toys_lock);
		toys.refused++;
		pthread_cond_broadcast(&toys_changed);
		pthread_mutex_unlock(&toys_lock);
		return false;
	}
	batch->start = batch->end = weir_now(ctx);
	for (uint32_t i = 0; i < rows; i++) {
		struct toy_row *row = weir_add_row(ctx, batch);

		row->n = state->next++;
	}
	weir_commit(ctx, batch);
	pthread_mutex_lock(&toys_lock);
	toys.made += rows;
	pthread_cond_broadcast(&toys_changed);
	pthread_mutex_unlock(&toys_lock);
	return true;
}

static int toy_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct toy_options *options = ctx->options;
	struct toy_state *state = ctx->state;

	(void)now;
	for (uint32_t i = 0; i < options->loans; i++)
		if (!toy_emit(ctx, options->batch))
			return 0;
	if (options->ticks && ++state->ticks == options->ticks)
		weir_finished(ctx);
	return toy_fail_at(ctx, FAIL_TICK, "tick");
}

static int toy_source_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	toys_note("drain:", toy_name(ctx));
	if (!toy_emit(ctx, 1))
		return -EBUSY;
	pthread_mutex_lock(&toys_lock);
	toys.drained++;
	pthread_cond_broadcast(&toys_changed);
	pthread_mutex_unlock(&toys_lock);
	return toy_fail_at(ctx, FAIL_DRAIN, "drain");
}

static int toy_pass_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	const struct toy_options *options = ctx->options;
	struct toy_state *state = ctx->state;
	int err = toy_fail_at(ctx, FAIL_PUSH, "push");

	(void)input;
	if (err)
		return err;
	if (options->keep)
		state->kept += batch->row_count;
	else if (!toy_emit(ctx, batch->row_count))
		return -ENOMEM;
	return 0;
}

static int toy_pass_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct weir_input *input = weir_input(ctx, 0);
	struct toy_state *state = ctx->state;

	(void)deadline;
	if (input->absent)
		snprintf(toys.absent, sizeof(toys.absent), "%s; %s", input->absent, input->cure);
	toys_note("drain:", toy_name(ctx));
	if (state->kept && !toy_emit(ctx, (uint32_t)state->kept))
		return -ENOMEM;
	return toy_fail_at(ctx, FAIL_DRAIN, "drain");
}

static uint64_t toy_cpu(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static int toy_sink_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	const struct toy_options *options = ctx->options;
	uint64_t until = toy_cpu() + options->work;
	struct toy_state *state = ctx->state;
	int err = toy_fail_at(ctx, FAIL_PUSH, "push");

	(void)input;
	if (err)
		return err;
	while (options->work && toy_cpu() < until)
		continue;
	pthread_mutex_lock(&toys_lock);
	toys.rows += batch->row_count;
	toys.batches++;
	pthread_cond_broadcast(&toys_changed);
	toys.seen_rows[state->place] = batch->rows;
	pthread_mutex_unlock(&toys_lock);
	return 0;
}

static int toy_gate_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	toys_pass_gate();
	return toy_sink_push(ctx, input, batch);
}

/* Writes one line per batch to wherever -o says. */
static int toy_writer_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct toy_state *state = ctx->state;
	struct weir_writer *writer = ctx->host->writer_open(ctx, "", 0);
	int err;

	(void)input;
	(void)state;
	if (!writer)
		return -EIO;
	ctx->host->writer_write(writer, "line\n", 5);
	err = ctx->host->writer_close(writer, 1);
	if (!err) {
		pthread_mutex_lock(&toys_lock);
		toys.rows += batch->row_count;
		pthread_mutex_unlock(&toys_lock);
	}
	return err;
}

static int toy_sink_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	toys_note("drain:", toy_name(ctx));
	return toy_fail_at(ctx, FAIL_DRAIN, "drain");
}

static void toy_stop(struct weir_ctx *ctx)
{
	toys_note("stop:", toy_name(ctx));
}

static void toy_destroy(struct weir_ctx *ctx)
{
	struct toy_state *state = ctx->state;

	pthread_mutex_lock(&toys_lock);
	toys.live--;
	pthread_mutex_unlock(&toys_lock);
	free(state->memory);
}

static void toy_probe(struct weir_ctx *ctx)
{
	weir_need(ctx, WEIR_NEED_MISSING, "toy permission", "none", "toys cannot play",
		  "allow toys");
	weir_need(ctx, WEIR_NEED_MET, "toy box", "there", "", "");
}

static const struct weir_output toy_outputs[] = {
	{ "rows", "toy rows", &toy_schema, 0, 0 },
};
static const struct weir_output pass_outputs[] = {
	{ "rows", "the same", NULL, WEIR_SAME_AS_INPUT, 0 },
};
static const struct weir_output mute_outputs[] = {
	{ "rows", "never declared", NULL, 0, 0 },
};
static const struct weir_want any_wants[] = { { "time", WEIR_TYPE_TIME, 0, NULL, 0, 0 } };
static const struct weir_want stack_wants[] = { { "stack", WEIR_TYPE_STACK, 0, NULL, 0, 0 } };
static const struct weir_slot one_slot[] = {
	{ "in", "one", WEIR_TABLE(any_wants), 0, 0 },
};
static const struct weir_slot many_slot[] = {
	{ "in", "many", WEIR_TABLE(any_wants), WEIR_MANY, 0 },
};
static const struct weir_slot stack_slot[] = {
	{ "in", "stacks", WEIR_TABLE(stack_wants), 0, 0 },
};
static const struct weir_format toy_formats[] = { { "toy", ".toy" } };
struct toy_v1 {
	uint32_t size;
};
static const struct toy_v1 toy_service = { sizeof(toy_service) };
static const struct weir_service_offer toy_offers[] = { { "toybox", 1, 0, &toy_service } };

#define TOY(name_, kind_, flags_)                                                                  \
	.size = sizeof(struct weir_component), .abi_major = WEIR_ABI_MAJOR,                        \
	.abi_minor = WEIR_ABI_MINOR, .kind = kind_, .name = name_, .summary = name_,               \
	.flags = flags_, .options_size = sizeof(struct toy_options),                               \
	.state_size = sizeof(struct toy_state), .options = WEIR_TABLE(toy_option_table),           \
	.create = toy_create, .bind = toy_bind, .stop = toy_stop, .destroy = toy_destroy,          \
	.probe = toy_probe

#define SOURCE .outputs = WEIR_TABLE(toy_outputs), .start = toy_source_start, .tick = toy_tick
#define SINK   .start = toy_start, .drain = toy_sink_drain

static const struct weir_component components[] = {
	{ TOY("toy.source", WEIR_SOURCE, 0), SOURCE, .drain = toy_source_drain },
	{ TOY("toy.patient", WEIR_SOURCE, WEIR_PATIENT), SOURCE, .drain = toy_source_drain },
	{ TOY("toy.mute", WEIR_SOURCE, 0), .outputs = WEIR_TABLE(mute_outputs) },
	{ TOY("toy.pass", WEIR_TRANSFORM, 0), .outputs = WEIR_TABLE(pass_outputs),
	  .inputs = WEIR_TABLE(one_slot), .start = toy_start, .push = toy_pass_push,
	  .drain = toy_pass_drain },
	{ TOY("toy.sink", WEIR_SINK, 0), SINK, .inputs = WEIR_TABLE(many_slot),
	  .push = toy_sink_push },
	{ TOY("toy.single", WEIR_SINK, 0), SINK, .inputs = WEIR_TABLE(one_slot),
	  .push = toy_sink_push },
	{ TOY("toy.thread", WEIR_SINK, WEIR_BLOCKS), SINK, .inputs = WEIR_TABLE(many_slot),
	  .push = toy_sink_push },
	{ TOY("toy.gate", WEIR_SINK, WEIR_BLOCKS), SINK, .inputs = WEIR_TABLE(many_slot),
	  .push = toy_gate_push },
	{ TOY("toy.hang", WEIR_SINK, 0), SINK, .inputs = WEIR_TABLE(many_slot),
	  .push = toy_gate_push },
	{ TOY("toy.writer", WEIR_SINK, WEIR_BLOCKS), SINK, .inputs = WEIR_TABLE(many_slot),
	  .push = toy_writer_push, .formats = WEIR_TABLE(toy_formats) },
	{ TOY("toy.stacks", WEIR_SINK, 0), SINK, .inputs = WEIR_TABLE(stack_slot),
	  .push = toy_sink_push },
	{ TOY("toy.box", WEIR_PROVIDER, 0), .offers = WEIR_TABLE(toy_offers), .start = toy_start },
};

#define TOYS (sizeof(components) / sizeof(components[0]))

static struct plugin registry[TOYS];

static void registry_fill(void)
{
	for (size_t i = 0; i < TOYS; i++) {
		static char no_path[] = "";

		registry[i].path = no_path;
		registry[i].component = components[i];
		registry[i].note.kind = components[i].kind;
		snprintf(registry[i].note.name, sizeof(registry[i].note.name), "%s",
			 components[i].name);
	}
}

/* One caller has little room: that the text may be cut is known. */
static void toy_missing(char *error, size_t size, const char *name)
{
	char text[128];
	size_t kept;

	snprintf(text, sizeof(text), "no plugin \"%s\"", name);
	kept = strnlen(text, size - 1);
	memcpy(error, text, kept);
	error[kept] = '\0';
}

const struct plugin *plugin_find(struct plugins *plugins, const char *name, char *error,
				 size_t error_size)
{
	(void)plugins;
	for (size_t i = 0; i < TOYS; i++)
		if (strcmp(components[i].name, name) == 0)
			return &registry[i];
	toy_missing(error, error_size, name);
	return NULL;
}

const struct plugin *plugin_find_service(struct plugins *plugins, const char *service, char *error,
					 size_t error_size)
{
	if (strcmp(service, "toybox") == 0)
		return plugin_find(plugins, "toy.box", error, error_size);
	snprintf(error, error_size, "nobody offers the service \"%s\"", service);
	return NULL;
}

const struct plugin *plugin_service_at(struct plugins *plugins, const char *service, uint32_t i,
				       char *error, size_t error_size)
{
	*error = '\0';
	return i ? NULL : plugin_find_service(plugins, service, error, error_size);
}

void plugins_each(struct plugins *plugins, plugin_seen_fn *seen, void *arg)
{
	(void)plugins;
	for (size_t i = 0; i < TOYS; i++)
		seen("", &registry[i], NULL, arg);
}

const struct plugin *plugin_for_format(struct plugins *plugins, const char *format)
{
	char error[8];

	return strcmp(format, "toy") == 0 ? plugin_find(plugins, "toy.writer", error, 8) : NULL;
}

const struct plugin *plugin_for_extension(struct plugins *plugins, const char *path)
{
	return plugin_for_format(plugins, strrchr(path, '.') + 1);
}

void stage_begin(void)
{
	pthread_mutex_lock(&toys_lock);
	toys = (struct toys){ 0 };
	toys_round++;
	pthread_mutex_unlock(&toys_lock);
	registry_fill();
}

static void stage_take_errors(struct stage *stage)
{
	FILE *out = fmemopen(stage->errors, sizeof(stage->errors) - 1, "w");

	diag_print(stage->diag, out);
	fclose(out);
}

void stage_build(struct stage *stage, const char *yaml, char **argv)
{
	static char *none[] = { NULL };
	const struct diag_text *text;
	int argc = 0;

	*stage = (struct stage){ .status = -1 };
	stage->diag = diag_new();
	text = diag_add_text(stage->diag, "toys.yaml", strdup(yaml), strlen(yaml));
	argv = argv ? argv : none;
	while (argv[argc])
		argc++;
	stage->built = pipeline_parse(text, argc, argv, 0, stage->diag, &stage->pipeline);
	if (stage->built == 0)
		stage->built = graph_new(stage->pipeline, (struct plugins *)registry, stage->diag,
					 &stage->graph);
	stage_take_errors(stage);
}

void stage_run(struct stage *stage, void *(*during)(void *arg))
{
	int memory = memfd_create("stderr", MFD_CLOEXEC), saved = dup(STDERR_FILENO);
	sigset_t all, before;
	pthread_t company;
	ssize_t got;

	if (stage->built)
		return;
	dup2(memory, STDERR_FILENO);
	/* In weir, no thread but the loop's takes signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (during)
		pthread_create(&company, NULL, during, stage);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	stage->status = graph_run(stage->graph);
	if (during)
		pthread_join(company, NULL);
	dup2(saved, STDERR_FILENO);
	close(saved);
	got = pread(memory, stage->told, sizeof(stage->told) - 1, 0);
	stage->told[got > 0 ? got : 0] = '\0';
	close(memory);
}

void stage_end(struct stage *stage)
{
	if (graph_free(stage->graph))
		pipeline_free(stage->pipeline);
	diag_free(stage->diag);
}

void stage_play(struct stage *stage, const char *yaml, char **argv)
{
	stage_begin();
	stage_build(stage, yaml, argv);
	stage_run(stage, NULL);
}

void stage_edge(struct stage *stage, const char *node, struct edge_counts *counts)
{
	for (uint32_t i = 0; i < stage->graph->node_count; i++)
		if (strcmp(stage->graph->nodes[i]->name, node) == 0)
			edge_count(&stage->graph->nodes[i]->inputs[0]->edge, counts);
}
