/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of disk.latency for requests that chosen tasks submitted. */
#define LATENCY_CHOOSES
#define WEIR_CGROUP_ALONE

#include "latency.bpf.c"
