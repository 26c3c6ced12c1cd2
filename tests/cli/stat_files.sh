#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# disk.stat, net.stat, net.tcp, mem.stat and cpu.stat over trees of files made by hand: what comes,
# goes, goes back, is missing or cannot be read. Usage: stat_files.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/golden/peer.sh"
weir=$build/weir

# row PYTHON: an expression over rows, the list of what was printed, is true.
row() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
if not eval(sys.argv[2]):
    sys.exit("not so: " + sys.argv[2] + "\n" + "\n".join(map(str, rows)))' "$tap_dir/rows" "$1"
}

# window PIPELINE ARGUMENTS...: its rows of the window between the trees.
window() {
	weir_run "$tap_dir/rows" "$@"
}

echo '1000.00 0' | tree_file one proc/uptime
echo '1002.00 0' | tree_file two proc/uptime

# disks TREE: /proc/diskstats comes on stdin.
disks() {
	tree_file "$1" proc/diskstats
}

disks one <<'END'
   8       0 sda 100 0 800 50 0 0 0 0 0 50 50
   8      16 sdb 100 0 800 50 0 0 0 0 0 50 50 0 0 0 0
   8      32 sdc 5000 0 40000 50 0 0 0 0 0 50 50 0 0 0 0
   7       0 loop0 1000 0 8000 50 0 0 0 0 0 50 50 0 0 0 0
   8      48 sdd 7 0 56 1 0 0 0 0 0 1 1 0 0 0 0
END
disks two <<'END'
   8       0 sda 110 0 880 90 0 0 0 0 0 70 90
   8      16 sdb 100 0 800 50 0 0 0 0 3 2050 6050 0 0 0 0
   8      32 sdc 4000 0 32000 50 0 0 0 0 0 50 50 0 0 0 0
   7       0 loop0 1001 0 8008 50 0 0 0 0 0 50 50 0 0 0 0
   8      64 sde 4 0 32 1 0 0 0 0 0 1 1 0 0 0 0
END
check "disks are read" window iostat
check "old kernels count no discards: absent, not 0" row \
	'[(r["reads"], r["read_wait"], r["discards"], r["flushes"]) for r in rows if r["disk"] == "sda"] == [(10, 4000000, None, None)]'
check "a disk on which requests hang is no idle one" row \
	'[(r["in_flight"], r["util"], r["queue"]) for r in rows if r["disk"] == "sdb"] == [(3, 1, 3)]'
check "counters that went back give no numbers" row \
	'[(r["note"], r["reads"], r["util"]) for r in rows if r["disk"] == "sdc"] == [("counters went back", None, None)]'
check "a disk that came is counted from 0, one that went is told" row \
	'[(r["disk"], r["note"], r["reads"]) for r in rows if r["disk"] in ("sdd", "sde")] == [("sde", "new", 4), ("sdd", "gone", None)]'
check "such a window is marked" row 'all(r["gap"] for r in rows)'
check "without a sysfs nothing is known of media" row \
	'[(r["note"], r["reads"]) for r in rows if r["disk"] == "loop0"] == [(None, 1)]'

for tree in one two; do
	for disk in sda sdb sdc loop0; do
		echo 5 | tree_file $tree sys/block/$disk/diskseq
	done
done
echo 6 | tree_file two sys/block/loop0/diskseq
echo 6 | tree_file two sys/block/sda/diskseq
check "disks with diskseq are read" window iostat
check "a loop device with another file goes on counting" row \
	'[(r["note"], r["reads"]) for r in rows if r["disk"] == "loop0"] == [("new medium", 1)]'
check "another disk of the same name is another disk" row \
	'[(r["note"], r["reads"], r["diskseq"]) for r in rows if r["disk"] == "sda"] == [("gone", None, 5), ("new", 110, 6)]'
check "what is no folder of sys/block is a partition" row 'not [r for r in rows if r["disk"] == "sde"]'
check "disks are read by name" window iostat --disk sde,sdb
check "only those that were named are told" row '[r["disk"] for r in rows] == ["sdb", "sde"]'
# Two that did nothing, of which one is a device.
for tree in one two; do
	disks $tree <<'END'
   8      16 sdb 100 0 800 50 0 0 0 0 0 50 50 0 0 0 0
   7       0 loop0 1000 0 8000 50 0 0 0 0 0 50 50 0 0 0 0
END
	echo 5 | tree_file $tree sys/block/loop0/diskseq
	echo none | tree_file $tree sys/block/sdb/device/state
done
cat >"$tap_dir/devices.yaml" <<'Y'
# Which disks are there?
weir: 1
params: {interval: {type: duration, default: 1s}}
sources: {disks: {plugin: disk.stat, idle_devices: yes, interval: "${interval}"}}
sinks: {out: {plugin: "${format}", inputs: [disks]}}
Y
check "disks that do nothing are read" window iostat
check "and left out" row 'rows == []'
check "devices among them are read" window "$tap_dir/devices.yaml"
check "and told where that is asked for, with zeros" row \
	'[(r["disk"], r["reads"], r["util"]) for r in rows] == [("sdb", 0, 0)]'
for line in '8 0 sda 1 2 3' '8 0' '8 0 sda a b c d e f g h i j k' '8 0 sda -1 0 0 0 0 0 0 0 0 0 0' \
	'8 0 a-name-that-is-longer-than-any-that-linux-has 0 0 0 0 0 0 0 0 0 0 0'; do
	echo "$line" | disks one
	tree_show one
	check "disk.stat refuses \"$line\"" status 1 timeout 60 "$weir" iostat --root "$peer_root" --count 1
done

# interfaces TREE: the lines of /proc/net/dev come on stdin. A second namespace is that of pid 77.
head='Inter-|   Receive  |  Transmit
 face |bytes    packets'
interfaces() {
	{
		echo "$head"
		cat
	} | tree_file "$1" "${2:-proc/net/dev}"
}
interfaces one <<'END'
    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0
  eth0: 100 10 0 0 0 0 0 0 100 10 0 0 0 0 0 0
  eth1: 100 10 0 0 0 0 0 0 100 10 0 0 0 0 0 0
  eth2: 900 90 0 0 0 0 0 0 100 10 0 0 0 0 0 0
  eth3: 100 10 0 0 0 0 0 0 100 10 0 0 0 0 0 0
  eth5: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0
  eth6: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0
END
interfaces two <<'END'
    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0
  eth0: 250000100 30 3 4 0 0 0 0 500 12 2 1 0 0 0 0
  eth1: 700 70 0 0 0 0 0 0 100 10 0 0 0 0 0 0
  eth2: 100 10 0 0 0 0 0 0 100 10 0 0 0 0 0 0
  eth4: 300 30 0 0 0 0 0 0 100 10 0 0 0 0 0 0
  eth5: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0
  eth6: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0
END
for tree in one two; do
	for device in "eth5 up" "eth6 down"; do
		echo "${device#* }" | tree_file $tree "sys/class/net/${device% *}/operstate"
		echo 0x1af4 | tree_file $tree "sys/class/net/${device% *}/device/vendor"
	done
	echo 1000 | tree_file $tree sys/class/net/eth0/speed
	echo up | tree_file $tree sys/class/net/eth0/operstate
	echo 3 | tree_file $tree sys/class/net/eth1/ifindex
done
echo 9 | tree_file two sys/class/net/eth1/ifindex
echo 5 | tree_file one sys/class/net/eth0/statistics/rx_missed_errors
echo 7 | tree_file two sys/class/net/eth0/statistics/rx_missed_errors
check "interfaces are read" window netdev
check "utilization is of the link's speed" row \
	'[(r["util"], r["speed"], r["state"]) for r in rows if r["interface"] == "eth0"] == [(1, 1000, "up")]'
check "errors and drops are those of both directions" row \
	'[(r["errors"], r["drops"], r["rx_missed"]) for r in rows if r["interface"] == "eth0"] == [(5, 5, 2)]'
check "an interface of another index is another one" row \
	'[(r["note"], r["rx_packets"]) for r in rows if r["interface"] == "eth1"] == [("gone", None), ("new", 70)]'
check "counters that went back give no numbers" row \
	'[(r["note"], r["rx_bytes"]) for r in rows if r["interface"] == "eth2"] == [("counters went back", None)]'
check "what came and what went is told" row \
	'[(r["interface"], r["note"], r["rx_packets"]) for r in rows if r["interface"] in ("eth3", "eth4")] == [("eth4", "new", 30), ("eth3", "gone", None)]'
check "an idle interface is left out" row '"lo" not in [r["interface"] for r in rows]'
sed 's/disk.stat/net.stat/; s/\[disks\]/[disks.interfaces]/' "$tap_dir/devices.yaml" >"$tap_dir/links.yaml"
check "devices among idle ones are read" window "$tap_dir/links.yaml"
check "and told where that is asked for, unless their link is down" row \
	'[(r["interface"], r["rx_bytes"]) for r in rows if r["interface"] in ("lo", "eth5", "eth6")] == [("eth5", 0)]'

# Namespaces are those of processes: 1 is in the one of the tree's files, 77 and 78 in another one.
for tree in one two; do
	for pid in 1 77 78; do
		mkdir -p "$tap_dir/$tree/proc/$pid/ns" "$peer_root/proc/$pid/ns"
		echo "task$pid" | tree_file $tree proc/$pid/comm
	done
done
ln -sf 'net:[1000]' "$peer_root/proc/1/ns/net"
ln -sf 'net:[2000]' "$peer_root/proc/77/ns/net"
ln -sf 'net:[2000]' "$peer_root/proc/78/ns/net"
echo '  eth0: 100 10 0 0 0 0 0 0 100 10 0 0 0 0 0 0' | interfaces one proc/77/net/dev
echo '  eth0: 100 11 0 0 0 0 0 0 100 15 0 0 0 0 0 0' | interfaces two proc/77/net/dev
for tree in one two; do
	cp -r "$tap_dir/$tree/proc/77/net" "$tap_dir/$tree/proc/78/"
done
check "namespaces are read" window netdev --interface eth0
check "each namespace has its own counters, once" row \
	'sorted((r["netns"], r["comm"] is not None, r["tx_packets"]) for r in rows) == [(1000, False, 2), (2000, True, 5)]'

# softnet TREE NUMBERS: of CPU 3, in hexadecimal; and its backlog.
for tree in one two; do
	[ $tree = one ] && n=0000000f m=fffffffe || n=00000011 m=00000001
	printf '%s %s 0000000a 0 0 0 0 0 0 00000000 00000000 00000007 00000003 0 0\n' $n $m |
		tree_file $tree proc/net/softnet_stat
done
cat >"$tap_dir/softnet.yaml" <<'END'
# What did CPUs do with packets?
weir: 1
params:
  interval: {type: duration, default: 1s, help: length of a window}
sources:
  net: {plugin: net.stat, interval: "${interval}"}
sinks:
  out: {plugin: "${format}", inputs: [net.softnet]}
END
check "softnet_stat is read" window "$tap_dir/softnet.yaml"
check "it is hexadecimal, by CPU number, and turns over at 32 bits" row \
	'[(r["cpu"], r["processed"], r["dropped"], r["squeezed"], r["backlog"]) for r in rows] == [(3, 2, 3, 0, 7)]'

# tcp TREE OUT RETRANS: with counters of UDP over IPv6 in a file of their own.
tcp() {
	printf 'Tcp: MaxConn OutSegs RetransSegs\nTcp: -1 %s %s\nUdp: RcvbufErrors\nUdp: %s\n' "$2" "$3" "$3" |
		tree_file "$1" proc/net/snmp
	printf 'Udp6RcvbufErrors\t%s\n' "$2" | tree_file "$1" proc/net/snmp6
	printf 'sockets: used 9\nTCP: inuse 3 orphan 0 tw 4 alloc 5 mem 1\n' | tree_file "$1" proc/net/sockstat
	printf 'TCP6: inuse 2\n' | tree_file "$1" proc/net/sockstat6
}
tcp one 100 5
tcp two 200 9
check "counters of TCP are read" window tcpstat
check "the share that was sent again is told" row 'rows[0]["retransmitted"] == 0.04'
check "what IPv6 counts apart is added" row '(rows[0]["udp_receive_full"], rows[0]["tcp_sockets"]) == (104, 5)'
check "what no file tells is absent" row \
	'[rows[0][n] for n in ("listen_overflows", "active_opens", "orphans", "ports_used")] == [None, None, 0, None]'
tcp two 50 9
check "counters of TCP that go back are read" window tcpstat
check "they give no number, and a mark" row '(rows[0]["out_segments"], rows[0]["gap"]) == (None, True)'

# Sockets, as the kernel writes them: a listener with 5 that wait, one of IPv6 with none, a connection; a
# socket of UDP that lost datagrams, one that has only some to be read, and one that did nothing.
sockets='sl local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode'
for tree in one two; do
	[ $tree = one ] && lost=7 || lost=107
	tree_file $tree proc/net/tcp <<END
  $sockets
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000005 00:00000000 00000000  1000        0 4001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:A000 01 00000000:00000009 00:00000000 00000000  1000        0 4002 1 0000000000000000 20 4 30 10 -1
END
	tree_file $tree proc/net/tcp6 <<END
  $sockets
   0: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4003 1 0000000000000000 100 0 0 10 0
END
	tree_file $tree proc/net/udp <<END
  $sockets ref pointer drops
  100: 00000000:0035 00000000:0000 07 00000000:00000300 00:00000000 00000000   101        0 4004 2 0000000000000000 $lost
  101: 00000000:0044 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4005 2 0000000000000000 3
  102: 00000000:0045 00000000:0000 07 00000000:00000200 00:00000000 00000000     0        0 4006 2 0000000000000000 3
END
	echo named | tree_file $tree proc/4711/comm
done
mkdir -p "$peer_root/proc/4711/fd"
ln -s 'socket:[4004]' "$peer_root/proc/4711/fd/3"
ln -s 'socket:[4001]' "$peer_root/proc/4711/fd/4"
ln -s 'socket:[4003]' "$peer_root/proc/4711/fd/5"
check "listeners of a recorded tree are read" window listeners
check "with what they tell, and with their owners; limits and drops are not told" row \
	'[(r["laddr"], r["lport"], r["queue"], r["limit"], r["drops"], r["uid"], r["pid"], r["comm"]) for r in rows] == [("127.0.0.1", 8080, 5, None, None, 1000, 4711, "named"), ("::1", 22, 0, None, None, 0, 4711, "named")]'
cat >"$tap_dir/troubled.yaml" <<'END'
# Whose are the listeners that do not accept?
weir: 1
params:
  interval: {type: duration, default: 1s, help: length of a window}
sources:
  tcp: {plugin: net.tcp, interval: "${interval}", owners: troubled}
sinks:
  out: {plugin: "${format}", inputs: [tcp.listeners]}
END
check "owners only of those in trouble are read" window "$tap_dir/troubled.yaml"
check "of the others they are not known" row \
	'[(r["lport"], r["comm"]) for r in rows] == [(8080, "named"), (22, None)]'
check "sockets of UDP are read" window udp
check "those that lost datagrams, or have some to be read, and whose they are" row \
	'[(r["laddr"], r["lport"], r["queue"], r["drops"], r["comm"]) for r in rows] == [("0.0.0.0", 53, 768, 100, "named"), ("0.0.0.0", 69, 512, 0, None)]'
check "all of them are read where that is asked for" window udp --idle
check "then the one that did nothing is told, too" row '[r["lport"] for r in rows] == [53, 68, 69]'
printf ' %s\n 0: 0100:1F90 x\n' "$sockets" | tree_file one proc/net/tcp
tree_show one
check "a line of sockets that cannot be read is an error" \
	status 1 timeout 60 "$weir" listeners --root "$peer_root" --count 1
rm "$tap_dir/one/proc/net/tcp"

printf 'Tcp: OutSegs RetransSegs\nTcp: 1\n' | tree_file one proc/net/snmp
tree_show one
check "net.tcp refuses fewer numbers than names" \
	status 1 timeout 60 "$weir" tcpstat --root "$peer_root" --count 1

# Memory: a kernel with a line for each zone; PSI of I/O is missing, and none of it harms the rest.
for tree in one two; do
	printf 'MemTotal: 10 kB\nMemFree: 1 kB\nBuffers: 1 kB\nCached: 1 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n' |
		tree_file $tree proc/meminfo
done
tree_file one proc/vmstat <<'END'
pgpgin 10
pswpin 3
pgscan_kswapd_dma 1
pgscan_kswapd_normal 10
pgscan_direct 100
pgscan_direct_throttle 5000
pgsteal_kswapd 5
pgsteal_direct 5
oom_kill 1
END
tree_file two proc/vmstat <<'END'
pgpgin 14
pswpin 2
pgscan_kswapd_dma 2
pgscan_kswapd_normal 20
pgscan_direct 109
pgscan_direct_throttle 9000
pgsteal_kswapd 10
pgsteal_direct 10
oom_kill 3
END
for resource in cpu memory; do
	printf 'some avg10=9.00 avg60=9.00 avg300=9.00 total=1000000\n' | tree_file one proc/pressure/$resource
done
printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n' |
	tree_file two proc/pressure/cpu
printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=9999999\n' | tree_file two proc/pressure/memory
cat >"$tap_dir/memory.yaml" <<'END'
# What happens to the memory?
weir: 1
params:
  interval: {type: duration, default: 1s, help: length of a window}
sources:
  memory: {plugin: mem.stat, interval: "${interval}"}
sinks:
  out: {plugin: "${format}", inputs: [memory.rates, memory.pressure]}
END
# The first report of mem.stat is of the memory itself.
check "paging is read" window "$tap_dir/memory.yaml" --count 2
check "lines of zones are added up, and others like them not" row \
	'[(r["page_in"], r["scan_kswapd"], r["scan_direct"], r["efficiency"], r["oom_kills"]) for r in rows if "faults" in r] == [(4096, 11, 9, 0.5, 2)]'
check "what went back or is not there is absent" row \
	'[(r["swap_in"], r["faults"], r["gap"]) for r in rows if "faults" in r] == [(None, None, True)]'
check "pressure is of the totals, the whole window at most; a missing file has no row" row \
	'[(r["resource"], r["some"], r["full"]) for r in rows if "some" in r] == [("memory", 1, None)]'

# Processes that sleep: one holds half of the memory, 5000 kB of 10000, the other one a hundredth.
sleeper() {
	printf '%s (%s) S 1 1 1 0 -1 4194560 9 0 9 0 9 9 0 0 20 0 1 0 500 81920000 %s' "$2" "$3" "$4"
	printf ' 0%.0s' $(seq 28)
	echo
}
for tree in one two; do
	sleeper $tree 90 holder 1250 | tree_file $tree proc/90/stat
	sleeper $tree 91 small 25 | tree_file $tree proc/91/stat
	printf 'MemTotal: 10000 kB\n' | tree_file $tree proc/meminfo
done
cat >"$tap_dir/holds.yaml" <<'END'
# Who does something, or holds memory?
weir: 1
params:
  interval: {type: duration, default: 1s, help: length of a window}
  all:      {type: bool, default: no, help: also who does nothing}
sources:
  tasks: {plugin: cpu.process, interval: "${interval}", show: [memory], all: "${all}", holds: 10%}
sinks:
  out: {plugin: "${format}", inputs: [tasks]}
END
check "processes that sleep are read" window "$tap_dir/holds.yaml"
check "the one that holds much is told" row '[(r["comm"], r["mem"]) for r in rows] == [("holder", 0.5)]'
check "all processes are read" window "$tap_dir/holds.yaml" --all
check "then the other one is told, too" row '[r["comm"] for r in rows] == ["holder", "small"]'
for tree in one two; do
	rm -r "$tap_dir/$tree/proc/90" "$tap_dir/$tree/proc/91"
done

# CPUs: tasks that wait, tasks that nothing may wake.
for tree in one two; do
	[ $tree = one ] && user=1 || user=101
	printf 'cpu 1 1 1 1\ncpu0 %s 0 0 100 0 0 0 0 0 0\ncpu1 1 0 0 %s 0 0 0 0 0 0\n' $user $user >"$tap_dir/cpus"
	printf 'intr 1\nctxt 1\nprocesses 1\nprocs_running 4\nprocs_blocked 1\n' |
		cat "$tap_dir/cpus" - | tree_file $tree proc/stat
	echo '3.00 2.00 1.00 4/100 99' | tree_file $tree proc/loadavg
	printf '77 (a) R 1 (b) D 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 5\n' | tree_file $tree proc/77/stat
	printf '78 (two\nlines) S 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 2 0 5\n' | tree_file $tree proc/78/stat
	printf '78 (x) S 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 2 0 5\n' | tree_file $tree proc/78/task/78/stat
	printf '79 (x) D 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 2 0 5\n' | tree_file $tree proc/78/task/79/stat
done
printf 'version 15\ncpu0 0 0 0 0 0 0 1 1000 9\ndomain0 1 2\ncpu1 0 0 0 0 0 0 1 5 9\n' | tree_file one proc/schedstat
printf 'version 15\ncpu0 0 0 0 0 0 0 1 3000001000 9\ndomain0 1 2\ncpu1 0 0 0 0 0 0 1 1000000005 9\n' |
	tree_file two proc/schedstat
cat >"$tap_dir/cpus.yaml" <<'END'
# What do the CPUs do?
weir: 1
params:
  interval: {type: duration, default: 1s, help: length of a window}
sources:
  cpu: {plugin: cpu.stat, interval: "${interval}"}
sinks:
  out: {plugin: "${format}", inputs: [cpu, cpu.system, cpu.pressure]}
END
check "CPUs are read" window "$tap_dir/cpus.yaml"
check "tasks that waited for a CPU are counted by what they waited" row \
	'[r["waiting"] for r in rows if "idle" in r] == [2, 1.5, 0.5]'
check "tasks that nothing may wake are told apart in the load, threads too, whatever their names" row \
	'[(r["load1"], r["running"], r["uninterruptible"]) for r in rows if "load1" in r] == [(3, 4, 2)]'
check "pressure on the CPU is \"some\" only: \"full\" of a whole machine says nothing" row \
	'[(r["resource"], r["some"], r["full"]) for r in rows if "some" in r] == [("cpu", 0.25, None)]'
finish
