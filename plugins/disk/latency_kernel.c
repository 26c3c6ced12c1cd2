/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading the one or the other set of programs. */
#include "latency_kernel.h"

#include <weir/bpf/loader.h>

/* Need the event's types. */
#include "latency.skel.h"
#include "latency_chosen.skel.h"

/* What both sets attach; the skeletons are types of their own. */
#define KERNEL_ATTACH(name_, bpf_, fd_)                                                            \
	do {                                                                                       \
		if ((fd_) >= 0)                                                                    \
			(fd_) = name_##__request_insert__attach(bpf_);                             \
		if ((fd_) >= 0)                                                                    \
			(fd_) = name_##__request_issue__attach(bpf_);                              \
		if ((fd_) >= 0)                                                                    \
			(fd_) = name_##__request_requeue__attach(bpf_);                            \
		if ((fd_) >= 0)                                                                    \
			(fd_) = name_##__request_merge__attach(bpf_);                              \
		if ((fd_) >= 0)                                                                    \
			(fd_) = name_##__request_complete__attach(bpf_);                           \
	} while (0)

static int kernel_load_all(struct weir_ctx *ctx, struct latency_kernel *kernel, uint32_t dev)
{
	struct weir_bpf_report report = { 0 };
	int fd = 0, err;

	kernel->all = latency_bpf__open();
	if (!kernel->all)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	kernel->all->rodata->only_dev = dev;
	err = weir_bpf_load(latency_bpf, kernel->all, &report);
	if (!err) {
		KERNEL_ATTACH(latency_bpf, kernel->all, fd);
		err = weir_bpf_attach_one(latency_bpf, kernel->all, fd, &report);
	}
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	kernel->totals = &kernel->all->bss->totals;
	kernel->pool = &kernel->all->bss->slot_pool;
	kernel->slots_fd = kernel->all->maps.slots.map_fd;
	return 0;
}

static int kernel_load_chosen(struct weir_ctx *ctx, struct latency_kernel *kernel,
			      const struct weir_task_conf *filter,
			      struct weir_cgroup_names *cgroups, uint32_t dev)
{
	struct weir_bpf_report report = { 0 };
	int fd = 0, err;

	kernel->chosen = latency_chosen_bpf__open();
	if (!kernel->chosen)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	kernel->chosen->rodata->only_dev = dev;
	err = weir_task_filter_set(ctx, filter, &kernel->chosen->rodata->task_filter, cgroups);
	if (err)
		return err;
	err = weir_bpf_load(latency_chosen_bpf, kernel->chosen, &report);
	if (!err) {
		fd = latency_chosen_bpf__request_make__attach(kernel->chosen);
		KERNEL_ATTACH(latency_chosen_bpf, kernel->chosen, fd);
		err = weir_bpf_attach_one(latency_chosen_bpf, kernel->chosen, fd, &report);
	}
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	kernel->totals = &kernel->chosen->bss->totals;
	kernel->pool = &kernel->chosen->bss->slot_pool;
	kernel->slots_fd = kernel->chosen->maps.slots.map_fd;
	return 0;
}

int latency_kernel_load(struct weir_ctx *ctx, struct latency_kernel *kernel,
			const struct weir_task_conf *filter, struct weir_cgroup_names *cgroups,
			uint32_t dev)
{
	if (weir_task_conf_is_all(filter))
		return kernel_load_all(ctx, kernel, dev);
	return kernel_load_chosen(ctx, kernel, filter, cgroups, dev);
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
void latency_kernel_cost(struct latency_kernel *kernel, struct weir_cost *cost)
{
	if (kernel->all)
		weir_bpf_tell_cost(kernel->all, &kernel->stats, cost);
	if (kernel->chosen)
		weir_bpf_tell_cost(kernel->chosen, &kernel->stats, cost);
}

void latency_kernel_free(struct latency_kernel *kernel)
{
	latency_bpf__destroy(kernel->all);
	latency_chosen_bpf__destroy(kernel->chosen);
	weir_bpf_stats_end(&kernel->stats);
}
