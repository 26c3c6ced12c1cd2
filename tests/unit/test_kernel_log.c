/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel.log: records as Documentation/ABI/testing/dev-kmsg defines them, texts as the kernel's
 * format strings make them.
 */
#include "../../plugins/kernel/log_record.h"
#include "source_host.h"

#include <unistd.h>

#define COUNT(array_) (sizeof(array_) / sizeof((array_)[0]))

static void a_record_is_read_with_its_keys(void **state)
{
	static const char bytes[] =
		"30,339,5140900,-,caller=T1;link; up\n SUBSYSTEM=net\n DEVICE=n2\n"
		"4,340,5140901,c;next\n";
	struct log_record record;
	size_t taken;

	(void)state;
	taken = log_record_parse(bytes, sizeof(bytes) - 1, &record);
	assert_int_equal(taken, strstr(bytes, "4,340") - bytes);
	assert_int_equal(record.level, 6);
	assert_int_equal(record.facility, 3);
	assert_int_equal(record.sequence, 339);
	assert_int_equal(record.usec, 5140900);
	assert_int_equal(record.length, strlen("link; up"));
	assert_memory_equal(record.text, "link; up", record.length);
	assert_int_equal(log_record_parse(bytes + taken, sizeof(bytes) - 1 - taken, &record),
			 sizeof(bytes) - 1 - taken);
	assert_int_equal(record.sequence, 340);
}

static void what_is_no_record_is_none(void **state)
{
	static const char *const rows[] = { "",
					    "\n",
					    "6,1,2,-\n",
					    "6,1,2,-\n;late\n",
					    "6,1,x,-;text\n",
					    "-6,1,2,-;text\n",
					    "6,1;text\n",
					    "99999999999999999999,1,2,-;text\n",
					    "4294967296,1,2,-;text\n",
					    " KEY=value\n" };
	struct log_record record;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(log_record_parse(rows[i], strlen(rows[i]), &record), 0);
}

#define NO_PID    UINT32_MAX
#define NO_SECTOR UINT64_MAX

static const struct log_case {
	const char *text, *kind, *resource, *instance, *comm;
	uint32_t pid;
	uint64_t sector;
} cases[] = {
	{ "Out of memory: Killed process 4321 (hog) total-vm:104kB, anon-rss:96kB, file-rss:0kB, "
	  "shmem-rss:0kB, UID:0 pgtables:60kB oom_score_adj:0",
	  "oom", "memory", "", "hog", 4321, NO_SECTOR },
	{ "Out of memory (oom_kill_allocating_task): Killed process 7 (a) total-vm:1kB", "oom",
	  "memory", "", "a", 7, NO_SECTOR },
	{ "Memory cgroup out of memory: Killed process 12 (Web Content) total-vm:1kB, anon-rss:1kB",
	  "oom_cgroup", "cgroup", "", "Web Content", 12, NO_SECTOR },
	{ "kswapd0: page allocation failure: order:0, mode:0x820(GFP_ATOMIC)", "allocation",
	  "memory", "", "kswapd0", NO_PID, NO_SECTOR },
	{ "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 ",
	  "ecc_corrected", "memory", "MC0", "", NO_PID, NO_SECTOR },
	{ "EDAC MC1: 1 UE Cannot decode normalized address on mc#1csrow#2channel#0",
	  "ecc_uncorrected", "memory", "MC1", "", NO_PID, NO_SECTOR },
	{ "watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [kworker/3:1:812]", "soft_lockup",
	  "cpu", "3", "kworker/3:1", 812, NO_SECTOR },
	{ "NMI watchdog: Watchdog detected hard LOCKUP on cpu 5", "hard_lockup", "cpu", "5", "",
	  NO_PID, NO_SECTOR },
	{ "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", "rcu_stall", "cpu", "", "",
	  NO_PID, NO_SECTOR },
	{ "rcu: INFO: rcu_sched self-detected stall on CPU", "rcu_stall", "cpu", "", "", NO_PID,
	  NO_SECTOR },
	{ "mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 5: bea0000000000108",
	  "hardware_error", "cpu", "2", "", NO_PID, NO_SECTOR },
	{ "{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1",
	  "hardware_error", "cpu", "", "", NO_PID, NO_SECTOR },
	{ "mce: CPU1: Core temperature above threshold, cpu clock throttled (total events = 12)",
	  "thermal", "cpu", "1", "", NO_PID, NO_SECTOR },
	{ "CPU7: Package temperature is above threshold, cpu clock is throttled (total events = 1)",
	  "thermal", "cpu", "7", "", NO_PID, NO_SECTOR },
	{ "INFO: task jbd2/sda1-8:203 blocked for more than 120 seconds.", "hung_task", "software",
	  "", "jbd2/sda1-8", 203, NO_SECTOR },
	{ "INFO: task kworker/u8:1:77 blocked in I/O wait for more than 120 seconds.", "hung_task",
	  "software", "", "kworker/u8:1", 77, NO_SECTOR },
	{ "crasher[991]: segfault at 0 ip 000055d0 sp 00007ffc error 6 in crasher[55d0+1000]",
	  "segfault", "software", "", "crasher", 991, NO_SECTOR },
	{ "traps: divider[45] trap divide error ip:55d0 sp:7ffc error:0 in divider[55d0+1000]",
	  "crash", "software", "", "divider", 45, NO_SECTOR },
	{ "cgroup: fork rejected by pids controller in /a/b", "pids_limit", "cgroup", "", "",
	  NO_PID, NO_SECTOR },
	{ "VFS: file-max limit 1000 reached", "fd_limit", "software", "file-max", "", NO_PID,
	  NO_SECTOR },
	{ "BUG: kernel NULL pointer dereference, address: 0000000000000000", "kernel_bug",
	  "software", "", "", NO_PID, NO_SECTOR },
	{ "WARNING: CPU: 1 PID: 99 at fs/x.c:1 f+0x1/0x2", "kernel_warning", "software", "", "", 99,
	  NO_SECTOR },
	{ "I/O error, dev loop3, sector 2048 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2",
	  "io_error", "disk", "loop3", "", NO_PID, 2048 },
	{ "blk_update_request: critical medium error, dev sdb, sector 88 op 0x0:(READ) flags 0x0",
	  "io_error", "disk", "sdb", "", NO_PID, 88 },
	{ "print_req_error: I/O error, dev sda, sector 18446744073709551614", "io_error", "disk",
	  "sda", "", NO_PID, UINT64_MAX - 1 },
	{ "Buffer I/O error on dev dm-0, logical block 16, lost async page write", "io_error",
	  "disk", "dm-0", "", NO_PID, 16 },
	{ "nvme nvme0: I/O tag 12 (300c) opcode 0x2 (I/O Cmd) QID 1 timeout, aborting",
	  "io_timeout", "disk", "nvme0", "", NO_PID, NO_SECTOR },
	{ "ata1.00: failed command: READ FPDMA QUEUED", "io_error", "disk", "ata1.00", "", NO_PID,
	  NO_SECTOR },
	{ "md/raid1:md0: Disk failure on sda1, disabling device.", "disk_failed", "disk", "md0", "",
	  NO_PID, NO_SECTOR },
	{ "EXT4-fs error (device sda1): ext4_lookup:1785: inode #2: comm ls: deleted inode",
	  "fs_error", "disk", "sda1", "", NO_PID, NO_SECTOR },
	{ "EXT4-fs (sda1): Remounting filesystem read-only", "fs_read_only", "disk", "sda1", "",
	  NO_PID, NO_SECTOR },
	{ "Aborting journal on device sda1-8.", "fs_error", "disk", "sda1-8", "", NO_PID,
	  NO_SECTOR },
	{ "XFS (dm-2): Metadata corruption detected at xfs_agf_read_verify", "fs_error", "disk",
	  "dm-2", "", NO_PID, NO_SECTOR },
	{ "BTRFS error (device sdc1 state EA): bdev /dev/sdc1 errs: wr 1", "fs_error", "disk",
	  "sdc1", "", NO_PID, NO_SECTOR },
	{ "TCP: request_sock_TCP: Possible SYN flooding on port 8080. Sending cookies.",
	  "syn_flood", "network", "8080", "", NO_PID, NO_SECTOR },
	{ "TCP: request_sock_TCP: Possible SYN flooding on port 0.0.0.0:80. Sending cookies.",
	  "syn_flood", "network", "0.0.0.0:80", "", NO_PID, NO_SECTOR },
	{ "nf_conntrack: nf_conntrack: table full, dropping packet", "conntrack_full", "network",
	  "conntrack", "", NO_PID, NO_SECTOR },
	{ "neighbour: arp_cache: neighbor table overflow!", "neighbour_full", "network",
	  "arp_cache", "", NO_PID, NO_SECTOR },
	{ "NETDEV WATCHDOG: eth0 (e1000e): transmit queue 0 timed out", "tx_timeout", "network",
	  "eth0", "", NO_PID, NO_SECTOR },
	{ "e1000e 0000:00:19.0 eno1: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5000 ms",
	  "tx_timeout", "network", "eno1", "", NO_PID, NO_SECTOR },
	{ "e1000e 0000:00:19.0 eno1: NIC Link is Down", "link_down", "network", "eno1", "", NO_PID,
	  NO_SECTOR },
	{ "tg3 0000:02:00.0 eth1: Link is up at 1000 Mbps, full duplex", "link_up", "network",
	  "eth1", "", NO_PID, NO_SECTOR },
	/* None of the kernel's complaints. */
	{ "eth0: renamed from veth1", NULL, NULL, NULL, NULL, 0, 0 },
	{ "Memory: 100K/200K available", NULL, NULL, NULL, NULL, 0, 0 },
	{ "EXT4-fs (sda1): mounted filesystem with ordered data mode", NULL, NULL, NULL, NULL, 0,
	  0 },
	{ "INFO: task x:y blocked for more than 120 seconds.", NULL, NULL, NULL, NULL, 0, 0 },
	{ "I/O error, dev sda, sector many", NULL, NULL, NULL, NULL, 0, 0 },
	{ "[99]: segfault at 0", NULL, NULL, NULL, NULL, 0, 0 },
};

static void a_complaint_is_told_as_facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct log_case *want = &cases[i];
		struct log_facts facts;
		const struct log_rule *rule =
			log_rules_match(want->text, strlen(want->text), &facts);

		if (!want->kind || !rule) {
			if (want->kind || rule)
				fail_msg("%s: %s", want->text, rule ? rule->kind : "no rule");
			continue;
		}
		assert_string_equal(rule->kind, want->kind);
		assert_string_equal(rule->resource, want->resource);
		assert_string_equal(facts.instance, want->instance);
		assert_string_equal(facts.comm, want->comm);
		assert_int_equal(facts.pid, want->pid);
		assert_true(facts.sector == want->sector);
	}
}

static const char recorded[] =
	"6,10,100000000,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/"
	",mems_allowed=0,"
	"oom_memcg=/box,task_memcg=/box/a,task=hog,pid=321,uid=0\n"
	"3,11,100000001,-;Memory cgroup out of memory: Killed process 321 (hog) total-vm:9kB\n"
	"3,12,995000000,-;Memory cgroup out of memory: Killed process 9 (else) total-vm:9kB\n"
	"11,13,995000001,-;Out of memory: Killed process 1 (imitated) total-vm:9kB\n"
	"not a record\n"
	"3,14,995000002,-;something \\x1b[1m new\n KEY=value\n"
	"4,15,995000003,-;a warning that no rule knows\n";

static void a_recorded_log_is_read_to_its_end(void **state)
{
	static const char *const options[] = { "since=1000s", NULL };
	struct source_host source;

	(void)state;
	source_open(&source, options);
	source_file(&source, "dev/kmsg", recorded);
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_true(source.finished);
	assert_int_equal(source_rows(&source, 0), 3);
	assert_string_equal(source_text(&source, 0, 0, "cgroup"), "/box/a");
	assert_string_equal(source_text(&source, 0, 0, "instance"), "/box");
	assert_int_equal(source_uint(&source, 0, 0, "pid"), 321);
	assert_int_equal(source_uint(&source, 0, 0, "sequence"), 11);
	assert_int_equal(source_uint(&source, 0, 0, "before"), 1);
	assert_true(source_uint(&source, 0, 0, "time") == UINT64_C(100000001000));
	assert_string_equal(source_text(&source, 0, 1, "cgroup"), "");
	assert_string_equal(source_text(&source, 0, 2, "kind"), "other");
	assert_string_equal(source_text(&source, 0, 2, "text"), "something \\x1b[1m new");
	assert_int_equal(source.lost, 1);
	source_close(&source);
}

/* Links of /sys/class/block as the kernel makes them, of disks, partitions and device mapper. */
static void a_message_of_a_partition_tells_its_disk(void **state)
{
	static const char pci[] = "../../devices/pci0000:00/0000:00:1f.2/ata1/host0/block/sda";
	static const char *const links[][2] = {
		{ "sda", pci },
		{ "sda1", "../../devices/pci0000:00/0000:00:1f.2/ata1/host0/block/sda/sda1" },
		{ "dm-0", "../../devices/virtual/block/dm-0" },
	};
	static const char log[] = "3,1,999000000,-;I/O error, dev sda, sector 1\n"
				  "3,2,999000000,-;EXT4-fs error (device sda1): x\n"
				  "3,3,999000000,-;Aborting journal on device sda1-8.\n"
				  "3,4,999000000,-;EXT4-fs error (device dm-0): x\n"
				  "3,5,999000000,-;Aborting journal on device dm-0-8.\n"
				  "3,6,999000000,-;I/O error, dev gone, sector 1\n"
				  "3,7,999000000,-;neighbour: sda1: neighbor table overflow!\n";
	static const char *const disks[] = { "sda", "sda", "sda", "dm-0", "dm-0", "gone", "" };
	static const char *const options[] = { "since=1000s", NULL };
	struct source_host source;
	char path[128];

	(void)state;
	source_open(&source, options);
	source_file(&source, "sys/class/block/.keep", "");
	for (size_t i = 0; i < COUNT(links); i++) {
		snprintf(path, sizeof(path), "%s/sys/class/block/%s", source.root, links[i][0]);
		assert_int_equal(symlink(links[i][1], path), 0);
	}
	source_file(&source, "dev/kmsg", log);
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), COUNT(disks));
	for (uint32_t i = 0; i < COUNT(disks); i++)
		assert_string_equal(source_text(&source, 0, i, "disk"), disks[i]);
	source_close(&source);
}

static void only_what_is_young_enough_is_shown(void **state)
{
	static const char *const options[] = { "since=6s", "unknown=none", NULL };
	struct source_host source;

	(void)state;
	source_open(&source, options);
	source_file(&source, "dev/kmsg", recorded);
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), 1);
	assert_string_equal(source_text(&source, 0, 0, "comm"), "else");
	source_close(&source);
}

static void what_may_not_be_read_is_said_with_the_cure(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	source_probe(&source);
	assert_non_null(strstr(source.needs, "mknod"));
	assert_int_equal(source_start(&source), -ENOENT);
	assert_non_null(strstr(source.said, "/dev/kmsg"));
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_read_with_its_keys),
		cmocka_unit_test(what_is_no_record_is_none),
		cmocka_unit_test(a_complaint_is_told_as_facts),
		cmocka_unit_test(a_recorded_log_is_read_to_its_end),
		cmocka_unit_test(a_message_of_a_partition_tells_its_disk),
		cmocka_unit_test(only_what_is_young_enough_is_shown),
		cmocka_unit_test(what_may_not_be_read_is_said_with_the_cure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
