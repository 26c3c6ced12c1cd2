/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a profile on their way from a reader to rows: chosen by the filters, merged when
 * nothing that the rows keep apart differs, and brought into batches.
 */
#ifndef FLAME_FILE_PROFILE_H
#define FLAME_FILE_PROFILE_H

#include <weir/plugin.h>

#include "file_frames.h"
#include "fold_order.h"

/* What rows keep apart. With FILE_BY_TIME, a row is a sample. */
enum file_by {
	FILE_BY_COMM = 1,
	FILE_BY_PID = 2,
	FILE_BY_TID = 4,
	FILE_BY_CPU = 8,
	FILE_BY_TIME = 16,
};

/* A sample as a reader gives it. */
struct file_sample {
	uint64_t time;   /* ns of the profile's own clock; 0: not known */
	uint64_t weight; /* events, or ns of a clock, that it stands for */
	uint64_t count;  /* samples that it is the sum of: 1 unless the profile was merged */
	uint32_t pid;    /* this and the next two: WEIR_ABSENT_U32 where not known */
	uint32_t tid;
	uint32_t cpu;
	uint32_t comm;          /* id of file_name() */
	uint32_t event;         /* id of file_name(); 0: not known */
	const uint32_t *frames; /* ids of file_frame(), leaf first */
	uint32_t frame_count;
	uint32_t shared; /* at least so many of the last ones are those of the sample before */
};

struct file_row {
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	struct weir_name event;
	struct weir_name comm;
	uint32_t reserved;
	uint64_t count;
	uint64_t weight;
	struct weir_stack_ref stack;
};

extern const struct weir_schema file_schema;

/* Which samples are wanted. */
struct file_filter {
	const char *event; /* "": that of the first sample */
	struct weir_texts comm;
	const uint32_t *pids;
	uint32_t pid_count;
	const uint32_t *tids;
	uint32_t tid_count;
	uint64_t from; /* since the first sample, ns */
	uint64_t to;   /* 0: no end */
	bool kernel;
	bool user;
};

/* What became of the samples. */
struct file_counts {
	uint64_t samples; /* read; in samples, as are all */
	uint64_t kept;
	uint64_t other_events;
	uint64_t filtered;
	uint64_t timeless; /* not kept, for `from` and `to` need a time */
};

struct file_profile {
	struct weir_ctx *ctx;
	struct file_filter filter;
	uint32_t by; /* enum file_by */
	bool count_samples;
	struct weir_names *names;
	struct file_frames frames;
	uint64_t epoch;      /* ids of an earlier one mean nothing */
	bool held;           /* by the reader: between steps it keeps ids of a sample */
	struct fold_set set; /* merged samples */
	uint32_t *order;     /* in which it is sent; NULL: as it came, or not known yet */
	uint32_t next;       /* of the order to be sent */
	bool sending;        /* the set is being sent */
	uint32_t *kept;      /* frames of the sample at hand that the filters left */
	uint32_t kept_capacity;
	struct weir_batch *batch; /* being filled, by time; NULL: none */
	bool last_is_row;         /* the sample before is the batch's last row, if it has one */
	uint32_t arena_used;      /* of the batch before */
	uint64_t first;           /* time of the first sample */
	uint64_t last;            /* of the latest one kept */
	uint64_t sent;            /* end of the window that was sent last */
	uint32_t event;           /* the one event: id; 0: none yet */
	uint32_t other;           /* the last that was not it */
	char *event_text;         /* of `event`, over all epochs; NULL: none yet */
	bool starved;             /* there was no memory */
	struct file_counts counts;
};

/* Sets up all but the filter. 0 or a negative errno, after having failed. */
int file_profile_init(struct weir_ctx *ctx, struct file_profile *profile);
void file_profile_clear(struct file_profile *profile);

/* The id of a text. 0: it is empty, or there is no memory, which the next file_push() tells. */
uint32_t file_name(struct file_profile *profile, const char *text, size_t length);

/* The number of a frame whose names are ids of file_name(); equal frames have one. 0: likewise. */
uint32_t file_frame(struct file_profile *profile, const struct weir_frame *frame);

/* Whether samples of that event are wanted at all: saves reading their stacks. */
bool file_wants_event(struct file_profile *profile, uint32_t event);
/* A sample that was left out for that. */
void file_pass_over(struct file_profile *profile, uint32_t event, uint64_t count);

/* 0 or -ENOMEM, after having failed. */
int file_push(struct file_profile *profile, const struct file_sample *given);

/* A row of its own for a sample, behind the batch's others. 0 or -ENOMEM. */
int file_add_row(struct file_profile *profile, const struct file_sample *sample);

/* Before a step: whether samples can be taken. False: a queue is full, the source is called again. */
bool file_profile_ready(struct file_profile *profile);

/* Whether merged samples must be sent before more are taken, so that memory stays bounded. */
bool file_profile_due(const struct file_profile *profile);

/* Brings merged samples into the order in which they are sent: no more are taken before that. */
void file_profile_order(struct file_profile *profile);

/*
 * Sends what is due, at the end all. 0: done; -EAGAIN: a queue is full, the source is called again;
 * another negative errno after having failed.
 */
int file_profile_send(struct file_profile *profile, bool end);

#endif
