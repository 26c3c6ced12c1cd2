/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of cpu.pmu share: options, counters, rows, state. */
#ifndef PMU_H
#define PMU_H

#include <weir/file.h>
#include <weir/metric_set.h>
#include <weir/perf_event.h>
#include <weir/plugin.h>
#include <weir/pmu_events.h>
#include <weir/probe.h>

#define PMU_EVENTS_MAX 512

enum pmu_per { PMU_PER_ALL, PMU_PER_CPU, PMU_PER_CORE, PMU_PER_SOCKET };

struct pmu_conf {
	const char *events;
	struct weir_texts metrics;
	struct weir_texts pid;
	struct weir_texts tid;
	const char *cgroup;
	const char *cpu;
	uint64_t interval;
	uint32_t per; /* enum pmu_per */
	bool no_inherit;
	uint32_t repeat; /* runs of the command */
};

/* What one file descriptor has counted so far. */
struct pmu_reading {
	uint64_t count;
	uint64_t enabled;
	uint64_t running;
};

/* A window's sum at one place, or the mean of repeated runs. */
struct pmu_sum {
	uint64_t enabled;
	uint64_t running;
	double count; /* scaled up to the time that it should have been counted */
	uint64_t raw;
	uint32_t fds;     /* 0: it was counted nowhere */
	uint32_t runs;    /* of the command; 0: it is not repeated */
	double deviation; /* of the runs, as a share of their mean; NaN: of one there is none */
};

/* What repeated runs had, by Welford's method. */
struct pmu_series {
	uint64_t enabled;
	uint64_t running;
	double mean;
	double squares; /* of the distances from the mean */
	uint32_t fds;
	uint32_t runs;
};

/* One event, counted at many places: threads, or CPUs. */
struct pmu_counter {
	char *name; /* as it was asked for */
	char filter[64];
	char why[256]; /* it is not counted */
	struct perf_event_attr attr;
	const struct weir_unit *unit;
	double scale;
	struct weir_numbers cpus; /* of an event of whole CPUs */
	bool whole_cpu;
	bool user_only;
	bool asked;     /* by name; otherwise it belongs to a set of metrics */
	bool known;     /* attr is set */
	uint32_t group; /* counted together with those of the same number; 0: alone */
	int error;
	int *fds; /* of places; -1: not there */
	uint32_t *fd_cpus;
	struct pmu_reading *last;
	uint32_t fd_count;
	struct pmu_sum *sums; /* by place */
	struct pmu_series *series;
};

struct pmu_row {
	struct weir_text event;
	struct weir_text place;
	struct weir_text value;
	struct weir_text unit;
	uint64_t count;
	double amount;
	double counted;
	double deviation;
	uint64_t enabled;
	uint64_t running;
	struct weir_text note;
	uint32_t runs;
};

/* What is told without a counter, in ns. */
enum pmu_own { PMU_QUEUED, PMU_ASLEEP, PMU_ELAPSED, PMU_OWN };

/* What the scheduler tells of the threads that are looked at. */
struct pmu_tasks {
	struct weir_numbers tids;
	uint64_t *run; /* at the window's begin */
	uint64_t *waited;
	uint64_t window_run; /* sums of the window */
	uint64_t window_waited;
	bool whole; /* all threads were there at both ends */
};

struct pmu_state {
	struct weir_pmus pmus;
	struct pmu_counter *counters;
	uint32_t count;
	uint32_t groups;
	struct weir_numbers cpus;
	struct weir_numbers pids;
	struct weir_numbers tids; /* threads to open events of */
	struct weir_numbers ends; /* pidfds of the processes, but for a command's */
	struct pmu_tasks tasks;
	char (*places)[48]; /* one: ""; else CPUs, cores or sockets */
	uint32_t place_count;
	struct weir_numbers place_of; /* by the number of a CPU */
	bool by_task;
	bool command;
	struct pmu_sum own[PMU_OWN];
	struct pmu_series own_series[PMU_OWN];
	uint32_t runs; /* of a repeated command, that have ended */
	int has_pmu;
	int64_t paranoid;
	uint64_t window;
};

/* pmu_events.c: which events, and what they are. Those that fail have said why. */
int pmu_choose(struct weir_ctx *ctx);
int pmu_encode(struct weir_ctx *ctx); /* start(): those that may take privileges */
void pmu_free(struct pmu_state *state);

/* pmu_open.c: opens what can be opened; an event that cannot is told in its row. */
int pmu_open(struct weir_ctx *ctx);
void pmu_enable(struct weir_ctx *ctx);
/* The same events for the command's next process. */
int pmu_open_again(struct weir_ctx *ctx);
/* Its descriptors, and what was read of them. */
void pmu_close(struct pmu_counter *counter);
/* True when all tasks have ended. */
bool pmu_over(struct weir_ctx *ctx);

/* pmu_why.c: why an event is not counted, and the command that changes it. */
void pmu_refused(struct weir_ctx *ctx, struct pmu_counter *counter, int err);
void pmu_not_counted(struct weir_ctx *ctx, const struct pmu_counter *counter,
		     const struct pmu_sum *sum, char *text, size_t size);

/* pmu_places.c: CPUs, cores, sockets; which of them a CPU belongs to. */
int pmu_places(struct weir_ctx *ctx);
uint32_t pmu_place(const struct pmu_state *state, uint32_t cpu);

/* pmu_tasks.c: run and wait of threads, by the scheduler's own account. */
int pmu_tasks_begin(struct weir_ctx *ctx);
void pmu_tasks_read(struct weir_ctx *ctx);

/* pmu_read.c: what was counted since it was read last, into the counters' sums and `own`. */
void pmu_read(struct weir_ctx *ctx, uint64_t elapsed);

/* pmu_repeat.c: the command's runs, one after the other. */
int pmu_repeat_check(struct weir_ctx *ctx);
int pmu_command_ended(struct weir_ctx *ctx);
void pmu_repeat_means(struct weir_ctx *ctx); /* into the counters' sums and `own` */

/* pmu_rows.c: one window. */
extern const struct weir_schema pmu_schema;
int pmu_emit(struct weir_ctx *ctx, uint64_t now);

#endif
