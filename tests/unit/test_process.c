/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provider process: its model of processes over time, its reading of /proc, and its answers.
 * WEIR_TEST_FIXTURES is the folder tests/fixtures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <weir/cgroup.h>
#include <weir/plugin.h>
#include <weir/proc_maps.h>
#include <weir/service/process.h>

#include "../../plugins/provider/process_cgroup.h"
#include "../../plugins/provider/process_scan.h"
#include "../../plugins/provider/process_sideband.h"
#include "../../plugins/provider/process_table.h"
#include "../../plugins/provider/process_walk.h"

/* Last: its macro fail() hides a member of struct weir_host. */
#include <cmocka.h>

extern const struct weir_component weir_component;

#define COUNT(array_) (sizeof(array_) / sizeof((array_)[0]))
#define SECOND        UINT64_C(1000000000)

/* A host that knows the time and counts losses. */
struct process_host {
	struct weir_host host; /* first: a ctx leads back to it */
	uint64_t now;
	uint64_t lost;
};

static uint64_t host_now(struct weir_ctx *ctx)
{
	return ((const struct process_host *)(const void *)ctx->host)->now;
}

static void host_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	(void)reason;
	(void)cure;
	((struct process_host *)(uintptr_t)ctx->host)->lost += n;
}

static struct process_host process_host = {
	.host = { .size = sizeof(struct weir_host), .now = host_now, .lost = host_lost },
};

struct conf {
	uint64_t buffer;
	uint64_t keep;
};

static const struct conf conf = { 4096, 30 * SECOND };

/* The provider over a folder in place of "/". */
static void provider_open(struct weir_ctx *ctx, int root)
{
	process_host.now = 1000 * SECOND;
	process_host.lost = 0;
	memset(ctx, 0, sizeof(*ctx));
	ctx->size = sizeof(*ctx);
	ctx->host = &process_host.host;
	ctx->options = &conf;
	ctx->root = root;
	ctx->state = calloc(1, weir_component.state_size);
	assert_non_null(ctx->state);
	assert_int_equal(weir_component.create(ctx), 0);
}

static void provider_close(struct weir_ctx *ctx)
{
	weir_component.destroy(ctx);
	free(ctx->state);
	close(ctx->root);
}

static const struct weir_process_v1 *provider_service(void)
{
	return weir_component.offers.items[0].vtable;
}

static int fixture(const char *name)
{
	const char *folder = getenv("WEIR_TEST_FIXTURES");
	char path[4096];
	int fd;

	if (!folder) {
		print_message("skipped: WEIR_TEST_FIXTURES is not set\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* What happens, in the order of a table. */
enum step_kind { FORK, THREAD, EXEC, COMM, MAP, EXIT, LOST };

struct step {
	enum step_kind kind;
	uint64_t time;
	uint32_t pid;
	uint32_t other; /* FORK: parent; else the thread, 0: the first */
	const char *text;
	uint64_t start;
	uint64_t end;
};

static int step_apply(struct process_table *table, const struct step *step)
{
	uint32_t tid = step->other ? step->other : step->pid;
	struct process_mapped mapped = {
		.time = step->time, .start = step->start, .end = step->end, .path = step->text
	};

	switch (step->kind) {
	case FORK:
		return process_table_fork(table, step->time, step->pid, step->other, step->pid,
					  step->other);
	case THREAD:
		return process_table_fork(table, step->time, step->pid, step->pid, tid, step->pid);
	case EXEC:
	case COMM:
		return process_table_comm(table, step->time, step->pid, tid, step->text,
					  step->kind == EXEC);
	case MAP:
		return process_table_map(table, step->pid, &mapped);
	case EXIT:
		return process_table_exit(table, step->time, step->pid, tid);
	case LOST:
		table->lost_at = step->time;
		return 0;
	}
	return -EINVAL;
}

static void steps_apply(struct process_table *table, const struct step *steps, size_t count)
{
	assert_int_equal(process_table_init(table, 100, 1000), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(step_apply(table, &steps[i]), 0);
}

static const char *path_at(const struct process_table *table, uint32_t pid, uint64_t time,
			   uint64_t address)
{
	const struct process *process = process_table_find(table, pid, time);
	const struct process_map *map = process ? process_map_at(process, time, address) : NULL;

	return map ? map->file->path : "-";
}

static const char *comm_at(const struct process_table *table, uint32_t pid, uint32_t tid,
			   uint64_t time)
{
	const struct process *process = process_table_find(table, pid, time);
	const struct process_thread *thread =
		process ? process_thread_at(process, tid, time) : NULL;

	return thread ? thread->comm : "-";
}

static const struct step family[] = {
	{ EXEC, 100, 1, 0, "shell", 0, 0 },
	{ MAP, 101, 1, 0, "/bin/sh", 0x1000, 0x5000 },
	{ MAP, 102, 1, 0, "/lib/old.so", 0x9000, 0xa000 },
	{ MAP, 102, 1, 0, "[vdso]", 0xf000, 0xf100 },
	{ FORK, 200, 2, 1, NULL, 0, 0 },
	{ MAP, 210, 1, 0, "/lib/new.so", 0x9000, 0xa000 },
	{ FORK, 220, 3, 1, NULL, 0, 0 },
	{ EXEC, 300, 2, 0, "true", 0, 0 },
	{ MAP, 301, 2, 0, "/bin/true", 0x1000, 0x2000 },
	{ MAP, 302, 2, 0, "[vdso]", 0xf000, 0xf100 },
	{ EXIT, 400, 2, 0, NULL, 0, 0 },
};

static void a_look_up_sees_the_space_of_its_moment(void **state)
{
	static const struct {
		uint32_t pid;
		uint64_t time;
		uint64_t address;
		const char *path;
	} cases[] = {
		{ 1, 150, 0x1000, "/bin/sh" },     { 1, 150, 0x4fff, "/bin/sh" },
		{ 1, 150, 0x5000, "-" },           { 1, 150, 0xfff, "-" },
		{ 1, 150, 0x9000, "/lib/old.so" }, { 1, 209, 0x9000, "/lib/old.so" },
		{ 1, 210, 0x9000, "/lib/new.so" }, { 2, 250, 0x9000, "/lib/old.so" },
		{ 3, 250, 0x9000, "/lib/new.so" }, { 2, 250, 0x1800, "/bin/sh" },
		{ 2, 350, 0x1800, "/bin/true" },   { 2, 10000000, 0x9000, "-" },
		{ 2, 390, 0x1800, "/bin/true" },   { 4, 390, 0x1800, "-" },
	};
	struct process_table table = { 0 };

	(void)state;
	steps_apply(&table, family, COUNT(family));
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(path_at(&table, cases[i].pid, cases[i].time, cases[i].address),
				    cases[i].path);
	assert_string_equal(comm_at(&table, 2, 2, 250), "shell");
	assert_string_equal(comm_at(&table, 2, 2, 300), "true");
	assert_int_equal(process_table_find(&table, 2, 350)->ppid, 1);
	assert_int_equal(process_table_find(&table, 2, 350)->end, 400);
	process_table_clear(&table);
}

static void registers_of_the_old_program_are_found_while_exec_works(void **state)
{
	struct process_table table = { 0 };

	(void)state;
	steps_apply(&table, family, COUNT(family));
	assert_string_equal(path_at(&table, 2, 301, 0x9000), "/lib/old.so");
	assert_string_equal(path_at(&table, 2, 302 + 1000000, 0x9000), "/lib/old.so");
	assert_string_equal(path_at(&table, 2, 303 + 1000000, 0x9000), "-");
	process_table_clear(&table);
}

static void records_that_come_twice_change_nothing(void **state)
{
	struct process_table table = { 0 };
	uint64_t maps;

	(void)state;
	steps_apply(&table, family, COUNT(family));
	maps = table.store.map_count;
	for (size_t i = 0; i < COUNT(family); i++)
		assert_int_equal(step_apply(&table, &family[i]), 0);
	assert_int_equal(table.count, 3);
	assert_int_equal(table.store.map_count, maps);
	assert_int_equal(process_table_find(&table, 2, 350)->end, 400);
	process_table_clear(&table);
}

static void a_pid_that_is_used_again_is_two_processes(void **state)
{
	static const struct step steps[] = {
		{ EXEC, 10, 1, 0, "shell", 0, 0 }, { FORK, 20, 7, 1, NULL, 0, 0 },
		{ EXEC, 21, 7, 0, "first", 0, 0 }, { EXIT, 30, 7, 0, NULL, 0, 0 },
		{ FORK, 40, 7, 1, NULL, 0, 0 },    { EXEC, 41, 7, 0, "second", 0, 0 },
		{ FORK, 50, 7, 1, NULL, 0, 0 }, /* the exit of the second was lost */
		{ EXEC, 51, 7, 0, "third", 0, 0 },
	};
	struct process_table table = { 0 };

	(void)state;
	steps_apply(&table, steps, COUNT(steps));
	assert_string_equal(comm_at(&table, 7, 7, 25), "first");
	assert_string_equal(comm_at(&table, 7, 7, 35), "first");
	assert_string_equal(comm_at(&table, 7, 7, 45), "second");
	assert_string_equal(comm_at(&table, 7, 7, 60), "third");
	assert_int_equal(process_table_find(&table, 7, 45)->end, 50);
	process_table_clear(&table);
}

static void a_process_ends_with_its_last_thread(void **state)
{
	static const struct step steps[] = {
		{ FORK, 10, 5, 1, NULL, 0, 0 },   { EXEC, 11, 5, 0, "main", 0, 0 },
		{ THREAD, 12, 5, 6, NULL, 0, 0 }, { COMM, 13, 5, 6, "worker", 0, 0 },
		{ EXIT, 20, 5, 5, NULL, 0, 0 },
	};
	static const struct step last = { EXIT, 30, 5, 6, NULL, 0, 0 };
	struct process_table table = { 0 };

	(void)state;
	steps_apply(&table, steps, COUNT(steps));
	assert_string_equal(comm_at(&table, 5, 6, 12), "main");
	assert_string_equal(comm_at(&table, 5, 6, 25), "worker");
	assert_int_equal(process_table_find(&table, 5, 25)->end, 0);
	assert_int_equal(step_apply(&table, &last), 0);
	assert_int_equal(process_table_find(&table, 5, 25)->end, 30);
	process_table_clear(&table);
}

static void ended_processes_are_forgotten_after_keep_and_that_is_known(void **state)
{
	struct process_table table = { 0 };

	(void)state;
	steps_apply(&table, family, COUNT(family));
	process_table_forget(&table, 500);
	assert_non_null(process_table_find(&table, 2, 350));
	process_table_forget(&table, 501);
	assert_null(process_table_find(&table, 2, 350));
	assert_true(process_table_forgot(&table, 2, 350));
	assert_false(process_table_forgot(&table, 2, 100));
	assert_false(process_table_forgot(&table, 3, 350));
	assert_non_null(process_table_find(&table, 1, 350));
	process_table_clear(&table);
}

static void ended_processes_are_bounded_in_number(void **state)
{
	struct process_table table = { 0 };

	(void)state;
	assert_int_equal(process_table_init(&table, UINT64_C(1) << 60, 50), 0);
	for (uint32_t i = 0; i < 5000; i++) {
		struct step born = { FORK, 10 * i + 10, 1000 + i, 1, NULL, 0, 0 };
		struct step exec = { EXEC, 10 * i + 11, 1000 + i, 0, "x", 0, 0 };
		struct step map = { MAP, 10 * i + 12, 1000 + i, 0, "/x", 0x1000, 0x2000 };
		struct step ended = { EXIT, 10 * i + 15, 1000 + i, 0, NULL, 0, 0 };

		assert_int_equal(step_apply(&table, &born), 0);
		assert_int_equal(step_apply(&table, &exec), 0);
		assert_int_equal(step_apply(&table, &map), 0);
		assert_int_equal(step_apply(&table, &ended), 0);
		process_table_forget(&table, 10 * i + 16);
	}
	assert_in_range(table.count, 10, 60);
	assert_in_range(table.store.map_count, 10, 60);
	process_table_clear(&table);
}

static void a_long_line_of_forks_neither_grows_nor_forgets(void **state)
{
	struct process_table table = { 0 };
	static const struct step first[] = {
		{ EXEC, 1, 1, 0, "daemon", 0, 0 },
		{ MAP, 2, 1, 0, "/bin/daemon", 0x1000, 0x2000 },
	};

	(void)state;
	steps_apply(&table, first, COUNT(first));
	for (uint32_t i = 1; i < 1000; i++) {
		struct step born = { FORK, 1000 * i, i + 1, i, NULL, 0, 0 };
		struct step ended = { EXIT, 1000 * i + 1, i, 0, NULL, 0, 0 };

		assert_int_equal(step_apply(&table, &born), 0);
		assert_int_equal(step_apply(&table, &ended), 0);
		process_table_forget(&table, 1000 * i + 900);
	}
	assert_string_equal(path_at(&table, 1000, UINT64_C(1000000), 0x1800), "/bin/daemon");
	assert_string_equal(comm_at(&table, 1000, 1000, UINT64_C(1000000)), "daemon");
	assert_int_equal(table.count, 1);
	assert_in_range(table.store.map_count, 1, 2);
	process_table_clear(&table);
}

static void mappings_that_are_covered_again_and_again_do_not_pile_up(void **state)
{
	struct process_table table = { 0 };
	static const struct step first[] = { { EXEC, 1, 1, 0, "jit", 0, 0 } };

	(void)state;
	steps_apply(&table, first, COUNT(first));
	for (uint32_t i = 0; i < 10000; i++) {
		struct step map = { MAP, 1000 + i, 1, 0, i % 2 ? "/a" : "/b", 0x1000, 0x2000 };

		assert_int_equal(step_apply(&table, &map), 0);
	}
	assert_in_range(table.store.map_count, 1, 512);
	assert_string_equal(path_at(&table, 1, 10999, 0x1000), "/a");
	assert_string_equal(path_at(&table, 1, 10998, 0x1000), "/b");
	process_table_clear(&table);
}

static void one_file_has_one_id_and_another_identity_another(void **state)
{
	struct process_store store = { 0 };
	struct process_space *space = process_space_new(&store, 0, NULL);
	struct process_mapped mapped = {
		.time = 1, .start = 0x1000, .end = 0x2000, .inode = 5, .path = "/x"
	};
	uint64_t id;

	(void)state;
	assert_int_equal(process_space_add(&store, space, &mapped), 0);
	id = process_space_find(space, 1, 0x1000)->file->id;
	assert_int_not_equal(id, 0);
	mapped.start = 0x3000;
	mapped.end = 0x4000;
	assert_int_equal(process_space_add(&store, space, &mapped), 0);
	assert_int_equal(process_space_find(space, 1, 0x3000)->file->id, id);
	mapped.start = 0x5000;
	mapped.end = 0x6000;
	mapped.inode = 6;
	assert_int_equal(process_space_add(&store, space, &mapped), 0);
	assert_int_not_equal(process_space_find(space, 1, 0x5000)->file->id, id);
	process_space_release(&store, space);
	assert_int_equal(store.file_count, 0);
	assert_int_equal(store.map_count, 0);
	process_store_clear(&store);
}

static void hostile_names_do_not_break_stat(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *comm;
		char state;
		uint32_t ppid;
	} cases[] = {
		{ "7 (a) R 1 (b) S 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 2 20 900 x", 0,
		  "a) R 1 (b", 'S', 3 },
		{ "7 (two\nlines) R 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 2 20 900 x", 0,
		  "two\nlines", 'R', 3 },
		{ "7 () R 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 2 20 900", 0, "", 'R', 3 },
		{ "7 (kworker/u8:0-events_unbound) I 2 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1 "
		  "20 900\n",
		  0, "kworker/u8:0-ev", 'I', 2 },
		{ "7 (x) R 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 2 20", -EBADMSG, "", 0, 0 },
		{ "7 (x) R 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 2 20 -1", -EBADMSG, "", 0, 0 },
		{ "7 (x)", -EBADMSG, "", 0, 0 },
		{ "7 x) R 3", -EBADMSG, "", 0, 0 },
		{ ")(", -EBADMSG, "", 0, 0 },
		{ "", -EBADMSG, "", 0, 0 },
	};
	struct process_stat stat;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(process_parse_stat(cases[i].text, strlen(cases[i].text), &stat),
				 cases[i].err);
		if (cases[i].err)
			continue;
		assert_string_equal(stat.comm, cases[i].comm);
		assert_int_equal(stat.state, cases[i].state);
		assert_int_equal(stat.ppid, cases[i].ppid);
		assert_int_equal(stat.start_ticks, 900);
	}
}

static void maps_lines_are_read_or_refused(void **state)
{
	static const struct {
		const char *text;
		int result;
		const char *path;
	} cases[] = {
		{ "1000-2000 r-xp 00001000 fe:01 77 /usr/bin/a b", 1, "/usr/bin/a b" },
		{ "1000-2000 r-xp 00000000 00:00 0 ", 1, "//anon" },
		{ "1000-2000 r-xp 00000000 00:00 0 /x\\012y", 1, "/x\ny" },
		{ "1000-2000 rw-p 00000000 00:00 0          [heap]", 0, "[heap]" },
		{ "2000-1000 r-xp 00000000 00:00 0 /x", -EBADMSG, NULL },
		{ "1000-2000 r-xp 0000", -EBADMSG, NULL },
		{ "", -EBADMSG, NULL },
	};
	struct weir_proc_map map;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s", cases[i].text);
		assert_int_equal(weir_proc_map_parse(line, &map),
				 cases[i].result < 0 ? cases[i].result : 0);
		if (!cases[i].path)
			continue;
		assert_string_equal(map.path, cases[i].path);
		assert_int_equal(map.executable, cases[i].result);
	}
}

static void cgroups_and_containers_have_names(void **state)
{
#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	static const struct {
		const char *text;
		const char *path;
		const char *container;
	} cases[] = {
		{ "0::/user.slice\n", "/user.slice", "" },
		{ "3:cpu,cpuacct:/x\n2:name=systemd:/y\n1:cpuset,perf_event:/z\n0::/w\n", "/z",
		  "" },
		{ "2:name=systemd:/y\n1:perf_event:/\n0::/w\n", "/w", "" },
		{ "9:name=systemd:/\n4:memory:/box\n0::/\n", "/box", "" },
		{ "0::/\n", "/", "" },
		{ "0::/a:b\n", "/a:b", "" },
		{ "0::/docker/" ID "\n", "/docker/" ID, "0123456789ab" },
		{ "0::/system.slice/docker-" ID ".scope\n", "/system.slice/docker-" ID ".scope",
		  "0123456789ab" },
		{ "0::/kubepods.slice/pod1/cri-containerd-" ID ".scope/init\n",
		  "/kubepods.slice/pod1/cri-containerd-" ID ".scope/init", "0123456789ab" },
		{ "0::/x/" ID "0\n", "/x/" ID "0", "" },
		{ "0::/lxc.payload.web/init.scope\n", "/lxc.payload.web/init.scope", "web" },
		{ "0::/lxc/db\n", "/lxc/db", "db" },
	};
#undef ID
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = 0;
		const char *path = process_cgroup_pick(cases[i].text, &length);
		char cgroup[256], container[64];

		assert_non_null(path);
		snprintf(cgroup, sizeof(cgroup), "%.*s", (int)length, path);
		assert_string_equal(cgroup, cases[i].path);
		weir_container_name(cgroup, container, sizeof(container));
		assert_string_equal(container, cases[i].container);
	}
	assert_null(process_cgroup_pick("nonsense\n", &(size_t){ 0 }));
}

static void the_provider_reads_proc_for_what_was_there_before(void **state)
{
	struct weir_ctx ctx;
	struct weir_process_info info = { .size = sizeof(info) };
	struct weir_mapping mapping = { .size = sizeof(mapping) };
	const struct weir_process_v1 *process = provider_service();

	(void)state;
	provider_open(&ctx, fixture("proc-names"));
	assert_int_equal(process->info(&ctx, 100, 100, process_host.now, &info), 0);
	assert_string_equal(info.comm, "a) R 1 (b");
	assert_string_equal(info.cgroup, "/box/one");
	assert_int_equal(info.ppid, 1);
	assert_int_equal(info.start, 10 * SECOND);
	assert_int_equal(process->info(&ctx, 101, 101, process_host.now, &info), 0);
	assert_string_equal(info.comm, "two\nlines");
	/* Its own cgroup file is not there: that of its parent. */
	assert_string_equal(info.cgroup, "/box/one");
	assert_int_equal(process->info(&ctx, 101, 111, process_host.now, &info), 0);
	assert_string_equal(info.comm, "worker one");
	assert_int_equal(process->info(&ctx, 101, 112, process_host.now, &info), 0);
	assert_string_equal(info.comm, "two\nlines");
	assert_int_equal(process->info(&ctx, 102, 102, process_host.now, &info), 0);
	assert_string_equal(info.comm, "((x))");

	assert_int_equal(process->mapping(&ctx, 100, process_host.now, 0x55d000002000, &mapping),
			 0);
	assert_string_equal(mapping.path, "/usr/bin/a b");
	assert_int_equal(mapping.inode, 1234);
	assert_int_equal(mapping.file_offset, 0x1000);
	assert_int_equal(mapping.alive, 1);
	assert_int_equal(process->mapping(&ctx, 100, process_host.now, 0x7f0000010000, &mapping),
			 0);
	assert_string_equal(mapping.path, "/usr/lib/new\nline.so (deleted)");
	assert_int_equal(process->mapping(&ctx, 100, process_host.now, 0x55d000100000, &mapping),
			 -ENOENT);
	provider_close(&ctx);
}

/* /proc has 100 and 102, born at 10 s; the table knows who had these pids before. */
static void a_pid_that_was_taken_over_while_records_were_lost_is_looked_up_again(void **state)
{
	static const struct step before[] = {
		{ FORK, 5 * SECOND, 100, 1, NULL, 0, 0 },
		{ COMM, 5 * SECOND + 1, 100, 0, "old", 0, 0 },
		{ FORK, 5 * SECOND, 102, 1, NULL, 0, 0 },
		{ COMM, 5 * SECOND + 1, 102, 0, "old", 0, 0 },
		{ EXIT, 6 * SECOND, 102, 0, NULL, 0, 0 },
	};
	struct weir_ctx ctx;
	struct weir_process_info info = { .size = sizeof(info) };
	const struct weir_process_v1 *process = provider_service();
	struct process_table *table;

	(void)state;
	provider_open(&ctx, fixture("proc-names"));
	table = ctx.state; /* its first member */
	for (size_t i = 0; i < COUNT(before); i++)
		assert_int_equal(step_apply(table, &before[i]), 0);
	assert_int_equal(process->info(&ctx, 100, 100, process_host.now, &info), 0);
	assert_string_equal(info.comm, "old");
	assert_int_equal(process->info(&ctx, 102, 102, process_host.now, &info), 0);
	assert_string_equal(info.comm, "old");
	table->lost_at = 9 * SECOND;
	assert_int_equal(process->info(&ctx, 100, 100, process_host.now, &info), 0);
	assert_string_equal(info.comm, "a) R 1 (b");
	assert_int_equal(process->info(&ctx, 102, 102, process_host.now, &info), 0);
	assert_string_equal(info.comm, "((x))");
	assert_int_equal(process->info(&ctx, 102, 102, 5 * SECOND + 2, &info), 0);
	assert_string_equal(info.comm, "old");
	provider_close(&ctx);
}

static void a_walk_takes_in_all_in_steps_but_who_cannot_be_read(void **state)
{
	struct process_table table = { 0 };
	struct process_walk walk;
	struct weir_ctx ctx;
	int steps = 1;

	(void)state;
	process_walk_init(&walk);
	provider_open(&ctx, fixture("proc-names"));
	assert_int_equal(process_table_init(&table, 100, 1000), 0);
	assert_int_equal(process_walk_begin(&ctx, &walk), 0);
	/* The test's time stands still: each step is over after one. */
	while (process_walk_step(&ctx, &walk, &table, false, process_host.now) > 0)
		steps++;
	assert_int_equal(steps, 6);
	assert_int_equal(table.count, 4); /* 104's stat is cut in half */
	assert_string_equal(comm_at(&table, 103, 103, process_host.now), "");
	process_walk_clear(&walk);
	process_table_clear(&table);
	provider_close(&ctx);
}

/* Of 100, that was there before weir, the kernel's records tell before /proc is looked at. */
static const struct step heard_of[] = {
	{ MAP, 300, 100, 0, "/lib/late.so", 0x9000, 0xa000 },
	{ FORK, 310, 200, 100, NULL, 0, 0 },
	{ EXIT, 320, 200, 0, NULL, 0, 0 },
	{ THREAD, 330, 100, 777, NULL, 0, 0 },
	{ EXIT, 340, 100, 777, NULL, 0, 0 },
};

static void a_child_has_what_is_read_of_its_parent_later(void **state)
{
	struct process_table table = { 0 };
	const struct process *child;
	struct process *parent;

	(void)state;
	steps_apply(&table, heard_of, COUNT(heard_of));
	child = process_table_find(&table, 200, 315);
	assert_non_null(child);
	assert_int_equal(child->ppid, 100);
	assert_int_equal(child->end, 320);
	/* As the scan does it. */
	parent = process_table_find(&table, 100, 400);
	assert_non_null(parent);
	assert_int_equal(process_space_add(&table.store, parent->spaces[0],
					   &(struct process_mapped){ .start = 0x1000,
								     .end = 0x2000,
								     .path = "/bin/early" }),
			 0);
	assert_string_equal(path_at(&table, 200, 315, 0x1800), "/bin/early");
	assert_string_equal(path_at(&table, 200, 315, 0x9800), "/lib/late.so");
	process_table_clear(&table);
}

static void who_is_heard_of_before_it_is_read_lives_until_all_is_known(void **state)
{
	struct process_table table = { 0 };

	(void)state;
	steps_apply(&table, heard_of, COUNT(heard_of));
	assert_int_equal(process_table_find(&table, 100, 400)->end, 0);
	assert_false(process_table_whole(&table, 100, 400));
	process_table_clear(&table);
}

static void what_is_gone_or_no_file_is_no_process(void **state)
{
	struct weir_ctx ctx;
	struct weir_process_info info = { .size = sizeof(info) };
	struct weir_mapping mapping = { .size = sizeof(mapping) };
	const struct weir_process_v1 *process = provider_service();
	int root;
	char folder[] = "/tmp/weir-test-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(root, "proc", 0700), 0);
	assert_int_equal(mkdirat(root, "proc/5", 0700), 0);
	assert_int_equal(mkfifoat(root, "proc/5/stat", 0600), 0);
	assert_int_equal(mkdirat(root, "proc/6", 0700), 0);
	assert_int_equal(mkdirat(root, "proc/6/stat", 0700), 0);
	assert_int_equal(mkdirat(root, "proc/7", 0700), 0);
	provider_open(&ctx, root);
	for (uint32_t pid = 5; pid <= 8; pid++) {
		assert_int_equal(process->info(&ctx, pid, pid, process_host.now, &info), -ESRCH);
		assert_int_equal(process->mapping(&ctx, pid, process_host.now, 0x1000, &mapping),
				 -ESRCH);
	}
	assert_int_equal(process->info(&ctx, UINT32_MAX, 1, process_host.now, &info), -ESRCH);
	assert_int_equal(process->info(&ctx, 0, 0, process_host.now, &info), 0);
	assert_string_equal(info.comm, "swapper");
	assert_int_equal(process_host.lost, 0);
	unlinkat(root, "proc/5/stat", 0);
	unlinkat(root, "proc/5", AT_REMOVEDIR);
	unlinkat(root, "proc/6/stat", AT_REMOVEDIR);
	unlinkat(root, "proc/6", AT_REMOVEDIR);
	unlinkat(root, "proc/7", AT_REMOVEDIR);
	unlinkat(root, "proc", AT_REMOVEDIR);
	rmdir(folder);
	provider_close(&ctx);
}

static void a_consumer_with_a_smaller_struct_is_not_overrun(void **state)
{
	struct {
		struct weir_process_info info;
		char guard[8];
	} small;
	struct weir_ctx ctx;
	const struct weir_process_v1 *process = provider_service();

	(void)state;
	memset(&small, 0x55, sizeof(small));
	small.info.size = offsetof(struct weir_process_info, container);
	provider_open(&ctx, fixture("proc-names"));
	assert_int_equal(process->info(&ctx, 102, 102, process_host.now, &small.info), 0);
	assert_string_equal(small.info.comm, "((x))");
	assert_int_equal(*(const char *)&small.info.container, 0x55);
	assert_int_equal(small.info.size, offsetof(struct weir_process_info, container));
	provider_close(&ctx);
}

/* Records as the kernel writes them, cut at each place where they could end. */
static void records_of_any_length_are_survived(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_FORK,  PERF_RECORD_EXIT, PERF_RECORD_COMM,
					  PERF_RECORD_MMAP2, PERF_RECORD_LOST, 4711 };
	struct process_sideband sideband = { 0 };
	struct process_table table = { 0 };

	(void)state;
	assert_int_equal(process_table_init(&table, 100, 1000), 0);
	for (size_t i = 0; i < COUNT(types); i++)
		for (uint16_t size = 24; size <= 200; size += 8) {
			struct perf_event_header *record = malloc(size);

			assert_non_null(record);
			memset(record, 0x41, size);
			record->type = types[i];
			record->size = size;
			record->misc = i % 2 ? 0xffff : 0;
			assert_int_equal(process_sideband_apply(&sideband, &table, record, 5), 0);
			free(record);
		}
	process_table_clear(&table);
	process_sideband_clear(&sideband);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_look_up_sees_the_space_of_its_moment),
		cmocka_unit_test(registers_of_the_old_program_are_found_while_exec_works),
		cmocka_unit_test(records_that_come_twice_change_nothing),
		cmocka_unit_test(a_pid_that_is_used_again_is_two_processes),
		cmocka_unit_test(a_process_ends_with_its_last_thread),
		cmocka_unit_test(ended_processes_are_forgotten_after_keep_and_that_is_known),
		cmocka_unit_test(ended_processes_are_bounded_in_number),
		cmocka_unit_test(a_long_line_of_forks_neither_grows_nor_forgets),
		cmocka_unit_test(mappings_that_are_covered_again_and_again_do_not_pile_up),
		cmocka_unit_test(one_file_has_one_id_and_another_identity_another),
		cmocka_unit_test(hostile_names_do_not_break_stat),
		cmocka_unit_test(maps_lines_are_read_or_refused),
		cmocka_unit_test(cgroups_and_containers_have_names),
		cmocka_unit_test(the_provider_reads_proc_for_what_was_there_before),
		cmocka_unit_test(
			a_pid_that_was_taken_over_while_records_were_lost_is_looked_up_again),
		cmocka_unit_test(a_walk_takes_in_all_in_steps_but_who_cannot_be_read),
		cmocka_unit_test(a_child_has_what_is_read_of_its_parent_later),
		cmocka_unit_test(who_is_heard_of_before_it_is_read_lives_until_all_is_known),
		cmocka_unit_test(what_is_gone_or_no_file_is_no_process),
		cmocka_unit_test(a_consumer_with_a_smaller_struct_is_not_overrun),
		cmocka_unit_test(records_of_any_length_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
