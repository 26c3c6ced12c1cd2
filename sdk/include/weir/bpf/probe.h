/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User side: what every component with BPF programs needs of the host, for its probe().
 */
#ifndef WEIR_BPF_PROBE_H
#define WEIR_BPF_PROBE_H

#include <weir/bpf/loader.h>
#include <weir/probe.h>

/* What all of them need: types of the kernel, and the right to load. 1 if it is all there, or 0. */
static inline int weir_probe_bpf(struct weir_ctx *ctx)
{
	const char *capability = weir_bpf_missing_capability();
	struct weir_grant grant;
	int types = weir_path_exists(ctx, "sys/kernel/btf/vmlinux");

	if (types)
		weir_need(ctx, WEIR_NEED_MET, "kernel BTF", "present", "", "");
	else
		weir_need(ctx, WEIR_NEED_MISSING, "kernel BTF", "no /sys/kernel/btf/vmlinux",
			  "no BPF program of weir can be loaded",
			  "a kernel with CONFIG_DEBUG_INFO_BTF");
	if (capability)
		weir_need(ctx, WEIR_NEED_MISSING, "CAP_BPF and CAP_PERFMON", capability,
			  "no BPF program can be loaded", weir_grant(&grant, 0));
	else
		weir_need(ctx, WEIR_NEED_MET, "CAP_BPF and CAP_PERFMON", "held", "", "");
	return types && !capability;
}

/*
 * Something that a program attaches to, as "raw_tp/block_rq_issue". `name`: what people call it;
 * `state`, `effect`: what its absence means. 1 if it is there, or 0.
 */
static inline int weir_probe_target(struct weir_ctx *ctx, const char *target, const char *name,
				    uint32_t state, const char *effect, const char *cure)
{
	if (weir_bpf_target(target) == -ENOENT) {
		weir_need(ctx, state, name, "none", effect, cure);
		return 0;
	}
	weir_need(ctx, WEIR_NEED_MET, name, "present", "", "");
	return 1;
}

#endif
