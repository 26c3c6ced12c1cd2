/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals. Who wants weir to end is heard by a thread that does nothing else, for the loop may be
 * in a callback that takes its time: the first request ends the run in order, the second at once,
 * whatever the loop does. SIGCHLD comes to the loop as a signalfd.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "graph_parts.h"
#include "thread.h"

/* `timeout` signals its command, then its whole group, weir among them: that is one request. */
#define ONE_REQUEST_NS 100000000u
/* How long the loop may take to leave by itself after the second request. */
#define LEAVE_MS 200

static void signals_child(void *owner, void *arg, int fd, uint32_t events)
{
	struct graph *graph = owner;
	struct signalfd_siginfo info;

	(void)arg;
	(void)events;
	if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (graph->pipeline->run.held && child_ended(graph->pipeline->run.held))
		run_command_ended(graph);
}

/* True when the watching thread is to end. */
static bool signals_wait(const struct run_signals *signals, int timeout)
{
	struct pollfd fds[] = { { signals->leave, POLLIN, 0 },
				{ timeout < 0 ? signals->requests : -1, POLLIN, 0 } };

	while (poll(fds, 2, timeout) < 0 && errno == EINTR)
		;
	return fds[0].revents != 0;
}

/* The loop hangs in a callback: what it holds is lost, and nothing else can be done about it. */
static void signals_end_process(const struct run_signals *signals, int signal)
{
	const struct child *child = signals->graph->pipeline->run.held;

	if (child && child_status(child) < 0)
		kill(child_pid(child), SIGKILL);
	_exit(128 + signal);
}

static void signals_second(const struct run_signals *signals, int signal)
{
	struct graph *graph = signals->graph;

	atomic_store(&graph->end_signal, signal);
	atomic_store(&graph->ended_at_once, true);
	graph_wake(graph);
	if (!signals_wait(signals, LEAVE_MS))
		signals_end_process(signals, signal);
}

static void *signals_watch(void *arg)
{
	const struct run_signals *signals = arg;
	struct graph *graph = signals->graph;
	struct signalfd_siginfo info;
	uint64_t first = 0;

	while (!signals_wait(signals, -1)) {
		uint64_t now = loop_now();

		if (read(signals->requests, &info, sizeof(info)) != (ssize_t)sizeof(info))
			continue;
		if (!first) {
			first = now;
			/* A terminal sends to the command, too; others mean weir alone. */
			atomic_store(&graph->forward, info.ssi_code != SI_KERNEL);
			atomic_store(&graph->end_signal, (int)info.ssi_signo);
			graph_wake(graph);
		} else if (now - first > ONE_REQUEST_NS || info.ssi_code == SI_KERNEL) {
			signals_second(signals, (int)info.ssi_signo);
			return NULL;
		}
	}
	return NULL;
}

void signals_pass_on(struct graph *graph)
{
	int signal = atomic_load(&graph->end_signal);

	if (signal && graph->pipeline->run.held && atomic_exchange(&graph->forward, false))
		child_signal(graph->pipeline->run.held, signal);
}

static void signals_interrupt(int signal)
{
	/* Only breaks the system call that a sink's thread hangs in. */
	(void)signal;
}

static void signals_sets(sigset_t *requests, sigset_t *all)
{
	sigemptyset(requests);
	sigaddset(requests, SIGINT);
	sigaddset(requests, SIGTERM);
	sigaddset(requests, SIGHUP);
	*all = *requests;
	sigaddset(all, SIGCHLD);
}

static int signals_open(struct graph *graph, struct run_signals *signals, const sigset_t *requests)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	graph->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	signals->requests = signalfd(-1, requests, SFD_CLOEXEC | SFD_NONBLOCK);
	signals->leave = eventfd(0, EFD_CLOEXEC);
	if (graph->signals < 0 || signals->requests < 0 || signals->leave < 0)
		return -errno;
	return loop_watch(graph->loop, graph->signals, EPOLLIN, signals_child, graph, NULL);
}

static void signals_close(const struct run_signals *signals)
{
	if (signals->requests >= 0)
		close(signals->requests);
	if (signals->leave >= 0)
		close(signals->leave);
}

int signals_take(struct graph *graph, struct run_signals *signals)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt = { .sa_handler = signals_interrupt };
	sigset_t requests, all;
	int err;

	signals->graph = graph;
	signals_sets(&requests, &all);
	err = signals_open(graph, signals, &requests);
	if (err) {
		signals_close(signals);
		return err;
	}
	sigemptyset(&ignore.sa_mask);
	sigemptyset(&interrupt.sa_mask);
	sigaction(SIGPIPE, &ignore, &signals->found.pipe);
	sigaction(SIGURG, &interrupt, &signals->found.urgent);
	pthread_sigmask(SIG_BLOCK, &all, &signals->found.mask);
	graph->found = &signals->found;
	err = thread_start(&signals->watcher, signals_watch, signals);
	signals->watched = !err;
	if (err)
		signals_give_back(graph, signals);
	return err;
}

static void signals_empty(int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
}

void signals_give_back(struct graph *graph, struct run_signals *signals)
{
	uint64_t one = 1;

	if (signals->watched && write(signals->leave, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(signals->watcher, NULL);
	/* What came meanwhile has been answered: it must not end the process now. */
	signals_empty(graph->signals);
	signals_empty(signals->requests);
	signals_close(signals);
	pthread_sigmask(SIG_SETMASK, &signals->found.mask, NULL);
	if (graph->abandoned)
		return; /* a stuck thread may still write, or be interrupted */
	sigaction(SIGPIPE, &signals->found.pipe, NULL);
	sigaction(SIGURG, &signals->found.urgent, NULL);
}
