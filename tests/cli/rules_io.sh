#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shipped rules on rows of what cannot be staged: a link at full speed, a server of files that
# does not answer, a kernel's complaints. Usage: rules_io.sh SOURCE BUILD
set -u
. "$1/tests/cli/staged.sh"

# verdict: what the shipped rules make of the rows that there are, which are then forgotten.
verdict() {
	shipped
	rm "$tap_dir"/*.rows
}

interfaces='interface: text, util: ratio, drops: count, errors: count, rx_bytes: bytes, tx_bytes: bytes'
staged net_interfaces "$interfaces" <<'Y'
eth0, 0.97, 0, 0, 600000000, 3000
eth1, 0.85, 0, 0, 530000000, 3000
veth0, ~, 0, 0, 900000000, 3000
Y
verdict
check "a link at its full speed is found, and only that" is "found == [('network', 'eth0', 'saturation')]"
check "one that is busy is no finding" is '[x["state"] for x in r[:3]] == ["SATURATED", "busy", "ok"]'
check "a speed that nobody knows is no idle link" is \
	'(r[2]["utilization"], r[2]["reason"]) == (None, "link speed unknown")'
staged net_interfaces "$interfaces" <<'Y'
eth0, 0.1, 0, 3, 1000, 1000
Y
verdict
check "broken frames are errors" is "found == [('network', 'eth0', 'errors')]"

waits <<'Y'
10, ls, user, ~, 5000000000, 0, 0, 0, 4900000000, 0, 0, 4900000000, kernel
11, idle, user, ~, 5000000000, 0, 0, 0, 0, 0, 0, ~, ~
12, kworker/0:1, kernel, ~, 5000000000, 0, 0, 0, 4000000000, 0, 0, 4000000000, kernel
Y
verdict
check "who waits for a server of files stands still, and for no disk" is "found == [('software', None, 'saturation')]"
check "it is a victim, and threads of the kernel are not" is \
	'[(x["pid"], x["comm"], x["wait_s"]) for x in f[0]["victims"]] == [(10, "ls", 4.9)]'
check "that costs its time" is 'f[0]["cost_s"] == 4.9'
check "the way on is to where it stands" is 'f[0]["next"] == ["weir why 10", "weir offcpu --pid 10"]'
waits <<'Y'
10, tar, user, ~, 5000000000, 0, 0, 0, 4900000000, 0, 0, 20000000, kernel
Y
verdict
check "many short waits for locks are no such thing" is 'f == []'
waits <<'Y'
11, mv, user, ~, 5000000000, 0, 0, 0, 400000000, 0, 0, 400000000, kernel
Y
verdict
check "nor is a single one" is 'f == []'

disks='disk: text, util: ratio, queue: number, reads: count, writes: count, flushes: count, read_bytes: bytes, write_bytes: bytes, read_wait: ns, write_wait: ns, flush_wait: ns'
tasks='pid: uint, comm: text, container: text, job: text, started: time, kind: text, ppid: uint, cgroup: text, run: ns, read: bytes, written: bytes, rss: bytes, swap: bytes, major: count'
pressure='resource: text, some: ratio'
# A loop device, of which the disk below is as slow, and others that are always in use.
busy_disks() {
	waits </dev/null
	staged tasks "$tasks" </dev/null
	staged mem_pressure "$pressure" </dev/null
	staged disks "$disks" <<'Y'
loop0, 1.0, 3.0, 500, 0, 0, 50000000, 0, 30000000, ~, ~
sda, 1.0, 3.0, 500, 0, 0, 50000000, 0, 30000000, ~, ~
sdb, 1.0, 1.0, 100, 100, 0, 1000000, 1000000, 30000000, 1000000, ~
nvme0n1, 1.0, 8.0, 900000, 0, 0, 3000000000, 0, 90000, ~, ~
Y
}
busy_disks
waits <<'Y'
10, rsync, user, loop0, 5000000000, 0, 0, 4000000000, 0, 0, 49000000, 30000000, device
11, python3, user, loop0, 5000000000, 0, 0, 4500000000, 0, 0, 100000, 30000000, device
12, kworker/0:1, kernel, sda, 5000000000, 0, 0, 4900000000, 0, 0, 49000000, 30000000, device
13, scrub, user, sdb, 5000000000, 0, 0, 400000000, 0, 0, 1000000, 30000000, device
14, postgres, user, nvme0n1, 5000000000, 0, 0, 4900000000, 0, 0, 3000000000, 1000000, device
15, jbd2/loop0-8, journal, loop0, 5000000000, 0, 0, 4900000000, 0, 0, 9000000, 30000000, device
Y
staged tasks "$tasks" <<'Y'
10, rsync, ~, ~, 1000000000, process, 1, /system.slice/backup.service, 100, 49000000, 0, 1000, 0, 0
Y
verdict
check "of two disks that are slow for one reason, the one is found that is waited for" is \
	"found == [('disk', 'loop0', 'saturation')]"
check "a disk that nobody waits for is not, nor a fast one that is always in use" is \
	'[x["state"] for x in r if x["resource"] == "disk" and x["instance"] != "loop0"] == ["busy", "busy", "busy"]'
check "its cost is what tasks waited for it, and no thread of the kernel" is 'f[0]["cost_s"] == 8.5'
check "its cause is who reads most of it" is '[x["comm"] for x in f[0]["causes"]] == ["rsync"]'
check "and it is slow now, as that has just begun" is 'f[0]["why_now"] == "rsync (pid 10) began 1 s ago, in backup.service"'
check "its victim is who waits, not the journal" is '[x["comm"] for x in f[0]["victims"]] == ["python3"]'

busy_disks
waits <<'Y'
10, rsync, user, loop0, 5000000000, 0, 0, 4000000000, 0, 0, 50000000, 30000000, device
Y
verdict
check "who is alone is cause and victim" is \
	'([x["comm"] for x in f[0]["causes"]], [x["comm"] for x in f[0]["victims"]]) == (["rsync"], ["rsync"])'

# started UNIT FIRED: the verdict where a timer starts that unit, which it last did then.
started() {
	busy_disks
	waits <<'Y'
10, rsync, user, loop0, 5000000000, 0, 0, 4000000000, 0, 0, 49000000, 30000000, device
Y
	staged tasks "$tasks" <<'Y'
10, rsync, ~, ~, 1000000000, process, 1, /system.slice/backup.service, 100, 49000000, 0, 1000, 0, 0
Y
	staged timers 'timer: text, unit: text, fired: time' <<Y
nightly.timer, $1, $2
Y
	verdict
}
why() {
	is "f[0]['why_now'] == 'rsync (pid 10) began 1 s ago, in backup.service$1'"
}
started backup.service 2000000000
check "of a unit that a timer has just started, the timer is told" \
	why ", which nightly.timer started 2 s ago"
started backup.service 900000000000
check "one that fired long ago is told as who does so" why ", which nightly.timer starts"
started other.service 2000000000
check "a timer of another unit is not" why ""

staged disks "$disks" <<'Y'
loop0, 1.0, 9.0, 0, 70, 0, 0, 50000000, ~, 900000000, ~
sda, 1.0, 3.0, 500, 0, 0, 50000000, 0, 30000000, ~, ~
Y
staged mem_pressure "$pressure" </dev/null
waits <<'Y'
10, copy, user, ~, 5000000000, 0, 0, 1000000000, 3500000000, 0, 0, 30000000, kernel
12, kworker/0:1, kernel, loop0, 5000000000, 0, 0, 0, 0, 0, 49000000, 30000000, device
Y
staged tasks "$tasks" <<'Y'
10, copy, 0123456789ab, ~, 1000000000, process, 1, /docker/0123456789abcdef, 100, 0, 49000000, 1000, 0, 0
Y
verdict
check "what the kernel writes back was caused by who has written it" is \
	"found == [('disk', 'loop0', 'saturation')] and [x['comm'] for x in f[0]['causes']] == ['copy']"
check "a container that began is named" is 'f[0]["why_now"].endswith(" ago, in 0123456789ab")'
check "who waits for that waits for no disk by name" is \
	'f[0]["cost_s"] == 4.5 and [x["comm"] for x in f[0]["victims"]] == ["copy"]'

busy_disks
staged tasks "$tasks" <<'Y'
10, copy, ~, ~, 1000000000, process, 1, /, 100, 49000000, 0, 1000, 0, 0
Y
staged mem_pressure "$pressure" <<'Y'
io, 0.9
memory, 0
Y
verdict
check "without the right to see who waits, the machine's pressure says it" is \
	"('disk', 'loop0', 'saturation') in found and [x['comm'] for x in f[0]['causes']] == ['copy']"

staged tcp_counters 'netns: uint, out_segments: count, retransmits: count, timeouts: count, listen_overflows: count, udp_receive_full: count, udp_in: count' <<'Y'
7, 100, 0, 0, 0, 90, 10
8, 100, 0, 0, 5, 0, 0
9, 100, 0, 0, 0, 4, 0
Y
sockets='netns: uint, pid: uint, comm: text, queue: count, limit: count, drops: count'
staged tcp_datagrams "$sockets" <<'Y'
7, 10, statsd, 200000, 200000, 88
7, 11, resolved, 200000, 200000, 2
8, 12, other, 200000, 200000, 70
9, ~, ~, 200000, ~, 4
Y
staged tcp_listeners "$sockets" <<'Y'
8, 20, idle, 0, ~, ~
8, 21, deaf, 6, ~, ~
Y
verdict
check "lost datagrams are the fault of who did not read them, in their own namespace" is \
	'[[c["comm"] for c in x["causes"]] for x in f if x["instance"] == "7"] == [["statsd", "resolved"]]'
check "of whom nothing is known, nobody is named" is \
	'[x["causes"] for x in f if x["instance"] == "9"] == [[]]'
check "a listener whose limit is not known is to blame for connections that wait" is \
	'[[c["comm"] for c in x["causes"]] for x in f if x["instance"] == "8"] == [["deaf"]]'

staged disks "$disks" <<'Y'
sda, 0.1, 0.1, 5, 0, 0, 50000, 0, 3000000, ~, ~
sdb, 0.1, 0.1, 5, 0, 0, 50000, 0, 3000000, ~, ~
Y
waits <<'Y'
10, tar, user, sda, 5000000000, 0, 0, 400000000, 0, 0, 90000, 30000000, device
11, ls, user, sda, 5000000000, 0, 0, 500000000, 0, 0, 5000, 30000000, device
12, other, user, sdb, 5000000000, 0, 0, 500000000, 0, 0, 500000, 30000000, device
Y
log='resource: text, instance: text, disk: text, severity: text, kind: text, text: text, pid: uint, comm: text, cgroup: text'
staged log "$log" <<'Y'
disk, sda1, sda, error, fs_error, "EXT4-fs error (device sda1): ext4_lookup", ~, ~, ~
disk, sda, sda, error, io_error, "I/O error, dev sda, sector 9", ~, ~, ~
Y
verdict
check "what is said of a partition is an error of its disk" is \
	"found == [('disk', 'sda', 'errors')] and f[0]['evidence'][0]['value'] == 2"
check "with who reads it, and who waits for it" is \
	'([x["comm"] for x in f[0]["causes"]], [x["comm"] for x in f[0]["victims"]]) == (["tar"], ["ls"])'

staged log "$log" <<'Y'
network, conntrack, ~, error, conntrack_full, "nf_conntrack: table full, dropping packet", ~, ~, ~
network, eth0, ~, warning, link_down, "eth0: link is down", ~, ~, ~
software, ~, ~, error, hung_task, "INFO: task cp:10 blocked for more than 120 seconds", 10, cp, ~
software, ~, ~, warning, segfault, "x[1]: segfault at 0", 1, x, ~
Y
verdict
check "what the kernel complains of is found where it has no counter" is \
	"found == [('network', 'conntrack', 'errors'), ('software', 'hung_task', 'errors')]"
finish
