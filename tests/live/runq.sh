#!/bin/sh
# weir runqlat, runqslower and sched on threads that share a CPU: against the kernel's own numbers
# of these threads. Usage: runq.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir

if [ "$(id -u)" != 0 ]; then
	skip "waits for a CPU of known threads" "needs root"
	finish
fi

# watch NAME WEIR-ARGUMENT...: JSON in $tap_dir/NAME.
watch() {
	name=$1
	shift
	: >"$tap_dir/$name.err"
	"$weir" "$@" --pid "$load" --format json >"$tap_dir/$name" 2>"$tap_dir/$name.err" &
	pids="$pids $!"
	told="$told $tap_dir/$name.err"
}

# stolen: ns that interrupts and a hypervisor have taken from the load's CPU until now, which the kernel
# takes from the run time of who was interrupted.
stolen() {
	awk -v cpu="cpu$cpu" '$1 == cpu {printf "%.0f\n", ($7 + $8 + $9) * 1e7}' /proc/stat
}

# run WATCH LOAD-ARGUMENT...: the load under what the function WATCH starts. $tap_dir/truth.
run() {
	start=$1 told= pids=
	shift
	rm -f "$tap_dir/in"
	mkfifo "$tap_dir/in"
	"$build/tests/runq_load" "$@" <"$tap_dir/in" >"$tap_dir/truth" &
	loader=$!
	exec 9>"$tap_dir/in"
	until_true grep -q ready "$tap_dir/truth"
	load=$(sed -n 's/ready //p' "$tap_dir/truth")
	cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$load/status")
	$start
	# shellcheck disable=SC2086 # several files
	attached $told
	before=$(stolen)
	echo >&9
	until_true grep -q load-1 "$tap_dir/truth"
	stolen_ns=$(($(stolen) - before))
	for pid in $pids; do
		kill -INT "$pid"
		wait "$pid"
	done
	exec 9>&-
	wait $loader
}

# judge EXPRESSION: python, true. `truth`, `tasks`: by thread; `slow`: rows; `latency`: rows.
program judge <<'P'
import json, os, re, sys
folder, stolen, per_turn = sys.argv[1], int(sys.argv[3]), float(sys.argv[4])
def rows(name):
    path = os.path.join(folder, name)
    return [json.loads(line) for line in open(path)] if os.path.exists(path) else []
truth = {}
for line in open(folder + "/truth"):
    if "load-" in line:
        tid, name, *numbers = line.split()
        truth[int(tid)] = dict(zip(("run", "wait", "switches", "voluntary", "involuntary", "own"),
                                   map(int, numbers)), comm=name)
slow, latency, tasks = rows("slow"), rows("latency"), {}
for row in rows("tasks"):
    sums = tasks.setdefault(row["tid"], dict(row, run=0, wait=0, switches=0, voluntary=0,
                                             involuntary=0, max=0, windows=0))
    for key in ("run", "wait", "switches", "voluntary", "involuntary"):
        sums[key] += row[key]
    sums["max"] = max(sums["max"], row["max"] or 0)
    sums["windows"] += 1
# What weir says itself that it lost is no error.
said = os.path.join(folder, "slow.err")
lost = sum(map(int, re.findall(r"lost (\d+) rows", open(said).read() if os.path.exists(said) else "")))
def near(a, b, share, few=0):
    return abs(a - b) <= share * max(a, b) + few
def total(table, key):
    return sum(row[key] for tid, row in table.items() if tid in truth)
def turns(share):  # of the truth's waits, what may pass at the begin of each, and those left out
    seen = [sum(r["tid"] == t for r in slow) for t in truth]
    gone = sum(max(0, truth[t]["switches"] - n) for t, n in zip(truth, seen))
    return (share * total(truth, "wait") + per_turn * total(truth, "switches") +
            gone * max(r["wait"] for r in slow))
def left_out(t):  # the time of turns that the kernel did not show
    return abs(truth[t]["switches"] - tasks[t]["switches"]) * tasks[t]["max"]
def each(key, share, few=0):
    return all(near(tasks[tid][key], truth[tid][key], share, few) for tid in truth)
if not eval(sys.argv[2]):
    print("truth", truth, "stolen", stolen)
    print("tasks", tasks)
    print("slow", len(slow), "latency", latency)
    sys.exit(1)
P
judge() {
	ask judge "$tap_dir" "$1" "$stolen_ns" "$per_turn"
}

watch_tasks() {
	watch tasks sched --interval 200ms --top 1000
}

watch_slow() {
	watch slow runqslower --min-wait 0ms
	watch latency runqlat --by pid --interval 0
}

# The kernel reads its clock a moment before its tracepoints: a guest may be stopped there.
per_turn=2e4
emulated && per_turn=2e6

# A kernel may leave out a switch now and then: Linux 6.18 does.
run watch_tasks spin 3 2000
check "three threads on one CPU: each of them runs or waits all the time that it takes" judge \
	'all(tasks[t]["run"] + tasks[t]["wait"] + left_out(t) >= 0.98 * truth[t]["own"] for t in truth)'
check "that is no longer than the kernel says, with what was stolen meanwhile" judge \
	'all(tasks[t]["run"] + tasks[t]["wait"] <= 1.02 * (truth[t]["run"] + truth[t]["wait"]) + stolen + 3e7 for t in truth)'
check "the run time of each is the kernel's within 5 %, but for what was stolen" judge \
	'all(near(tasks[t]["run"], truth[t]["run"], 0.05, left_out(t) + stolen + 3e7 + per_turn * truth[t]["switches"]) for t in truth)'
check "their waits are the kernel's within 2 %" judge \
	'all(near(tasks[t]["wait"], truth[t]["wait"], 0.02, left_out(t) + per_turn * truth[t]["switches"]) for t in truth)'
check "their turns are the kernel's within 2 % and 3" judge 'each("switches", 0.02, 3)'
check "voluntary switches are the kernel's" judge \
	'all(abs(tasks[t]["voluntary"] - truth[t]["voluntary"]) <= 1 for t in truth)'
check "involuntary switches are the kernel's within 2 % and 3" judge 'each("involuntary", 0.02, 3)'
check "names are those of the threads" judge 'all(tasks[t]["comm"] == truth[t]["comm"] for t in truth)'
check "there were several windows" judge 'all(tasks[t]["windows"] >= 2 for t in truth)'
check "no wait is longer than all of them" judge 'all(0 < tasks[t]["max"] < tasks[t]["wait"] for t in truth)'
check "idle is not a thread" judge '0 not in tasks'

rm -f "$tap_dir/tasks"
run watch_slow spin 3 1000
check "with a threshold of 0 each turn is an event, within 2 % and 3" judge \
	'all(near(sum(r["tid"] == t for r in slow), truth[t]["switches"], 0.02, 3 + lost) for t in truth)'
check "the events' waits are the kernel's within 2 %" judge \
	'abs(sum(r["wait"] for r in slow if r["tid"] in truth) - total(truth, "wait")) <= turns(0.02)'
check "who had the CPU before is another thread" judge \
	'all(r["prev_tid"] != r["tid"] for r in slow)'
check "the histogram counts what the events count" judge \
	'len(latency) == 1 and near(latency[0]["count"], len(slow), 0.02, 3 + lost)'
check "its sum is theirs within 2 %" judge \
	'abs(latency[0]["wait"]["sum"] - sum(r["wait"] for r in slow)) <= turns(0.02)'
# Two programs see a switch one after the other.
if ! emulated; then
	check "its maximum is theirs within 5 %" judge \
		'near(latency[0]["wait"]["max"], max(r["wait"] for r in slow), 0.05, 5e6)'
fi
check "the histogram is of the process" judge \
	'latency[0]["comm"] == "runq_load"'

rm -f "$tap_dir/slow" "$tap_dir/latency"
rounds=5000
emulated && rounds=1000
run watch_tasks pingpong $rounds
check "two threads that wake each other: turns are the kernel's" judge 'each("switches", 0.001, 3)'
check "a wakeup for each ball at least" judge "total(tasks, 'switches') >= 2 * $rounds"
check "switches are told apart as the kernel does" judge \
	'each("voluntary", 0.001, 3) and each("involuntary", 0.001, 3)'
check "who is given a CPU loses it as often" judge \
	'all(abs(t["switches"] - t["voluntary"] - t["involuntary"]) <= 3 for t in tasks.values())'

"$weir" runqslower --comm no-such-name --duration 300ms >"$tap_dir/said" 2>&1
check "no long wait shows that there was none" holds "$tap_dir/said" "(no events)"
for by in none cpu pid cgroup; do
	"$weir" runqlat --by $by --format json --duration 1s >"$tap_dir/json" 2>"$tap_dir/err"
	check "by $by: each row's waits are its histogram's" python3 -c "
import json, sys
rows = [json.loads(line) for line in open('$tap_dir/json')]
sys.exit(not (rows and all(r['count'] == r['wait']['count'] > 0 for r in rows)))"
done
started=$(date +%s%N)
"$weir" sched --duration 1s --interval 0 --format json >"$tap_dir/json" 2>"$tap_dir/err"
took=$(($(date +%s%N) - started))
check "no thread runs longer than weir did, and all not longer than the CPUs" python3 -c "
import json, os, sys
runs = [json.loads(line)['run'] for line in open('$tap_dir/json')]
sys.exit(not (runs and max(runs) <= $took and sum(runs) <= $took * os.cpu_count()))"
check "a user who is not there is an error" status 2 "$weir" runqlat --user nosuchuser --duration 1s
finish
