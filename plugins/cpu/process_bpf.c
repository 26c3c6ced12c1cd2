/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way by BPF: threads that live are told of by an iterator at each sample, those that end by
 * an event, which carries the last of their numbers. A thread that is ending when the iterator
 * comes by is left to its event, so that nothing is counted twice or not at all.
 */
#include <stdio.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/ring.h>

#include "process.h"
#include "process.skel.h"

#include <weir/bpf/loader.h>

/* What one read() of the iterator takes: the kernel's own buffer is as large. */
#define BPF_READ 32768

struct process_bpf_way {
	struct process_bpf *skeleton;
	struct weir_bpf_ring ring;
	uint64_t read[BPF_READ / 8];
};

static int bpf_load(struct weir_ctx *ctx, struct process_bpf_way *way,
		    struct weir_bpf_report *report)
{
	struct process_state *st = ctx->state;
	int err;

	way->skeleton = process_bpf__open();
	if (!way->skeleton)
		return -ENOMEM;
	way->skeleton->rodata->task_filter = st->filter;
	way->skeleton->rodata->delays_counted = st->delays;
	err = weir_bpf_load(process_bpf, way->skeleton, report);
	if (!err)
		err = weir_bpf_attach(process_bpf, way->skeleton, report);
	return err;
}

int process_bpf_start(struct weir_ctx *ctx, char *why, size_t size)
{
	struct process_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	struct process_bpf_way *way = calloc(1, sizeof(*way));
	int err;

	if (!way)
		return -ENOMEM;
	st->bpf = way;
	err = bpf_load(ctx, way, &report);
	if (!err)
		err = weir_bpf_ring_map(&way->ring, way->skeleton->maps.events.map_fd,
					WEIR_BPF_RING_SIZE);
	snprintf(why, size, "%s", report.text[0] ? report.text : err ? strerror(-err) : "");
	if (err)
		process_bpf_stop(st);
	return err;
}

void process_bpf_stop(struct process_state *st)
{
	if (!st->bpf)
		return;
	weir_bpf_ring_unmap(&st->bpf->ring);
	process_bpf__destroy(st->bpf->skeleton);
	free(st->bpf);
	st->bpf = NULL;
	weir_bpf_stats_end(&st->stats);
}

void process_bpf_cost(struct process_state *st, struct weir_cost *cost)
{
	if (st->bpf)
		weir_bpf_tell_cost(st->bpf->skeleton, &st->stats, cost);
}

/*
 * The kernel knows exactly how long a task ran, and what of it was user code by looking at each
 * timer tick. Where no tick saw it, its whole life has to say.
 */
static void bpf_split(uint64_t *delta, const uint64_t *counters)
{
	uint64_t run = delta[PROCESS_RUN];
	uint64_t ticks = delta[PROCESS_USER] + delta[PROCESS_SYSTEM];
	const uint64_t *from = ticks ? delta : counters;
	double user = (double)from[PROCESS_USER], system = (double)from[PROCESS_SYSTEM];
	double guest = (double)from[PROCESS_GUEST];

	if (run == WEIR_ABSENT_U64 || delta[PROCESS_USER] == WEIR_ABSENT_U64 ||
	    delta[PROCESS_SYSTEM] == WEIR_ABSENT_U64)
		return;
	if (user + system <= 0)
		user = 1;
	if (guest > user)
		guest = user;
	delta[PROCESS_SYSTEM] = (uint64_t)((double)run * (system / (user + system)));
	delta[PROCESS_GUEST] = (uint64_t)((double)run * (guest / (user + system)));
	delta[PROCESS_USER] = run - delta[PROCESS_SYSTEM] - delta[PROCESS_GUEST];
}

static char bpf_state(unsigned int state)
{
	static const struct {
		unsigned int bit;
		char letter;
	} letters[] = {
		{ 0x20, 'Z' }, { 0x10, 'X' }, { 0x80, 'X' }, { 0x40, 'P' },
		{ 0x08, 't' }, { 0x04, 'T' }, { 0x02, 'D' }, { 0x01, 'S' },
	};

	if ((state & 0x402) == 0x402)
		return 'I';
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (state & letters[i].bit)
			return letters[i].letter;
	return 'R';
}

static void bpf_about(struct process_state *st, struct process_about *about,
		      const struct process_record *record)
{
	about->cgroup = record->task.cgroup;
	about->rss = record->rss * st->page;
	about->vsz = record->vsz * st->page;
	about->stack = record->stack * st->page;
	about->swap = record->swap * st->page;
	about->ppid = record->task.ppid;
	about->uid = record->task.uid;
	about->threads = record->threads;
	about->cpu = record->cpu;
	about->priority = record->priority;
	about->nice = record->nice;
	about->state = bpf_state(record->state);
	if (record->flags & PROCESS_ENDED)
		about->state = 'X';
	memcpy(about->comm, record->task.comm, sizeof(about->comm));
}

/*
 * What the thread has used since it was seen last. One that is new, though older than the last
 * sample, was not looked at before (it took the place of its process's first thread, by exec): all
 * that it ever used says nothing of this window.
 */
static void bpf_delta(struct process_state *st, struct process_task *holder,
		      const struct process_record *record, bool is_new, uint64_t *delta)
{
	if (is_new && record->start_ns < st->last.now)
		memcpy(holder->last, record->counters, sizeof(record->counters));
	process_delta(st, holder, (const uint64_t *)record->counters, 0, PROCESS_COUNTERS, delta);
	bpf_split(delta, (const uint64_t *)record->counters);
}

/* The thread of a process that a record is about: with `threads` one of its own. NULL: no memory. */
static struct process_task *bpf_thread(struct process_state *st,
				       const struct process_record *record, bool *is_new)
{
	struct process_task *thread;

	thread = process_get(&st->threads, record->task.tid, record->start_ns);
	if (!thread)
		return NULL;
	*is_new = !thread->known && thread->sample == 0;
	thread->pid = record->task.pid;
	bpf_about(st, &thread->about, record);
	return thread;
}

/* A single-threaded process needs no thread of its own, unless threads are shown. */
static int bpf_add(struct weir_ctx *ctx, struct process_task *process,
		   const struct process_record *record)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	bool is_new = (process->sample == 0 && !process->known) || process->headless;
	struct process_task *holder = process;
	uint64_t delta[TASK_COUNTERS];

	if (conf->threads || !(record->flags & PROCESS_LEADER))
		holder = bpf_thread(st, record, &is_new);
	else
		process->headless = false;
	if (!holder)
		return -ENOMEM;
	bpf_delta(st, holder, record, is_new, delta);
	holder->sample = st->sample;
	process_sum(process->added, delta, 0, PROCESS_COUNTERS);
	if (holder != process)
		process_sum(holder->added, delta, 0, PROCESS_COUNTERS);
	if (record->flags & PROCESS_ENDED) {
		process_sum(process->left, delta, 0, PROCESS_COUNTERS);
		process->headless |= holder == process;
		holder->gone |= holder != process;
	}
	return 0;
}

static int bpf_seen(struct weir_ctx *ctx, const struct process_record *record)
{
	struct process_state *st = ctx->state;
	struct process_task *process;
	int err = 0;

	process = process_get(&st->processes, record->task.pid, record->group_start_ns);
	if (!process)
		return -ENOMEM;
	if (record->flags & PROCESS_LEADER)
		bpf_about(st, &process->about, record);
	if (!(record->flags & PROCESS_EXITING))
		err = bpf_add(ctx, process, record);
	process->pid = record->task.pid;
	process->sample = st->sample;
	return err;
}

/* A process that began and ended in this window, all of it told by one record. */
static void bpf_add_short(struct process_state *st, const struct process_record *record)
{
	struct process_task thread;
	uint64_t delta[TASK_COUNTERS];

	memset(&thread, 0, sizeof(thread));
	bpf_delta(st, &thread, record, true, delta);
	process_add_short(st, record->task.comm, delta);
}

static int bpf_ended(struct weir_ctx *ctx, const struct process_record *record)
{
	struct process_state *st = ctx->state;
	struct process_task *process = process_find(&st->processes, record->task.pid);
	int err;

	if (process && process->start != record->group_start_ns)
		process = NULL;
	if (!process && record->flags & PROCESS_WHOLE) {
		bpf_add_short(st, record);
		return 0;
	}
	process = process_get(&st->processes, record->task.pid, record->group_start_ns);
	if (!process)
		return -ENOMEM;
	if (record->flags & PROCESS_LEADER || !process->about.comm[0]) {
		struct process_about kept = process->about;

		bpf_about(st, &process->about, record);
		process->about.rss = kept.rss;
		process->about.vsz = kept.vsz;
		process->about.stack = kept.stack;
		process->about.swap = kept.swap;
	}
	process->pid = record->task.pid;
	err = bpf_add(ctx, process, record);
	process->ended++;
	process->gone |= (record->flags & PROCESS_LAST) != 0;
	return err;
}

int process_bpf_tick(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;
	const struct process_record *record;
	uint32_t size;
	int err = 0;

	while (!err && (record = weir_bpf_ring_next(&st->bpf->ring, &size)))
		err = size == sizeof(*record) ? bpf_ended(ctx, record) : -EBADMSG;
	weir_bpf_ring_end(&st->bpf->ring);
	weir_lost(ctx, "thread ended, and what it used found no room in the ring of events",
		  weir_cell_take(&st->bpf->skeleton->bss->events_lost),
		  "choose fewer: --pid, --comm, --user, --cgroup");
	return err ? weir_fail(ctx, err, "take what threads used that ended") : 0;
}

static int bpf_open_iterator(struct process_bpf_way *way)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)way->skeleton->links.process_seen_fd;
	fd = skel_sys_bpf(BPF_ITER_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

static int bpf_take(struct weir_ctx *ctx, const uint8_t *bytes, size_t size)
{
	int err = 0;

	for (size_t at = 0; at + sizeof(struct process_record) <= size && !err;
	     at += sizeof(struct process_record))
		err = bpf_seen(ctx, (const struct process_record *)(const void *)(bytes + at));
	return err;
}

/* A read may end within a record, which the next one goes on with. */
static int bpf_read(struct weir_ctx *ctx, int fd)
{
	struct process_state *st = ctx->state;
	uint8_t *bytes = (uint8_t *)st->bpf->read;
	size_t have = 0, whole;
	ssize_t got;
	int err = 0;

	for (;;) {
		got = read(fd, bytes + have, BPF_READ - have);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0 || err)
			return got < 0 ? -errno : err;
		have += (size_t)got;
		whole = have - have % sizeof(struct process_record);
		err = bpf_take(ctx, bytes, whole);
		memmove(bytes, bytes + whole, have - whole);
		have -= whole;
	}
}

int process_bpf_sample(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;
	int err = process_bpf_tick(ctx);
	int fd;

	if (err)
		return err;
	fd = bpf_open_iterator(st->bpf);
	if (fd < 0)
		return weir_fail(ctx, fd, "iterate over tasks");
	err = bpf_read(ctx, fd);
	close(fd);
	return err ? weir_fail(ctx, err, "iterate over tasks") : 0;
}
