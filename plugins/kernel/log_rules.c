/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel complains about, as a table: a pattern follows the format that the kernel
 * prints. It begins where the text begins, and its case does not matter.
 *
 *	*           any text, as short as can be
 *	{pid}       a number; {sector} too
 *	{task}      "name:pid", of which names may hold colons
 *	{instance}  the last word of what stands there: a device, an interface, a CPU, a port
 *	{comm}      whatever stands there; {cgroup} and {op} too
 *
 * What stands for a fact ends where the text that follows it in the pattern comes first; at the
 * pattern's end it takes a word.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_record.h"

static const struct log_rule log_rules[] = {
	/* Memory */
	{ "oom-kill:*,oom_memcg={instance},task_memcg={cgroup},task=*,pid={pid},", "", "", "" },
	{ "oom-kill:*,task_memcg={cgroup},task=*,pid={pid},", "", "", "" },
	{ "Memory cgroup out of memory: Killed process {pid} ({comm}) total-vm", "oom_cgroup",
	  "error", "cgroup" },
	{ "Memory cgroup out of memory: Killed process {pid} ({comm}), ", "oom_cgroup", "error",
	  "cgroup" },
	{ "Out of memory*: Killed process {pid} ({comm}) total-vm", "oom", "error", "memory" },
	{ "Out of memory*: Killed process {pid} ({comm}), ", "oom", "error", "memory" },
	{ "{comm}: page allocation failure: order", "allocation", "warning", "memory" },
	{ "EDAC {instance}: * CE ", "ecc_corrected", "warning", "memory" },
	{ "EDAC {instance}: * UE ", "ecc_uncorrected", "error", "memory" },
	/* CPU */
	{ "*BUG: soft lockup - CPU#{instance} stuck for *[{task}]", "soft_lockup", "error", "cpu" },
	{ "*Watchdog detected hard LOCKUP on cpu {instance}", "hard_lockup", "error", "cpu" },
	{ "rcu: INFO: rcu_* stall", "rcu_stall", "error", "cpu" },
	{ "*[Hardware Error]: CPU {instance}: Machine Check", "hardware_error", "error", "cpu" },
	{ "*[Hardware Error]", "hardware_error", "error", "cpu" },
	{ "*CPU{instance}: * temperature *above threshold", "thermal", "warning", "cpu" },
	/* Tasks that wait, and that crash */
	{ "INFO: task {task} blocked ", "hung_task", "error", "software" },
	{ "{comm}[{pid}]: segfault at ", "segfault", "warning", "software" },
	{ "traps: {comm}[{pid}] {op} ip:", "crash", "warning", "software" },
	{ "cgroup: fork rejected by pids controller in {cgroup}", "pids_limit", "error", "cgroup" },
	{ "VFS: file-max limit ", "fd_limit", "error", "software", "file-max" },
	{ "BUG: ", "kernel_bug", "error", "software" },
	{ "Oops: ", "kernel_bug", "error", "software" },
	{ "Kernel panic", "kernel_bug", "error", "software" },
	{ "WARNING: CPU: * PID: {pid} at ", "kernel_warning", "warning", "software" },
	/* Disks */
	{ "*Buffer I/O error on dev {instance}, logical block {sector}, ", "io_error", "error",
	  "disk" },
	{ "*Buffer I/O error on device {instance}, logical block {sector}", "io_error", "error",
	  "disk" },
	{ "* error, dev {instance}, sector {sector} op *:({op})", "io_error", "error", "disk" },
	{ "* error, dev {instance}, sector {sector}", "io_error", "error", "disk" },
	{ "nvme {instance}: I/O * timeout", "io_timeout", "error", "disk" },
	{ "{instance}: failed command: {op}", "io_error", "error", "disk" },
	{ "md/*:{instance}: Disk failure on ", "disk_failed", "error", "disk" },
	/* File systems */
	{ "EXT4-fs error (device {instance}): ", "fs_error", "error", "disk" },
	{ "EXT4-fs ({instance}): Remounting filesystem read-only", "fs_read_only", "error",
	  "disk" },
	{ "EXT4-fs ({instance}): I/O error", "fs_error", "error", "disk" },
	{ "Aborting journal on device {instance}.", "fs_error", "error", "disk" },
	{ "XFS ({instance}): *orruption", "fs_error", "error", "disk" },
	{ "XFS ({instance}): metadata I/O error", "fs_error", "error", "disk" },
	{ "XFS ({instance}): *shut", "fs_error", "error", "disk" },
	{ "BTRFS error (device {instance} state ", "fs_error", "error", "disk" },
	{ "BTRFS error (device {instance}): ", "fs_error", "error", "disk" },
	{ "BTRFS critical (device {instance})", "fs_error", "error", "disk" },
	{ "FAT-fs ({instance}): error", "fs_error", "error", "disk" },
	/* Network */
	{ "*Possible SYN flooding on port {instance}. ", "syn_flood", "warning", "network" },
	{ "*table full, dropping packet", "conntrack_full", "error", "network", "conntrack" },
	{ "neighbour: {instance}: neighbor table overflow", "neighbour_full", "error", "network" },
	{ "TCP: out of memory", "tcp_memory", "error", "network", "tcp" },
	{ "TCP: too many orphaned sockets", "tcp_memory", "error", "network", "tcp" },
	{ "NETDEV WATCHDOG: {instance} (", "tx_timeout", "error", "network" },
	{ "{instance}: NETDEV WATCHDOG: ", "tx_timeout", "error", "network" },
	{ "{instance}: NIC link is down", "link_down", "warning", "network" },
	{ "{instance}: link is down", "link_down", "warning", "network" },
	{ "{instance}: link down", "link_down", "warning", "network" },
	{ "{instance}: NIC link is up", "link_up", "note", "network" },
	{ "{instance}: link is up", "link_up", "note", "network" },
	{ "{instance}: link up", "link_up", "note", "network" },
	{ NULL, NULL, NULL, NULL, NULL },
};

struct log_span {
	const char *from;
	const char *to;
};

static void log_copy(char *out, size_t size, struct log_span span)
{
	snprintf(out, size, "%.*s", (int)(span.to - span.from), span.from);
}

static bool log_number(struct log_span span, uint64_t most, uint64_t *number)
{
	*number = 0;
	if (span.from == span.to)
		return false;
	for (; span.from < span.to; span.from++) {
		if (*span.from < '0' || *span.from > '9' || *number > most / 10)
			return false;
		*number = *number * 10 + (uint64_t)(*span.from - '0');
	}
	return *number <= most;
}

static bool log_take_pid(struct log_facts *facts, struct log_span span)
{
	uint64_t pid;

	if (!log_number(span, INT32_MAX, &pid))
		return false;
	facts->pid = (uint32_t)pid;
	return true;
}

static bool log_take_sector(struct log_facts *facts, struct log_span span)
{
	return log_number(span, UINT64_MAX - 1, &facts->sector);
}

static bool log_take_task(struct log_facts *facts, struct log_span span)
{
	const char *colon = memrchr(span.from, ':', (size_t)(span.to - span.from));

	if (!colon)
		return false;
	log_copy(facts->comm, sizeof(facts->comm), (struct log_span){ span.from, colon });
	return log_take_pid(facts, (struct log_span){ colon + 1, span.to });
}

static bool log_take_instance(struct log_facts *facts, struct log_span span)
{
	const char *blank = memrchr(span.from, ' ', (size_t)(span.to - span.from));

	if (blank)
		span.from = blank + 1;
	log_copy(facts->instance, sizeof(facts->instance), span);
	return span.from < span.to;
}

static bool log_take_comm(struct log_facts *facts, struct log_span span)
{
	log_copy(facts->comm, sizeof(facts->comm), span);
	return span.from < span.to;
}

static bool log_take_cgroup(struct log_facts *facts, struct log_span span)
{
	log_copy(facts->cgroup, sizeof(facts->cgroup), span);
	return span.from < span.to;
}

static bool log_take_op(struct log_facts *facts, struct log_span span)
{
	log_copy(facts->op, sizeof(facts->op), span);
	return span.from < span.to;
}

static const struct log_fact {
	const char *name;
	bool (*take)(struct log_facts *facts, struct log_span span);
} log_fact_table[] = {
	{ "{pid}", log_take_pid },       { "{task}", log_take_task },
	{ "{comm}", log_take_comm },     { "{instance}", log_take_instance },
	{ "{cgroup}", log_take_cgroup }, { "{op}", log_take_op },
	{ "{sector}", log_take_sector },
};

/* The fact that a pattern goes on with, and past it; NULL: "*", or none. */
static const struct log_fact *log_fact_at(const char **pattern)
{
	for (size_t i = 0; i < sizeof(log_fact_table) / sizeof(log_fact_table[0]); i++) {
		size_t length = strlen(log_fact_table[i].name);

		if (strncmp(*pattern, log_fact_table[i].name, length) == 0) {
			*pattern += length;
			return &log_fact_table[i];
		}
	}
	*pattern += **pattern == '*';
	return NULL;
}

static const char *log_search(const char *at, const char *end, const char *literal, size_t length)
{
	for (; (size_t)(end - at) >= length; at++)
		if (strncasecmp(at, literal, length) == 0)
			return at;
	return NULL;
}

/* Where what stands for a fact ends: at the literal that follows, or with a word. */
static const char *log_span_end(const char *at, const char *end, const char *literal, size_t length)
{
	if (length)
		return log_search(at, end, literal, length);
	while (at < end && *at != ' ')
		at++;
	return at;
}

static bool log_follows(const char *pattern, const char *at, const char *end,
			struct log_facts *facts)
{
	size_t length = strcspn(pattern, "*{");

	if ((size_t)(end - at) < length || strncasecmp(at, pattern, length) != 0)
		return false;
	for (pattern += length, at += length; *pattern; pattern += length) {
		const struct log_fact *fact = log_fact_at(&pattern);
		const char *stop;

		length = strcspn(pattern, "*{");
		stop = log_span_end(at, end, pattern, length);
		if (!stop || (fact && !fact->take(facts, (struct log_span){ at, stop })))
			return false;
		at = stop + length;
	}
	return true;
}

static void log_facts_clear(struct log_facts *facts, const struct log_rule *rule)
{
	memset(facts, 0, sizeof(*facts));
	facts->rule = rule;
	facts->pid = UINT32_MAX;
	facts->sector = UINT64_MAX;
	if (rule && rule->instance)
		snprintf(facts->instance, sizeof(facts->instance), "%s", rule->instance);
}

const struct log_rule *log_rules_match(const char *text, size_t length, struct log_facts *facts)
{
	for (const struct log_rule *rule = log_rules; rule->pattern; rule++) {
		log_facts_clear(facts, rule);
		if (log_follows(rule->pattern, text, text + length, facts))
			return rule;
	}
	log_facts_clear(facts, NULL);
	return NULL;
}
