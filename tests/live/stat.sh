#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir stat on programs that know what they do: pages touched, sleeps, CPU time; of a command, its
# children, a process, a thread, a cgroup, CPUs. Usage: stat.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
load=$build/tests/stat_load
out=$tap_dir/out.csv

# stat ARGUMENTS...: its rows in $out.
stat() {
	"$weir" stat --format csv --columns place,event,value,amount,note,counted -o "$out" "$@" \
		>"$tap_dir/load" 2>"$tap_dir/err" || { cat "$tap_dir/err"; return 1; }
}

# amount EVENT: of all its rows, in its unit, windows in which it did not run left out.
amount() {
	python3 - "$out" "$1" <<'EOF'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["event"] == sys.argv[2]]
rows = [float(r["amount"]) for r in rows if r["amount"]]
print(sum(rows) if rows else "none")
EOF
}

# between EVENT LEAST MOST
between() {
	got=$(amount "$1")
	awk -v got="$got" -v least="$2" -v most="$3" \
		'BEGIN { exit !(got != "none" && got >= least && got <= most) }' && return
	echo "$1: $got, not from $2 to $3"
	cat "$out" "$tap_dir/err"
	return 1
}

events=task-clock,page-faults,context-switches
tracing=$("$weir" events voluntary-switches --format json 2>/dev/null | grep -c '"available":true')

# What a program does before its main is a few hundred faults and some ms.
check "a command is counted" stat --events $events -- "$load" 10000 300 1
check "each page that it touches is a fault" between page-faults 10000 11500
check "each time that it sleeps is a switch" between context-switches 300 1000000
# What taking down its memory costs comes after that, so here it has none.
check "a command that uses a CPU is counted" stat --events $events -- "$load" 1 1 200
own=$(cat "$tap_dir/load")
check "its time on a CPU is what its own clock says" \
	between task-clock "$(awk -v o="$own" 'BEGIN { print (o - 60) * 1e6 }')" \
	"$(awk -v o="$own" 'BEGIN { print (o + 60) * 1e6 }')"

if [ "$tracing" = 1 ] && [ "$(id -u)" = 0 ]; then
	switches=voluntary-switches,involuntary-switches,context-switches
	check "switches are counted by who wanted them" stat --events "{$switches}" -- "$load" 1 300 0
	check "sleeps are of its own will" between voluntary-switches 300 400
	check "both sorts of switches are all switches" python3 - "$out" <<'EOF'
import csv, sys
n = {r["event"]: float(r["amount"]) for r in csv.DictReader(open(sys.argv[1])) if r["amount"]}
sorts = n["voluntary-switches"] + n["involuntary-switches"]
# The software event counts at another place than the tracepoint: the first or last may differ.
sys.exit(abs(sorts - n["context-switches"]) > 2 and f"{n}")
EOF
else
	skip "switches are counted by who wanted them" "tracepoints need root"
fi

check "children are counted, too" stat --events $events -- "$load" 2000 1 1 4
check "five processes touch five times the pages" between page-faults 10000 12500
check "without children" stat --events $events --no-inherit -- "$load" 2000 1 1 4
check "one process touches its own pages" between page-faults 2000 3900

check "user and kernel are told apart" \
	stat --events '{page-faults,page-faults:u,page-faults:k}' -- "$load" 3000 1 1
check "faults of the user's code are faults of its pages" between page-faults:u 3000 4500
check "user and kernel together are all" python3 - "$out" <<'EOF'
import csv, sys
n = {r["event"]: float(r["amount"]) for r in csv.DictReader(open(sys.argv[1])) if r["amount"]}
sys.exit(n["page-faults:u"] + n["page-faults:k"] != n["page-faults"] and f"{n}")
EOF

check "the command's status is weir's" status 7 "$weir" stat --events page-faults -o "$out" -- \
	sh -c 'exit 7'
check "an interval has a window each" stat --events page-faults,task-clock --interval 100ms -- \
	"$load" 8000 1 400
check "windows add up to the whole" between page-faults 8000 9500
check "there are several of them" python3 - "$out" <<'EOF'
import csv, sys
windows = {r["t"] for r in csv.DictReader(open(sys.argv[1]))}
sys.exit(len(windows) < 3 and f"{windows}")
EOF

# Run k, from 0, touches 2,000 pages more than the one before, and ends with status k.
cat >"$tap_dir/more.sh" <<'S'
n=$(cat "$1")
echo $((n + 1)) >"$1"
[ "$n" -lt "$3" ] || { kill -INT $PPID; exec sleep 600; }
"$2" $((n * 2000 + 1)) 1 1
exit "$n"
S
# repeat N LAST: in $out; run LAST asks weir to end.
repeat() {
	echo 0 >"$tap_dir/runs"
	"$weir" stat --repeat "$1" --events page-faults --format json -o "$out" -- \
		sh "$tap_dir/more.sh" "$tap_dir/runs" "$load" "$2" >"$tap_dir/load" 2>"$tap_dir/err"
}
# of_runs EXPRESSION: true of r, the row of faults.
of_runs() {
	python3 - "$out" "$1" <<'EOF'
import json, sys
rows = {r["event"]: r for r in map(json.loads, open(sys.argv[1])) if "event" in r}
sys.exit(not eval(sys.argv[2], {"r": rows["page-faults"]}) and f"{rows}")
EOF
}
check "of repeated runs, the first that failed gives the status" status 1 repeat 3 99
check "the command ran so often" [ "$(grep -c . "$tap_dir/load")" = 3 ]
check "faults are the mean of 1, 2001 and 4001 pages, and what programs do at their start" \
	of_runs '2000 < r["count"] < 3500 and r["runs"] == 3'
check "their deviation is 2,000 pages" of_runs '1900 < r["deviation"] * r["amount"] < 2100'
check "a run that was interrupted is left out" status 1 repeat 100 2
check "and that is told" holds "$tap_dir/err" "2 of 100 runs came to their end"
check "two runs are left" of_runs 'r["runs"] == 2 and 1000 < r["count"] < 2500'
"$weir" stat --repeat 3 --events page-faults -o "$out" -- grep -E '^Sig(Blk|Ign)' /proc/self/status \
	>"$tap_dir/signals" 2>"$tap_dir/err"
check "each run has its signals as the first has them" \
	[ "$(sort "$tap_dir/signals" | uniq -c | awk '{print $1}' | tr '\n' ' ')" = "3 3 " ]
check "to repeat nothing is bad usage" status 2 "$weir" stat --repeat 2 --duration 10ms
check "to repeat in intervals is refused" status 125 "$weir" stat --repeat 2 --interval 1s -- true

# A process that is there already, until it ends: it begins when it is seen.
mkfifo "$tap_dir/go"
sh -c 'read go <"$1"; exec "$2" 5000 1 1' sh "$tap_dir/go" "$load" >"$tap_dir/load" &
pid=$!
: >"$tap_dir/err"
"$weir" stat --format csv --columns place,event,value,amount,note,counted --events $events --pid $pid \
	-o "$out" 2>"$tap_dir/err" &
weir_pid=$!
check "weir says that it looks at the process" attached "$tap_dir/err"
echo go >"$tap_dir/go"
wait $weir_pid
check "a process is counted until it ends" between page-faults 5000 7500

check "a process that is not there is bad usage" status 2 "$weir" stat --pid 4194000
check "an event that is not there is bad usage" status 2 "$weir" stat --events xyzzy -- true
check "a brace that is not closed is bad usage" status 2 "$weir" stat --events '{cycles' -- true
check "places of a process are bad usage" status 2 "$weir" stat --per cpu --pid $$

if [ "$(id -u)" = 0 ]; then
	check "each CPU has its row" stat --events context-switches,task-clock --per cpu --duration 300ms
	check "as many as are online" [ "$(grep -c ',context-switches,' "$out")" = "$(nproc --all)" ]
	check "sockets have theirs" stat --events context-switches --per socket --duration 300ms
	check "no more sockets than CPUs" [ "$(grep -c ',context-switches,' "$out")" -le "$(nproc --all)" ]
else
	skip "each CPU has its row" "needs root"
fi

if "$weir" events cycles --format json 2>/dev/null | grep -q '"available":true'; then
	skip "what there is no counter for is told with the reason" "this machine has a PMU"
elif [ "$(id -u)" != 0 ]; then
	skip "what there is no counter for is told with the reason" "that it may not is told first"
else
	check "the usual events are counted" stat -- "$load" 1 1 50
	check "what there is no counter for is told with the reason" \
		holds "$out" "cycles,<not supported>,,\"no hardware PMU"
	check "how long it waited for a CPU is told" between run-queue-wait 0 100000000000
	check "nothing but what there is no counter for exits with 3" \
		status 3 "$weir" stat --events cycles --duration 10ms
fi
finish
