/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of cpu.sample share: options, rows, state. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <weir/file.h>
#include <weir/perf_event.h>
#include <weir/plugin.h>
#include <weir/pmu_events.h>
#include <weir/service/process.h>
#include <weir/service/unwind.h>

struct sample_conf {
	const char *event;
	uint64_t frequency;
	uint64_t period;
	struct weir_texts pid;
	const char *cgroup;
	uint64_t buffer;
	uint32_t max_stack;
	bool user;
	bool kernel;
	bool stacks;
	uint32_t as;     /* enum sample_as */
	uint32_t unwind; /* enum sample_unwind_how */
	uint64_t stack_size;
};

enum sample_unwind_how { SAMPLE_UNWIND_FP, SAMPLE_UNWIND_DWARF, SAMPLE_UNWIND_AUTO };

enum { SAMPLE_UNWIND_MOST = 1024 }; /* frames of one stack */

enum sample_as { SAMPLE_AS_ROWS, SAMPLE_AS_RECORDING };

struct sample_row {
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	struct weir_name event;
	char comm[16];
	struct weir_name cgroup;
	uint32_t reserved;
	uint64_t count;
	uint64_t weight;
	struct weir_stack_ref stack;
};

/* A part of a recording: whole records, as the kernel and perf write them. */
struct sample_part {
	struct weir_text bytes;
	uint32_t records;
	uint32_t head; /* 1: they are attributes and features */
};

/* The event, as the kernel knows it. */
struct sample_event {
	char name[256]; /* in full: "cpu-clock" where the option says nothing */
	char filter[64];
	struct perf_event_attr attr; /* which event, and where it counts */
	bool clock;                  /* its weight is in nanoseconds */
	bool later;                  /* start() looks it up: it may take privileges */
};

struct sample_counts {
	uint64_t samples;
	uint64_t copied;    /* of them, those with a copy of the stack */
	uint64_t throttled; /* times */
	uint64_t ring_lost;
	uint64_t kernel_lost;
	uint64_t broken;
	uint64_t all_lost;     /* records that the rings told to be lost, from the beginning */
	uint64_t short_stacks; /* larger than what was copied of them */
	uint64_t narrow;       /* of 32-bit programs, whose copies are not walked */
};

/* The fixed part of a sample: IP, TID, TIME, CPU, PERIOD. */
struct sample_record {
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t cpu;
	uint32_t reserved;
	uint64_t period;
	/* With stacks: the number of addresses, then they. */
	uint64_t chain[];
};

/* What walks copies of stacks. */
struct sample_unwind {
	enum sample_unwind_how how;  /* AUTO: `set` is walked by the kernel, `copies` here */
	struct weir_service service; /* vtable NULL: the kernel walks by frame pointers */
	uint64_t walker;
	struct weir_unwind_frame *frames; /* of the stack at hand */
};

struct sample_state {
	struct sample_event event;
	struct weir_pmus pmus;
	struct weir_service process; /* vtable: struct weir_process_v1 */
	struct sample_unwind unwind;
	struct weir_perf_set set;
	struct perf_event_attr attr;  /* with which it was opened */
	struct weir_perf_set copies;  /* with `how` AUTO: the same event, with copies of stacks */
	struct sample_choice *choice; /* sample_choose.c; NULL: there is nothing to choose */
	int stats; /* holds the kernel's statistics of BPF on; 0: not asked for */
	struct weir_numbers cpus;
	struct weir_numbers pids; /* empty: everybody */
	struct weir_names *names;
	struct weir_name event_name;
	uint64_t frequency;  /* that was asked of the kernel; 0: by period */
	uint32_t max_stack;  /* that was asked of the kernel */
	bool user_only;      /* the kernel refused the rest */
	bool filter_cgroup;  /* here, by what the provider says, not in the kernel */
	char controller[64]; /* of the hierarchy that the cgroup was found in; "": version 2 */
	char below[4096];    /* the cgroup's path in that hierarchy: "/a/b", "" for its root */
	uint64_t window;     /* start of the next batch */
	int64_t rate_max;    /* kernel.perf_event_max_sample_rate at the start */
	uint64_t busy_ticks; /* of all CPUs: at the start, once drained since then */
	bool drained;
	struct sample_counts counts;
};

#define SAMPLE_MAX_RATE "proc/sys/kernel/perf_event_max_sample_rate"

/* sample_event.c: what to sample, and opening it. Those that fail have said why. */
int sample_event_find(struct weir_ctx *ctx);
int sample_open(struct weir_ctx *ctx);

/* sample_cgroup.c: an fd of the cgroup's directory, -1 with filter_cgroup set, or failed. */
int sample_cgroup_open(struct weir_ctx *ctx, int *fd);
bool sample_cgroup_has(const struct sample_state *state, const char *cgroups);

/*
 * sample_unwind.c: the user part of a stack from the copy that stands, with the registers, in `words`
 * words behind the call chain. 0, with no frames where there is no copy; -EBADMSG or -ENOMEM.
 */
int sample_unwind(struct weir_ctx *ctx, const struct sample_record *record, const uint64_t *at,
		  size_t words, struct weir_unwind_stack *stack);
int sample_unwind_begin(struct weir_ctx *ctx);
void sample_unwind_end(struct weir_ctx *ctx); /* also when begin failed */
/* Has an event copy stacks, into a ring of so many bytes. */
uint64_t sample_unwind_attr(const struct sample_conf *conf, struct perf_event_attr *attr);
void sample_unwind_report(struct weir_ctx *ctx);

/*
 * sample_choose.c: of which programs stacks are copied. load: false where that cannot be chosen here,
 * which is said. copied, walked: what a stack tells of its program, as it was taken. 0 or -ENOMEM.
 */
bool sample_choose_load(struct weir_ctx *ctx);
int sample_choose_attach(struct sample_state *state);
void sample_choose_copied(struct sample_state *state, const struct sample_record *record,
			  const struct weir_unwind_stack *stack);
int sample_choose_walked(struct sample_state *state, const struct sample_record *record,
			 const struct weir_frame *frames, uint32_t count);
void sample_choose_cost(struct sample_state *state, struct weir_cost *cost);
void sample_choose_report(struct weir_ctx *ctx);
void sample_choose_end(struct sample_state *state); /* also when it was not loaded */

/* sample_read.c: reads what the rings hold into batches. */
int sample_read(struct weir_ctx *ctx);

/* Counts a record, but for a sample. */
void sample_count_record(struct weir_ctx *ctx, const struct perf_event_header *header);
void sample_say_lost(struct weir_ctx *ctx);

/*
 * sample_record.c: what the rings hold goes on as it is, for a file of perf. begin: what a reader
 * has to know first, who is there already included. Those that fail have said why.
 */
extern const struct weir_schema sample_part_schema;
int sample_record_begin(struct weir_ctx *ctx);
int sample_record_read(struct weir_ctx *ctx);

/* What sample_id_all appends to a record that we write ourselves. */
struct sample_trailer {
	uint32_t pid;
	uint32_t tid;
	uint64_t time; /* 0: it was so before */
	uint64_t cpu;
};

/* A record for a part, which grows by it. 0 or -ENOMEM. */
struct sample_records {
	struct weir_buffer buffer;
	uint32_t count;
};
int sample_records_add(struct sample_records *records, uint32_t type, uint16_t misc,
		       const void *body, size_t bytes);
/* Sends them as one part, and empties them. 0, also when there was no room, which is told. */
int sample_records_send(struct weir_ctx *ctx, struct sample_records *records, bool head);

/* So many records were lost that the kernel has not told of: as it would have. */
int sample_record_lost(struct weir_ctx *ctx, uint64_t lost);

/* sample_record_head.c: attribute and features; where the kernel and its modules are. */
int sample_record_head(struct weir_ctx *ctx, struct sample_records *records);
int sample_record_kernel(struct weir_ctx *ctx, struct sample_records *records);

/* sample_record_scan.c: names and mappings of the processes that are there. */
int sample_record_processes(struct weir_ctx *ctx, struct sample_records *records);

/* sample_rate.c: what was asked and what was obtained. */
uint64_t sample_busy_ticks(struct weir_ctx *ctx);
void sample_report(struct weir_ctx *ctx);

#endif
