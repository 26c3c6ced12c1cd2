/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals and the command. They reach the loop as a signalfd, so no handler has anything to do. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "child.h"
#include "graph_parts.h"

#define DEADLINE_NS 5000000000u

static void signals_to_child(struct graph *graph, int signal)
{
	/* A terminal sends SIGINT to the command itself; SIGTERM comes to weir alone. */
	if (graph->pipeline->run.held && signal == SIGTERM)
		child_signal(graph->pipeline->run.held, SIGTERM);
}

static void signals_seen(void *owner, void *arg, int fd, uint32_t events)
{
	struct graph *graph = owner;
	struct signalfd_siginfo info;

	(void)arg;
	(void)events;
	if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		if (graph->pipeline->run.held && child_ended(graph->pipeline->run.held))
			graph_end(graph);
		return;
	}
	graph->end_signal = (int)info.ssi_signo;
	if (++graph->interrupts > 1) {
		graph->ended_at_once = true;
		return;
	}
	signals_to_child(graph, graph->end_signal);
	graph_end(graph);
}

static void signals_interrupt(int signal)
{
	/* Only breaks the system call that a sink's thread hangs in. */
	(void)signal;
}

static void signals_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGCHLD);
}

int signals_take(struct graph *graph, struct run_signals *saved)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt = { .sa_handler = signals_interrupt };
	sigset_t ours;

	signals_set(&ours);
	graph->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (graph->signals < 0)
		return -errno;
	sigemptyset(&ignore.sa_mask);
	sigemptyset(&interrupt.sa_mask);
	sigaction(SIGPIPE, &ignore, &saved->pipe);
	sigaction(SIGURG, &interrupt, &saved->urgent);
	pthread_sigmask(SIG_BLOCK, &ours, &saved->mask);
	return loop_watch(graph->loop, graph->signals, EPOLLIN, signals_seen, graph, NULL);
}

void signals_give_back(struct graph *graph, const struct run_signals *saved)
{
	struct signalfd_siginfo info;

	/* What came meanwhile has been answered: it must not end the process now. */
	while (read(graph->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
	pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
	if (graph->abandoned)
		return; /* a stuck thread may still write, or be interrupted */
	sigaction(SIGPIPE, &saved->pipe, NULL);
	sigaction(SIGURG, &saved->urgent, NULL);
}

static void command_deadline(void *owner, uint64_t now)
{
	struct graph *graph = owner;

	(void)now;
	child_signal(graph->pipeline->run.held, graph->grace_end ? SIGKILL : SIGTERM);
	graph->grace_end = 1;
}

/* True: the command has to end because weir does; false: it may take its time. */
static bool command_must_end(const struct graph *graph)
{
	return graph->interrupts || run_any_failed(graph);
}

void run_wait_for_command(struct graph *graph)
{
	struct child *child = graph->pipeline->run.held;
	uint64_t allowed = graph->pipeline->run.deadline_ns;
	struct loop_timer patience;
	bool armed = false;

	if (!child)
		return;
	graph->grace_end = 0;
	allowed = allowed ? allowed : DEADLINE_NS;
	loop_timer_init(graph->loop, &patience, command_deadline, graph);
	if (graph->aborted)
		child_kill(child);
	if (run_any_failed(graph))
		child_signal(child, SIGTERM);
	while (!graph->ended_at_once && !child_ended(child)) {
		if (!armed && command_must_end(graph)) {
			uint64_t now = loop_now();

			loop_timer_set(&patience, graph->deadline > now ? graph->deadline : now + 1,
				       allowed);
			armed = true;
		}
		if (loop_turn(graph->loop) < 0)
			break;
	}
	loop_timer_set(&patience, 0, 0);
	if (graph->ended_at_once)
		child_kill(child);
}

void run_leave_at_once(struct graph *graph)
{
	if (graph->pipeline->run.held)
		child_kill(graph->pipeline->run.held);
	for (uint32_t i = 0; i < graph->node_count; i++)
		graph->nodes[i]->abandoned = true;
	graph->abandoned = true;
}
