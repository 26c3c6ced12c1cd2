#!/bin/sh
# cpu.stat and mem.stat over files of /proc made by hand, so that the right answer is known. Two
# readings need a root that changes between them: the first file is read when weir says "attached",
# each next one once the rows of the one before are there; it takes the place by a rename. Usage: proc_files.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
root=$tap_dir/root
mkdir -p "$root/proc"

rest='intr 100 1 2
ctxt 1000
btime 1700000000
processes 50
procs_running 2
procs_blocked 0'

# snapshot FILE "CPU LINES": a whole /proc/stat; the line of all comes first, and is not believed.
snapshot() {
	printf 'cpu  9 9 9 9 9 9 9 9 9 9\n%s\n%s\n' "$2" "$rest" >"$1"
}

# clock SECONDS: a recorded tree's own, by which the length of a window goes. It is read before the
# counters, and while it stands still there is no window: so it comes last.
clock() {
	echo "$1.00 0.00" >"$root/proc/next"
	mv "$root/proc/next" "$root/proc/uptime"
}

# stat_of FIRST SECOND [THIRD]: the rows of cpu.stat over these CPU lines, one window of 1 s each.
stat_of() {
	time=100
	clock $time
	echo '1.00 0.50 0.25 1/100 4242' >"$root/proc/loadavg"
	snapshot "$root/proc/stat" "$1"
	: >"$tap_dir/err"
	"$weir" mpstat --root "$root" --interval 50ms --count $(($# - 1)) --format json \
		>"$tap_dir/rows" 2>"$tap_dir/err" &
	pid=$!
	attached "$tap_dir/err"
	shift
	for lines; do
		snapshot "$root/proc/next" "$lines"
		mv "$root/proc/next" "$root/proc/stat"
		have=$(wc -l <"$tap_dir/rows")
		time=$((time + 1))
		clock $time
		until_true more_than "$have"
	done
	wait $pid
}

# more_than N: there are more rows.
more_than() {
	[ "$(wc -l <"$tap_dir/rows")" -gt "$1" ]
}

# row PYTHON: an expression over rows, the list of what was printed, is true.
row() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
if not eval(sys.argv[2]):
    sys.exit("not so: " + sys.argv[2] + "\n" + "\n".join(map(str, rows)))' "$tap_dir/rows" "$1"
}

# iowait goes back by two ticks, which the kernel allows itself.
stat_of 'cpu0 100 0 50 1000 500 0 0 0 0 0' 'cpu0 150 0 60 1030 498 0 0 0 0 0'
check "a counter that goes back a little adds nothing" row \
	'[(r["user"], r["system"], r["idle"], r["iowait"]) for r in rows] == [(50/90, 10/90, 30/90, 0)] * 2'
check "the shares add up to 1" row \
	'all(abs(sum(r[n] for n in ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice")) - 1) < 1e-9 for r in rows)'

stat_of 'cpu0 100 0 0 100 0 0 0 0 0 0
cpu1 5000 0 0 5000 0 0 0 0 0 0
cpu8 100 0 0 100 0 0 0 0 0 0' 'cpu0 150 0 0 150 0 0 0 0 0 0
cpu8 100 0 0 200 0 0 0 0 0 0' 'cpu0 200 0 0 200 0 0 0 0 0 0
cpu1 10 0 0 10 0 0 0 0 0 0
cpu8 100 0 0 300 0 0 0 0 0 0
cpu9 7 0 0 7 0 0 0 0 0 0'
check "CPUs are known by their numbers, not their places" row \
	'[r["cpu"] for r in rows] == ["all", "0", "8", "1", "all", "0", "1", "8", "9"]'
check "a CPU that went or came has no numbers" row \
	'[r["cpu"] for r in rows if r["user"] is None] == ["1", "1", "9"]'
check "such a window is marked" row 'all(r["gap"] for r in rows)'
check "the row of all is of the CPUs that were there" row \
	'[r["user"] for r in rows if r["cpu"] == "all"] == [0.25, 0.25]'

stat_of 'cpu0 100 0 0 100 0 0 0 0 0 0
cpu1 5000 0 0 5000 0 0 0 0 0 0' 'cpu0 150 0 0 150 0 0 0 0 0 0
cpu1 10 0 0 10 0 0 0 0 0 0'
check "a CPU that was off and came back within a window has no huge numbers" row \
	'[r["user"] for r in rows] == [0.5, 0.5, None]'

stat_of 'cpu0 100 0 0 100 0 0 0 0 40 0' 'cpu0 160 0 0 140 0 0 0 0 80 0'
check "guest time, which the kernel counts twice, is counted once" row \
	'(rows[1]["user"], rows[1]["guest"], rows[1]["idle"]) == (0.2, 0.4, 0.4)'

stat_of 'cpu0 100 0 50 1000 500' 'cpu0 150 0 60 1030 510'
check "an old kernel has fewer columns" row 'rows[1]["idle"] == 0.3 and rows[1]["steal"] == 0'

# refuses PIPELINE TEXT: exit status 1, with that said.
refuses() {
	status 1 timeout 60 "$weir" "$1" --root "$root" --count 1 >"$tap_dir/o" 2>"$tap_dir/e" &&
		holds "$tap_dir/e" "$2"
}

for line in 'cpu0 100 0 50' 'cpu0 100 0 fifty 1000 500' 'cpux 100 0 50 1000' 'cpu0 -5 0 50 1000' \
	'cpu0 99999999999999999999999 0 50 1000' 'cpu0'; do
	snapshot "$root/proc/stat" "$line"
	check "cpu.stat refuses \"$line\"" refuses mpstat "/proc/stat: cannot read \"$line\""
done
printf 'cpu0 1 2 3 4 5\nctxt 1\nintr 1\nprocs_running 1\nprocs_blocked 0\n' >"$root/proc/stat"
check "a line that every kernel has is missed" refuses mpstat "/proc/stat: no line processes"
printf 'intr 1\nctxt 1\n' >"$root/proc/stat"
check "a file without CPUs is refused" refuses mpstat "/proc/stat: no line of a CPU"
: >"$root/proc/stat"
check "an empty file is refused" refuses mpstat "/proc/stat"
rm "$root/proc/stat"
check "no /proc/stat at all is an error" refuses mpstat "read /proc/stat: No such file"

# meminfo LINES...
meminfo() {
	printf '%s\n' "$@" >"$root/proc/meminfo"
}

meminfo 'MemTotal: 1000 kB' 'MemFree: 100 kB' 'MemAvailable: 400 kB' 'Buffers: 10 kB' 'Cached: 200 kB' \
	'Shmem: 5 kB' 'SReclaimable: 40 kB' 'SwapTotal: 500 kB' 'SwapFree: 450 kB'
"$weir" free --root "$root" --format json >"$tap_dir/rows" 2>"$tap_dir/err"
check "memory is what /proc/meminfo says" row \
	'[rows[0][n] // 1024 for n in ("total", "used", "free", "shared", "cache", "available")] == [1000, 600, 100, 5, 250, 400]'
check "swap is what /proc/meminfo says" row \
	'[rows[1][n] // 1024 for n in ("total", "used", "free")] == [500, 50, 450] and rows[1]["cache"] is None'
meminfo 'MemTotal: 1000 kB' 'MemFree: 100 kB' 'Buffers: 10 kB' 'Cached: 200 kB' 'SwapTotal: 0 kB' 'SwapFree: 0 kB'
"$weir" free --root "$root" --format json >"$tap_dir/rows" 2>"$tap_dir/err"
check "what an old kernel does not tell is absent, not 0" row \
	'(rows[0]["available"], rows[0]["shared"], rows[0]["used"] // 1024) == (None, None, 690)'
for line in 'MemFree: many kB' 'MemFree: -1 kB' 'MemFree: 1 MB' 'MemFree: 99999999999999999999 kB'; do
	meminfo 'MemTotal: 1000 kB' "$line" 'Buffers: 10 kB' 'Cached: 200 kB' 'SwapTotal: 0 kB' 'SwapFree: 0 kB'
	check "mem.stat refuses \"$line\"" refuses free "/proc/meminfo: no value of MemFree"
done
rm "$root/proc/meminfo"
check "no /proc/meminfo at all is an error" refuses free "read /proc/meminfo: No such file"
finish
