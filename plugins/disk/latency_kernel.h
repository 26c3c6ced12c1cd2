/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of disk.latency in the kernel: those that see all requests, or those that look at
 * who submitted them, which take longer to load and to run.
 */
#ifndef LATENCY_KERNEL_H
#define LATENCY_KERNEL_H

#include <weir/cgroup.h>
#include <weir/plugin.h>
#include <weir/slots.h>
#include <weir/task_filter.h>

#include "disk.h"
#include "latency_event.h"

/* One of both skeletons, and what is in it. All zero: not loaded. */
struct latency_kernel {
	struct latency_bpf *all;
	struct latency_chosen_bpf *chosen;
	struct request_totals *totals;
	struct weir_slot_pool *pool;
	int slots_fd;
	int stats; /* holds the kernel's statistics of BPF on; 0: not asked for */
};

/* Loads and attaches. `dev`: the only disk to watch, or 0. 0, or a negative errno after having said why. */
int latency_kernel_load(struct weir_ctx *ctx, struct latency_kernel *kernel,
			const struct weir_task_conf *filter, struct weir_cgroup_names *cgroups,
			uint32_t dev);
void latency_kernel_cost(struct latency_kernel *kernel, struct weir_cost *cost);
void latency_kernel_free(struct latency_kernel *kernel);

#endif
