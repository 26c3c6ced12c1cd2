/* SPDX-License-Identifier: BSD-2-Clause */
/* The account of a run on stderr: losses in any case, all else for --stats. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "log.h"
#include "node.h"

static const char *const cures[EDGE_LOSSES] = {
	[EDGE_FULL] = "queue: {rows: more, when_full: block} at that input, or a faster sink",
	[EDGE_DEADLINE] = "a sink that does not block, or a longer deadline",
};

static void stats_edge_name(const struct link *link, char *out, size_t size)
{
	snprintf(out, size, "%s.%s -> %s", link->from->name, link->seen.output, link->to->name);
}

static void stats_edge_losses(struct link *link)
{
	struct edge_counts counts;
	char name[160];

	edge_count(&link->edge, &counts);
	stats_edge_name(link, name, sizeof(name));
	for (int i = EDGE_FULL; i < EDGE_LOSSES; i++)
		if (counts.lost[i] && i != EDGE_READER_GONE)
			log_line(name, "lost %" PRIu64 " rows: %s%s%s%s", counts.lost[i],
				 edge_loss_text((enum edge_loss)i), cures[i] ? " (cure: " : "",
				 cures[i] ? cures[i] : "", cures[i] ? ")" : "");
}

void stats_losses(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->provider_count; i++)
		ledger_print(&graph->providers[i]->ledger, graph->providers[i]->name);
	for (uint32_t i = 0; i < graph->node_count; i++)
		ledger_print(&graph->order[i]->ledger, graph->order[i]->name);
	for (uint32_t i = 0; i < graph->node_count; i++)
		for (uint32_t j = 0; j < graph->order[i]->ctx.input_count; j++)
			stats_edge_losses(graph->order[i]->inputs[j]);
}

static void stats_edge(struct link *link)
{
	struct edge_counts counts;
	uint64_t lost = 0;
	char name[160];

	edge_count(&link->edge, &counts);
	for (int i = 0; i < EDGE_LOSSES; i++)
		lost += counts.lost[i];
	stats_edge_name(link, name, sizeof(name));
	log_line("stats",
		 "edge %s: in %" PRIu64 ", out %" PRIu64 ", lost %" PRIu64 ", queued %" PRIu64,
		 name, counts.in, counts.out, lost, counts.queued);
}

static void stats_node(const struct node *node)
{
	const struct node_work *work = &node->work;

	log_line("stats",
		 "node %s (%s): rows in %" PRIu64 ", out %" PRIu64 "; %" PRIu64
		 " calls, %.3f ms, %" PRIu64 " slow",
		 node->name, node->plugin->note.name, work->rows_in, work->rows_out, work->calls,
		 (double)work->ns / 1e6, work->slow);
	if (node->cost.bpf_runs)
		log_line("stats", "node %s: BPF: %" PRIu64 " runs, %.3f ms%s", node->name,
			 node->cost.bpf_runs, (double)node->cost.bpf_ns / 1e6,
			 node->cost.bpf_ns ? "" : " (the kernel keeps no statistics)");
}

static double stats_ms(const struct timeval *time)
{
	return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

void stats_print(struct graph *graph)
{
	struct rusage usage;

	for (uint32_t i = 0; i < graph->node_count; i++)
		for (uint32_t j = 0; j < graph->order[i]->ctx.input_count; j++)
			stats_edge(graph->order[i]->inputs[j]);
	for (uint32_t i = 0; i < graph->provider_count; i++)
		stats_node(graph->providers[i]);
	for (uint32_t i = 0; i < graph->node_count; i++)
		if (!graph->order[i]->abandoned)
			stats_node(graph->order[i]);
	getrusage(RUSAGE_SELF, &usage);
	log_line("stats", "weir itself: user %.1f ms, system %.1f ms, at most %ld KiB resident",
		 stats_ms(&usage.ru_utime), stats_ms(&usage.ru_stime), usage.ru_maxrss);
}
