/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source flame.file: the samples of a recorded profile, of whatever format: told by its content,
 * read as a stream, held up by the queues behind it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <weir/service/unwind.h>

#include "file_parts.h"
#include "object_debug.h"
#include "resolve.h"

enum {
	FILE_SHOWN = 24,
	FILE_STEPS = 8, /* before others get their turn */
};

static const struct weir_option file_options[] = {
	WEIR_OPT_TEXT(struct file_conf, path, NULL, "the profile; -: standard input"),
	WEIR_OPT_TEXT(struct file_conf, event, "",
		      "only samples of this event; \"\": of the one that the first sample has"),
	WEIR_OPT_TEXTS(struct file_conf, comm, "", "only threads of these names"),
	WEIR_OPT_TEXTS(struct file_conf, pid, "", "only these processes"),
	WEIR_OPT_TEXTS(struct file_conf, tid, "", "only these threads"),
	WEIR_OPT_DURATION(struct file_conf, from, "0s", 0, 24 * WEIR_HOUR * 365,
			  "only from here on: time since the first sample"),
	WEIR_OPT_DURATION(struct file_conf, to, "0s", 0, 24 * WEIR_HOUR * 365,
			  "only until then: time since the first sample; 0: the end"),
	WEIR_OPT_BOOL(struct file_conf, only_kernel, "false", "only frames of kernel code"),
	WEIR_OPT_BOOL(struct file_conf, only_user, "false", "only frames of user code"),
	WEIR_OPT_CHOICE(struct file_conf, weight, "period", "period samples",
			"what a sample weighs: its period, or 1"),
	WEIR_OPT_TEXT(struct file_conf, compat, "",
		      "flamegraph[:pid,tid,kernel,jit,all,addrs]: names as stackcollapse-perf.pl "
		      "makes them with these options"),
	WEIR_OPT_CHOICES(struct file_conf, by, "comm,pid,tid,cpu,time", "comm pid tid cpu time",
			 "what rows keep apart; time: each sample is a row"),
	WEIR_OPT_UINT(struct file_conf, threads, "0", 0, 4,
		      "threads that read a large file of text; 0: one for each CPU, up to 4"),
	WEIR_OPT_BOOL(struct file_conf, no_demangle, "false",
		      "leave the names of C++, Rust and D as the profile has them"),
	WEIR_OPT_BOOL(struct file_conf, inlined, "false",
		      "perf.data: functions that were inlined are frames, too, as the debug "
		      "information of the files has them"),
	WEIR_OPT_TEXT(
		struct file_conf, jit_dir, "",
		"perf.data: a folder with the perf-PID.map and jit-PID.dump files of processes "
		"that made code; \"\": where they were written, on the machine that recorded"),
	WEIR_OPT_BOOL(struct file_conf, lines, "false",
		      "perf.data: frames have their source file and line, as debug information has "
		      "them"),
	WEIR_OPT_BOOL(
		struct file_conf, trust_files, "false",
		"perf.data, pprof: a file is the one that was mapped, though no build-id tells"),
	WEIR_OPT_CHOICE(struct file_conf, unwind, "auto", "auto fp dwarf",
			"perf.data: user stacks from the copies in samples where there are some, "
			"from frame pointers alone, or from copies alone"),
};

static const struct weir_output file_outputs[] = {
	{ "samples", "the profile's samples", &file_schema, 0, 0 },
};

static int file_create(struct weir_ctx *ctx)
{
	const struct file_conf *conf = ctx->options;
	struct file *file = ctx->state;
	int err;

	file->ctx = ctx;
	file->conf = conf;
	file->input.fd = -1;
	file->more = -1;
	err = file_options_read(file);
	return err ? err : file_profile_init(ctx, &file->profile);
}

/* The formats there are, and what the first bytes of this were. */
static int file_unknown(struct file *file, const uint8_t *bytes, size_t count)
{
	char shown[FILE_SHOWN * 4 + 1] = "", known[256] = "";
	const struct file_reader *reader;
	size_t used = 0, at = 0;

	for (size_t i = 0; i < count && i < FILE_SHOWN; i++)
		used += (size_t)snprintf(shown + used, sizeof(shown) - used,
					 bytes[i] < 0x20 || bytes[i] > 0x7e ? "\\x%02x" : "%c",
					 bytes[i]);
	for (size_t i = 0; (reader = file_reader_at(i)) && at < sizeof(known); i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s", i ? ", " : "",
				       reader->name);
	if (count == 0)
		return weir_fail(file->ctx, -ENODATA, "%s is empty", file->input.path);
	return weir_fail(file->ctx, -ENOMSG, "%s begins with \"%s\": none of %s", file->input.path,
			 shown, known);
}

/* Finds the reader. 0, -EAGAIN, or a negative errno after having failed. */
static int file_recognise(struct file *file)
{
	const struct file_reader *reader;
	const uint8_t *bytes;
	size_t count;
	int err = file_input_peek(&file->input, FILE_RECOGNISE, &bytes, &count);

	if (err)
		return err;
	reader = file_reader_find(bytes, count);
	if (!reader)
		return file_unknown(file, bytes, count);
	weir_log(file->ctx, WEIR_LOG_DEBUG, "%s: %s", file->input.path, reader->name);
	file->reader = reader;
	return reader->open(file);
}

/* Says what was left out, and fails when nothing is left. */
static int file_end(struct file *file)
{
	const struct file_counts *counts = &file->profile.counts;
	struct weir_ctx *ctx = file->ctx;

	weir_lost(ctx, "lines that are no part of a profile", file->bad, NULL);
	weir_lost(ctx, "samples without a time", counts->timeless,
		  "leave out from and to: this profile has no times");
	if (counts->other_events)
		weir_log(ctx, WEIR_LOG_INFO,
			 "%s: only %" PRIu64 " samples of event %s; %" PRIu64
			 " of others are left out, such as %s: --event chooses",
			 file->input.path, counts->kept,
			 file->profile.event_text ? file->profile.event_text : file->conf->event,
			 counts->other_events,
			 ctx->host->names_text(file->profile.names, file->profile.other, NULL));
	if (counts->kept) {
		weir_finished(ctx);
		return 0;
	}
	if (counts->samples)
		return weir_fail(ctx, -ENODATA,
				 "%s: none of %" PRIu64 " samples is left by the options",
				 file->input.path, counts->samples);
	return weir_fail(ctx, -ENODATA, "%s: %s without samples", file->input.path,
			 file->reader->name);
}

/* Reads on. 1: there is more; 0: all was read; -EAGAIN; or failed. */
static int file_read_on(struct file *file)
{
	int more = file->reader->step(file), err = 0;

	if (more == -EAGAIN)
		file->wait = FILE_WAITS_INPUT;
	/* Parts are of the same event: that of the first sample. */
	if (more == 1 && !file->whole && file->profile.event_text) {
		file->whole = true;
		err = file_parts_begin(file);
	}
	return err ? err : more;
}

/* Finds the reader, as the first step. 1, -EAGAIN or failed. */
static int file_begin(struct file *file)
{
	int err = file_recognise(file);

	if (err == -EAGAIN)
		file->wait = FILE_WAITS_INPUT;
	return err ? err : 1;
}

/* Sends what is due. 1: some threads still read; 0: that was all; -EAGAIN; or failed. */
static int file_send(struct file *file)
{
	int err = file_profile_send(&file->profile, file->read);

	return err ? err : file_parts_send(file);
}

/* One step. 1: there is more; 0: all was read and sent; -EAGAIN; or failed. */
static int file_step(struct file *file)
{
	int more;

	if (!file->read && !file->profile.sending) {
		more = file_profile_ready(&file->profile) ? file_read_on(file) : -EAGAIN;
		if (more < 0)
			return more;
		file->read = more == 0;
	}
	more = file_send(file);
	if (more < 0)
		return more;
	if (file->read && more)
		file->wait = FILE_WAITS_PARTS;
	return more || !file->read;
}

static int file_ready(struct weir_ctx *ctx, int fd, uint32_t events);

/* Calls file_ready() when there is what the source waits for. */
static int file_watch(struct file *file)
{
	const struct {
		enum file_wait wait;
		int fd;
	} watched[] = {
		{ FILE_WAITS_NOT, file->more },
		{ FILE_WAITS_INPUT, file->input.fd },
		{ FILE_WAITS_PARTS, file->parts ? file_parts_fd(file->parts) : -1 },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]) && !err; i++)
		if (watched[i].fd >= 0)
			err = file->ctx->host->watch(file->ctx, watched[i].fd,
						     file->wait == watched[i].wait ? EPOLLIN : 0,
						     file_ready);
	return err;
}

static int file_ready(struct weir_ctx *ctx, int fd, uint32_t events)
{
	struct file *file = ctx->state;
	enum file_wait waited = file->wait;
	uint32_t steps = 0;
	int more, err = 0;

	(void)fd;
	(void)events;
	file->wait = FILE_WAITS_NOT;
	do
		more = file->reader ? file_step(file) : file_begin(file);
	while (more == 1 && file->wait == FILE_WAITS_NOT && ++steps < FILE_STEPS);
	if (more < 0 && more != -EAGAIN)
		return more;
	if (more == 0)
		file->wait = FILE_WAITS_NEVER;
	if (file->wait != waited)
		err = file_watch(file);
	return err || more ? err : file_end(file);
}

static int file_start(struct weir_ctx *ctx)
{
	const struct file_conf *conf = ctx->options;
	struct file *file = ctx->state;
	int err = file_input_open(ctx, &file->input, conf->path);

	if (!err)
		err = resolve_ask_lines(ctx, conf->inlined, conf->lines, &file->dwarf);
	if (!err && conf->unwind != FILE_UNWIND_FP)
		err = weir_service(ctx, WEIR_UNWIND_SERVICE, WEIR_UNWIND_VERSION, &file->unwind);
	if (err)
		return err;
	object_debug_store(ctx, &file->store);
	file->more = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	if (file->more < 0)
		return weir_fail(ctx, -errno, "eventfd");
	return file_watch(file);
}

/* Ended before its time: what was merged so far is a profile, too. */
static int file_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct file *file = ctx->state;
	int err;

	(void)deadline;
	if (file->wait == FILE_WAITS_NEVER)
		return 0;
	file_parts_stop(file->parts);
	weir_log(ctx, WEIR_LOG_WARNING, "%s: ended before all of it was read", file->input.path);
	err = file_profile_send(&file->profile, true);
	if (!err)
		err = file_parts_send(file);
	return err == -EAGAIN ? weir_fail(ctx, -ENOMEM, "rows") : err;
}

static void file_stop(struct weir_ctx *ctx)
{
	struct file *file = ctx->state;

	file->wait = FILE_WAITS_NEVER;
	file_watch(file);
	file_parts_stop(file->parts);
}

static void file_destroy(struct weir_ctx *ctx)
{
	struct file *file = ctx->state;
	const struct file_filter *filter = &file->profile.filter;

	file_parts_free(file->parts);
	if (file->reader)
		file->reader->close(file);
	free((void *)filter->pids);
	free((void *)filter->tids);
	file_profile_clear(&file->profile);
	file_input_close(&file->input);
	if (file->more >= 0)
		close(file->more);
}

WEIR_COMPONENT(
	"flame.file", WEIR_SOURCE, .summary = "the samples of a recorded profile",
	.doc = "The format is known by content, not by name: perf script text, folded stacks, "
	       "pprof.\n"
	       "gzip, zstd and UTF-16 are taken away first. A profile is read as a stream, and\n"
	       "held up by what reads its rows: no row is lost, and memory is bounded.\n"
	       "\n"
	       "Samples of one event are read: different events in one graph mislead. Lines that\n"
	       "cannot be understood are counted and shown. An input without samples, or of no\n"
	       "known format, fails with exit status 2.",
	.flags = WEIR_PATIENT, .options_size = sizeof(struct file_conf),
	.state_size = sizeof(struct file), .options = WEIR_TABLE(file_options),
	.outputs = WEIR_TABLE(file_outputs), .create = file_create, .start = file_start,
	.drain = file_drain, .stop = file_stop, .destroy = file_destroy);
