/* SPDX-License-Identifier: BSD-2-Clause */
/* Running pipelines of toys: flow, bounds, ends, and accounts that add up. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "edge.h"
#include "graph_toys.h"

#include <cmocka.h>

#define SECOND_NS 1000000000ull

#define PIPE(source_, sink_)                                                                       \
	"weir: 1\nsources:\n  io: {" source_ "}\nsinks:\n  out: {" sink_ ", inputs: [io]}\n"
#define FORK(source_, a_, b_)                                                                      \
	"weir: 1\nsources:\n  io: {" source_ "}\nsinks:\n  a: {" a_ ", inputs: [io]}\n"            \
	"  b: {" b_ ", inputs: [io]}\n"
#define CHAIN(source_, pass_, sink_)                                                               \
	"weir: 1\nsources:\n  io: {" source_ "}\ntransforms:\n  mid: {" pass_                      \
	", inputs: [io]}\nsinks:\n  out: {" sink_ ", inputs: [mid]}\n"

/* An edge's account, and that it adds up. */
static struct edge_counts account(struct stage *stage, const char *node)
{
	struct edge_counts counts;
	uint64_t sum;

	stage_edge(stage, node, &counts);
	sum = counts.out + counts.queued;
	for (int i = 0; i < EDGE_LOSSES; i++)
		sum += counts.lost[i];
	assert_int_equal(counts.in, sum);
	return counts;
}

static void end_clean(struct stage *stage)
{
	stage_end(stage);
	assert_int_equal(toys.live, 0);
}

static void rows_reach_the_sink(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.source, ticks: 3", "plugin: toy.sink"), NULL);
	assert_string_equal(stage.errors, "");
	assert_int_equal(stage.status, 0);
	assert_int_equal(toys.rows, 31);
	assert_string_equal(toys.events, "start:out start:io drain:io drain:out stop:io stop:out ");
	assert_non_null(strstr(stage.told, ": attached\n"));
	end_clean(&stage);
}

static void nothing_is_attached_to_a_file(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.patient, ticks: 3", "plugin: toy.sink"), NULL);
	assert_int_equal(stage.status, 0);
	assert_true(toys.rows > 0);
	assert_null(strstr(stage.told, "attached"));
	end_clean(&stage);
}

static void a_transform_drains_before_its_sink(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage,
		   CHAIN("plugin: toy.source, ticks: 3", "plugin: toy.pass, keep: 1",
			 "plugin: toy.thread"),
		   NULL);
	assert_int_equal(stage.status, 0);
	assert_int_equal(toys.rows, 31);
	/* The sink's thread may start as late as it likes. */
	assert_non_null(strstr(toys.events, "drain:io drain:mid "));
	assert_non_null(strstr(strstr(toys.events, "drain:mid "), "drain:out "));
	end_clean(&stage);
}

static void readers_share_one_batch(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage,
		   FORK("plugin: toy.source, ticks: 1", "plugin: toy.sink", "plugin: toy.sink"),
		   NULL);
	assert_int_equal(toys.rows, 22);
	assert_non_null(toys.seen_rows[0]);
	assert_ptr_equal(toys.seen_rows[0], toys.seen_rows[1]);
	end_clean(&stage);
}

static void *open_gate_when_held_up(void *arg)
{
	(void)arg;
	toys_wait(&toys.refused, 1);
	toys_open_gate();
	return NULL;
}

static void a_full_queue_holds_a_patient_source_up_and_loses_nothing(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage,
		    "weir: 1\nsources:\n  io: {plugin: toy.patient, ticks: 50}\nsinks:\n"
		    "  out:\n    plugin: toy.gate\n    inputs: [{from: io, queue: {rows: 15}}]\n",
		    NULL);
	assert_string_equal(stage.errors, "");
	stage_run(&stage, open_gate_when_held_up);
	assert_int_equal(stage.status, 0);
	assert_true(toys.refused > 0);
	assert_int_equal(toys.rows, 501);
	assert_int_equal(account(&stage, "out").out, 501);
	end_clean(&stage);
}

static void blocking_reaches_through_a_transform(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage,
		    "weir: 1\nsources:\n  io: {plugin: toy.patient, ticks: 50}\n"
		    "transforms:\n  mid:\n    plugin: toy.pass\n"
		    "    inputs: [{from: io, queue: {rows: 15}}]\n"
		    "sinks:\n  out:\n    plugin: toy.gate\n"
		    "    inputs: [{from: mid, queue: {rows: 15}}]\n",
		    NULL);
	stage_run(&stage, open_gate_when_held_up);
	assert_int_equal(stage.status, 0);
	assert_int_equal(toys.rows, 501);
	account(&stage, "mid");
	account(&stage, "out");
	end_clean(&stage);
}

static void *open_gate_when_made(void *arg)
{
	(void)arg;
	toys_wait(&toys.made, 1000);
	toys_open_gate();
	return NULL;
}

static void a_slow_sink_loses_rows_by_the_count_and_no_other_sink_waits(void **state)
{
	static const char *const policies[] = { "drop_newest", "drop_oldest" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct edge_counts slow;
		struct stage stage;
		char yaml[512];

		snprintf(yaml, sizeof(yaml),
			 "weir: 1\nsources:\n  io: {plugin: toy.source, ticks: 200}\nsinks:\n"
			 "  a:\n    plugin: toy.gate\n"
			 "    inputs: [{from: io, queue: {rows: 30, when_full: %s}}]\n"
			 "  b: {plugin: toy.sink, inputs: [io]}\n",
			 policies[i]);
		stage_begin();
		stage_build(&stage, yaml, NULL);
		stage_run(&stage, open_gate_when_made);
		assert_int_equal(stage.status, 0);
		assert_int_equal(account(&stage, "b").out, 2001);
		slow = account(&stage, "a");
		assert_int_equal(slow.in, 2001);
		assert_true(slow.lost[EDGE_FULL] > 0);
		assert_int_equal(slow.out + slow.lost[EDGE_FULL], 2001);
		assert_int_equal(toys.rows, 2001 + slow.out);
		assert_non_null(strstr(stage.told, "io.rows -> a: lost "));
		end_clean(&stage);
	}
}

static void a_sink_that_never_returns_is_left_behind_with_its_rows_counted(void **state)
{
	struct edge_counts stuck;
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage,
		    "weir: 1\nsources:\n  io: {plugin: toy.source, ticks: 500}\nsinks:\n"
		    "  a:\n    plugin: toy.gate\n    inputs: [{from: io, queue: {rows: 100}}]\n"
		    "  b: {plugin: toy.thread, inputs: [io]}\n",
		    NULL);
	stage.pipeline->run.deadline_ns = 1000000;
	stage_run(&stage, NULL);
	assert_int_equal(stage.status, 1);
	stuck = account(&stage, "a");
	assert_int_equal(stuck.in, 5001);
	assert_int_equal(stuck.queued, 0);
	assert_true(stuck.lost[EDGE_FULL] >= 4900);
	assert_true(stuck.lost[EDGE_DEADLINE] > 0);
	assert_non_null(strstr(stage.told, "deadline"));
	/* Its thread waits at the gate for ever: what it may use stays. */
	stage_end(&stage);
	assert_int_equal(toys.live, 3);
}

/* All its rows together take many times as long as the deadline. */
static void a_sink_that_goes_on_is_waited_for(void **state)
{
	struct edge_counts slow;
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage,
		    "weir: 1\nsources:\n  io: {plugin: toy.source, ticks: 20, batch: 1}\nsinks:\n"
		    "  out: {plugin: toy.thread, work: 100ms, inputs: [io]}\n",
		    NULL);
	stage.pipeline->run.deadline_ns = 500000000;
	stage_run(&stage, NULL);
	assert_int_equal(stage.status, 0);
	slow = account(&stage, "out");
	assert_int_equal(slow.out, slow.in);
	assert_true(slow.in >= 20);
	end_clean(&stage);
}

static void every_failure_is_told_and_leaks_nothing(void **state)
{
	static const char *const shapes[] = {
		CHAIN("plugin: toy.source, ticks: 3, fail: %s", "plugin: toy.pass",
		      "plugin: toy.sink"),
		CHAIN("plugin: toy.source, ticks: 3", "plugin: toy.pass, fail: %s",
		      "plugin: toy.sink"),
		CHAIN("plugin: toy.source, ticks: 3", "plugin: toy.pass",
		      "plugin: toy.sink, fail: %s"),
		CHAIN("plugin: toy.source, ticks: 3", "plugin: toy.pass",
		      "plugin: toy.thread, fail: %s"),
	};
	static const char *const points[] = { "create", "option", "bind", "start",
					      "tick",   "push",   "drain" };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 7; j++) {
			struct stage stage;
			char yaml[512], told[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(yaml, sizeof(yaml), shapes[i], points[j]);
#pragma GCC diagnostic pop
			stage_play(&stage, yaml, NULL);
			snprintf(told, sizeof(told), "the toy's %s: Input/output error", points[j]);
			if (j < 3) {
				assert_int_not_equal(stage.built, 0);
				assert_non_null(
					strstr(stage.errors, j == 1 ? "does not like it" : told));
			} else if (stage.status) {
				assert_int_equal(stage.status, 1);
				assert_non_null(strstr(stage.told, told));
				assert_null(strstr(strstr(stage.told, told) + 1, told));
			} else {
				/* Sources get no push, sinks and transforms no tick. */
				assert_true((i == 0 && j == 5) || (i > 0 && j == 4));
			}
			end_clean(&stage);
		}
}

static void one_sink_fails_and_the_others_go_on(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage,
		   FORK("plugin: toy.source, ticks: 20", "plugin: toy.thread, fail: push",
			"plugin: toy.sink"),
		   NULL);
	assert_int_equal(stage.status, 1);
	assert_int_equal(account(&stage, "b").out, 201);
	assert_int_equal(account(&stage, "a").out, 0);
	assert_int_equal(account(&stage, "a").lost[EDGE_FAILED], 201);
	end_clean(&stage);
}

static void the_run_ends_when_all_sinks_have_failed(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage,
		   FORK("plugin: toy.source", "plugin: toy.thread, fail: start",
			"plugin: toy.sink, fail: push"),
		   NULL);
	assert_int_equal(stage.status, 1);
	end_clean(&stage);
}

static void what_the_host_does_not_allow_is_explained(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.source, fail: start, error: 1", "plugin: toy.sink"),
		   NULL);
	assert_int_equal(stage.status, 3);
	assert_non_null(strstr(stage.told, "weir: node \"io\" (toy.source): the toy's start: "
					   "Operation not permitted\n"));
	assert_non_null(strstr(stage.told, "toy permission: none: toys cannot play; to allow it: "
					   "allow toys\n"));
	assert_null(strstr(stage.told, "toy box"));
	end_clean(&stage);
}

static void an_optional_source_that_is_refused_is_left_out_and_told(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage,
		   "weir: 1\nsources:\n"
		   "  off: {plugin: toy.source, optional: true, fail: start, error: 1}\n"
		   "  io: {plugin: toy.source, ticks: 3}\ntransforms:\n"
		   "  mid: {plugin: toy.pass, inputs: [off]}\nsinks:\n"
		   "  a: {plugin: toy.sink, inputs: [mid]}\n"
		   "  b: {plugin: toy.sink, inputs: [io]}\n",
		   NULL);
	assert_string_equal(stage.errors, "");
	assert_int_equal(stage.status, 0);
	assert_int_equal(account(&stage, "a").out, 0);
	assert_int_equal(account(&stage, "b").out, 31);
	assert_non_null(strstr(stage.told, "weir: off: left out: toy permission: none\n"));
	assert_null(strstr(stage.told, "the toy's start"));
	assert_string_equal(toys.absent, "toy permission: none; allow toys");
	end_clean(&stage);
}

static void an_optional_source_that_may_start_is_as_any_other(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.source, optional: true, ticks: 3", "plugin: toy.sink"),
		   NULL);
	assert_int_equal(stage.status, 0);
	assert_int_equal(account(&stage, "out").out, 31);
	assert_string_equal(toys.absent, "");
	end_clean(&stage);
}

static void count_ends_a_ticking_source_after_so_many_windows(void **state)
{
	char *argv[] = { (char[]){ "--count" }, (char[]){ "4" }, NULL };
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.source", "plugin: toy.thread"), argv);
	assert_string_equal(stage.errors, "");
	assert_int_equal(stage.status, 0);
	assert_int_equal(toys.rows, 40);
	end_clean(&stage);
}

static void duration_ends_the_run(void **state)
{
	char *argv[] = { (char[]){ "--duration" }, (char[]){ "3ms" }, NULL };
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.source", "plugin: toy.thread"), argv);
	assert_int_equal(stage.status, 0);
	assert_int_equal(toys.rows, toys.made);
	end_clean(&stage);
}

static void services_start_first_and_stop_last(void **state)
{
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.source, need: toybox, ticks: 1", "plugin: toy.sink"),
		   NULL);
	assert_int_equal(stage.status, 0);
	assert_string_equal(toys.events, "start:toy.box start:out start:io drain:io drain:out "
					 "stop:io stop:out stop:toy.box ");
	end_clean(&stage);
}

static void *interrupt_when_made(void *arg)
{
	(void)arg;
	toys_wait(&toys.made, 100);
	kill(getpid(), SIGINT);
	return NULL;
}

static void an_interrupt_drains_and_ends_well(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage, PIPE("plugin: toy.source", "plugin: toy.thread"), NULL);
	stage_run(&stage, interrupt_when_made);
	assert_int_equal(stage.status, 0);
	assert_int_equal(toys.rows, toys.made);
	assert_non_null(strstr(toys.events, "drain:io"));
	end_clean(&stage);
}

static void *interrupt_twice(void *arg)
{
	(void)arg;
	toys_wait(&toys.at_gate, 1);
	kill(getpid(), SIGINT);
	toys_wait(&toys.drained, 1);
	usleep(150000);
	kill(getpid(), SIGINT);
	return NULL;
}

static void a_second_interrupt_ends_at_once(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage, PIPE("plugin: toy.source", "plugin: toy.gate"), NULL);
	stage_run(&stage, interrupt_twice);
	assert_int_equal(stage.status, 128 + SIGINT);
	stage_end(&stage);
}

static void *terminate_like_timeout(void *arg)
{
	(void)arg;
	toys_wait(&toys.at_gate, 1);
	kill(getpid(), SIGTERM);
	usleep(5000);
	kill(getpid(), SIGTERM);
	usleep(5000);
	toys_open_gate();
	return NULL;
}

static void signals_that_come_together_are_one_request(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin();
	stage_build(&stage, PIPE("plugin: toy.source", "plugin: toy.gate"), NULL);
	stage_run(&stage, terminate_like_timeout);
	assert_int_equal(stage.status, 0);
	assert_non_null(strstr(toys.events, "drain:io"));
	end_clean(&stage);
}

static void *interrupt_a_hanging_loop(void *arg)
{
	(void)arg;
	toys_wait(&toys.at_gate, 1);
	kill(getpid(), SIGINT);
	usleep(150000);
	kill(getpid(), SIGINT);
	return NULL;
}

static void a_second_interrupt_ends_also_a_loop_that_hangs_in_a_callback(void **state)
{
	int status = 0;
	pid_t pid;

	(void)state;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct stage stage;

		stage_begin();
		stage_build(&stage, PIPE("plugin: toy.source", "plugin: toy.hang"), NULL);
		alarm(20);
		stage_run(&stage, interrupt_a_hanging_loop);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
}

/* Runs a pipeline with a command. The fields that `weir run` would set are set here. */
static void play_command_with(struct stage *stage, const char *yaml, char **command, int first,
			      void *(*during)(void *arg))
{
	struct child *child;

	stage_begin();
	stage_build(stage, yaml, NULL);
	assert_int_equal(stage->built, 0);
	assert_int_equal(child_start(command, &child), 0);
	if (first) {
		siginfo_t ended;

		child_signal(child, first);
		waitid(P_PID, (id_t)child_pid(child), &ended, WEXITED | WNOWAIT);
	}
	stage->pipeline->run.command = command;
	stage->pipeline->run.held = child;
	stage->pipeline->run.deadline_ns = 100000000;
	stage_run(stage, during);
	end_clean(stage);
	child_free(child);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
}

static void play_command(struct stage *stage, const char *yaml, char **command)
{
	play_command_with(stage, yaml, command, 0, NULL);
}

static void a_command_killed_before_it_ran_ends_the_run(void **state)
{
	char *sleeps[] = { (char[]){ "sleep" }, (char[]){ "60" }, NULL };
	struct stage stage;

	(void)state;
	play_command_with(&stage, PIPE("plugin: toy.source", "plugin: toy.thread"), sleeps, SIGKILL,
			  NULL);
	assert_int_equal(stage.status, 128 + SIGKILL);
	assert_null(strstr(stage.told, "roken pipe"));
}

static void *interrupt_when_running(void *arg)
{
	(void)arg;
	toys_wait(&toys.made, 100);
	usleep(300000);
	kill(getpid(), SIGINT);
	return NULL;
}

static void a_signal_for_weir_alone_reaches_the_command(void **state)
{
	char *traps[] = { (char[]){ "sh" }, (char[]){ "-c" },
			  (char[]){ "trap 'exit 5' INT; while :; do sleep 0.02; done" }, NULL };
	struct stage stage;

	(void)state;
	play_command_with(&stage, PIPE("plugin: toy.source", "plugin: toy.thread"), traps, 0,
			  interrupt_when_running);
	assert_int_equal(stage.status, 5);
}

static void a_command_that_will_not_end_or_is_stopped_is_ended(void **state)
{
	char *stubborn[] = { (char[]){ "sh" }, (char[]){ "-c" },
			     (char[]){ "trap '' INT TERM; while :; do sleep 0.02; done" }, NULL };
	char *stopped[] = { (char[]){ "sh" }, (char[]){ "-c" },
			    (char[]){ "trap '' INT; kill -STOP $$; sleep 60" }, NULL };
	struct stage stage;

	(void)state;
	play_command_with(&stage, PIPE("plugin: toy.source", "plugin: toy.thread"), stubborn, 0,
			  interrupt_when_running);
	assert_int_equal(stage.status, 128 + SIGKILL);
	play_command_with(&stage, PIPE("plugin: toy.source", "plugin: toy.thread"), stopped, 0,
			  interrupt_when_running);
	assert_int_equal(stage.status, 128 + SIGTERM);
}

static void the_run_ends_with_its_command_and_its_status(void **state)
{
	char *seven[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "exit 7" }, NULL };
	char *killed[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "kill -9 $$" }, NULL };
	char *missing[] = { (char[]){ "/no/such/command" }, NULL };
	char *folder[] = { (char[]){ "/" }, NULL };
	static const char yaml[] = PIPE("plugin: toy.source", "plugin: toy.thread");
	struct stage stage;

	(void)state;
	play_command(&stage, yaml, seven);
	assert_int_equal(stage.status, 7);
	play_command(&stage, yaml, killed);
	assert_int_equal(stage.status, 128 + SIGKILL);
	play_command(&stage, yaml, missing);
	assert_int_equal(stage.status, 127);
	assert_non_null(strstr(stage.told, "weir: /no/such/command: No such file or directory\n"));
	play_command(&stage, yaml, folder);
	assert_int_equal(stage.status, 126);
}

static void a_failed_start_never_runs_the_command(void **state)
{
	char *command[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "echo it runs >&2" },
			    NULL };
	struct stage stage;

	(void)state;
	play_command(&stage, PIPE("plugin: toy.source, fail: start", "plugin: toy.sink"), command);
	assert_int_equal(stage.status, 125);
	assert_null(strstr(stage.told, "it runs"));
	assert_null(strstr(stage.told, "attached"));
}

static void a_closed_stdout_ends_the_run_in_silence(void **state)
{
	int ends[2], saved = dup(STDOUT_FILENO);
	struct stage stage;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	stage_begin();
	stage_build(&stage, PIPE("plugin: toy.source", "plugin: toy.writer"), NULL);
	fflush(stdout);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
	stage_run(&stage, NULL);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(stage.status, 0);
	assert_null(strstr(stage.told, "pipe"));
	assert_null(strstr(stage.told, "lost"));
	end_clean(&stage);
}

static void a_fifo_without_reader_stops_nobody_and_is_broken_off_at_the_deadline(void **state)
{
	char option[] = "-o", format[] = "--format", name[] = "toy", folder[] = "/tmp/weir.XXXXXX";
	char path[64], *argv[] = { format, name, option, path, NULL };
	struct edge_counts stuck;
	struct stage stage;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	stage_begin();
	stage_build(&stage,
		    "weir: 1\nsources:\n  io: {plugin: toy.source, ticks: 500}\nsinks:\n"
		    "  a:\n    plugin: ${format}\n    inputs: [{from: io, queue: {rows: 100}}]\n"
		    "  b: {plugin: toy.thread, inputs: [io]}\n",
		    argv);
	assert_string_equal(stage.errors, "");
	stage.pipeline->run.deadline_ns = 1000000;
	stage_run(&stage, NULL);
	assert_int_equal(stage.status, 1);
	assert_non_null(strstr(stage.told, "weir: node \"a\" (toy.writer): open /tmp/weir."));
	stuck = account(&stage, "a");
	assert_int_equal(stuck.in, 5001);
	assert_int_equal(stuck.out + stuck.queued, 0);
	assert_true(stuck.lost[EDGE_FULL] >= 4900);
	assert_int_equal(account(&stage, "b").out, 5001);
	end_clean(&stage);
	unlink(path);
	rmdir(folder);
}

static void stats_show_edges_nodes_and_weir_itself(void **state)
{
	char *argv[] = { (char[]){ "--stats" }, NULL };
	struct stage stage;

	(void)state;
	stage_play(&stage, PIPE("plugin: toy.source, ticks: 3, need: toybox", "plugin: toy.thread"),
		   argv);
	assert_non_null(strstr(stage.told, "io.rows -> out: in 31, out 31, lost 0, queued 0"));
	assert_non_null(strstr(stage.told, "node io (toy.source): rows in 0, out 31; "));
	assert_non_null(strstr(stage.told, "toy.box"));
	assert_non_null(strstr(stage.told, "KiB resident"));
	end_clean(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: a fork has no threads, and what those of earlier runs hold is lost in it. */
		cmocka_unit_test(a_second_interrupt_ends_also_a_loop_that_hangs_in_a_callback),
		cmocka_unit_test(rows_reach_the_sink),
		cmocka_unit_test(nothing_is_attached_to_a_file),
		cmocka_unit_test(a_transform_drains_before_its_sink),
		cmocka_unit_test(readers_share_one_batch),
		cmocka_unit_test(a_full_queue_holds_a_patient_source_up_and_loses_nothing),
		cmocka_unit_test(blocking_reaches_through_a_transform),
		cmocka_unit_test(a_slow_sink_loses_rows_by_the_count_and_no_other_sink_waits),
		cmocka_unit_test(a_sink_that_never_returns_is_left_behind_with_its_rows_counted),
		cmocka_unit_test(a_sink_that_goes_on_is_waited_for),
		cmocka_unit_test(every_failure_is_told_and_leaks_nothing),
		cmocka_unit_test(one_sink_fails_and_the_others_go_on),
		cmocka_unit_test(the_run_ends_when_all_sinks_have_failed),
		cmocka_unit_test(what_the_host_does_not_allow_is_explained),
		cmocka_unit_test(an_optional_source_that_is_refused_is_left_out_and_told),
		cmocka_unit_test(an_optional_source_that_may_start_is_as_any_other),
		cmocka_unit_test(count_ends_a_ticking_source_after_so_many_windows),
		cmocka_unit_test(duration_ends_the_run),
		cmocka_unit_test(services_start_first_and_stop_last),
		cmocka_unit_test(an_interrupt_drains_and_ends_well),
		cmocka_unit_test(a_second_interrupt_ends_at_once),
		cmocka_unit_test(signals_that_come_together_are_one_request),
		cmocka_unit_test(a_command_killed_before_it_ran_ends_the_run),
		cmocka_unit_test(a_signal_for_weir_alone_reaches_the_command),
		cmocka_unit_test(a_command_that_will_not_end_or_is_stopped_is_ended),
		cmocka_unit_test(the_run_ends_with_its_command_and_its_status),
		cmocka_unit_test(a_failed_start_never_runs_the_command),
		cmocka_unit_test(a_closed_stdout_ends_the_run_in_silence),
		cmocka_unit_test(
			a_fifo_without_reader_stops_nobody_and_is_broken_off_at_the_deadline),
		cmocka_unit_test(stats_show_edges_nodes_and_weir_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
