#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The rules of `weir verdict` on staged rows: what no machine shows on demand, and what must not be
# taken for a bottleneck. Usage: rules.sh SOURCE BUILD
set -u
. "$1/tests/cli/staged.sh"

# cpu BUSY STEAL IOWAIT RUNNING STALLED: a second of two CPUs, the rest of which was idle. The log
# is empty.
cpu() {
	rows cpu_cpu <<Y
columns: {cpu: text, idle: ratio, iowait: ratio, steal: ratio}
windows:
- seconds: 1
  rows:
  - [all, $(echo "1 $1 $3" | awk '{ print $1 - $2 - $3 }'), $3, $2]
  - [0, 0, 0, $2]
  - [1, 0, 0, $2]
Y
	rows cpu_system <<Y
columns: {running: number, forks: count}
windows: [{seconds: 1, rows: [[$4, 3]]}]
Y
	rows cpu_pressure <<Y
columns: {resource: text, some: ratio}
windows: [{seconds: 1, rows: [[cpu, $5]]}]
Y
	logged
}

# logged [RESOURCE INSTANCE KIND TEXT]: what the kernel's log says.
logged() {
	rows log <<Y
columns: {resource: text, instance: text, disk: text, kind: text, severity: text, text: text, pid: uint, comm: text, cgroup: text}
windows: [{seconds: 1, rows: [${4:+[$1, $2, $2, $3, error, \"$4\", ~, ~, ~]}]}]
Y
}

cpu 0.2 0 0 1 0.01
shipped
check "a CPU that is idle is accused of nothing" is "found == [] and r[0]['state'] == 'ok'"
cpu 0.99 0 0 2 0.05
shipped
check "nor one that is busy, without a queue" is "found == [] and r[0]['state'] == 'busy'"
cpu 0.05 0 0.95 0 0.01
shipped
check "waiting for devices is idle time" is "found == [] and abs(r[0]['utilization'] - 0.05) < 1e-9"
cpu 0.99 0 0 9 0.9
shipped
check "a queue is where time is lost" is "found == [('cpu', None, 'saturation')]"
cpu 0.99 0.4 0 9 0.9
shipped
check "what the hypervisor took is told as such" is \
	"found == [('cpu', None, 'saturation')] and 'hypervisor took 40 %' in f[0]['summary']"
cpu 0.2 0 0 1 0.01
logged cpu CPU3 machine_check "mce: [Hardware Error]: Machine check events logged"
shipped
check "a machine check is an error of the CPU" is \
	"found == [('cpu', None, 'errors')] and 'Hardware Error' in f[0]['summary']"
logged memory mc0 ecc_corrected "EDAC MC0: 1 CE memory read error"
rows mem_usage <<'Y'
columns: {kind: text, used: bytes, total: bytes, available: bytes}
windows: [{seconds: 1, rows: [[memory, 900, 1000, 700]]}]
Y
shipped
check "memory that had to be corrected, of memory" is "found == [('memory', None, 'errors')]"
rm "$tap_dir/mem_usage.rows"

# Disks: each row is util, queue, requests and their wait; the share of the time that tasks stalled.
disk() {
	logged
	rows disks <<Y
columns: {disk: text, util: ratio, queue: number, reads: count, writes: count, flushes: count, read_bytes: bytes, write_bytes: bytes, read_wait: ns, write_wait: ns, flush_wait: ns}
windows: [{seconds: 1, rows: [[sdz, $1, $2, $3, 0, 0, 4096, 0, $4, 0, 0]]}]
Y
	rows mem_pressure <<Y
columns: {resource: text, some: ratio}
windows: [{seconds: 1, rows: [[io, $5], [memory, 0]]}]
Y
	waits </dev/null
}
cpu 0.2 0 0 1 0.01
disk 1 0.9 50000 18000 0.7
shipped
check "a fast disk in use all the time, without slow requests, is no bottleneck" is \
	"found == [] and [x['state'] for x in r if x['instance'] == 'sdz'] == ['busy']"
disk 1 8 200 38000000 0.7
shipped
check "slow requests that tasks wait for are" is "found == [('disk', 'sdz', 'saturation')]"
disk 1 8 200 38000000 0.01
shipped
check "but not those that nobody waits for" is "found == []"
rows requests <<'Y'
columns: {disk: text, op: text, errors: count, device: histogram}
windows: [{seconds: 1, rows: [[sdz, read, 0, "1200000*100 75000000*100"], [other, read, 0, "5000000*100"]]}]
Y
disk 1 8 200 38000000 0.7
shipped
check "an average between two humps describes no request: both are told" is \
	"re.search('in humps around 1.[12] ms and 7[0-9] ms', f[0]['summary'])"
rows requests <<'Y'
columns: {disk: text, op: text, errors: count, device: histogram}
windows: [{seconds: 1, rows: [[sdz, read, 0, "38000000*200"], [sdz, driver, 9, "38000000*9"]]}]
Y
shipped
check "of one hump there is no word" is "found == [('disk', 'sdz', 'saturation')] and 'hump' not in f[0]['summary']"
check "a command that a program sends a disk may fail: that is no error of it" is \
	"[x['errors'] for x in r if x['instance'] == 'sdz'] == [0]"
rows requests <<'Y'
columns: {disk: text, op: text, errors: count, device: histogram}
windows: [{seconds: 1, rows: [[sdz, write, 7, "1000*9"]]}]
Y
disk 1 8 200 1000 0
shipped
check "requests that fail are an error, though the log tells of none" is \
	"found == [('disk', 'sdz', 'errors')] and '7 requests failed' in f[0]['summary']"
logged disk sdz io_error "critical space allocation error, dev sdz, sector 1"
shipped
check "with what the log tells, where it does" is \
	"found == [('disk', 'sdz', 'errors')] and re.search('1 in the kernel.*, 7 requests failed: critical', f[0]['summary'])"
rm "$tap_dir/requests.rows"

# Memory of 1000 bytes: AVAILABLE of it, the share of the time that tasks stalled, pages SWAPPED.
memory() {
	rows mem_usage <<Y
columns: {kind: text, used: bytes, total: bytes, available: bytes}
windows: [{seconds: 1, rows: [[memory, 980, 1000, $1], [swap, 990, 1000, ~]]}]
Y
	rows mem_pressure <<Y
columns: {resource: text, some: ratio, full: ratio}
windows: [{seconds: 1, rows: [[memory, $2, 0]]}]
Y
	rows mem_rates <<Y
columns: {swap_in: count, swap_out: count, scan_direct: count, oom_kills: count}
windows: [{seconds: 1, rows: [[$3, $3, 0, 0]]}]
Y
}
rm "$tap_dir/disks.rows"
memory 400 0.01 0
shipped
check "memory that is in use is no shortage of it, nor is swap that was filled once" is "found == []"
memory 20 0.01 5000
shipped
check "nor are pages that are swapped, while nobody waits for them" is "found == []"
memory 20 0.6 5000
shipped
check "who waits for pages lacks memory" is \
	"found == [('memory', None, 'saturation')] and abs(f[0]['cost_s'] - 0.6) < 1e-6"
memory 20 0.6 0
shipped
check "but not where nothing was swapped or looked for" is "found == []"
rm "$tap_dir/mem_usage.rows" "$tap_dir/mem_rates.rows"

# The load is 40, of which 39 tasks wait for a server of files: no CPU is lacking.
rows cpu_system <<'Y'
columns: {running: number, forks: count, load1: number, blocked: number, uninterruptible: number}
windows: [{seconds: 1, rows: [[1, 3, 40, 39, 39]]}]
Y
shipped
check "a load of tasks that stand still is no lack of CPUs" is "found == [] and r[0]['state'] == 'ok'"
# Of the whole machine, "full" is always 0 on a CPU.
cpu 0.99 0 0 9 0.9
rows cpu_pressure <<'Y'
columns: {resource: text, some: ratio, full: ratio}
windows: [{seconds: 1, rows: [[cpu, 0.9, 0]]}]
Y
shipped
check "pressure on CPUs is that of some tasks" is "found == [('cpu', None, 'saturation')]"

# Two processes of four threads each: how long one waited for locks, in ns of 5 s.
locks() {
	waits <<Y
10, locked, user, ~, 20000000000, 500000000, 0, 0, 0, 0, 0, 0, ~, $1, 4
11, other, user, ~, 20000000000, 500000000, 0, 0, 0, 0, 0, 0, ~, 5000000, 4
Y
}
rm "$tap_dir/mem_pressure.rows"
cpu 0.2 0 0 1 0.01
locks 15000000000
shipped
check "threads that wait for a lock with idle CPUs lack no resource" is \
	"found == [('software', None, 'saturation')] and [x['comm'] for x in f[0]['victims']] == ['locked']"
check "which costs what they waited, and is looked at off-CPU" is \
	"abs(f[0]['cost_s'] - 15.005) < 1e-6 and f[0]['next'][0] == 'weir offcpu --pid 10'"
locks 2500000000
shipped
check "a lock that is free half of the time is none" is "found == []"
cpu 0.99 0 0 9 0.9
locks 15000000000
shipped
check "with busy CPUs it is these that hold up who has the lock" is "found == [('cpu', None, 'saturation')]"

# Who runs all the time, with the CPUs half idle, and with both of them busy.
waits <<'Y'
10, hot, user, ~, 5000000000, 4900000000, 0, 0, 0, 0, 0, 0, ~
Y
cpu 0.52 0 0 1 0.01
shipped
check "a thread that never stops is a limit that no further CPU lifts" is \
	"found == [('cpu', None, 'limit')] and [(x['comm'], round(x['value'], 2)) for x in f[0]['causes']] == [('hot', 0.98)]"
cpu 0.98 0 0 2 0.05
shipped
check "but not where all CPUs have work" is "found == []"
waits <<'Y'
10, warm, user, ~, 5000000000, 3000000000, 0, 0, 0, 0, 0, 0, ~
12, brief, user, ~, 1000000, 1000000, 0, 0, 0, 0, 0, 0, ~
11, warm, user, ~, 5000000000, 2900000000, 0, 0, 0, 0, 0, 0, ~
Y
cpu 0.6 0 0 1 0.01
shipped
check "nor are two threads that rest in between, or one that was there for a moment" is "found == []"
finish
