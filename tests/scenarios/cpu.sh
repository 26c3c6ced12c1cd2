#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Scenarios of CPUs, memory and their cgroups, and of a machine that is idle. Usage: cpu.sh SOURCE BUILD
set -u
. "$1/tests/scenarios/stage.sh"
. "$source/tests/groups.sh"
cpus=$(nproc)
loads=
# What version 1 keeps apart.
accounts=memory
[ -d /sys/fs/cgroup/cpuacct ] && accounts="cpuacct memory"

if [ "$(id -u)" != 0 ]; then
	skip "scenarios of CPUs and memory" "need root"
	finish
fi

# load NAME ARGUMENT...: scene_load in the background, in the cgroup made last, until `unload`.
load() {
	rm -f "$tap_dir/go"
	mkfifo "$tap_dir/go"
	"$build/tests/scene_load" "$@" <"$tap_dir/go" >"$tap_dir/$1.ready" &
	loads="$loads $!"
	exec 9>"$tap_dir/go"
	until_so grep -q ready "$tap_dir/$1.ready"
	enter $!
	echo >&9
	exec 9>&-
}

# as NAME PROGRAM ARGUMENT...: one of the tests' programs under that name, likewise.
as() {
	ln -sf "$build/tests/$2" "$tap_dir/$1"
	program=$tap_dir/$1
	shift 2
	"$program" "$@" >/dev/null 2>&1 &
	loads="$loads $!"
	enter $!
}

# strong: what comes next has most of the CPUs, whatever else runs here, in a cgroup of its own.
strong() {
	nowhere
	group strong cpu && set_one cpu.weight 1000 cpu.shares 10240
}

unload() {
	for pid in $loads; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	loads=
}

swap_undo=
clean() {
	unload
	eval "$swap_undo"
	groups_clean
}
trap clean EXIT

check "an idle machine is not accused, and a busy one of nothing but what the kernel counted" \
	python3 "$source/tests/scenarios/accused.py" "$weir" $((4 * turns))
sed 's/^/# /' "$tap_dir/out"

# What the machine does beside it is a part of these: what is right depends on what CPUs had to do.
if [ "$cpus" -lt 2 ]; then
	skip "one hot thread is a limit, not a saturation" "needs two CPUs"
else
	strong
	load scene_hot spin 1
	watched=$!
	verdict
	check "one hot thread is a limit, where other CPUs are idle" judged \
		'busy > 0.6 or ran < 0.95 or any(x["resource"] == "cpu" and x["kind"] == "limit" and has("scene_hot", x["causes"]) for x in f)'
	check "and none, where they are not" judged \
		'busy < 0.8 or not any(x["resource"] == "cpu" and x["kind"] == "limit" for x in f)'
	check "it saturates no CPU" judged \
		'busy > 0.75 or not any(x["resource"] == "cpu" and x["kind"] == "saturation" for x in f)'
	watched=
	unload
fi

strong
load scene_spin spin $((3 * cpus))
nowhere
load scene_beat beat 4
verdict
check "too many spinners saturate the CPUs, and a thread with a beat suffers" \
	finds cpu saturation '' scene_spin scene_beat
check "as these began lately" judged \
	'any(re.match(r"scene_\w+ \(pid \d+\) began ", x["why_now"] or "") for x in f if x["resource"] == "cpu")'
user="setpriv --reuid 65534 --clear-groups --no-new-privs"
if $user "$weir" verdict --help >/dev/null 2>&1; then
	verdict
	check "an ordinary user is told, too, that spinners saturate the CPUs" \
		finds cpu saturation '' scene_spin ''
	check "and of all else that could not be looked at, what allows it" judged \
		'{"waits", "requests"} <= {x["what"] for x in v["not_checked"]} and all(x["reason"] and x["cure"] for x in v["not_checked"])'
	check "CPU, memory and disks are looked at" judged \
		'{"cpu", "memory", "disk"} <= {x["resource"] for x in r if x["utilization"] is not None}'
else
	skip "an ordinary user is told, too, that spinners saturate the CPUs" "nobody else may run weir here"
fi
user=
unload

if group quota cpu $accounts && set_one cpu.max "10000 100000" cpu.cfs_quota_us 10000; then
	load scene_quota spin 1
	verdict
	unload
	check "a CPU quota is the limit of its cgroup" finds cgroup limit "/$name" scene_quota ''
else
	skip "a CPU quota is the limit of its cgroup" "no cgroup with the controller cpu can be made"
fi

# What the program runs is named after the file.
ln -sf "$build/tests/scene_load" "$tap_dir/scene_brief"
strong
as scene_storm storm_load scene_storm exec 10000000 "$tap_dir/scene_brief"
verdict
unload
check "short-lived processes take the CPU" finds cpu churn '' scene_brief ''

if group oom memory && set_one memory.max 30M memory.limit_in_bytes 30M; then
	set_one memory.swap.max 0 memory.swappiness 0
	victims=
	for turn in $(seq "$turns"); do
		verdict_begin
		as scene_greedy cgroup_load fill "$folder/cgroup.procs" 200
		victims="$victims $!"
		wait "$!"
		loads=
		verdict_end
	done
	check "a kill at a cgroup's limit of memory is its error" \
		finds cgroup errors "/$name" scene_greedy ''
	check "which names the process" judged \
		'any(c["pid"] == int(victims.split()[turn]) for x in f for c in x["causes"])' victims="$victims"
	check "and is not told again as the machine's" finds_no memory errors
else
	skip "a kill at a cgroup's limit of memory" "no cgroup with the controller memory can be made"
fi

# swap_on MIB: a device in memory to swap to.
swap_on() {
	zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null) || return 1
	swap_undo="swapoff /dev/zram$zram 2>/dev/null; echo $zram >/sys/class/zram-control/hot_remove"
	echo "$1M" >"/sys/block/zram$zram/disksize" && mkswap "/dev/zram$zram" >/dev/null &&
		swapon "/dev/zram$zram"
}

if ! group swap memory ||
	!  set_one memory.max 96M memory.limit_in_bytes 96M; then
	skip "swapping in a cgroup at its limit" "no cgroup with the controller memory can be made"
elif ! swap_on 512 2>"$tap_dir/zram"; then
	skip "swapping in a cgroup at its limit" "no zram device can be made: $(cat "$tap_dir/zram")"
else
	load scene_hog hog 160
	verdict
	unload
	check "who swaps in a cgroup at its limit is held up by that limit" \
		finds cgroup saturation "/$name" scene_hog ''
	check "the machine has memory" finds_no memory saturation
fi

# waits PID [OPTION]: where its time goes in a second: $tap_dir/waits.
waits() {
	cat >"$tap_dir/waits.yaml" <<Y
# Where does the time of one process go?
weir: 1
sources:
  time: {plugin: cpu.wait, pid: $1, interval: 1s${2+, $2}}
sinks:
  out: {plugin: json, inputs: [time]}
Y
	"$weir" "$tap_dir/waits.yaml" --count 2 --duration 4s >"$tap_dir/waits" 2>"$tap_dir/waits.err"
}

# waiting EXPRESSION: true of the share of its threads' time that waits for locks.
waiting() {
	python3 - "$tap_dir/waits" "$1" <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
share = sum(row["lock"] for row in rows) / sum(row["wall"] for row in rows)
if not eval(sys.argv[2]):
    sys.exit(f"not so: {sys.argv[2]}: {share}\n{rows}")
P
}

nowhere
load scene_lock lock 4
waits "$!"
check "three of four threads wait for the lock that the fourth has" waiting "0.6 < share < 0.76"
verdict
check "waiting for locks with idle CPUs is no lack of a resource, but to be looked for off-CPU" judged \
	'busy > 0.65 or any(x["resource"] == "software" and x["kind"] == "saturation" and has("scene_lock", x["causes"])
		and has("scene_lock", x["victims"]) and any("offcpu" in n for n in x["next"]) for x in f)'
check "and with busy ones, these are what is told of" judged \
	'busy < 0.75 or not any(x["resource"] == "software" and has("scene_lock", x["causes"]) for x in f)'
unload
load scene_idle idle 4
waits "$!"
check "who has nothing to do waits for no lock" waiting "share == 0"
waits "$!" "all: no"
check "and is not told where only who did something is asked for" test ! -s "$tap_dir/waits"
unload
finish
