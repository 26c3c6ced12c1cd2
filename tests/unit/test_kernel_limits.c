/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel.limits over a recorded /proc. */
#include "source_host.h"

static void write_process(struct source_host *source, unsigned int pid, const char *comm,
			  unsigned int fds, const char *soft)
{
	char path[128];

	snprintf(path, sizeof(path), "proc/%u/comm", pid);
	source_print(source, path, "%s\n", comm);
	snprintf(path, sizeof(path), "proc/%u/limits", pid);
	source_print(
		source, path,
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max core file size        0                    unlimited            bytes     \n"
		"Max open files            %-20s 524288               files     \n",
		soft);
	for (unsigned int i = 0; i < fds; i++) {
		snprintf(path, sizeof(path), "proc/%u/fd/%u", pid, i);
		source_file(source, path, "");
	}
}

static void each_limit_is_told_with_its_use(void **state)
{
	struct source_host source;
	uint32_t row;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/sys/fs/file-nr", "1500\t500\t10000\n");
	source_file(&source, "proc/loadavg", "0.10 0.20 0.30 2/345 6789\n");
	source_file(&source, "proc/sys/kernel/threads-max", "690\n");
	source_file(&source, "proc/sys/kernel/pid_max", "32768\n");
	source_file(&source, "proc/sys/net/netfilter/nf_conntrack_count", "900\n");
	source_file(&source, "proc/sys/net/netfilter/nf_conntrack_max", "1000\n");
	write_process(&source, 100, "half full", 5, "10");
	write_process(&source, 101, "fine", 4, "10");
	write_process(&source, 102, "boundless", 50, "unlimited");
	write_process(&source, 103, "full", 12, "12");
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_true(source.finished);
	assert_int_equal(source_rows(&source, 0), 6);
	row = source_find(&source, 0, "limit", "files");
	assert_int_equal(source_uint(&source, 0, row, "used"), 1000);
	assert_int_equal(source_uint(&source, 0, row, "max"), 10000);
	assert_true(source_double(&source, 0, row, "share") == 0.1);
	row = source_find(&source, 0, "limit", "threads");
	assert_int_equal(source_uint(&source, 0, row, "used"), 345);
	assert_true(source_double(&source, 0, row, "share") == 0.5);
	row = source_find(&source, 0, "limit", "conntrack");
	assert_int_equal(source_uint(&source, 0, row, "used"), 900);
	row = source_find(&source, 0, "comm", "half full");
	assert_int_equal(source_uint(&source, 0, row, "pid"), 100);
	assert_int_equal(source_uint(&source, 0, row, "used"), 5);
	assert_int_equal(source_uint(&source, 0, row, "max"), 10);
	row = source_find(&source, 0, "comm", "full");
	assert_true(source_double(&source, 0, row, "share") == 1.0);
	source_close(&source);
}

static void what_is_not_there_has_no_row(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "proc/sys/kernel/threads-max", "690\n");
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), 0);
	source_file(&source, "proc/sys/fs/file-nr", "many\n");
	assert_int_equal(source_tick(&source, 0), -EBADMSG);
	assert_non_null(strstr(source.said, "file-nr: cannot read \"many\""));
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_limit_is_told_with_its_use),
		cmocka_unit_test(what_is_not_there_has_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
