#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The columns that people know from sysstat and procps, from the same two samples as theirs, to the
# last digit that they print. Usage: sysstat.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/golden/peer.sh"
weir=$build/weir
sadc=/usr/lib/sysstat/sadc

if [ "$(id -u)" != 0 ]; then
	skip "iostat, mpstat, vmstat and sar say the same" "chroot needs root"
	finish
fi
if ! peer_program iostat mpstat vmstat sar $sadc; then
	skip "iostat, mpstat, vmstat and sar say the same" "sysstat or procps is not installed"
	finish
fi
mkdir -p "$peer_root/tmp" "$peer_root/dev"

# clock ONE TWO: what the trees' clocks say.
clock() {
	echo "$1 2000.00" | tree_file one proc/uptime
	echo "$2 2000.00" | tree_file two proc/uptime
}
# An odd length, so that rates are no round numbers.
clock 1000.25 1003.32

# Disks that work, one that sleeps, a partition, one whose times turn over at 32 bits, one that says
# that it was busy for longer than there was time, and one that took another one's name.
tree_file one proc/diskstats <<'END'
   8       0 sda 1000 10 80000 5000 2000 20 160000 9000 0 10000 14060 10 1 800 5 30 60
   8       1 sda1 900 10 70000 4000 2000 20 160000 9000 0 9000 13000 0 0 0 0 0 0
 254       0 vda 4294967290 7 123456789012 4294967290 77 0 616 99 3 5555 4294967200 0 0 0 0 0 0
   8      16 sdb 5 0 40 1 0 0 0 0 0 1 1 0 0 0 0 0 0
 254      16 vdb 100 0 800 5 0 0 0 0 0 1000 5 0 0 0 0 0 0
 252       0 zram0 0 0 0 0 10 0 80 1 0 1 1 0 0 0 0 0 0
END
tree_file two proc/diskstats <<'END'
   8       0 sda 1618 17 438880 28613 2027 83 161233 9111 2 12987 46197 13 2 1312 12 37 333
   8       1 sda1 1400 17 300000 9000 2027 83 161233 9111 2 11000 20000 0 0 0 0 0 0
 254       0 vda 4294967393 7 123456789999 211 177 3 1417 199 1 7777 304 7 0 56 1 2 9
   8      16 sdb 5 0 40 1 0 0 0 0 0 1 1 0 0 0 0 0 0
 254      16 vdb 102 0 816 7 0 0 0 0 0 5700 7 0 0 0 0 0 0
 252       0 zram0 0 0 0 0 500 0 4000 40 0 40 41 0 0 0 0 0 0
END
# iostat takes a disk's own file.
for tree in one two; do
	for disk in sda vda sdb vdb zram0; do
		echo 7 | tree_file $tree sys/block/$disk/diskseq
		awk -v disk=$disk '$3 == disk {$1 = $2 = $3 = ""; print}' "$tap_dir/$tree/proc/diskstats" |
			tree_file $tree sys/block/$disk/stat
	done
done
echo 8 | tree_file two sys/block/zram0/diskseq

tree_file one proc/stat <<'END'
cpu  300 40 170 4000 600 9 21 13 11 3
cpu0 100 20 50 2000 500 4 11 6 5 3
cpu1 200 20 120 2000 100 5 10 7 6 0
intr 1000 1 2
ctxt 50000
btime 1700000000
processes 500
procs_running 3
procs_blocked 1
softirq 0
END
tree_file two proc/stat <<'END'
cpu  511 52 235 4200 689 17 35 26 19 6
cpu0 187 31 83 2051 588 9 19 14 9 6
cpu1 324 21 152 2149 101 8 16 12 10 0
intr 2345 1 2
ctxt 61234
btime 1700000000
processes 511
procs_running 5
procs_blocked 2
softirq 0
END
for tree in one two; do
	echo '1.00 0.50 0.25 1/100 4242' | tree_file $tree proc/loadavg
	echo 0-1 | tree_file $tree sys/devices/system/cpu/online
	for cpu in 0 1; do
		echo 1 | tree_file $tree sys/devices/system/cpu/cpu$cpu/online
	done
	printf 'processor: 0\ncore id: 0\n\nprocessor: 1\ncore id: 1\n' | tree_file $tree proc/cpuinfo
	tree_file $tree proc/meminfo <<'END'
MemTotal:       8000000 kB
MemFree:        1234567 kB
MemAvailable:   4000000 kB
Buffers:          65432 kB
Cached:         2345678 kB
SwapCached:           0 kB
Shmem:             1000 kB
SReclaimable:     98765 kB
SwapTotal:      2000000 kB
SwapFree:       1500001 kB
END
done
tree_file one proc/vmstat <<'END'
pgpgin 1000
pgpgout 2000
pswpin 10
pswpout 20
END
tree_file two proc/vmstat <<'END'
pgpgin 13345
pgpgout 2999
pswpin 47
pswpout 120
END

tree_file one proc/net/dev <<'END'
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 1000 10 0 0 0 0 0 0 1000 10 0 0 0 0 0 0
  eth0: 123456789 100000 1 2 3 4 5 6 987654321 200000 7 8 9 10 11 12
  eth1: 5000 50 0 0 0 0 0 0 6000 60 0 0 0 0 0 0
END
tree_file two proc/net/dev <<'END'
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 1000 10 0 0 0 0 0 0 1000 10 0 0 0 0 0 0
  eth0: 223456789 187654 4 9 4 11 6 19 1187654321 387654 8 10 16 11 14 13
  eth1: 75000 97 0 0 0 0 0 0 96000 81 0 0 0 0 0 0
END
for tree in one two; do
	echo 1000 | tree_file $tree sys/class/net/eth0/speed
	echo full | tree_file $tree sys/class/net/eth0/duplex
	echo -1 | tree_file $tree sys/class/net/eth1/speed
done

# snmp TREE "TCP NUMBERS"
snmp() {
	tree_file "$1" proc/net/snmp <<END
Ip: Forwarding DefaultTTL InReceives
Ip: 1 64 10
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors
Tcp: 1 200 120000 -1 $2
END
}
snmp one '10 20 1 2 5 1000 2000 3 4 5 0'
snmp two '21 37 3 7 6 31234 42001 120 11 9 0'

# same_as KIND PEER-OUTPUT WEIR-OUTPUT KEY...
same_as() {
	python3 "$source/tests/golden/sysstat.py" "$@"
}

# row FILE PYTHON: an expression over rows is true.
row() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
if not eval(sys.argv[2]):
    sys.exit("not so: " + sys.argv[2] + "\n" + "\n".join(map(str, rows)))' "$tap_dir/$1" "$2"
}

check "iostat runs" peer_run "$tap_dir/iostat" iostat -xz -o JSON 600 2
check "weir iostat runs" weir_run "$tap_dir/disks" iostat
check "iostat -xz says the same, but for a disk that was replaced" \
	same_as iostat "$tap_dir/iostat" "$tap_dir/disks" zram0
check "the 500 requests of the disk that took another one's place are counted, not 490" \
	row disks '[(r["note"], r["writes"]) for r in rows if r["disk"] == "zram0"] == [("gone", None), ("new", 500)]'
check "utilization is cut at 100 %, and a counter that cannot be true is named" \
	row disks '[(r["util"], r["util_raw"] > 1.5, r["note"]) for r in rows if r["disk"] == "vdb"] == [(1, True, "busy time unreliable")]'

check "mpstat runs" peer_run "$tap_dir/mpstat" mpstat -P ALL -o JSON 600 1
check "weir mpstat runs" weir_run "$tap_dir/cpus" mpstat
check "mpstat says the same" same_as mpstat "$tap_dir/mpstat" "$tap_dir/cpus"

check "sar runs" peer_run "$tap_dir/sar" sar -n DEV,EDEV,TCP,ETCP 600 1
check "weir netdev runs" weir_run "$tap_dir/interfaces" netdev --idle
check "weir tcpstat runs" weir_run "$tap_dir/tcp" tcpstat
check "sar -n DEV says the same" same_as dev "$tap_dir/sar" "$tap_dir/interfaces"
check "sar -n EDEV says the same" same_as edev "$tap_dir/sar" "$tap_dir/interfaces"
check "sar -n TCP says the same" same_as tcp "$tap_dir/sar" "$tap_dir/tcp"
check "sar -n ETCP says the same" same_as etcp "$tap_dir/sar" "$tap_dir/tcp"
check "the utilization of a link whose speed nobody knows is not 0, as sar has it" \
	row interfaces '[r["util"] for r in rows if r["interface"] == "eth1"] == [None]'

# procps divides by the interval that it was told, sleeps through alarms, and keeps its files open: they
# change in place. Where this machine was so slow that it looked before they had, it looks again.
clock 1000.00 1010.00
vmstat_run() {
	for _ in 1 2 3; do
		tree_show one
		LC_ALL=C chroot "$peer_root" vmstat -w 10 2 >"$tap_dir/vmstat" 2>&1 &
		peer=$!
		peer_settled $peer && cp -r "$tap_dir/two/proc" "$peer_root/" && kill -0 $peer && break
	done
	wait $peer
}
check "vmstat runs" vmstat_run
check "weir vmstat runs" weir_run "$tap_dir/line" vmstat
check "vmstat says the same" same_as vmstat "$tap_dir/vmstat" "$tap_dir/line"
finish
