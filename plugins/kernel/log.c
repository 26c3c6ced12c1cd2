/* SPDX-License-Identifier: BSD-2-Clause */
/* Source kernel.log: what the kernel complained about, from /dev/kmsg, as facts. */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/sample.h>

#include "log_disk.h"
#include "log_record.h"

enum { LOG_UNKNOWN_NONE }; /* position in the choices of `unknown`; the others are levels */

struct log_conf {
	uint64_t since;
	uint32_t unknown;
	bool follow;
};

static const struct weir_option log_options[] = {
	WEIR_OPT_DURATION(struct log_conf, since, "0", 0, 100000 * WEIR_HOUR,
			  "how far to look back; 0: only what comes from now on"),
	WEIR_OPT_CHOICE(struct log_conf, unknown, "err",
			"none emerg alert crit err warning notice info debug",
			"messages that no rule knows are shown too, from this level on"),
	WEIR_OPT_BOOL(struct log_conf, follow, "true",
		      "wait for more; false: end when all that is there was read"),
};

static const char *const log_levels[] = { "emerg",   "alert",  "crit", "err",
					  "warning", "notice", "info", "debug" };

struct log_row {
	uint64_t time;
	char level[8];
	char severity[8];
	char kind[16];
	char resource[16];
	char instance[LOG_INSTANCE_MAX];
	char disk[LOG_INSTANCE_MAX];
	uint64_t sector;
	char op[LOG_COMM_MAX];
	char comm[LOG_COMM_MAX];
	struct weir_text cgroup;
	struct weir_text text;
	uint64_t sequence;
	uint32_t pid;
	bool before;
	uint8_t pad[3];
};

#define LOG_FIELD(member_, flags_, doc_)                                                           \
	WEIR_FIELD_WITH(struct log_row, member_, WEIR_NONE, WEIR_EVENT, flags_, doc_)

static const struct weir_field log_fields[] = {
	WEIR_FIELD_TIME(struct log_row, time, WEIR_EVENT, "when"),
	LOG_FIELD(level, WEIR_QUIET, "as the kernel rates it: emerg to debug"),
	LOG_FIELD(severity, 0, "as weir rates it: error, warning, note"),
	LOG_FIELD(kind, 0, "what happened; \"other\": no rule knows"),
	LOG_FIELD(resource, WEIR_OPTIONAL, "cpu, memory, disk, network, cgroup, software"),
	LOG_FIELD(instance, WEIR_OPTIONAL, "disk, interface, CPU, port, cgroup with the limit"),
	LOG_FIELD(disk, WEIR_OPTIONAL | WEIR_QUIET, "the whole disk that a partition is of"),
	LOG_FIELD(pid, WEIR_OPTIONAL, "process or thread concerned"),
	LOG_FIELD(comm, WEIR_OPTIONAL, "its name"),
	LOG_FIELD(cgroup, WEIR_OPTIONAL | WEIR_QUIET, "its cgroup"),
	LOG_FIELD(op, WEIR_OPTIONAL | WEIR_QUIET, "what failed: READ, WRITE ..."),
	WEIR_FIELD_WITH(struct log_row, sector, WEIR_COUNT, WEIR_EVENT, WEIR_OPTIONAL | WEIR_QUIET,
			"where on the disk, in sectors or blocks as the text says"),
	LOG_FIELD(before, WEIR_QUIET, "it was there before weir began to watch"),
	LOG_FIELD(sequence, WEIR_QUIET, "number of the message since boot"),
	LOG_FIELD(text, WEIR_OPTIONAL, "the message"),
};
WEIR_SCHEMA(log_schema, "kernel messages", struct log_row, log_fields);

static const struct weir_output log_outputs[] = {
	{ "messages", "one row per message", &log_schema, 0, 0 },
};

struct log_state {
	int fd; /* -1: none */
	bool watching;
	bool overwritten;               /* messages are missing before the next one */
	uint64_t expected;              /* number of the next message; 0: not known */
	struct weir_sample_time opened; /* maps the log's clock, that of the tree */
	uint64_t quiet;                 /* when there was nothing to read; 0: not yet */
	struct log_facts hint;          /* of an OOM kill: told in a message of its own before */
	char *bytes;                    /* one record */
};

static int log_create(struct weir_ctx *ctx)
{
	struct log_state *st = ctx->state;

	st->fd = -1;
	st->bytes = malloc(LOG_RECORD_MAX + 1);
	return st->bytes ? 0 : weir_fail(ctx, -ENOMEM, "room for a message");
}

/*
 * The log's clock is CLOCK_MONOTONIC's but for a drift, so that a message that came while weir
 * watched came between two looks.
 */
static uint64_t log_time(const struct log_state *st, uint64_t usec, uint64_t now)
{
	uint64_t ns = usec > UINT64_MAX / 1000 ? UINT64_MAX : usec * 1000;
	uint64_t back = st->opened.clock > ns ? st->opened.clock - ns : 0;
	uint64_t time = st->opened.clock > ns ? (st->opened.now > back ? st->opened.now - back : 1)
					      : st->opened.now + (ns - st->opened.clock);

	if (st->quiet && time < st->quiet)
		return st->quiet;
	return time < now ? time : now;
}

static void log_count(struct weir_ctx *ctx, const struct log_record *record)
{
	struct log_state *st = ctx->state;

	if (st->overwritten)
		weir_lost(ctx, "kernel messages that were overwritten before they were read",
			  st->expected && record->sequence > st->expected
				  ? record->sequence - st->expected
				  : 1,
			  "boot with a larger log: log_buf_len=4M");
	st->overwritten = false;
	st->expected = record->sequence + 1;
}

/* What the message before this one told of the same process. */
static void log_take_hint(struct log_state *st, struct log_facts *facts)
{
	if (st->hint.rule && st->hint.pid == facts->pid) {
		memcpy(facts->cgroup, st->hint.cgroup, sizeof(facts->cgroup));
		memcpy(facts->instance, st->hint.instance, sizeof(facts->instance));
	}
	st->hint.rule = NULL;
}

/* A message that no rule knows, where such are wanted. */
static const struct log_rule *log_other(const struct log_conf *conf,
					const struct log_record *record)
{
	static const struct log_rule others[] = { { "", "other", "error", "" },
						  { "", "other", "warning", "" },
						  { "", "other", "note", "" } };

	if (conf->unknown == LOG_UNKNOWN_NONE || record->level + 1 > conf->unknown)
		return NULL;
	return &others[record->level <= 3 ? 0 : record->level == 4 ? 1 : 2];
}

static int log_fill(struct weir_ctx *ctx, struct weir_batch *batch, struct log_row *row,
		    const struct log_record *record, const struct log_facts *facts)
{
	int err;

	snprintf(row->level, sizeof(row->level), "%s", log_levels[record->level]);
	snprintf(row->severity, sizeof(row->severity), "%s", facts->rule->severity);
	snprintf(row->kind, sizeof(row->kind), "%s", facts->rule->kind);
	snprintf(row->resource, sizeof(row->resource), "%s", facts->rule->resource);
	memcpy(row->instance, facts->instance, sizeof(row->instance));
	if (strcmp(row->resource, "disk") == 0)
		log_whole_disk(ctx, facts->instance, row->disk, sizeof(row->disk));
	memcpy(row->op, facts->op, sizeof(row->op));
	memcpy(row->comm, facts->comm, sizeof(row->comm));
	row->sector = facts->sector;
	row->pid = facts->pid;
	row->sequence = record->sequence;
	err = weir_add_text(ctx, batch, facts->cgroup, strlen(facts->cgroup), &row->cgroup);
	return err ? err : weir_add_text(ctx, batch, record->text, record->length, &row->text);
}

/* Only facility 0 is the kernel: whoever may write to the log can imitate any message. */
static int log_add(struct weir_ctx *ctx, struct weir_batch *batch, const struct log_record *record)
{
	const struct log_conf *conf = ctx->options;
	struct log_state *st = ctx->state;
	uint64_t now = weir_now(ctx), time = log_time(st, record->usec, now);
	struct log_facts facts;
	struct log_row *row;

	log_count(ctx, record);
	if (record->facility != 0 || (time < st->opened.now && st->opened.now - time > conf->since))
		return 0;
	if (!log_rules_match(record->text, record->length, &facts))
		facts.rule = log_other(conf, record);
	if (!facts.rule)
		return 0;
	if (!facts.rule->kind[0]) {
		st->hint = facts;
		return 0;
	}
	log_take_hint(st, &facts);
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	row->time = time;
	row->before = time < st->opened.now;
	return log_fill(ctx, batch, row, record, &facts);
}

/* Reads one record of the device. 1, 0: there is none now, or a negative errno. */
static int log_next(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct log_state *st = ctx->state;
	struct log_record record;
	ssize_t n = read(st->fd, st->bytes, LOG_RECORD_MAX);
	int err = 0;

	if (n < 0 && errno == EPIPE)
		st->overwritten = true;
	else if (n < 0 && errno != EINTR)
		return errno == EAGAIN ? 0 : weir_fail(ctx, -errno, "read /dev/kmsg");
	else if (n == 0)
		return 0;
	else if (n > 0 && log_record_parse(st->bytes, (size_t)n, &record))
		err = log_add(ctx, batch, &record);
	else if (n > 0)
		weir_lost(ctx, "kernel messages that cannot be read", 1, NULL);
	return err ? err : 1;
}

/* A recorded log is a file with one record after the other. */
static int log_file(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct log_state *st = ctx->state;
	struct weir_buffer buffer = { NULL, 0, 0 };
	struct log_record record;
	int err = weir_read_fd(st->fd, &buffer);

	if (err)
		weir_fail(ctx, err, "read /dev/kmsg");
	for (size_t at = 0, taken; !err && at < buffer.size; at += taken) {
		taken = log_record_parse(buffer.bytes + at, buffer.size - at, &record);
		if (taken) {
			err = log_add(ctx, batch, &record);
			continue;
		}
		weir_lost(ctx, "kernel messages that cannot be read", 1, NULL);
		taken = strcspn(buffer.bytes + at, "\n") + 1;
	}
	weir_buffer_release(&buffer);
	return err;
}

/* All that is there, or as much as one batch should hold. *more: there may be more. */
static int log_read(struct weir_ctx *ctx, struct weir_batch *batch, bool *more)
{
	const uint32_t most = 1000;
	struct log_state *st = ctx->state;
	struct stat status;
	int got = 1;

	*more = false;
	if (fstat(st->fd, &status) == 0 && S_ISREG(status.st_mode))
		return log_file(ctx, batch);
	while (got > 0 && batch->row_count < most)
		got = log_next(ctx, batch);
	*more = got > 0;
	return got < 0 ? got : 0;
}

static int log_send(struct weir_ctx *ctx, bool *more)
{
	struct log_state *st = ctx->state;
	struct weir_batch *batch = weir_loan(ctx, 0, 16, 4096);
	int err;

	*more = true;
	if (!batch)
		return 0;
	batch->start = st->quiet ? st->quiet : st->opened.now;
	err = log_read(ctx, batch, more);
	batch->end = weir_now(ctx);
	if (err) {
		weir_discard(ctx, batch);
		return err == -ENOMEM ? weir_fail(ctx, err, "a row of a message") : err;
	}
	if (!*more)
		st->quiet = batch->end;
	return weir_commit(ctx, batch);
}

static int log_ready(struct weir_ctx *ctx, int fd, uint32_t events)
{
	bool more;

	(void)fd;
	(void)events;
	return log_send(ctx, &more);
}

/* First what is there, however long it takes; then what comes. */
static int log_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct log_conf *conf = ctx->options;
	struct log_state *st = ctx->state;
	struct stat status;
	bool more;
	int err = log_send(ctx, &more);

	(void)now;
	if (err || more)
		return err;
	weir_every(ctx, 0);
	if (!conf->follow || (fstat(st->fd, &status) == 0 && S_ISREG(status.st_mode))) {
		weir_finished(ctx);
		return 0;
	}
	err = ctx->host->watch(ctx, st->fd, EPOLLIN, log_ready);
	st->watching = !err;
	return err ? weir_fail(ctx, err, "watch /dev/kmsg") : 0;
}

static int log_start(struct weir_ctx *ctx)
{
	const struct log_conf *conf = ctx->options;
	struct log_state *st = ctx->state;
	int err = weir_sample_time(ctx, &st->opened);

	if (err)
		return err;
	st->fd = openat(ctx->root, "dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (st->fd < 0)
		return weir_fail(ctx, -errno, "open /dev/kmsg");
	if (conf->since == 0 && lseek(st->fd, 0, SEEK_END) < 0)
		return weir_fail(ctx, -errno, "go to the end of /dev/kmsg");
	return weir_every(ctx, 1000000);
}

static void log_stop(struct weir_ctx *ctx)
{
	struct log_state *st = ctx->state;

	if (st->watching)
		ctx->host->watch(ctx, st->fd, 0, NULL);
	if (st->fd >= 0)
		close(st->fd);
	st->fd = -1;
	st->watching = false;
}

static void log_destroy(struct weir_ctx *ctx)
{
	struct log_state *st = ctx->state;

	free(st->bytes);
}

static void log_probe(struct weir_ctx *ctx)
{
	const char *const effect = "what the kernel says about its errors";
	int fd = openat(ctx->root, "dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct weir_grant grant;
	char cure[sizeof(grant) + 64];

	if (fd >= 0) {
		close(fd);
		weir_need(ctx, WEIR_NEED_MET, "kernel log", "readable", "", "");
	} else if (errno == ENOENT) {
		weir_need(ctx, WEIR_NEED_MISSING, "kernel log", "no /dev/kmsg", effect,
			  "mknod -m 644 /dev/kmsg c 1 11");
	} else if (errno == EACCES) {
		weir_need(ctx, WEIR_NEED_MISSING, "kernel log", "/dev/kmsg is not permitted",
			  effect, "run as root, or chmod a+r /dev/kmsg");
	} else {
		snprintf(cure, sizeof(cure), "sysctl kernel.dmesg_restrict=0, %s",
			 weir_grant(&grant, 0));
		weir_need(ctx, WEIR_NEED_MISSING, "kernel log", "not permitted", effect, cure);
	}
}

WEIR_COMPONENT(
	"kernel.log", WEIR_SOURCE, .summary = "what the kernel complained about",
	.doc = "Messages of /dev/kmsg that a rule knows, as facts: OOM kills, I/O errors, hung "
	       "tasks, lockups,\nhardware errors, SYN floods, links that went down, and more. Only "
	       "the kernel's own messages count.",
	.options_size = sizeof(struct log_conf), .state_size = sizeof(struct log_state),
	.options = WEIR_TABLE(log_options), .outputs = WEIR_TABLE(log_outputs), .probe = log_probe,
	.create = log_create, .start = log_start, .tick = log_tick, .stop = log_stop,
	.destroy = log_destroy);
