/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that read later parts of a file; see file_parts.h. */
#include "file_parts.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	PARTS_MAX = 4,          /* with the loop's own */
	PARTS_LEAST = 8 << 20,  /* bytes of a part that are worth a thread */
	PARTS_SEARCH = 1 << 20, /* bytes in which a part must find its begin */
};

struct file_part {
	struct file file; /* its own input, profile and reading */
	struct file_parts *parts;
	pthread_t thread;
	bool begun;
	bool joined;
	/* Under the lock of the parts: */
	bool ready; /* it waits until what it has is sent */
	bool read;  /* it has ended */
	int result;
	/* The loop's: */
	bool sent; /* all of it */
};

struct file_parts {
	struct file_part items[PARTS_MAX - 1];
	uint32_t count;
	int wake;
	pthread_mutex_t lock;
	pthread_cond_t sent;
	bool stop; /* under the lock */
};

/* Waits until the loop has sent what is there. False: the thread is to end. */
static bool part_wait(struct file_part *part, bool read, int result)
{
	struct file_parts *parts = part->parts;
	const uint64_t one = 1;
	bool go_on;

	pthread_mutex_lock(&parts->lock);
	part->ready = true;
	part->read = read;
	part->result = result;
	if (write(parts->wake, &one, sizeof(one)) < 0)
		part->result = -errno;
	while (part->ready && !read && !parts->stop)
		pthread_cond_wait(&parts->sent, &parts->lock);
	go_on = !read && !parts->stop;
	pthread_mutex_unlock(&parts->lock);
	return go_on;
}

static bool part_must_stop(struct file_part *part)
{
	bool stop;

	pthread_mutex_lock(&part->parts->lock);
	stop = part->parts->stop;
	pthread_mutex_unlock(&part->parts->lock);
	return stop;
}

/* Reads until what was merged is to be sent. As a reader's step. */
static int part_read(struct file_part *part)
{
	struct file_profile *profile = &part->file.profile;
	int more = 1;

	while (more == 1 && !file_profile_due(profile))
		more = part_must_stop(part) ? 0 : part->file.reader->step(&part->file);
	file_profile_order(profile);
	return more;
}

static void *part_run(void *arg)
{
	struct file_part *part = arg;
	int more;

	do
		more = part_read(part);
	while (more == 1 && part_wait(part, false, 0));
	if (more != 1)
		part_wait(part, true, more);
	return NULL;
}

/* The first place from `from` on where a part may begin; 0: there is none near it. */
static uint64_t parts_boundary(const struct file *file, uint64_t from)
{
	uint64_t left = file->input.size - from;
	size_t count = left < PARTS_SEARCH ? (size_t)left : PARTS_SEARCH, at = 0;
	char *bytes = malloc(count);

	if (bytes && file_input_at(&file->input, from, bytes, count) == 0)
		at = file->reader->boundary(bytes, count);
	free(bytes);
	return at ? from + at : 0;
}

static int part_init(struct file *file, struct file_part *part, uint64_t begin)
{
	const struct file_profile *whole = &file->profile;
	struct file_profile *profile = &part->file.profile;
	int err;

	part->file = (struct file){ .ctx = file->ctx,
				    .conf = file->conf,
				    .compat = file->compat,
				    .reader = file->reader,
				    .skipped = begin,
				    .more = -1 };
	part->file.input.fd = -1;
	profile->filter = whole->filter;
	profile->by = whole->by;
	profile->count_samples = whole->count_samples;
	profile->first = whole->first;
	profile->event_text = strdup(whole->event_text);
	if (!profile->event_text)
		return -ENOMEM;
	err = file_profile_init(file->ctx, profile);
	if (!err)
		err = file_input_part(&file->input, &part->file.input, begin);
	return err ? err : part->file.reader->open(&part->file);
}

/* The parts, each ending where the next one begins. */
static int parts_init(struct file *file, uint32_t wanted)
{
	uint64_t from = file->input.fd_at, each = (file->input.size - from) / wanted;
	struct file_input *before = &file->input;
	struct file_parts *parts = file->parts;
	int err = 0;

	for (uint32_t i = 1; i < wanted && !err; i++) {
		uint64_t begin = parts_boundary(file, from + each * i);
		struct file_part *part = &parts->items[parts->count];

		if (!begin)
			break;
		part->parts = parts;
		parts->count++;
		err = part_init(file, part, begin);
		before->limit = begin;
		before = &part->file.input;
	}
	return err;
}

static uint32_t parts_wanted(const struct file *file)
{
	const struct file_input *in = &file->input;
	uint32_t wanted = file->conf->threads;
	cpu_set_t cpus;

	if (!file->reader->boundary || !in->regular || in->depth ||
	    file->profile.by & FILE_BY_TIME || in->size <= in->fd_at)
		return 0;
	if (!wanted)
		wanted = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : (uint32_t)CPU_COUNT(&cpus);
	if (wanted > PARTS_MAX)
		wanted = PARTS_MAX;
	while (wanted > 1 && (in->size - in->fd_at) / wanted < PARTS_LEAST)
		wanted--;
	return wanted;
}

int file_parts_begin(struct file *file)
{
	uint32_t wanted = parts_wanted(file);
	struct file_parts *parts;
	int err;

	if (wanted < 2)
		return 0;
	parts = calloc(1, sizeof(*parts));
	if (!parts)
		return weir_fail(file->ctx, -ENOMEM, "threads");
	file->parts = parts;
	pthread_mutex_init(&parts->lock, NULL);
	pthread_cond_init(&parts->sent, NULL);
	parts->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (parts->wake < 0)
		return weir_fail(file->ctx, -errno, "eventfd");
	err = parts_init(file, wanted);
	for (uint32_t i = 0; i < parts->count && !err; i++) {
		err = -pthread_create(&parts->items[i].thread, NULL, part_run, &parts->items[i]);
		parts->items[i].begun = !err;
	}
	return err ? weir_fail(file->ctx, err, "%u threads", parts->count) : 0;
}

int file_parts_fd(const struct file_parts *parts)
{
	return parts->wake;
}

/* What has been read is part of the whole. */
static void part_add_counts(struct file *file, const struct file_part *part)
{
	const struct file_profile *from = &part->file.profile;
	struct file_profile *to = &file->profile;
	uint32_t length;
	const char *other = file->ctx->host->names_text(from->names, from->other, &length);

	to->counts.samples += from->counts.samples;
	to->counts.kept += from->counts.kept;
	to->counts.other_events += from->counts.other_events;
	to->counts.filtered += from->counts.filtered;
	to->counts.timeless += from->counts.timeless;
	file->bad += part->file.bad;
	if (!to->other && from->other)
		to->other = file_name(to, other, length);
}

/* 0: nothing is due; or as file_parts_send(). */
static int part_send(struct file *file, struct file_part *part)
{
	struct file_parts *parts = part->parts;
	bool ready, read, stopped;
	int result, err;

	pthread_mutex_lock(&parts->lock);
	stopped = parts->stop;
	ready = part->ready || stopped;
	read = part->read || stopped;
	result = part->result;
	pthread_mutex_unlock(&parts->lock);
	if (!ready || part->sent)
		return part->sent ? 0 : 1;
	if (result < 0)
		return weir_fail(file->ctx, result, "%s: one of its parts", file->input.path);
	err = file_profile_send(&part->file.profile, read);
	if (err)
		return err;
	if (read) {
		part->sent = true;
		part_add_counts(file, part);
		return 0;
	}
	pthread_mutex_lock(&parts->lock);
	part->ready = false;
	pthread_cond_broadcast(&parts->sent);
	pthread_mutex_unlock(&parts->lock);
	return 1;
}

int file_parts_send(struct file *file)
{
	struct file_parts *parts = file->parts;
	uint64_t woken;
	int some = 0;

	if (!parts)
		return 0;
	if (read(parts->wake, &woken, sizeof(woken)) < 0 && errno != EAGAIN)
		return weir_fail(file->ctx, -errno, "eventfd");
	for (uint32_t i = 0; i < parts->count; i++) {
		int err = part_send(file, &parts->items[i]);

		if (err < 0)
			return err;
		some |= err;
	}
	return some;
}

void file_parts_stop(struct file_parts *parts)
{
	if (!parts)
		return;
	pthread_mutex_lock(&parts->lock);
	parts->stop = true;
	pthread_cond_broadcast(&parts->sent);
	pthread_mutex_unlock(&parts->lock);
	for (uint32_t i = 0; i < parts->count; i++) {
		if (parts->items[i].begun && !parts->items[i].joined)
			pthread_join(parts->items[i].thread, NULL);
		parts->items[i].joined = true;
	}
}

void file_parts_free(struct file_parts *parts)
{
	if (!parts)
		return;
	file_parts_stop(parts);
	for (uint32_t i = 0; i < parts->count; i++) {
		struct file *file = &parts->items[i].file;

		file->reader->close(file);
		file_profile_clear(&file->profile);
		file_input_close(&file->input);
	}
	if (parts->wake >= 0)
		close(parts->wake);
	pthread_cond_destroy(&parts->sent);
	pthread_mutex_destroy(&parts->lock);
	free(parts);
}
