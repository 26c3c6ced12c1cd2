/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source cpu.exec: every program that is started (exec.bpf.c), every attempt that fails
 * (exec_failed.bpf.c), and every process that ends (exec_exit.bpf.c). Only what the user asked
 * for is loaded.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>
#include <weir/bpf/tracepoint.h>
#include <weir/plugin.h>
#include <weir/task_filter.h>

#include "exec_args.h"
#include "exec_event.h"
/* Need the events' types. */
#include "exec.skel.h"
#include "exec_exit.skel.h"
#include "exec_failed.skel.h"

enum { WATCH_EXEC = 1u << 0, WATCH_EXIT = 1u << 1 };

struct exec_conf {
	struct weir_task_conf filter;
	uint64_t buffer;
	uint32_t watch;
	uint32_t quote; /* enum exec_quote */
	bool failed;
	bool children;
};

static const struct weir_option exec_options[] = {
	WEIR_OPT_TASK_FILTER(struct exec_conf),
	WEIR_OPT_BUFFER(struct exec_conf),
	WEIR_OPT_BOOL(struct exec_conf, children, "true",
		      "with `pid`: processes that were started below it, too"),
	WEIR_OPT_CHOICES(struct exec_conf, watch, "exec,exit", "exec exit",
			 "outputs that are wanted: the others send nothing and cost nothing"),
	WEIR_OPT_BOOL(struct exec_conf, failed, "false", "programs that could not be started, too"),
	WEIR_OPT_CHOICE(struct exec_conf, quote, "needed", "needed always",
			"quote those arguments that a shell would not read back as they are, or "
			"all"),
};

struct exec_row {
	uint64_t time;
	struct weir_task_columns task;
	char error[16];
	struct weir_text path;
	struct weir_text args;
	uint32_t args_count;
	uint32_t args_left;
};

static const struct weir_field exec_fields[] = {
	WEIR_FIELD_TIME(struct exec_row, time, WEIR_EVENT, "when the program began, or failed to"),
	WEIR_TASK_COLUMNS(struct exec_row),
	WEIR_FIELD_WITH(struct exec_row, error, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"why it could not be started"),
	WEIR_FIELD(struct exec_row, path, WEIR_NONE, WEIR_EVENT, "the file, as it was asked for"),
	WEIR_FIELD(struct exec_row, args, WEIR_NONE, WEIR_EVENT, "its arguments, from the 0th on"),
	WEIR_FIELD_WITH(struct exec_row, args_count, WEIR_COUNT, WEIR_EVENT, WEIR_QUIET,
			"how many there are"),
	WEIR_FIELD_WITH(struct exec_row, args_left, WEIR_COUNT, WEIR_EVENT, WEIR_QUIET,
			"how many of them are not shown whole"),
};

#define EXEC_FIELDS (sizeof(exec_fields) / sizeof(exec_fields[0]))

struct exit_row {
	uint64_t time;
	struct weir_task_columns task;
	uint64_t age;
	char signal[16];
	uint32_t code;
	bool core;
	uint8_t reserved[3];
};

static const struct weir_field exit_fields[] = {
	WEIR_FIELD_TIME(struct exit_row, time, WEIR_EVENT, "when its last thread ended"),
	WEIR_TASK_COLUMNS(struct exit_row),
	WEIR_FIELD_DURATION(struct exit_row, age, WEIR_EVENT, 0, "since it was forked"),
	WEIR_FIELD_WITH(struct exit_row, code, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"what it returned; absent when a signal ended it"),
	WEIR_FIELD_WITH(struct exit_row, signal, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"the signal that ended it"),
	WEIR_FIELD(struct exit_row, core, WEIR_NONE, WEIR_EVENT, "whether it left a core dump"),
};

#define EXIT_FIELDS (sizeof(exit_fields) / sizeof(exit_fields[0]))

enum { OUT_EXEC, OUT_EXIT, OUTPUTS };

static const struct weir_output exec_outputs[OUTPUTS] = {
	[OUT_EXEC] = { "exec", "one row per program started", NULL, 0, 0 },
	[OUT_EXIT] = { "exit", "one row per process ended", NULL, 0, 0 },
};

/* A program's events: each has a ring of its own. */
enum { RING_EXEC, RING_FAILED, RING_EXIT, RINGS };

/*
 * In bytes; of 512 KiB for some 3,000 programs, 1,000 failures and 3,000 ends in 50 ms. A ring is
 * mapped twice, and all of it counts as memory of this process.
 */
static uint32_t exec_ring_size(const struct exec_conf *conf, uint32_t ring)
{
	return weir_bpf_ring_size(ring == RING_EXEC ? conf->buffer : conf->buffer / 2);
}

/* The classic tracepoints of failed calls. */
enum { LINKS = 4 };

struct exec_state {
	struct exec_bpf *exec;
	struct exec_failed_bpf *failed;
	struct exec_exit_bpf *exit;
	struct weir_bpf_ring rings[RINGS];
	struct weir_batch *batches[OUTPUTS]; /* while they are being filled */
	struct weir_cgroup_names names;
	struct weir_task_filter filter;
	uint32_t only_below; /* a process; 0: all */
	struct exec_text text;
	uint64_t start;   /* of the window */
	int links[LINKS]; /* 0: not attached */
	int stats;        /* holds the kernel's statistics of BPF on; 0: not asked for */
	struct weir_schema schemas[OUTPUTS];
	struct weir_field exec_fields[EXEC_FIELDS];
	struct weir_field exit_fields[EXIT_FIELDS];
};

/*
 * Copies the fields that are to be shown. Whoever watches processes wants to see parents; errors
 * are a column only where there can be any.
 */
static uint32_t exec_choose(const struct weir_field *all, size_t count, bool failed,
			    struct weir_field *fields)
{
	uint32_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(all[i].name, "error") == 0 && !failed)
			continue;
		fields[n] = all[i];
		if (strcmp(all[i].name, "ppid") == 0)
			fields[n].flags &= ~(uint32_t)WEIR_QUIET;
		n++;
	}
	return n;
}

static int exec_declare(struct weir_ctx *ctx, uint32_t output, const char *name, uint32_t row_size,
			struct weir_field *fields, uint32_t count)
{
	struct exec_state *st = ctx->state;
	struct weir_schema *schema = &st->schemas[output];

	schema->size = sizeof(*schema);
	schema->row_size = row_size;
	schema->name = name;
	schema->fields.items = fields;
	schema->fields.count = count;
	schema->fields.item_size = sizeof(*fields);
	return ctx->host->declare(ctx, output, schema);
}

static int exec_bind(struct weir_ctx *ctx)
{
	const struct exec_conf *conf = ctx->options;
	struct exec_state *st = ctx->state;
	uint32_t n = exec_choose(exec_fields, EXEC_FIELDS, conf->failed, st->exec_fields);
	int err = exec_declare(ctx, OUT_EXEC, "program started", WEIR_ROW_SIZE(struct exec_row),
			       st->exec_fields, n);

	if (err)
		return err;
	n = exec_choose(exit_fields, EXIT_FIELDS, false, st->exit_fields);
	return exec_declare(ctx, OUT_EXIT, "process ended", WEIR_ROW_SIZE(struct exit_row),
			    st->exit_fields, n);
}

static int exec_map(struct weir_ctx *ctx, uint32_t ring, int fd)
{
	struct exec_state *st = ctx->state;
	int err = weir_bpf_ring_map(&st->rings[ring], fd, exec_ring_size(ctx->options, ring));

	return err ? weir_fail(ctx, err, "map the ring of events") : 0;
}

static int exec_start_exec(struct weir_ctx *ctx)
{
	struct exec_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->exec = exec_bpf__open();
	if (!st->exec)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	st->exec->rodata->task_filter = st->filter;
	st->exec->rodata->only_below = st->only_below;
	st->exec->maps.events.max_entries = exec_ring_size(ctx->options, RING_EXEC);
	err = weir_bpf_load(exec_bpf, st->exec, &report);
	if (!err)
		err = weir_bpf_attach(exec_bpf, st->exec, &report);
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	return exec_map(ctx, RING_EXEC, st->exec->maps.events.map_fd);
}

static int exec_start_exit(struct weir_ctx *ctx)
{
	struct exec_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->exit = exec_exit_bpf__open();
	if (!st->exit)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	st->exit->rodata->task_filter = st->filter;
	st->exit->rodata->only_below = st->only_below;
	st->exit->maps.events.max_entries = exec_ring_size(ctx->options, RING_EXIT);
	err = weir_bpf_load(exec_exit_bpf, st->exit, &report);
	if (!err)
		err = weir_bpf_attach(exec_exit_bpf, st->exit, &report);
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	return exec_map(ctx, RING_EXIT, st->exit->maps.events.map_fd);
}

/* Ends first: a call whose end is not seen would stay in the kernel's table. */
static int exec_link_failed(struct weir_ctx *ctx, struct weir_bpf_report *report)
{
	struct exec_state *st = ctx->state;
	const struct {
		const char *tracepoint;
		int program;
	} links[LINKS] = {
		{ "syscalls/sys_exit_execve", st->failed->progs.exec_return.prog_fd },
		{ "syscalls/sys_exit_execveat", st->failed->progs.exec_return.prog_fd },
		{ "syscalls/sys_enter_execve", st->failed->progs.execve_enter.prog_fd },
		{ "syscalls/sys_enter_execveat", st->failed->progs.execveat_enter.prog_fd },
	};
	int tracefs = weir_tracefs_open(ctx, report);
	int err = tracefs < 0 ? tracefs : 0;

	for (uint32_t i = 0; i < LINKS && !err; i++) {
		st->links[i] = weir_bpf_attach_tracepoint(tracefs, links[i].tracepoint,
							  links[i].program, report);
		err = st->links[i] < 0 ? st->links[i] : 0;
	}
	if (tracefs >= 0)
		close(tracefs);
	return err;
}

static int exec_start_failed(struct weir_ctx *ctx)
{
	struct exec_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->failed = exec_failed_bpf__open();
	if (!st->failed)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	st->failed->rodata->task_filter = st->filter;
	st->failed->rodata->only_below = st->only_below;
	st->failed->maps.events.max_entries = exec_ring_size(ctx->options, RING_FAILED);
	err = weir_bpf_load(exec_failed_bpf, st->failed, &report);
	if (!err)
		err = weir_bpf_attach(exec_failed_bpf, st->failed, &report);
	if (!err)
		err = exec_link_failed(ctx, &report);
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	return exec_map(ctx, RING_FAILED, st->failed->maps.events.map_fd);
}

static int exec_start(struct weir_ctx *ctx)
{
	const struct exec_conf *conf = ctx->options;
	struct exec_state *st = ctx->state;
	int err = weir_task_filter_set(ctx, &conf->filter, &st->filter, &st->names);

	if (conf->children) {
		st->filter.by &= ~(uint32_t)WEIR_TASK_BY_PID;
		st->only_below = conf->filter.pid;
	}
	if (!err && conf->watch & WATCH_EXEC)
		err = exec_start_exec(ctx);
	if (!err && conf->watch & WATCH_EXEC && conf->failed)
		err = exec_start_failed(ctx);
	if (!err && conf->watch & WATCH_EXIT)
		err = exec_start_exit(ctx);
	if (err)
		return err;
	st->start = weir_now(ctx);
	return weir_every(ctx, WEIR_BPF_RING_PERIOD_NS);
}

static int exec_add_args(struct weir_ctx *ctx, struct weir_batch *batch,
			 const struct exec_event *event, struct exec_row *row)
{
	const struct exec_conf *conf = ctx->options;
	struct exec_state *st = ctx->state;
	const char *bytes = (const char *)(event + 1);
	struct exec_args args = { bytes + event->path_length, event->args_length, event->args_bytes,
				  event->args_count, event->unreadable };
	size_t path = event->path_length ? event->path_length - 1 : 0;

	row->args_count = event->args_count;
	row->args_left = exec_args_write(&st->text, &args, conf->quote);
	if (st->text.failed || weir_add_text(ctx, batch, bytes, path, &row->path))
		return -ENOMEM;
	return weir_add_text(ctx, batch, st->text.bytes, st->text.length, &row->args);
}

static int exec_add_exec(struct weir_ctx *ctx, struct weir_batch *batch, const void *bytes,
			 uint32_t size)
{
	const struct exec_event *event = bytes;
	struct exec_state *st = ctx->state;
	struct exec_row row = { 0 };
	struct exec_row *added;
	const char *name;

	if (size < sizeof(*event) ||
	    size != (uint64_t)sizeof(*event) + event->path_length + event->args_length)
		return -EBADMSG;
	row.time = event->time_ns;
	name = event->error ? strerrorname_np(-event->error) : "";
	if (name)
		snprintf(row.error, sizeof(row.error), "%s", name);
	else
		snprintf(row.error, sizeof(row.error), "%d", -event->error);
	if (weir_task_columns_fill(ctx, batch, &st->names, &event->task, &row.task) ||
	    exec_add_args(ctx, batch, event, &row))
		return -ENOMEM;
	added = weir_add_row(ctx, batch);
	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}

static void exit_fill_status(struct exit_row *row, uint32_t status)
{
	int signal = WTERMSIG(status);
	const char *name = sigabbrev_np(signal);

	row->code = signal ? WEIR_ABSENT_U32 : WEXITSTATUS(status);
	row->core = WCOREDUMP(status) != 0;
	if (signal && name)
		snprintf(row->signal, sizeof(row->signal), "SIG%s", name);
	else if (signal)
		snprintf(row->signal, sizeof(row->signal), "SIG%d", signal);
}

static int exec_add_exit(struct weir_ctx *ctx, struct weir_batch *batch, const void *bytes,
			 uint32_t size)
{
	const struct exec_exit_event *event = bytes;
	struct exec_state *st = ctx->state;
	struct exit_row row = { 0 };
	struct exit_row *added;

	if (size != sizeof(*event))
		return -EBADMSG;
	row.time = event->time_ns;
	row.age = event->time_ns > event->start_ns ? event->time_ns - event->start_ns : 0;
	exit_fill_status(&row, event->status);
	if (weir_task_columns_fill(ctx, batch, &st->names, &event->task, &row.task))
		return -ENOMEM;
	added = weir_add_row(ctx, batch);
	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}

/* Where the events of a ring go. */
static const struct {
	uint32_t output;
	int (*add)(struct weir_ctx *ctx, struct weir_batch *batch, const void *bytes,
		   uint32_t size);
} exec_rings[RINGS] = {
	[RING_EXEC] = { OUT_EXEC, exec_add_exec },
	[RING_FAILED] = { OUT_EXEC, exec_add_exec },
	[RING_EXIT] = { OUT_EXIT, exec_add_exit },
};

/* Rows for what the ring holds; what a full queue does not take is read again by the next tick. */
static int exec_take(struct weir_ctx *ctx, uint32_t ring)
{
	struct exec_state *st = ctx->state;
	struct weir_batch **batch = &st->batches[exec_rings[ring].output];
	uint64_t read = st->rings[ring].read;
	const void *event;
	uint32_t size;
	int err = 0;

	while (!err && (event = weir_bpf_ring_next(&st->rings[ring], &size))) {
		if (!*batch)
			*batch = weir_loan(ctx, exec_rings[ring].output, 16, 4096);
		if (!*batch)
			break;
		err = exec_rings[ring].add(ctx, *batch, event, size);
		read = st->rings[ring].read;
	}
	st->rings[ring].read = read;
	weir_bpf_ring_end(&st->rings[ring]);
	return err ? weir_fail(ctx, err, "read events") : 0;
}

/* Programs started and failures come from two rings. */
static int exec_compare_times(const void *a, const void *b)
{
	const struct exec_row *first = a, *second = b;

	return (first->time > second->time) - (first->time < second->time);
}

static int exec_commit(struct weir_ctx *ctx, uint32_t output, uint64_t now)
{
	struct exec_state *st = ctx->state;
	struct weir_batch *batch = st->batches[output];

	st->batches[output] = NULL;
	if (!batch)
		return 0;
	if (output == OUT_EXEC && st->failed)
		qsort(batch->rows, batch->row_count, sizeof(struct exec_row), exec_compare_times);
	batch->start = st->start;
	batch->end = now;
	return weir_commit(ctx, batch);
}

static void exec_report_lost(struct weir_ctx *ctx)
{
	static const char *const reason = WEIR_BPF_RING_FULL;
	static const char *const cure = WEIR_BPF_RING_CURE "--pid, --comm, --user, --cgroup";
	struct exec_state *st = ctx->state;

	if (st->exec)
		weir_lost(ctx, reason, weir_cell_take(&st->exec->bss->events_lost), cure);
	if (st->exit)
		weir_lost(ctx, reason, weir_cell_take(&st->exit->bss->events_lost), cure);
	if (!st->failed)
		return;
	weir_lost(ctx, reason, weir_cell_take(&st->failed->bss->events_lost), cure);
	weir_lost(ctx, "exec not followed, so its failure would not be seen: too many at a time",
		  weir_cell_take(&st->failed->bss->calls_full), cure);
}

static int exec_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct exec_state *st = ctx->state;
	int err = 0;

	for (uint32_t i = 0; i < RINGS && !err; i++)
		err = exec_take(ctx, i);
	exec_report_lost(ctx);
	for (uint32_t i = 0; i < OUTPUTS && !err; i++)
		err = exec_commit(ctx, i, now);
	st->start = now;
	return err;
}

static int exec_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return exec_tick(ctx, weir_now(ctx));
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void exec_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct exec_state *st = ctx->state;

	if (st->exec)
		weir_bpf_tell_cost(st->exec, &st->stats, cost);
	if (st->failed)
		weir_bpf_tell_cost(st->failed, &st->stats, cost);
	if (st->exit)
		weir_bpf_tell_cost(st->exit, &st->stats, cost);
}

static void exec_destroy(struct weir_ctx *ctx)
{
	struct exec_state *st = ctx->state;

	for (uint32_t i = 0; i < OUTPUTS; i++)
		weir_discard(ctx, st->batches[i]);
	for (uint32_t i = 0; i < LINKS; i++)
		if (st->links[i] > 0)
			close(st->links[i]);
	for (uint32_t i = 0; i < RINGS; i++)
		weir_bpf_ring_unmap(&st->rings[i]);
	exec_bpf__destroy(st->exec);
	exec_failed_bpf__destroy(st->failed);
	exec_exit_bpf__destroy(st->exit);
	weir_cgroup_names_release(&st->names);
	free(st->text.bytes);
	weir_bpf_stats_end(&st->stats);
}

static void exec_probe(struct weir_ctx *ctx)
{
	struct weir_bpf_report report = { 0 };
	int tracefs;

	if (!weir_probe_bpf(ctx))
		return;
	weir_probe_target(ctx, "raw_tp/sched_process_exec", "raw tracepoints of the scheduler",
			  WEIR_NEED_MISSING, "programs and processes are not seen",
			  "a kernel with CONFIG_TRACEPOINTS");
	tracefs = weir_tracefs_open(ctx, &report);
	if (tracefs < 0)
		weir_need(ctx, WEIR_NEED_LIMITED, "tracefs", report.text,
			  "failed attempts to start a program are not seen",
			  "mount -t tracefs tracefs /sys/kernel/tracing");
	else
		close(tracefs);
}

WEIR_COMPONENT(
	"cpu.exec", WEIR_SOURCE, .summary = "programs started and processes ended",
	.doc = "exec: each program that was started, also of the shortest life, with the user and "
	       "the name it then\nhas. Arguments are read from the new program's memory, up to 16 "
	       "KiB of them; what is left out is\ntold behind them, as in (cut) (+4 arguments) "
	       "(+8123 bytes). They are one text in one line, which\nbash and zsh read back to "
	       "the same bytes: quoted, and $'quoted\\n', only where needed.\nWith `failed` also "
	       "attempts that failed, under the name of who tried; their arguments are read "
	       "from\nthe caller's memory when the call ends, and (unreadable) is what is not "
	       "there. Failures of 32-bit\nprograms on a 64-bit kernel are not seen.\n\n"
	       "exit: each process, when its last thread ends; threads are not shown.",
	.options_size = sizeof(struct exec_conf), .state_size = sizeof(struct exec_state),
	.options = WEIR_TABLE(exec_options), .outputs = WEIR_TABLE(exec_outputs),
	.probe = exec_probe, .bind = exec_bind, .start = exec_start, .tick = exec_tick,
	.drain = exec_drain, .destroy = exec_destroy, .cost = exec_cost);
