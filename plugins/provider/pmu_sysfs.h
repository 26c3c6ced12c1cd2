/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu.kernel: what a PMU's folder in sysfs says of its terms and events. */
#ifndef PMU_SYSFS_H
#define PMU_SYSFS_H

#include "pmu_kernel.h"

/* Puts "event=0x3c,umask=1", or names of events, into an event, as the PMU's format files say. */
int pmu_terms(struct weir_ctx *ctx, const char *pmu, const char *terms,
	      struct weir_pmu_event *event);

/* Whether PMU/FOLDER/NAME is there. */
bool pmu_has(struct weir_ctx *ctx, const char *pmu, const char *folder, const char *name);

/* Type, CPUs, and whose counter it is. 0, or -ENOENT: there is no such PMU. */
int pmu_device(struct weir_ctx *ctx, const char *pmu, struct weir_pmu_event *event);

#endif
