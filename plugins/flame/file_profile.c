/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of a profile: names, filters and merging; see file_profile.h. */
#include "file_profile.h"

#include <stdlib.h>

int file_profile_init(struct weir_ctx *ctx, struct file_profile *profile)
{
	profile->ctx = ctx;
	profile->names = ctx->host->names_new(ctx);
	return profile->names ? 0 : weir_fail(ctx, -ENOMEM, "names");
}

void file_profile_clear(struct file_profile *profile)
{
	if (profile->batch)
		weir_discard(profile->ctx, profile->batch);
	if (profile->names)
		profile->ctx->host->names_release(profile->names);
	file_frames_clear(&profile->frames);
	fold_set_clear(&profile->set);
	free(profile->order);
	free(profile->kept);
	free(profile->event_text);
	memset(profile, 0, sizeof(*profile));
}

uint32_t file_name(struct file_profile *profile, const char *text, size_t length)
{
	uint32_t id;

	if (length == 0)
		return 0;
	id = profile->ctx->host->names_intern(profile->names, text, length);
	profile->starved |= !id;
	return id;
}

uint32_t file_frame(struct file_profile *profile, const struct weir_frame *frame)
{
	uint32_t number = file_frames_add(&profile->frames, frame);

	profile->starved |= !number;
	return number;
}

/* "cycles" stands for "cycles:ppp" and "cycles/freq=99/", too. */
static bool event_matches(const char *wanted, const char *event)
{
	size_t length = strlen(wanted);

	if (strncmp(wanted, event, length) != 0)
		return false;
	if (event[length] == '\0' || event[length] == '/')
		return true;
	return event[length] == ':' &&
	       event[length + 1 + strspn(event + length + 1, "ukhGHIpPSDWeb")] == '\0';
}

/* Decides for an event that is not the last one. */
static bool event_decide(struct file_profile *profile, uint32_t event)
{
	const char *text = profile->ctx->host->names_text(profile->names, event, NULL);
	const char *wanted = profile->filter.event;

	if (wanted[0] ? !event_matches(wanted, text)
		      : profile->event_text && strcmp(profile->event_text, text) != 0)
		return false;
	if (!profile->event_text)
		profile->event_text = strdup(text);
	profile->starved |= !profile->event_text;
	profile->event = event;
	return true;
}

bool file_wants_event(struct file_profile *profile, uint32_t event)
{
	if (event == profile->event && event)
		return true;
	if (event == 0)
		return !profile->filter.event[0];
	return event_decide(profile, event);
}

void file_pass_over(struct file_profile *profile, uint32_t event, uint64_t count)
{
	profile->other = event;
	profile->counts.samples += count;
	profile->counts.other_events += count;
}

static bool holds_number(const uint32_t *numbers, uint32_t count, uint32_t wanted)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (numbers[i] == wanted)
			return true;
	return count == 0;
}

static bool wants_comm(const struct file_profile *profile, uint32_t comm)
{
	const struct weir_texts *wanted = &profile->filter.comm;
	const char *text = profile->ctx->host->names_text(profile->names, comm, NULL);
	bool any = false;

	for (uint32_t i = 0; i < wanted->count; i++) {
		if (wanted->items[i][0] == '\0')
			continue;
		any = true;
		if (strcmp(wanted->items[i], text) == 0)
			return true;
	}
	return !any;
}

/* Whether a sample's time is wanted; one without a time is no part of any span. */
static bool wants_time(struct file_profile *profile, const struct file_sample *sample)
{
	const struct file_filter *filter = &profile->filter;
	uint64_t since;

	if (!profile->first)
		profile->first = sample->time;
	if (!filter->from && !filter->to)
		return true;
	if (!sample->time) {
		profile->counts.timeless += sample->count;
		return false;
	}
	since = sample->time > profile->first ? sample->time - profile->first : 0;
	return since >= filter->from && (!filter->to || since < filter->to);
}

static bool wants_sample(struct file_profile *profile, const struct file_sample *sample)
{
	const struct file_filter *filter = &profile->filter;

	return wants_time(profile, sample) &&
	       holds_number(filter->pids, filter->pid_count, sample->pid) &&
	       holds_number(filter->tids, filter->tid_count, sample->tid) &&
	       (!filter->comm.count || wants_comm(profile, sample->comm));
}

/* Leaves out kernel or user frames. False: nothing is left of a stack that had some. */
static bool choose_frames(struct file_profile *profile, struct file_sample *sample)
{
	uint32_t kept = 0;

	if (profile->filter.kernel && profile->filter.user)
		return true;
	if (sample->frame_count > profile->kept_capacity) {
		uint32_t *grown = reallocarray(profile->kept, sample->frame_count, sizeof(*grown));

		profile->starved |= !grown;
		if (!grown)
			return true;
		profile->kept = grown;
		profile->kept_capacity = sample->frame_count;
	}
	for (uint32_t i = 0; i < sample->frame_count; i++) {
		const struct weir_frame *frame =
			file_frames_at(&profile->frames, sample->frames[i]);

		if (frame->flags & WEIR_FRAME_KERNEL ? profile->filter.kernel
						     : profile->filter.user)
			profile->kept[kept++] = sample->frames[i];
	}
	sample->frames = profile->kept;
	sample->frame_count = kept;
	sample->shared = 0;
	return kept > 0;
}

static int merge(struct file_profile *profile, const struct file_sample *sample)
{
	struct fold_key key = {
		.comm = profile->by & FILE_BY_COMM ? sample->comm : 0,
		.pid = profile->by & FILE_BY_PID ? sample->pid : WEIR_ABSENT_U32,
		.tid = profile->by & FILE_BY_TID ? sample->tid : WEIR_ABSENT_U32,
		.cpu = profile->by & FILE_BY_CPU ? sample->cpu : WEIR_ABSENT_U32,
	};
	struct fold_stack *stack =
		fold_set_find(&profile->set, &key, sample->frames, sample->frame_count);

	if (!stack)
		stack = fold_set_add(&profile->set, &key, sample->frames, sample->frame_count);
	if (!stack)
		return -ENOMEM;
	stack->weight += sample->weight;
	stack->samples += sample->count;
	return 0;
}

int file_push(struct file_profile *profile, const struct file_sample *given)
{
	struct file_sample sample = *given;
	int err;

	if (!file_wants_event(profile, sample.event)) {
		file_pass_over(profile, sample.event, sample.count);
		profile->last_is_row = false;
		return 0;
	}
	profile->counts.samples += sample.count;
	if (!wants_sample(profile, &sample) || !choose_frames(profile, &sample)) {
		profile->counts.filtered += sample.count;
		profile->last_is_row = false;
		return 0;
	}
	profile->counts.kept += sample.count;
	if (profile->count_samples)
		sample.weight = sample.count;
	if (sample.time > profile->last)
		profile->last = sample.time;
	err = profile->starved             ? -ENOMEM
	      : profile->by & FILE_BY_TIME ? file_add_row(profile, &sample)
					   : merge(profile, &sample);
	return err ? weir_fail(profile->ctx, err, "samples") : 0;
}
