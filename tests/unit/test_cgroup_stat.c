/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup.stat over trees of version 2, version 1 and both, with the numbers of two moments: what
 * is told is their difference, as the kernel's documentation defines the files.
 */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source_host.h"

#define SECOND UINT64_C(1000000000)
#define ABSENT WEIR_ABSENT_U64
#define V2     "sys/fs/cgroup/"
#define ID     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char mounts_v2[] =
	"24 1 0:22 / /sys rw - sysfs sysfs rw\n"
	"30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char mounts_hybrid[] =
	"31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
	"32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	"33 24 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	"34 24 0:30 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"
	"35 24 0:31 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
	"36 24 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

/* The files of a cgroup of version 2; each number is `n` plus its own constant. */
static void write_v2(struct source_host *source, const char *group, unsigned int n)
{
	char path[256];
	size_t at = (size_t)snprintf(path, sizeof(path), V2 "%s/", group);

#define FILE_OF(name_, ...)                                                                        \
	snprintf(path + at, sizeof(path) - at, name_), source_print(source, path, __VA_ARGS__)
	FILE_OF("cpu.stat",
		"usage_usec %u\nuser_usec 1\nsystem_usec 2\nnr_periods %u\nnr_throttled %u\n"
		"throttled_usec %u\nnr_bursts 0\nburst_usec 0\n",
		1000000 + n, 100 + n, 50 + n, 7000 + n);
	FILE_OF("cpu.max", "50000 100000\n");
	FILE_OF("memory.current", "%u\n", 1048576);
	FILE_OF("memory.max", "33554432\n");
	FILE_OF("memory.high", "max\n");
	FILE_OF("memory.swap.current", "4096\n");
	FILE_OF("memory.swap.max", "8192\n");
	FILE_OF("memory.events", "low 0\nhigh %u\nmax %u\noom %u\noom_kill %u\noom_group_kill 0\n",
		n, 2 * n, 3 * n, 4 * n);
	FILE_OF("pids.current", "5\n");
	FILE_OF("pids.max", "100\n");
	FILE_OF("pids.events", "max %u\n", 5 * n);
	FILE_OF("cpu.pressure",
		"some avg10=1.00 avg60=2.00 avg300=3.00 total=%u\n"
		"full avg10=1.00 avg60=2.00 avg300=3.00 total=%u\n",
		10 + 1000 * n, 20 + 100 * n);
	FILE_OF("memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n", 30 * n);
	FILE_OF("io.stat",
		"254:0 rbytes=%u wbytes=%u rios=%u wios=%u dbytes=0 dios=0\n"
		"7:1 rbytes=%u wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n",
		n, 2 * n, 3 * n, 4 * n, 5 * n);
#undef FILE_OF
}

static void version_2_tells_what_was_added(void **state)
{
	struct source_host source;
	uint32_t row;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/self/mountinfo", mounts_v2);
	source_file(&source, V2 "cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	write_v2(&source, "kube/cri-" ID ".scope", 1);
	assert_int_equal(source_start(&source), 0);
	write_v2(&source, "kube/cri-" ID ".scope", 11);
	assert_int_equal(source_tick(&source, 2 * SECOND), 0);

	row = source_find(&source, 0, "cgroup", "/kube/cri-" ID ".scope");
	assert_string_equal(source_text(&source, 0, row, "container"), "0123456789ab");
	assert_string_equal(source_text(&source, 0, row, "state"), "");
	assert_int_equal(source_uint(&source, 0, row, "cpu_time"), 10 * 1000);
	assert_true(source_double(&source, 0, row, "cpus") == 10000.0 / (2.0 * SECOND));
	assert_true(source_double(&source, 0, row, "cpus_max") == 0.5);
	assert_int_equal(source_uint(&source, 0, row, "periods"), 10);
	assert_int_equal(source_uint(&source, 0, row, "throttled"), 10);
	assert_int_equal(source_uint(&source, 0, row, "throttled_time"), 10 * 1000);
	assert_true(source_double(&source, 0, row, "cpu_some") == 10000e3 / (2.0 * SECOND));
	assert_true(source_double(&source, 0, row, "cpu_full") == 1000e3 / (2.0 * SECOND));
	assert_true(source_double(&source, 0, row, "memory_some") == 300e3 / (2.0 * SECOND));
	assert_true(isnan(source_double(&source, 0, row, "memory_full")));
	assert_true(isnan(source_double(&source, 0, row, "io_some")));
	assert_int_equal(source_uint(&source, 0, row, "memory"), 1048576);
	assert_int_equal(source_uint(&source, 0, row, "memory_max"), 33554432);
	assert_true(source_uint(&source, 0, row, "memory_high") == ABSENT);
	assert_int_equal(source_uint(&source, 0, row, "memory_high_hits"), 10);
	assert_int_equal(source_uint(&source, 0, row, "memory_max_hits"), 20);
	assert_int_equal(source_uint(&source, 0, row, "ooms"), 30);
	assert_int_equal(source_uint(&source, 0, row, "oom_kills"), 40);
	assert_int_equal(source_uint(&source, 0, row, "swap"), 4096);
	assert_int_equal(source_uint(&source, 0, row, "swap_max"), 8192);
	assert_int_equal(source_uint(&source, 0, row, "pids"), 5);
	assert_int_equal(source_uint(&source, 0, row, "pids_max"), 100);
	assert_int_equal(source_uint(&source, 0, row, "pids_max_hits"), 50);
	assert_int_equal(source_uint(&source, 0, row, "read_bytes"), 60);
	assert_int_equal(source_uint(&source, 0, row, "written_bytes"), 20);
	assert_int_equal(source_uint(&source, 0, row, "reads"), 30);
	assert_int_equal(source_uint(&source, 0, row, "writes"), 40);
	assert_int_equal(source.out[0]->flags, 0);
	assert_int_equal(source_rows(&source, 0), 1);
	source_close(&source);
}

static void write_v1(struct source_host *source, unsigned int n, const char *quota)
{
	const char *const no_limit = "9223372036854771712\n";

	source_print(source, V2 "cpu,cpuacct/a/cpu.cfs_quota_us", "%s\n", quota);
	source_file(source, V2 "cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
	source_print(source, V2 "cpu,cpuacct/a/cpu.stat",
		     "nr_periods %u\nnr_throttled %u\nthrottled_time %u\n", 21 * n, 19 * n, 7 * n);
	source_print(source, V2 "cpu,cpuacct/a/cpuacct.usage", "%u\n", 1000 * n);
	source_print(source, V2 "memory/a/memory.usage_in_bytes", "%u\n", 8192);
	source_file(source, V2 "memory/a/memory.limit_in_bytes", "16384\n");
	source_print(source, V2 "memory/a/memory.failcnt", "%u\n", n);
	source_file(source, V2 "memory/a/memory.memsw.usage_in_bytes", "12288\n");
	source_file(source, V2 "memory/a/memory.memsw.limit_in_bytes", no_limit);
	source_print(source, V2 "memory/a/memory.oom_control",
		     "oom_kill_disable 0\nunder_oom 0\noom_kill %u\n", n);
	source_file(source, V2 "memory/free/memory.limit_in_bytes", no_limit);
	source_file(source, V2 "memory/free/memory.usage_in_bytes", "4096\n");
	source_print(source, V2 "memory/free/memory.failcnt", "%u\n", n);
	source_file(source, V2 "pids/a/pids.current", "3\n");
	source_file(source, V2 "pids/a/pids.max", "max\n");
	source_print(source, V2 "blkio/a/blkio.throttle.io_service_bytes",
		     "254:0 Read %u\n254:0 Write %u\n254:0 Sync 9\n254:0 Total 9\nTotal 9\n", n,
		     2 * n);
	source_print(source, V2 "unified/a/cpu.stat", "usage_usec %u\n", 500 * n);
	source_print(source, V2 "unified/a/io.pressure",
		     "some avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n"
		     "full avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n",
		     200 * n, 100 * n);
}

static void version_1_and_both_are_joined_by_path(void **state)
{
	static const char *const all[] = { "all=true", NULL };
	struct source_host source;
	uint32_t row;

	(void)state;
	source_open(&source, all);
	source_file(&source, "proc/self/mountinfo", mounts_hybrid);
	write_v1(&source, 1, "50000");
	assert_int_equal(source_start(&source), 0);
	write_v1(&source, 2, "50000");
	assert_int_equal(source_tick(&source, SECOND), 0);
	assert_int_equal(source_rows(&source, 0), 3); /* "/", "/a" and "/free" */
	row = source_find(&source, 0, "cgroup", "/a");
	assert_int_equal(source_uint(&source, 0, row, "cpu_time"), 1000); /* ns, not version 2's */
	assert_true(source_double(&source, 0, row, "cpus_max") == 0.5);
	assert_int_equal(source_uint(&source, 0, row, "periods"), 21);
	assert_int_equal(source_uint(&source, 0, row, "throttled"), 19);
	assert_int_equal(source_uint(&source, 0, row, "throttled_time"), 7);
	assert_int_equal(source_uint(&source, 0, row, "memory"), 8192);
	assert_int_equal(source_uint(&source, 0, row, "memory_max"), 16384);
	assert_int_equal(source_uint(&source, 0, row, "memory_max_hits"), 1);
	assert_int_equal(source_uint(&source, 0, row, "swap"), 4096);
	assert_true(source_uint(&source, 0, row, "swap_max") == ABSENT);
	assert_true(source_uint(&source, 0, row, "ooms") == ABSENT);
	assert_int_equal(source_uint(&source, 0, row, "oom_kills"), 1);
	assert_int_equal(source_uint(&source, 0, row, "pids"), 3);
	assert_true(source_uint(&source, 0, row, "pids_max") == ABSENT);
	assert_int_equal(source_uint(&source, 0, row, "read_bytes"), 1);
	assert_int_equal(source_uint(&source, 0, row, "written_bytes"), 2);
	assert_true(source_double(&source, 0, row, "io_some") == 200e3 / SECOND);
	assert_true(source_double(&source, 0, row, "io_full") == 100e3 / SECOND);
	row = source_find(&source, 0, "cgroup", "/free");
	assert_true(source_uint(&source, 0, row, "memory_max") == ABSENT);
	assert_true(source_uint(&source, 0, row, "memory_max_hits") == ABSENT);
	assert_int_equal(source.out[0]->flags, 0);
	source_close(&source);
}

static void limits_are_read_again_in_time(void **state)
{
	struct source_host source;
	uint32_t row;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/self/mountinfo", mounts_hybrid);
	write_v1(&source, 1, "50000");
	assert_int_equal(source_start(&source), 0);
	write_v1(&source, 2, "25000");
	assert_int_equal(source_tick(&source, 9 * SECOND), 0);
	assert_int_equal(source_tick(&source, 1 * SECOND), 0);
	row = source_find(&source, 0, "cgroup", "/a");
	assert_true(source_double(&source, 0, row, "cpus_max") == 0.25);
	source_close(&source);
}

static void what_came_and_went_is_told(void **state)
{
	struct source_host source;
	char path[256], moved[256];
	uint32_t row;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/self/mountinfo", mounts_v2);
	write_v2(&source, "gone", 1);
	write_v2(&source, "again", 1);
	write_v2(&source, "again-not", 1);
	assert_int_equal(source_start(&source), 0);
	write_v2(&source, "new", 5);
	snprintf(path, sizeof(path), "%s/" V2 "gone", source.root);
	snprintf(moved, sizeof(moved), "%s/elsewhere", source.root);
	assert_int_equal(rename(path, moved), 0);
	snprintf(path, sizeof(path), "%s/" V2 "again", source.root);
	snprintf(moved, sizeof(moved), "%s/elsewhere/again", source.root);
	assert_int_equal(rename(path, moved), 0);
	write_v2(&source, "again", 7);
	assert_int_equal(source_tick(&source, SECOND), 0);

	row = source_find(&source, 0, "cgroup", "/gone");
	assert_string_equal(source_text(&source, 0, row, "state"), "gone");
	assert_true(source_uint(&source, 0, row, "cpu_time") == ABSENT);
	assert_true(source_uint(&source, 0, row, "memory") == ABSENT);
	row = source_find(&source, 0, "cgroup", "/new");
	assert_string_equal(source_text(&source, 0, row, "state"), "new");
	assert_int_equal(source_uint(&source, 0, row, "periods"), 105);
	row = source_find(&source, 0, "cgroup", "/again");
	assert_string_equal(source_text(&source, 0, row, "state"), "replaced");
	assert_int_equal(source_uint(&source, 0, row, "periods"), 107);
	assert_int_equal(source.out[0]->flags, WEIR_BATCH_GAP);
	source_close(&source);
}

static void a_counter_that_went_back_is_a_gap(void **state)
{
	struct source_host source;
	uint32_t row;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/self/mountinfo", mounts_v2);
	write_v2(&source, "a", 5);
	assert_int_equal(source_start(&source), 0);
	write_v2(&source, "a", 4);
	assert_int_equal(source_tick(&source, SECOND), 0);
	row = source_find(&source, 0, "cgroup", "/a");
	assert_true(source_uint(&source, 0, row, "periods") == ABSENT);
	assert_true(isnan(source_double(&source, 0, row, "cpus")));
	assert_int_equal(source_uint(&source, 0, row, "memory"), 1048576);
	assert_int_equal(source.out[0]->flags, WEIR_BATCH_GAP);
	source_close(&source);
}

static void garbage_is_counted_and_never_a_zero(void **state)
{
	static const struct {
		const char *file, *text, *column;
	} rows[] = {
		{ "memory.current", "many\n", "memory" },
		{ "memory.current", "", "memory" },
		{ "memory.current", "99999999999999999999999\n", "memory" },
		{ "memory.current", "12 monkeys\n", "memory" },
		{ "cpu.stat", "usage_usec -5\n", "cpu_time" },
		{ "cpu.stat", "usage_usec 18446744073709551615\n", "cpu_time" },
		{ "io.stat", "254:0 rbytes=1 wbytes=x rios=1\n", "read_bytes" },
		{ "memory.events", "oom_kill\n", "oom_kills" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct source_host source;
		char path[128];

		source_open(&source, NULL);
		source_file(&source, "proc/self/mountinfo", mounts_v2);
		write_v2(&source, "a", 5);
		assert_int_equal(source_start(&source), 0);
		snprintf(path, sizeof(path), V2 "a/%s", rows[i].file);
		source_file(&source, path, rows[i].text);
		assert_int_equal(source_tick(&source, SECOND), 0);
		assert_true(source_uint(&source, 0, source_find(&source, 0, "cgroup", "/a"),
					rows[i].column) == ABSENT);
		if (strcmp(rows[i].column, "oom_kills") != 0)
			assert_int_equal(source.lost, 1);
		source_close(&source);
	}
}

static void a_cgroup_without_limit_that_did_nothing_is_left_out(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/self/mountinfo", mounts_v2);
	source_file(&source, V2 "idle/cpu.stat", "usage_usec 5\n");
	source_file(&source, V2 "idle/cpu.max", "max 100000\n");
	source_file(&source, V2 "busy/cpu.stat", "usage_usec 5\n");
	source_file(&source, V2 "limited/memory.max", "5\n");
	assert_int_equal(source_start(&source), 0);
	source_file(&source, V2 "busy/cpu.stat", "usage_usec 6\n");
	assert_int_equal(source_tick(&source, SECOND), 0);
	assert_int_equal(source_rows(&source, 0), 2);
	assert_string_equal(source_text(&source, 0, 0, "cgroup"), "/busy");
	assert_string_equal(source_text(&source, 0, 1, "cgroup"), "/limited");
	source_close(&source);
}

/* The clock of CPU time stands still in both: only who waited before is looked at again. */
static void a_cgroup_that_sleeps_is_not_read_but_one_that_waits_is(void **state)
{
	static const char *const all[] = { "all=true", NULL };
	struct source_host source;

	(void)state;
	source_open(&source, all);
	source_file(&source, "proc/self/mountinfo", mounts_v2);
	source_file(&source, V2 "sleeps/cpu.stat", "usage_usec 5\n");
	source_file(&source, V2 "waits/cpu.stat", "usage_usec 5\n");
	source_file(&source, V2 "sleeps/memory.events", "oom_kill 0\n");
	for (unsigned int i = 0; i < 4; i++) {
		source_print(&source, V2 "waits/io.pressure", "some total=%u\n", 600000 * i);
		assert_int_equal(i ? source_tick(&source, SECOND) : source_start(&source), 0);
	}
	assert_true(source_double(&source, 0, source_find(&source, 0, "cgroup", "/waits"),
				  "io_some") == 0.6);

	/* Told with the CPU time that a process needs to die. */
	source_file(&source, V2 "sleeps/memory.events", "oom_kill 1\n");
	assert_int_equal(source_tick(&source, SECOND), 0);
	assert_int_equal(
		source_uint(&source, 0, source_find(&source, 0, "cgroup", "/sleeps"), "oom_kills"),
		0);
	source_file(&source, V2 "sleeps/cpu.stat", "usage_usec 6\n");
	assert_int_equal(source_tick(&source, SECOND), 0);
	assert_int_equal(
		source_uint(&source, 0, source_find(&source, 0, "cgroup", "/sleeps"), "oom_kills"),
		1);
	source_close(&source);
}

/* A file is looked for again when limits are. */
static void a_file_that_comes_later_is_found(void **state)
{
	struct source_host source;
	uint32_t row;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/self/mountinfo", mounts_v2);
	source_file(&source, V2 "a/cpu.stat", "usage_usec 5\n");
	source_file(&source, V2 "a/memory.max", "5\n");
	assert_int_equal(source_start(&source), 0);
	source_file(&source, V2 "a/memory.current", "4\n");
	assert_int_equal(source_tick(&source, 9 * SECOND), 0);
	row = source_find(&source, 0, "cgroup", "/a");
	assert_true(source_uint(&source, 0, row, "memory") == ABSENT);
	assert_int_equal(source_tick(&source, SECOND), 0);
	row = source_find(&source, 0, "cgroup", "/a");
	assert_int_equal(source_uint(&source, 0, row, "memory"), 4);
	source_close(&source);
}

static void a_host_without_cgroups_is_told(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/self/mountinfo", "24 1 0:22 / /sys rw - sysfs sysfs rw\n");
	assert_int_equal(source_start(&source), -ENOENT);
	assert_non_null(strstr(source.said, "mount -t cgroup2"));
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2_tells_what_was_added),
		cmocka_unit_test(version_1_and_both_are_joined_by_path),
		cmocka_unit_test(limits_are_read_again_in_time),
		cmocka_unit_test(what_came_and_went_is_told),
		cmocka_unit_test(a_counter_that_went_back_is_a_gap),
		cmocka_unit_test(garbage_is_counted_and_never_a_zero),
		cmocka_unit_test(a_cgroup_without_limit_that_did_nothing_is_left_out),
		cmocka_unit_test(a_cgroup_that_sleeps_is_not_read_but_one_that_waits_is),
		cmocka_unit_test(a_file_that_comes_later_is_found),
		cmocka_unit_test(a_host_without_cgroups_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
