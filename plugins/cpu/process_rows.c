/* SPDX-License-Identifier: BSD-2-Clause */
/* From tasks to rows: which columns, which rows, and what is in them. */
#include <math.h>

#include "process.h"
#include "process_details.h"

struct process_row {
	char kind[8];
	uint32_t pid;
	uint32_t tid;
	uint32_t ppid;
	uint32_t uid;
	uint64_t user;
	uint64_t system;
	uint64_t guest;
	uint64_t wait;
	uint64_t run;
	uint64_t read;
	uint64_t written;
	uint64_t cancelled;
	uint64_t iowait;
	uint64_t minor;
	uint64_t major;
	uint64_t vsz;
	uint64_t rss;
	uint64_t stack;
	uint64_t swap;
	uint64_t started;
	double mem;
	uint64_t voluntary;
	uint64_t involuntary;
	uint32_t cpu;
	uint32_t threads;
	uint32_t fds;
	int32_t priority;
	int32_t nice;
	uint32_t ended;
	char state[8];
	char comm[WEIR_COMM_LENGTH];
	struct weir_text command;
	struct weir_text cgroup;
	struct weir_text container;
	struct weir_text job;
};

#define ROW_TIME(member_, head_, doc_)                                                             \
	WEIR_FIELD_DURATION_HEAD(struct process_row, member_, WEIR_DELTA, WEIR_OPTIONAL, head_,    \
				 doc_)
#define ROW_SHARE(text_) WEIR_HEAD(text_, WEIR_PERCENT, WEIR_PER_SECOND)
#define ROW_COUNT(member_, unit_, head_, doc_)                                                     \
	WEIR_FIELD_HEAD(struct process_row, member_, unit_, WEIR_DELTA, WEIR_OPTIONAL,             \
			WEIR_HEAD(head_, unit_ == WEIR_BYTES ? WEIR_KIB : unit_, WEIR_PER_SECOND), \
			doc_)
#define ROW_BYTES(member_, head_, doc_)                                                            \
	WEIR_FIELD_HEAD(struct process_row, member_, WEIR_BYTES, WEIR_GAUGE, WEIR_OPTIONAL,        \
			WEIR_HEAD(head_, WEIR_KIB, 0), doc_)
#define ROW_GAUGE(member_, flags_, doc_)                                                           \
	WEIR_FIELD_WITH(struct process_row, member_, WEIR_NONE, WEIR_GAUGE,                        \
			WEIR_OPTIONAL | (flags_), doc_)
#define ROW_KEY(member_, flags_, doc_)                                                             \
	WEIR_FIELD_WITH(struct process_row, member_, WEIR_NONE, WEIR_KEY, flags_, doc_)

/* A column, and the groups that it is part of; 0: of all. */
static const struct process_column {
	struct weir_field field;
	uint32_t groups;
} columns[] = {
	{ ROW_KEY(kind, WEIR_QUIET,
		  "process, thread, or ended: what ended within the window used in it"),
	  0 },
	{ ROW_KEY(uid, WEIR_OPTIONAL, "real user"), 0 },
	{ ROW_KEY(pid, WEIR_OPTIONAL, "process; absent: several that lived less than the window"),
	  0 },
	{ ROW_KEY(tid, WEIR_OPTIONAL, "thread; absent: the whole process"), SHOW_THREADS },
	{ ROW_KEY(ppid, WEIR_OPTIONAL | WEIR_QUIET, "parent process"), 0 },
	{ ROW_TIME(user, ROW_SHARE("%usr"), "in user code, guests not included"), SHOW_CPU },
	{ ROW_TIME(system, ROW_SHARE("%system"), "in the kernel"), SHOW_CPU },
	{ ROW_TIME(guest, ROW_SHARE("%guest"), "running a guest"), SHOW_CPU },
	{ ROW_TIME(wait, ROW_SHARE("%wait"), "able to run, but waiting for a CPU"), SHOW_CPU },
	{ ROW_TIME(run, ROW_SHARE("%CPU"), "on a CPU; more than the window with several threads"),
	  SHOW_CPU },
	{ ROW_COUNT(minor, WEIR_COUNT, "minflt/s", "page faults without I/O"), SHOW_MEMORY },
	{ ROW_COUNT(major, WEIR_COUNT, "majflt/s", "page faults that had to read"), SHOW_MEMORY },
	{ ROW_BYTES(vsz, "VSZ", "address space"), SHOW_MEMORY },
	{ ROW_BYTES(rss, "RSS", "memory that is resident"), SHOW_MEMORY },
	{ ROW_BYTES(stack, "StkSize", "memory set aside for the stack of its first thread"),
	  SHOW_MEMORY },
	{ ROW_BYTES(swap, "Swap", "memory that is swapped out"), SHOW_MEMORY },
	{ WEIR_FIELD_HEAD(struct process_row, mem, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			  WEIR_HEAD("%MEM", WEIR_PERCENT, 0),
			  "what is resident, of the machine's memory"),
	  SHOW_MEMORY },
	{ ROW_COUNT(read, WEIR_BYTES, "kB_rd/s", "bytes it had read from devices"), SHOW_DISK },
	{ ROW_COUNT(written, WEIR_BYTES, "kB_wr/s",
		    "bytes it made to be written to devices, now or later"),
	  SHOW_DISK },
	{ ROW_COUNT(cancelled, WEIR_BYTES, "kB_ccwr/s",
		    "bytes of these that were removed before they were written"),
	  SHOW_DISK },
	{ ROW_TIME(iowait, NULL, "asleep until a block device was done"), SHOW_DISK },
	{ ROW_COUNT(voluntary, WEIR_COUNT, "cswch/s", "switches as it had to wait"),
	  SHOW_SWITCHES },
	{ ROW_COUNT(involuntary, WEIR_COUNT, "nvcswch/s", "switches as others were to run"),
	  SHOW_SWITCHES },
	{ ROW_GAUGE(threads, 0, "threads"), SHOW_FILES },
	{ ROW_GAUGE(fds, 0, "open files"), SHOW_FILES },
	{ ROW_GAUGE(priority, WEIR_QUIET, "priority, as /proc tells it"), 0 },
	{ ROW_GAUGE(nice, WEIR_QUIET, "nice value"), 0 },
	{ ROW_GAUGE(state, WEIR_QUIET, "state, as ps tells it; X: ended"), 0 },
	{ { "started", "when it began", WEIR_NS, WEIR_TYPE_TIME, WEIR_GAUGE,
	    WEIR_U64_OFFSET(struct process_row, started), 8, WEIR_OPTIONAL | WEIR_QUIET, 0, NULL,
	    NULL },
	  0 },
	{ ROW_GAUGE(cpu, 0, "CPU that it ran on last"), SHOW_CPU },
	{ WEIR_FIELD_WITH(struct process_row, ended, WEIR_COUNT, WEIR_DELTA,
			  WEIR_OPTIONAL | WEIR_QUIET,
			  "how many ended, whose row this is; absent: not known, or none did"),
	  0 },
	{ ROW_KEY(comm, 0, "name of the process or thread"), 0 },
	{ ROW_KEY(command, WEIR_OPTIONAL, "command line"), SHOW_COMMAND },
	{ ROW_KEY(cgroup, WEIR_OPTIONAL | WEIR_QUIET, "control group"), SHOW_CGROUP },
	{ ROW_KEY(container, WEIR_OPTIONAL, "container"), SHOW_CGROUP },
	{ ROW_KEY(job, WEIR_OPTIONAL | WEIR_QUIET,
		  "job of cron or its kind that it belongs to; of what began within ten minutes"),
	  SHOW_JOB },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static uint32_t rows_groups(const struct process_conf *conf)
{
	return conf->show | (conf->threads ? SHOW_THREADS : 0);
}

int process_bind(struct weir_ctx *ctx)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	uint32_t count = 0;

	st->fields = calloc(COLUMNS, sizeof(*st->fields));
	if (!st->fields)
		return weir_fail(ctx, -ENOMEM, "keep the columns");
	for (size_t i = 0; i < COLUMNS; i++)
		if (!columns[i].groups || columns[i].groups & rows_groups(conf))
			st->fields[count++] = columns[i].field;
	st->schema.size = sizeof(st->schema);
	st->schema.row_size = WEIR_ROW_SIZE(struct process_row);
	st->schema.name = "processes";
	st->schema.fields.items = st->fields;
	st->schema.fields.count = count;
	st->schema.fields.item_size = sizeof(*st->fields);
	return ctx->host->declare(ctx, 0, &st->schema);
}

static void rows_fill_counters(struct process_row *row, const uint64_t *added)
{
	row->user = added[PROCESS_USER];
	row->system = added[PROCESS_SYSTEM];
	row->guest = added[PROCESS_GUEST];
	row->run = added[PROCESS_RUN];
	row->wait = added[PROCESS_WAIT];
	row->iowait = added[PROCESS_IOWAIT];
	row->read = added[PROCESS_READ];
	row->written = added[PROCESS_WRITTEN];
	row->cancelled = added[PROCESS_CANCELLED];
	row->minor = added[PROCESS_MINOR];
	row->major = added[PROCESS_MAJOR];
	row->voluntary = added[PROCESS_VOLUNTARY];
	row->involuntary = added[PROCESS_INVOLUNTARY];
}

/* A row of which nothing is known but what was used. NULL: no memory. */
static struct process_row *rows_add(struct weir_ctx *ctx, struct weir_batch *batch,
				    const char *kind, const char *comm, const uint64_t *added)
{
	struct process_row *row = weir_add_row(ctx, batch);

	if (!row)
		return NULL;
	memcpy(row->kind, kind, strlen(kind));
	memcpy(row->comm, comm, sizeof(row->comm));
	row->pid = row->tid = row->ppid = row->uid = WEIR_ABSENT_U32;
	row->cpu = row->threads = row->fds = row->ended = WEIR_ABSENT_U32;
	row->priority = row->nice = WEIR_ABSENT_I32;
	row->vsz = row->rss = row->stack = row->swap = row->started = WEIR_ABSENT_U64;
	row->mem = NAN;
	rows_fill_counters(row, added);
	return row;
}

static void rows_fill_about(const struct process_state *st, struct process_row *row,
			    const struct process_task *task)
{
	row->started = process_started(st, task);
	row->pid = task->pid;
	row->ppid = task->about.ppid;
	row->uid = task->about.uid;
	row->cpu = task->about.cpu;
	row->priority = task->about.priority;
	row->nice = task->about.nice;
	row->state[0] = task->about.state;
}

static bool rows_any(const uint64_t *added, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i <= end; i++)
		if (added[i] && added[i] != WEIR_ABSENT_U64)
			return true;
	return false;
}

/* True when something happened that is shown. */
static bool rows_active(const struct process_conf *conf, const uint64_t *added)
{
	static const struct {
		uint32_t group, first, end;
	} groups[] = {
		{ SHOW_CPU, PROCESS_USER, PROCESS_RUN },
		{ SHOW_DISK, PROCESS_READ, PROCESS_CANCELLED },
		{ SHOW_DISK, PROCESS_IOWAIT, PROCESS_IOWAIT },
		{ SHOW_MEMORY, PROCESS_MINOR, PROCESS_MAJOR },
		{ SHOW_SWITCHES, PROCESS_VOLUNTARY, PROCESS_INVOLUNTARY },
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (conf->show & groups[i].group && rows_any(added, groups[i].first, groups[i].end))
			return true;
	return false;
}

static int rows_fill_details(struct weir_ctx *ctx, struct weir_batch *batch,
			     const struct process_task *task, struct process_row *row)
{
	const struct process_conf *conf = ctx->options;
	struct weir_text command = { 0, 0 }, cgroup = { 0, 0 }, container = { 0, 0 },
			 job = { 0, 0 };
	int err = 0;

	if (conf->show & SHOW_FILES)
		row->fds = process_count_fds(ctx, task->pid);
	if (conf->show & SHOW_COMMAND)
		err = process_add_command(ctx, batch, task->pid, &command);
	if (!err && conf->show & SHOW_CGROUP)
		err = process_add_cgroup(ctx, batch, task, &cgroup, &container);
	if (!err && conf->show & SHOW_JOB)
		err = process_add_job(ctx, batch, task, row->started, &job);
	row->command = command;
	row->cgroup = cgroup;
	row->container = container;
	row->job = job;
	return err;
}

static int rows_add_process(struct weir_ctx *ctx, struct weir_batch *batch,
			    const struct process_task *task)
{
	struct process_state *st = ctx->state;
	bool lives = task->sample == st->sample && !task->gone;
	struct process_row *row =
		rows_add(ctx, batch, lives ? "process" : "ended", task->about.comm, task->added);

	if (!row)
		return -ENOMEM;
	rows_fill_about(st, row, task);
	if (!lives) {
		row->ended = 1;
		return 0;
	}
	row->threads = task->about.threads;
	row->vsz = task->about.vsz;
	row->rss = task->about.rss;
	row->stack = task->about.stack;
	row->swap = task->about.swap;
	if (st->memory)
		row->mem = (double)row->rss / (double)st->memory;
	return rows_fill_details(ctx, batch, task, row);
}

/* Hangs each thread below its process. */
static void rows_link_threads(struct process_state *st)
{
	for (uint32_t i = st->threads.count; i-- > 0;) {
		struct process_task *thread = &st->threads.items[i];
		struct process_task *process = process_find(&st->processes, thread->pid);

		if (!process || thread->sample != st->sample || thread->gone)
			continue;
		thread->next = process->next;
		process->next = i + 1;
	}
}

static const struct process_task *rows_thread(const struct process_state *st,
					      const struct process_task *before)
{
	return before->next ? &st->threads.items[before->next - 1] : NULL;
}

/* What threads used that are not listed: what the process did, and none of those did. */
static void rows_left(struct process_state *st, struct process_task *process)
{
	uint64_t listed[TASK_COUNTERS] = { 0 };

	for (const struct process_task *at = process; (at = rows_thread(st, at));)
		process_sum(listed, at->added, 0, PROCESS_COUNTERS);
	for (uint32_t i = 0; i < PROCESS_COUNTERS; i++)
		if (process->added[i] != WEIR_ABSENT_U64)
			process->left[i] =
				process->added[i] > listed[i] ? process->added[i] - listed[i] : 0;
}

static int rows_add_left(struct weir_ctx *ctx, struct weir_batch *batch,
			 struct process_task *process)
{
	struct process_state *st = ctx->state;
	struct process_row *row;

	if (!st->bpf)
		rows_left(st, process);
	if (!rows_any(process->left, 0, PROCESS_COUNTERS - 1))
		return 0;
	row = rows_add(ctx, batch, "ended", process->about.comm, process->left);
	if (!row)
		return -ENOMEM;
	row->pid = process->pid;
	row->ppid = process->about.ppid;
	row->ended = st->bpf ? process->ended : WEIR_ABSENT_U32;
	return 0;
}

static int rows_add_threads(struct weir_ctx *ctx, struct weir_batch *batch,
			    struct process_task *process)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	struct process_row *row;

	for (const struct process_task *at = process; (at = rows_thread(st, at));) {
		if (!conf->all && !rows_active(conf, at->added))
			continue;
		row = rows_add(ctx, batch, "thread", at->about.comm, at->added);
		if (!row)
			return -ENOMEM;
		rows_fill_about(st, row, at);
		row->tid = at->id;
	}
	return rows_add_left(ctx, batch, process);
}

/* Children that this process waited for: by /proc, the only trace of those of a short life. */
static int rows_add_children(struct weir_ctx *ctx, struct weir_batch *batch,
			     const struct process_task *process)
{
	static const char nameless[WEIR_COMM_LENGTH] = "(exited)";
	uint64_t added[TASK_COUNTERS];
	struct process_row *row;

	if (!rows_any(process->added, CHILD_USER, CHILD_SYSTEM))
		return 0;
	process_set(added, WEIR_ABSENT_U64);
	added[PROCESS_USER] = process->added[CHILD_USER];
	added[PROCESS_SYSTEM] = process->added[CHILD_SYSTEM];
	added[PROCESS_RUN] = added[PROCESS_USER] + added[PROCESS_SYSTEM];
	row = rows_add(ctx, batch, "ended", nameless, added);
	if (!row)
		return -ENOMEM;
	row->ppid = process->pid;
	return 0;
}

static bool rows_holds(struct weir_ctx *ctx, const struct process_task *task)
{
	const struct process_conf *conf = ctx->options;
	const struct process_state *st = ctx->state;
	const uint64_t swap = task->about.swap == WEIR_ABSENT_U64 ? 0 : task->about.swap;

	if (!(conf->show & SHOW_MEMORY) || task->about.rss == WEIR_ABSENT_U64)
		return false;
	return (double)(task->about.rss + swap) >= conf->holds * (double)st->memory;
}

static int rows_add_live(struct weir_ctx *ctx, struct weir_batch *batch, struct process_task *task)
{
	const struct process_conf *conf = ctx->options;
	int err = 0;

	if (conf->all || rows_active(conf, task->added) || rows_holds(ctx, task)) {
		err = rows_add_process(ctx, batch, task);
		if (!err && conf->threads)
			err = rows_add_threads(ctx, batch, task);
	}
	if (!err && conf->show & SHOW_CPU)
		err = rows_add_children(ctx, batch, task);
	return err;
}

static int rows_add_task(struct weir_ctx *ctx, struct weir_batch *batch, struct process_task *task)
{
	struct process_state *st = ctx->state;

	if (task->other)
		return 0;
	if (task->sample == st->sample && !task->gone)
		return rows_add_live(ctx, batch, task);
	if (!rows_any(task->added, 0, PROCESS_COUNTERS - 1))
		return 0;
	if (task->known)
		return rows_add_process(ctx, batch, task);
	process_add_short(st, task->about.comm, task->added);
	return 0;
}

static int rows_add_shorts(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct process_state *st = ctx->state;

	for (uint32_t i = 0; i < st->short_count; i++) {
		struct process_row *row =
			rows_add(ctx, batch, "ended", st->shorts[i].comm, st->shorts[i].added);

		if (!row)
			return -ENOMEM;
		row->ended = st->shorts[i].count;
	}
	return 0;
}

int process_emit(struct weir_ctx *ctx)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	struct weir_batch *batch = weir_loan(ctx, 0, 64, 0);
	int err = 0;

	if (!batch) {
		weir_lost(ctx, "a full queue held the source up", 1, NULL);
		return 0;
	}
	weir_sample_window(batch, &st->last, &st->now);
	if (conf->threads)
		rows_link_threads(st);
	if (st->gap)
		batch->flags |= WEIR_BATCH_GAP;
	for (uint32_t i = 0; i < st->processes.count && !err; i++)
		err = rows_add_task(ctx, batch, &st->processes.items[i]);
	if (!err)
		err = rows_add_shorts(ctx, batch);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "rows of %u processes", st->processes.count);
	}
	return weir_commit(ctx, batch);
}
