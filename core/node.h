/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph from inside: nodes, links, and who may touch what. For graph_*.c, flow.c, host*.c. */
#ifndef CORE_NODE_H
#define CORE_NODE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <weir/host.h>

#include "edge.h"
#include "graph.h"
#include "ledger.h"
#include "loop.h"
#include "option.h"
#include "pipeline.h"
#include "plugin.h"

#define NODE_SLOW_NS   10000000u /* a callback that takes longer is counted */
#define NODE_TEXT_SIZE 512

/* A connection: an edge, and the two places that it joins. */
struct link {
	struct edge edge;
	struct node *from;
	struct node *to;
	struct link *next; /* of the same output */
	uint32_t output;
	struct weir_input seen; /* what the reader sees of it */
	const struct pipeline_input *written;
};

struct node_output {
	const struct weir_schema *schema; /* NULL: not declared yet */
	void *owned;                      /* the schema, where it had to be converted */
	struct link *links;
};

/* What callbacks did and took. Written by the node's own thread, read when it has ended. */
struct node_work {
	uint64_t calls;
	uint64_t slow;
	uint64_t ns; /* CLOCK_MONOTONIC: waiting included, the work of nodes behind left out */
	uint64_t rows_in;
	uint64_t rows_out;
	uint64_t batches_out;
	uint64_t reports; /* ticks that sent something */
};

enum node_state {
	NODE_NEW,
	NODE_CREATED, /* create() was called: destroy() is due */
	NODE_BOUND,
	NODE_STARTED, /* start() was called: stop() is due */
	NODE_STOPPED,
};

struct node {
	struct weir_ctx ctx; /* first: host.c finds the node by it */
	struct graph *graph;
	const struct plugin *plugin;         /* NULL: not found, or refused */
	const struct pipeline_node *written; /* NULL: a provider */
	const char *name;
	void *options;
	struct option_memory *memory;
	struct node_output *outputs;
	struct link **inputs; /* ctx.input_count of them */
	struct sink_thread *thread;
	struct loop_timer tick;
	enum node_state state;
	int option_error; /* of the last option that the component refused; 0: none */
	bool broken;      /* an error was reported: what depends on it is left out in silence */
	bool patient;     /* nothing is lost while it waits */
	bool busy;        /* in a callback */
	bool held;        /* a source that found no room */
	bool finished;    /* a source with nothing more to say */
	bool counted;     /* a source whose --count is reached */
	bool drained;
	bool abandoned;            /* its thread is stuck, and may go on at any time */
	atomic_bool hurry;         /* a sink whose deadline has passed */
	atomic_bool output_closed; /* who read its stdout has gone */
	atomic_int failed;         /* the errno by which it ended */
	pthread_mutex_t lock;      /* of reason */
	char reason[NODE_TEXT_SIZE];
	uint64_t own_nested; /* of a sink with a thread */
	uint64_t *nested;    /* time of callbacks within callbacks, for the thread it runs on */
	struct node_work work;
	bool measured;         /* started, and --stats wants its cost */
	struct weir_cost cost; /* as told just before stop() */
	struct ledger ledger;
	struct tree **trees; /* that it has read: tree_count of them */
	uint32_t tree_count;
	char *absent; /* an optional source that could not start: why, and the cure or "" */
	char *cure;
	need_seen_fn *need_seen; /* in probe() */
	void *need_arg;
};

enum graph_phase {
	GRAPH_BUILDING,
	GRAPH_STARTING,
	GRAPH_RUNNING,
	GRAPH_DRAINING,
	GRAPH_OVER,
};

struct graph {
	const struct pipeline *pipeline;
	struct plugins *plugins;
	struct diag *diag;   /* while building; NULL later */
	struct node **nodes; /* as in the pipeline */
	struct node **order; /* the same, from sources to sinks */
	uint32_t node_count;
	uint32_t drain_next; /* in order */
	struct node **providers;
	uint32_t provider_count;
	int root;
	struct loop *loop;
	int wake;    /* eventfd: a sink thread has made room, failed or ended */
	int signals; /* signalfd: SIGCHLD */
	struct loop_timer duration;
	struct loop_timer deadline_timer;
	enum graph_phase phase;
	atomic_bool ending;
	uint64_t deadline;
	uint64_t progress;     /* what had been done when the deadline was set */
	uint64_t grace_end;    /* after the deadline: until then stuck threads are interrupted */
	atomic_int end_signal; /* which asked to end, the last of them; 0: none */
	atomic_bool forward;   /* the command did not get it from elsewhere */
	atomic_bool ended_at_once; /* it came twice */
	bool aborted;              /* not everything could start: there is nothing to drain */
	bool failed;               /* weir's own failure */
	bool not_permitted;        /* it was the host that does not allow something */
	bool misused;              /* it was an option that names nothing there is */
	bool abandoned;            /* a thread still runs: nothing that it may use is freed */
	int command_status; /* why it could not run, or what it ended with before it ran once more */
	bool command_again;                /* a source has asked for it; it waits */
	const struct child_signals *found; /* as signals were before the run */
	uint64_t nested;
	atomic_llong wall_offset;
	atomic_ullong wall_sampled;
};

extern const struct weir_host host_calls; /* host.c */

static inline struct node *node_of(struct weir_ctx *ctx)
{
	return (struct node *)ctx;
}

static inline const struct weir_component *node_component(const struct node *node)
{
	return &node->plugin->component;
}

/* node.c. `written` NULL: a provider, of which `name` is then shown. NULL: no memory. */
struct node *node_new(struct graph *graph, const struct pipeline_node *written, const char *name);
int node_give_plugin(struct node *node, const struct plugin *plugin); /* 0 or -ENOMEM */
void node_free(struct node *node); /* calls destroy() where create() was called */
const struct place *node_place(const struct node *node);
/* `node "io" (disk.latency)` */
void node_title(const struct node *node, char *out, size_t size);
/* `node "io" (disk.latency), defined at x.yaml:3:1` */
void node_title_placed(const struct node *node, char *out, size_t size);

/* Keeps a reason, with the errno's text behind it. Any thread. Returns `error`. */
int WEIR_PRINTF(3, 0) node_fail(struct node *node, int error, const char *format, va_list args);
/* Reports why a callback failed: as a diagnostic while building, on stderr later. */
void node_report(struct node *node, const char *callback, int error);
/* The node has failed while running: reports it, and closes what leads to it. Its thread. */
void node_failed(struct node *node, const char *callback, int error);
/* What becomes of rows whose push() returned `error`. */
enum edge_loss node_loss(struct node *node, int error);

/* Brackets around each callback: measures it, forgets old reasons. */
struct node_call {
	uint64_t began;
	uint64_t nested;
};
void node_enter(struct node *node, struct node_call *call);
void node_leave(struct node *node, const struct node_call *call);

int node_create(struct node *node);
int node_bind(struct node *node);
int node_start(struct node *node);
int node_drain(struct node *node, uint64_t deadline);
void node_stop(struct node *node); /* where start() was called */

/* graph_bind.c */
int graph_connect(struct graph *graph); /* links, slots, order */
int graph_bind(struct graph *graph);
/* Sets an output's schema after having checked it; reports otherwise. */
int node_declare(struct node *node, uint32_t output, const struct weir_schema *schema);
/* Reports that a column is not as wanted, at `place`. */
int node_report_want(struct node *node, uint32_t input, const struct weir_want *want,
		     const struct place *place);

/* service.c */
int service_get(struct node *asker, const char *name, uint32_t version,
		struct weir_service *service);
int service_get_at(struct node *asker, const char *name, uint32_t version, uint32_t i,
		   struct weir_service *service, const char **provider);

/* flow.c: rows on the loop thread. */
bool flow_has_room(struct node *node);
int flow_commit(struct node *node, struct batch *batch);
void flow_feed(struct node *node); /* pushes what waits before it, as far as there is room behind */
void flow_pump(struct graph *graph); /* all of them, and resumes sources that were held up */
void flow_close(struct node *node, enum edge_loss why, bool all); /* the edges that lead to it */
bool flow_idle(struct node *node);                                /* nothing waits before it */
int flow_push(struct node *node, struct link *link, struct batch *batch); /* one push() */

/* graph_command.c: starts the command, which has ended, once more. 0 or a negative errno. */
int graph_command_again(struct graph *graph);

/* graph_end.c */
void graph_end(struct graph *graph);
bool graph_drain(struct graph *graph); /* true: drained, or given up */
/* While it drains: moves the deadline if something was done since it was set. */
void graph_end_go_on(struct graph *graph);
void graph_wake(struct graph *graph); /* any thread */

/* stats.c */
void stats_losses(struct graph *graph);
void stats_print(struct graph *graph);

#endif
