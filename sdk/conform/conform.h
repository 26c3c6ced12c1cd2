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
	uint32_t faults;
	char note[256]; /* worth knowing, no fault: what a callback refused to do here */
};

/* A fault: one line. The check fails. */
void WEIR_PRINTF(2, 3) subject_fault(struct subject *subject, const char *format, ...);
void WEIR_PRINTF(2, 3) subject_note(struct subject *subject, const char *format, ...);

/* The checks: main.c holds their table. */
void check_descriptor(struct subject *subject);
void check_probe(struct subject *subject);
void check_defaults(struct subject *subject);
void check_limits(struct subject *subject);
void check_random_options(struct subject *subject);

/*
 * A life, as letters: c create, b bind, s start, t tick and watched fds, p push of batches,
 * d drain, x stop, D destroy. What follows a failed call is left out, but for stop and destroy.
 */
struct life {
	const char *name;
	const char *steps;
	uint32_t instances; /* at once, step by step in turn */
	uint32_t hardships; /* bits of enum hardship */
};

void check_life(struct subject *subject, const struct life *life);

#endif
