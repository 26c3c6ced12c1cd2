/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * weir-conform: what weir holds a plugin to, as a table of checks. Each runs in a process of
 * its own, so that a crash is a failed check.
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "../../core/option.h"
#include "../../core/plugin.h"
#include "hardship.h"
#include "patience.h"

/* --set NAME=VALUE: what the instances' options are set to before all checks. */
struct setting {
	const char *name;
	const char *value;
};

/* What is judged, and what has been found. Lives in one check. */
struct subject {
	const struct plugin *plugin;
	struct plugins *plugins; /* for the services it asks for */
	const struct setting *settings;
	uint32_t setting_count;
	struct progress *progress;
	uint32_t patience_s; /* how long a callback may take */
	const char *only;    /* name of the one check to run; NULL: all */
	uint32_t faults;
	char note[256]; /* worth knowing, no fault: what a callback refused to do here */
};

/* A fault: one line. The check fails. */
void WEIR_PRINTF(2, 3) subject_fault(struct subject *subject, const char *format, ...);
void WEIR_PRINTF(2, 3) subject_note(struct subject *subject, const char *format, ...);
uint64_t subject_patience_ns(const struct subject *subject);

/* The checks: main.c holds their table. */
void check_descriptor(struct subject *subject);
void check_probe(struct subject *subject);
void check_defaults(struct subject *subject);
void check_limits(struct subject *subject);
void check_random_options(struct subject *subject);

/*
 * A life, as letters: c create, b bind, s start, t tick and watched fds, p push of batches,
 * d drain. Stop and destroy come last, also behind a call that failed, which is the last letter then.
 */
struct life {
	const char *name;
	const char *steps;
	uint32_t instances; /* at once, step by step in turn */
	uint32_t hardships; /* bits of enum hardship */
};

void check_life(struct subject *subject, const struct life *life);

#endif
