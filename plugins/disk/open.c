/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source disk.open: every call that opens a file, or fails to (open.bpf.c).
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>
#include <weir/bpf/tracepoint.h>
#include <weir/path_text.h>
#include <weir/plugin.h>
#include <weir/task_filter.h>

#include "open_event.h"
/* Needs the event's type. */
#include "open.skel.h"
#include "open_text.h"

struct open_conf {
	struct weir_task_conf filter;
	uint64_t buffer; /* for some 3,000 calls, or 50 ms at 60,000 a second */
	bool failed;
	bool latency;
};

static const struct weir_option open_options[] = {
	WEIR_OPT_TASK_FILTER(struct open_conf),
	WEIR_OPT_BUFFER(struct open_conf),
	WEIR_OPT_BOOL(struct open_conf, failed, "false", "only those that fail"),
	WEIR_OPT_BOOL(struct open_conf, latency, "false",
		      "how long each call took, too: its beginning is watched as well"),
};

struct open_row {
	uint64_t time;
	struct weir_task_columns task;
	int32_t fd;
	char error[16];
	char call[20];
	char mode[8];
	uint64_t latency;
	struct weir_text flags;
	struct weir_text name;
	struct weir_text path;
};

static const struct weir_field open_fields[] = {
	WEIR_FIELD_TIME(struct open_row, time, WEIR_EVENT, "when the call came back"),
	WEIR_TASK_COLUMNS(struct open_row),
	WEIR_FIELD_WITH(struct open_row, fd, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"the descriptor; absent when it failed"),
	WEIR_FIELD_WITH(struct open_row, error, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"why it failed"),
	WEIR_FIELD_WITH(struct open_row, call, WEIR_NONE, WEIR_EVENT, WEIR_QUIET,
			"the system call"),
	WEIR_FIELD_DURATION(struct open_row, latency, WEIR_EVENT, WEIR_OPTIONAL | WEIR_QUIET,
			    "how long the call took"),
	WEIR_FIELD_WITH(struct open_row, flags, WEIR_NONE, WEIR_EVENT, 0,
			"how it was to be opened"),
	WEIR_FIELD_WITH(struct open_row, mode, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL | WEIR_QUIET,
			"permissions of a new file, in octal"),
	WEIR_FIELD_WITH(struct open_row, name, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL | WEIR_QUIET,
			"as it was asked for"),
	WEIR_FIELD_WITH(struct open_row, path, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"the file, from the root of the task on"),
};

#define OPEN_FIELDS (sizeof(open_fields) / sizeof(open_fields[0]))

static const struct weir_output open_outputs[] = {
	{ "open", "one row per call that came back", NULL, 0, 0 },
};

/* What this architecture does not have is 0, which is another call's number everywhere. */
#ifndef SYS_open
#define SYS_open  0
#define SYS_creat 0
#endif

static const struct {
	uint32_t number;
	const char *name;
	const char *begins;
	const char *ends;
} open_calls[OPEN_CALLS] = {
#define CALL(name_) SYS_##name_, #name_, "syscalls/sys_enter_" #name_, "syscalls/sys_exit_" #name_
	[OPEN_OPEN] = { CALL(open) },
	[OPEN_CREAT] = { CALL(creat) },
	[OPEN_OPENAT] = { CALL(openat) },
	[OPEN_OPENAT2] = { CALL(openat2) },
	[OPEN_HANDLE] = { CALL(open_by_handle_at) },
#undef CALL
};

struct open_state {
	struct open_bpf *bpf;
	struct weir_bpf_ring ring;
	struct weir_batch *batch; /* while it is being filled */
	struct weir_cgroup_names names;
	uint64_t start;            /* of the window */
	int links[2 * OPEN_CALLS]; /* 0: not attached */
	int stats;                 /* holds the kernel's statistics of BPF on; 0: not asked for */
	struct weir_schema schema;
	struct weir_field fields[OPEN_FIELDS];
};

/* Copies the fields that are to be shown: durations are a column only where they are measured. */
static int open_bind(struct weir_ctx *ctx)
{
	const struct open_conf *conf = ctx->options;
	struct open_state *st = ctx->state;
	uint32_t n = 0;

	for (size_t i = 0; i < OPEN_FIELDS; i++) {
		if (strcmp(open_fields[i].name, "latency") == 0 && !conf->latency)
			continue;
		st->fields[n] = open_fields[i];
		if (strcmp(open_fields[i].name, "latency") == 0)
			st->fields[n].flags &= ~(uint32_t)WEIR_QUIET;
		n++;
	}
	st->schema.size = sizeof(st->schema);
	st->schema.row_size = WEIR_ROW_SIZE(struct open_row);
	st->schema.name = "file opened";
	st->schema.fields.items = st->fields;
	st->schema.fields.count = n;
	st->schema.fields.item_size = sizeof(st->fields[0]);
	return ctx->host->declare(ctx, 0, &st->schema);
}

/* Attaches to one end of a call; what the kernel was built without is left out. */
static int open_link(struct weir_ctx *ctx, int tracefs, const char *tracepoint, int program,
		     int *link)
{
	struct weir_bpf_report report = { 0 };
	int result = weir_bpf_attach_tracepoint(tracefs, tracepoint, program, &report);

	if (result == -EOPNOTSUPP)
		return 0;
	if (result < 0)
		return weir_fail(ctx, result, "%s", report.text);
	*link = result;
	return 0;
}

/* One line for all the calls that the kernel has and does not let be traced. */
static void open_tell_unseen(struct weir_ctx *ctx)
{
	struct open_state *st = ctx->state;
	char names[160] = "";
	size_t length = 0;

	for (uint32_t i = 0; i < OPEN_CALLS; i++) {
		const char *name = strstr(open_calls[i].ends, "sys_exit_");

		if (!open_calls[i].number || st->links[i] > 0 || length >= sizeof(names))
			continue;
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   length ? ", " : "", name + strlen("sys_exit_"));
	}
	if (length)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "not seen, as this kernel has no tracepoints of these calls: %s", names);
}

/* Ends first: a call whose end is not seen would stay in the kernel's table. */
static int open_link_all(struct weir_ctx *ctx, int tracefs)
{
	const struct open_conf *conf = ctx->options;
	struct open_state *st = ctx->state;
	int exits = st->bpf->progs.open_exit.prog_fd, enters = st->bpf->progs.open_enter.prog_fd;
	uint32_t attached = 0;
	int err = 0;

	for (uint32_t i = 0; i < OPEN_CALLS && !err; i++)
		if (open_calls[i].number)
			err = open_link(ctx, tracefs, open_calls[i].ends, exits, &st->links[i]);
	for (uint32_t i = 0; i < OPEN_CALLS && !err; i++) {
		attached += st->links[i] > 0;
		if (st->links[i] > 0 && conf->latency)
			err = open_link(ctx, tracefs, open_calls[i].begins, enters,
					&st->links[OPEN_CALLS + i]);
	}
	if (!err && !attached)
		return weir_fail(ctx, -EOPNOTSUPP,
				 "this kernel has no tracepoints of system calls: it needs "
				 "CONFIG_FTRACE_SYSCALLS");
	if (!err)
		open_tell_unseen(ctx);
	return err;
}

static int open_load(struct weir_ctx *ctx)
{
	const struct open_conf *conf = ctx->options;
	struct open_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = open_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = weir_task_filter_set(ctx, &conf->filter,
				   (struct weir_task_filter *)&st->bpf->rodata->task_filter,
				   &st->names);
	if (err)
		return err;
	st->bpf->rodata->only_failed = conf->failed;
	st->bpf->rodata->timed = conf->latency;
	for (uint32_t i = 0; i < OPEN_CALLS; i++)
		st->bpf->rodata->open_numbers[i] = open_calls[i].number;
	st->bpf->maps.events.max_entries = weir_bpf_ring_size(conf->buffer);
	err = weir_bpf_load(open_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(open_bpf, st->bpf, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static int open_start(struct weir_ctx *ctx)
{
	const struct open_conf *conf = ctx->options;
	struct open_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err = open_load(ctx);
	int tracefs;

	if (err)
		return err;
	err = weir_bpf_ring_map(&st->ring, st->bpf->maps.events.map_fd,
				weir_bpf_ring_size(conf->buffer));
	if (err)
		return weir_fail(ctx, err, "map the ring of events");
	tracefs = weir_tracefs_open(ctx, &report);
	if (tracefs < 0)
		return weir_fail(ctx, tracefs, "%s", report.text);
	err = open_link_all(ctx, tracefs);
	close(tracefs);
	if (err)
		return err;
	st->start = weir_now(ctx);
	return weir_every(ctx, WEIR_BPF_RING_PERIOD_NS);
}

static int open_add_texts(struct weir_ctx *ctx, struct weir_batch *batch,
			  const struct open_event *event, const struct weir_path_head *path,
			  struct open_row *row)
{
	char text[WEIR_PATH_TEXT_MAX];
	size_t length = weir_path_write(text, path, event->result);
	const char *name;

	if (weir_add_text(ctx, batch, text, length, &row->path))
		return -ENOMEM;
	length = open_flags_write(text, sizeof(text), event->flags, event->resolve);
	if (weir_add_text(ctx, batch, text, length, &row->flags))
		return -ENOMEM;
	name = weir_path_name(path, &length);
	return weir_add_text(ctx, batch, name, length, &row->name);
}

static void open_fill_result(struct open_row *row, const struct open_event *event)
{
	const char *name = strerrorname_np(-event->result);

	row->fd = event->result < 0 ? WEIR_ABSENT_I32 : event->result;
	if (event->result < 0 && name)
		snprintf(row->error, sizeof(row->error), "%s", name);
	else if (event->result < 0)
		snprintf(row->error, sizeof(row->error), "%d", -event->result);
}

static int open_add(struct weir_ctx *ctx, struct weir_batch *batch, const void *bytes,
		    uint32_t size)
{
	const struct open_event *event = bytes;
	const struct weir_path_head *path = weir_path_of(event, size, sizeof(*event));
	struct open_state *st = ctx->state;
	struct open_row row = { 0 };
	struct open_row *added;

	if (!path || event->call >= OPEN_CALLS)
		return -EBADMSG;
	row.time = event->time_ns;
	row.latency = event->latency_ns ? event->latency_ns : WEIR_ABSENT_U64;
	open_fill_result(&row, event);
	snprintf(row.call, sizeof(row.call), "%s", open_calls[event->call].name);
	/* O_TMPFILE has O_DIRECTORY in it, which alone makes no file. */
	if (event->flags & O_CREAT || (event->flags & O_TMPFILE) == O_TMPFILE)
		snprintf(row.mode, sizeof(row.mode), "%04o", event->mode & 07777u);
	if (weir_task_columns_fill(ctx, batch, &st->names, &event->task, &row.task) ||
	    open_add_texts(ctx, batch, event, path, &row))
		return -ENOMEM;
	added = weir_add_row(ctx, batch);
	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}

/* Rows for what the ring holds; what a full queue does not take is read again by the next tick. */
static int open_take(struct weir_ctx *ctx)
{
	struct open_state *st = ctx->state;
	uint64_t read = st->ring.read;
	const void *event;
	uint32_t size;
	int err = 0;

	while (!err && (event = weir_bpf_ring_next(&st->ring, &size))) {
		if (!st->batch)
			st->batch = weir_loan(ctx, 0, 64, 16384);
		if (!st->batch)
			break;
		err = open_add(ctx, st->batch, event, size);
		read = st->ring.read;
	}
	st->ring.read = read;
	weir_bpf_ring_end(&st->ring);
	return err ? weir_fail(ctx, err, "read events") : 0;
}

static void open_report_lost(struct weir_ctx *ctx)
{
	struct open_state *st = ctx->state;

	weir_lost(ctx, WEIR_BPF_RING_FULL, weir_cell_take(&st->bpf->bss->events_lost),
		  WEIR_BPF_RING_CURE "--failed, --pid, --comm, --user, --cgroup");
	weir_lost(ctx, "call not timed: too many at a time",
		  weir_cell_take(&st->bpf->bss->calls_full),
		  "choose fewer: --pid, --comm, --user, --cgroup");
}

static int open_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct open_state *st = ctx->state;
	struct weir_batch *batch;
	int err = open_take(ctx);

	open_report_lost(ctx);
	if (!err && st->batch) {
		batch = st->batch;
		st->batch = NULL;
		batch->start = st->start;
		batch->end = now;
		err = weir_commit(ctx, batch);
	}
	st->start = now;
	return err;
}

static int open_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return open_tick(ctx, weir_now(ctx));
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void open_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct open_state *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void open_destroy(struct weir_ctx *ctx)
{
	struct open_state *st = ctx->state;

	weir_discard(ctx, st->batch);
	for (uint32_t i = 0; i < 2 * OPEN_CALLS; i++)
		if (st->links[i] > 0)
			close(st->links[i]);
	weir_bpf_ring_unmap(&st->ring);
	open_bpf__destroy(st->bpf);
	weir_cgroup_names_release(&st->names);
	weir_bpf_stats_end(&st->stats);
}

static void open_probe_calls(struct weir_ctx *ctx, int tracefs)
{
	for (uint32_t i = 0; i < OPEN_CALLS; i++) {
		if (!open_calls[i].number)
			continue;
		if (weir_tracepoint_id(tracefs, open_calls[i].ends) == -EOPNOTSUPP)
			weir_need(ctx, WEIR_NEED_LIMITED, open_calls[i].ends, "none",
				  "files opened by this call are not seen",
				  "a kernel with CONFIG_FTRACE_SYSCALLS");
		else
			weir_need(ctx, WEIR_NEED_MET, open_calls[i].ends, "present", "", "");
	}
}

static void open_probe(struct weir_ctx *ctx)
{
	struct weir_bpf_report report = { 0 };
	int tracefs;

	if (!weir_probe_bpf(ctx))
		return;
	tracefs = weir_tracefs_open(ctx, &report);
	if (tracefs < 0) {
		weir_need(ctx, WEIR_NEED_MISSING, "tracefs", report.text,
			  "files opened are not seen",
			  "mount -t tracefs tracefs /sys/kernel/tracing");
		return;
	}
	open_probe_calls(ctx, tracefs);
	close(tracefs);
}

WEIR_COMPONENT(
	"disk.open", WEIR_SOURCE, .summary = "files opened, and attempts to",
	.doc = "open: each call of open, creat, openat, openat2 and open_by_handle_at, when it "
	       "comes "
	       "back; open and creat\nare not there on arm64. path is the file that was opened, "
	       "links resolved, as the task sees it: from its\nroot on, in its mounts. Of a call "
	       "that failed it is the name that was asked for, behind the directory\nthat it "
	       "starts from, and links are left as they are. (unreachable) before a path: it lies "
	       "outside the\ntask's root. (cut): what is nearest to the root is missing. (deleted) "
	       "behind it: nobody can open it by\nthat name. name is what was asked for.\nNot "
	       "seen: files that io_uring opens, which makes no such call, and calls of 32-bit "
	       "programs on a\n64-bit kernel.",
	.options_size = sizeof(struct open_conf), .state_size = sizeof(struct open_state),
	.options = WEIR_TABLE(open_options), .outputs = WEIR_TABLE(open_outputs),
	.probe = open_probe, .bind = open_bind, .start = open_start, .tick = open_tick,
	.drain = open_drain, .destroy = open_destroy, .cost = open_cost);
