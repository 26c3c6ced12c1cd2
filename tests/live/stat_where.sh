#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir stat looks at what it is told to: a thread, several processes, a cgroup, CPUs, cores. Page faults are
# the workload: who touches so many pages has so many. Usage: stat_where.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
load=$build/tests/stat_load
name=weir-stat-$$

made= pids=
cleanup() {
	for pid in $pids; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	for folder in $made; do
		rmdir "$folder"
	done
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# counting NAME OPTION...: weir in the background until what it looks at ends, or it is interrupted; $weir_pid.
counting() {
	: >"$tap_dir/$1.err"
	"$weir" stat --events page-faults --format json -o "$tap_dir/$1" "$2" "$3" 2>"$tap_dir/$1.err" &
	weir_pid=$!
	pids="$pids $weir_pid"
}

# faults NAME LEAST MOST
faults() {
	python3 - "$tap_dir/$1" "$2" "$3" <<'P'
import json, sys
rows = [r for r in map(json.loads, open(sys.argv[1])) if r.get("event") == "page-faults"]
total = sum(r["count"] for r in rows)
sys.exit(not int(sys.argv[2]) <= total <= int(sys.argv[3]) and f"{total}: {rows}")
P
}

# waiting NAME PAGES [CGROUP-FOLDER...]: a process that touches pages when $tap_dir/NAME.go says so; $pid.
waiting() {
	who=$1 pages=$2
	shift 2
	mkfifo "$tap_dir/$who.go"
	sh -c 'read go <"$1"; exec "$2" "$3" 1 1' sh "$tap_dir/$who.go" "$load" "$pages" >"$tap_dir/load" &
	pid=$!
	pids="$pids $pid"
	for folder in "$@"; do
		echo $pid >"$folder/cgroup.procs"
	done
}

# Two threads of one process: the one touches 20,000 pages, the other waits for it.
mkfifo "$tap_dir/threads.go" "$tap_dir/tids"
python3 - "$tap_dir/tids" "$tap_dir/threads.go" <<'P' &
import mmap, sys, threading
memory = mmap.mmap(-1, 20000 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)

def touch():
    open(sys.argv[1], "w").write(f"{threading.main_thread().native_id} {threading.get_native_id()}\n")
    open(sys.argv[2]).read()
    for i in range(0, len(memory), mmap.PAGESIZE):
        memory[i] = 1

threading.Thread(target=touch).start()
P
pids="$pids $!"
read -r main_tid busy_tid <"$tap_dir/tids"
counting main --tid "$main_tid"
main_weir=$weir_pid
counting busy --tid "$busy_tid"
check "weir looks at both threads" attached "$tap_dir/main.err" "$tap_dir/busy.err"
echo go >"$tap_dir/threads.go"
check "it ends with the thread" wait $weir_pid
check "the faults are of the thread that touches pages" faults busy 20000 21000
check "the other's run ends, too" wait $main_weir
check "the other thread has none of them" faults main 0 2000

waiting one 3000
one=$pid
waiting two 5000
counting both --pid "$one,$pid"
check "weir looks at two processes" attached "$tap_dir/both.err"
echo go >"$tap_dir/one.go"
echo go >"$tap_dir/two.go"
check "it ends with both" wait $weir_pid
check "their faults are added" faults both 8000 10000

for mount in $(awk '/ - cgroup2? / && / \/sys\/fs\/cgroup/ {print $5}' /proc/self/mountinfo); do
	case $mount in */cpuset) continue ;; esac # an empty one takes no tasks
	[ "$(id -u)" = 0 ] && mkdir "$mount/$name" 2>/dev/null && made="$made $mount/$name"
done
if [ -n "$made" ]; then
	# shellcheck disable=SC2086
	waiting inside 4000 $made
	inside=$pid
	waiting outside 50000
	counting cgroup --cgroup "$name"
	check "weir looks at a cgroup" attached "$tap_dir/cgroup.err"
	echo go >"$tap_dir/outside.go"
	wait "$pid"
	echo go >"$tap_dir/inside.go"
	wait "$inside"
	kill -INT $weir_pid
	wait $weir_pid
	check "the faults are of its processes alone" faults cgroup 4000 6500
else
	skip "the faults are of a cgroup's processes alone" "no cgroup can be made here"
fi

# places PER CPUS: how many rows there are.
places() {
	"$weir" stat --events context-switches --per "$1" --cpu "$2" --duration 200ms --format json 2>/dev/null |
		grep -c '"event":"context-switches"'
}

if [ "$(id -u)" = 0 ]; then
	check "one CPU of several is one row" [ "$(places cpu 0)" = 1 ]
	cores=$(cat /sys/devices/system/cpu/cpu*/topology/core_cpus_list | sort -u | wc -l)
	check "a core is one row, as many as the kernel tells of" \
		[ "$(places core "$(cat /sys/devices/system/cpu/online)")" = "$cores" ]
	sockets=$(cat /sys/devices/system/cpu/cpu*/topology/physical_package_id | sort -u | wc -l)
	check "a socket is one" [ "$(places socket "$(cat /sys/devices/system/cpu/online)")" = "$sockets" ]
else
	skip "one CPU of several is one row" "needs root"
fi
finish
