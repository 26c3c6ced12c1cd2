#!/bin/sh
# weir why, and source cpu.wait for all threads, on threads whose time is known: by what they do, by
# their own clocks, and by the kernel's numbers of them. Usage: why.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir

if [ "$(id -u)" != 0 ]; then
	skip "where the time of known threads went" "needs root"
	finish
fi

loop=
cleanup() {
	mountpoint -q "$tap_dir/ext4" && umount "$tap_dir/ext4"
	[ -n "$loop" ] && losetup -d "$loop"
	# Lazily, as the loop device is let go of a moment later.
	mountpoint -q "$tap_dir/slow" && umount -l "$tap_dir/slow"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# A disk that takes 20 ms for each read and write, with ext4 on it, where these are to be had.
mkdir "$tap_dir/slow" "$tap_dir/ext4"
truncate -s 16M "$tap_dir/image"
if mkfs.ext4 -q -F "$tap_dir/image" 2>"$tap_dir/err"; then
	"$build/tests/slow_file" 16 20 "$tap_dir/slow" "$tap_dir/image" 2>"$tap_dir/err" &
	until_true test -e "$tap_dir/slow/disk"
	loop=$(losetup -f --show "$tap_dir/slow/disk" 2>"$tap_dir/err") || loop=
fi
disk=
if [ -n "$loop" ] && mount "$loop" "$tap_dir/ext4" 2>"$tap_dir/err"; then
	disk=${loop#/dev/}
fi

cat >"$tap_dir/all.yaml" <<'Y'
# Where does the time of all threads go?
weir: 1
params:
  by: {type: string, default: thread}
sources:
  time:
    plugin: cpu.wait
    by: ${by}
    interval: 0
sinks:
  out:
    plugin: ${format}
    inputs: [time]
Y
cat >"$tap_dir/one.yaml" <<'Y'
# Where does the time of a process go?
weir: 1
params:
  pid: {type: pid, default: 0}
  interval: {type: duration, default: 0}
sources:
  time:
    plugin: cpu.wait
    pid: ${pid}
    interval: ${interval}
sinks:
  out:
    plugin: ${format}
    inputs: [time]
Y

# The moment in ns, by the clock that all use.
program clock <<'P'
import time
print(time.monotonic_ns())
P

# watch NAME WEIR-ARGUMENT...: JSON in $tap_dir/NAME, and between which moments it began.
watch() {
	name=$1
	shift
	ask clock >"$tap_dir/$name.span"
	"$weir" "$@" --format json >"$tap_dir/$name" 2>"$tap_dir/$name.err" &
	pids="$pids $!"
	attached "$tap_dir/$name.err"
	ask clock >>"$tap_dir/$name.span"
	names="$names $name"
}

# stolen: ns that interrupts and a hypervisor have taken from all CPUs until now, which the kernel takes
# from run time.
stolen() {
	awk '$1 == "cpu" {printf "%.0f\n", ($7 + $8 + $9) * 1e7}' /proc/stat
}

# The kernel reads its clock a moment before its tracepoints: a guest may be stopped there.
hole=0
emulated && hole=0.25

pids= names=
mkfifo "$tap_dir/in"
if [ -n "$disk" ]; then
	"$build/tests/wait_load" "$loop" "$tap_dir/ext4/file" <"$tap_dir/in" >"$tap_dir/truth" &
else
	"$build/tests/wait_load" <"$tap_dir/in" >"$tap_dir/truth" &
fi
loader=$!
exec 9>"$tap_dir/in"
until_true grep -q ready "$tap_dir/truth"
load=$(sed -n 's/ready //p' "$tap_dir/truth")
watch all run "$tap_dir/all.yaml"
watch processes run "$tap_dir/all.yaml" --by process
watch one run "$tap_dir/one.yaml" --pid "$load"
watch windows run "$tap_dir/one.yaml" --pid "$load" --interval 300ms
watch why why "$load" --duration 1h
before=$(stolen)
echo >&9
until_true grep -q "done" "$tap_dir/truth"
stolen_ns=$(($(stolen) - before))
for name in $names; do
	ask clock >>"$tap_dir/$name.span"
done
for pid in $pids; do
	kill -INT "$pid"
	wait "$pid"
done
for name in $names; do
	ask clock >>"$tap_dir/$name.span"
done
"$weir" why "$load" --duration 300ms >"$tap_dir/said" 2>&1
exec 9>&-
wait $loader

program judge <<'P'
import json, os, re, sys
folder, load, disk = sys.argv[1], int(sys.argv[2]), sys.argv[3]
stolen, hole = int(sys.argv[4]), float(sys.argv[5])
PARTS = ("run", "runnable", "device", "kernel", "sleep")
SUMS = PARTS + ("wall", "journal", "switches")
def rows(name):
    return [json.loads(line) for line in open(folder + "/" + name)]
def span(name):  # least and most that a thread was watched which was there all the time
    times = [int(line) for line in open(folder + "/" + name + ".span")]
    return times[2] - times[1], times[3] - times[0]
def doubt(*names):
    return sum(span(name)[1] - span(name)[0] for name in names)
def unseen(name):  # switches that the kernel did not show, as weir says
    return sum(map(int, re.findall(r"lost (\d+) rows: event", open(folder + "/" + name + ".err").read())))
def near(a, b, share, few=0):
    return abs(a - b) <= share * max(a, b) + few
all_rows, processes, why = rows("all"), rows("processes"), rows("why")
truth = {}
for line in open(folder + "/truth"):
    words = line.split()
    if len(words) == 7:
        truth[words[1]] = dict(zip(("life", "run", "wait", "own", "count"), map(int, words[2:])),
                               tid=int(words[0]))
tasks = {t: [r for r in rows("one") if r["tid"] == truth[t]["tid"]][0] for t in truth}
summed = {}
for row in rows("windows"):
    sums = summed.setdefault(row["tid"], dict.fromkeys(SUMS, 0))
    for key in SUMS:
        sums[key] += row[key]
lasting = [t for t in truth if t != "brief"]
ours = [r for r in all_rows if r["pid"] == load]
# Each event that the kernel leaves out may misplace a turn.
slack = 8e6 * (1 + unseen("one"))
turn = 40e6 # one on a busy CPU, whose end the kernel did not show and nobody missed
def on_queue(t):  # what may be on the wrong side of a switch
    return hole * (truth[t]["run"] + truth[t]["wait"]) + 2e4 * tasks[t]["switches"]
if not eval(sys.argv[6]):
    print(sys.argv[6], "span", span("one"), "unseen", unseen("one"), "stolen", stolen)
    for name in truth:
        print(name, truth[name], {k: tasks[name][k] for k in SUMS + ("disk", "longest", "disks")})
    sys.exit(1)
P

# judge: reads sentences, each with a line of python below it that must be true, and checks them.
judge() {
	while read -r sentence && read -r expression; do
		check "$sentence" ask judge "$tap_dir" "$load" "$disk" "$stolen_ns" "$hole" "$expression"
	done
}

# The kernel leaves out of run time the interrupts that came meanwhile, and what the hypervisor stole.
judge <<'T'
the parts of each thread's time are its time
all(sum(r[p] for p in PARTS) == r["wall"] for r in all_rows + processes + rows("one"))
the time of a thread that was there is the window's
all(span("one")[0] <= tasks[t]["wall"] <= span("one")[1] for t in lasting)
no thread's time is longer than the window
all(r["wall"] <= span("all")[1] for r in all_rows)
most threads of the machine neither ran nor ended, and all of their time is known
sum(span("all")[0] <= r["wall"] and r["switches"] == 0 for r in all_rows) > 5
a thread that ended has its life's time
truth["brief"]["life"] <= tasks["brief"]["wall"] < tasks["sleep"]["wall"]
windows add up to the time as a whole
all(near(summed[truth[t]["tid"]]["wall"], tasks[t]["wall"], 0, doubt("windows", "one")) and sum(summed[truth[t]["tid"]][p] for p in PARTS) == summed[truth[t]["tid"]]["wall"] for t in lasting)
run time is the kernel's within 5 %
all(near(tasks[t]["run"], truth[t]["run"], 0.05, slack + turn + stolen + on_queue(t)) for t in lasting)
waiting for a CPU is the kernel's within 2 %
all(near(tasks[t]["runnable"], truth[t]["wait"], 0.02, slack + on_queue(t)) for t in lasting)
so are the sums of windows
all(near(summed[truth[t]["tid"]]["runnable"], truth[t]["wait"], 0.02, slack + on_queue(t)) for t in lasting)
of a thread that ended it is no less than the thread saw before its end
tasks["brief"]["run"] >= 0.95 * truth["brief"]["run"] - slack - turn - on_queue("brief") and tasks["brief"]["runnable"] >= 0.98 * truth["brief"]["wait"] - slack - on_queue("brief")
two that spin on one CPU never sleep meanwhile
all(tasks[t]["run"] + tasks[t]["runnable"] >= 0.99 * truth[t]["life"] - slack for t in ("spin-0", "spin-1"))
and each of them waits half of the time at least
all(tasks[t]["runnable"] >= 0.4 * truth[t]["life"] for t in ("spin-0", "spin-1"))
who asks for a sleep sleeps so long
tasks["sleep"]["sleep"] >= truth["sleep"]["count"] * 20e6 - truth["sleep"]["wait"] - slack
sleep is no wait in D state
all(tasks[t]["device"] + tasks[t]["kernel"] <= slack for t in ("sleep", "spin-0", "brief"))
who waits for a lock sleeps
tasks["lock"]["sleep"] - (tasks["lock"]["wall"] - truth["lock"]["life"]) >= truth["lock"]["life"] - truth["lock"]["run"] - truth["lock"]["wait"] - 0.01 * truth["lock"]["life"] - slack - stolen - on_queue("lock")
no single wait is longer than all of them
all((r["longest"] or 0) <= r["runnable"] + r["device"] + r["kernel"] for r in rows("one"))
idle is not a thread
all(r["tid"] for r in all_rows)
threads of the kernel are told from others
all((r["kind"] == "user") == (r["pid"] != 2 and r["ppid"] != 2) for r in all_rows if r["ppid"] or r["pid"] < 3)
all threads together run no longer than there are CPUs
sum(r["run"] for r in all_rows) <= os.cpu_count() * span("all")[1] * 1.01
a process has the sums of its threads
(lambda p: p["threads"] == len(ours) and all(near(p[k], sum(r[k] for r in ours), 0.02, len(ours) * doubt("all", "processes")) for k in PARTS))([r for r in processes if r["pid"] == load][0])
why has a row for each thread, busiest first, and one for all
[r["tid"] for r in why if "tid" in r][-1] is None and {t["tid"] for t in truth.values()} < {r["tid"] for r in why if "tid" in r} and (lambda busy: busy == sorted(busy, reverse=True))([r["wall"] * (1 - r["sleep"]) // 1e6 for r in why if r.get("tid")])
shares add up to 1
all(abs(sum(r[p] for p in PARTS) - 1) < 1e-6 for r in why if "tid" in r and r["wall"])
its parts are sorted and add up to the sum's time
(lambda parts: [p["time"] for p in parts] == sorted((p["time"] for p in parts), reverse=True) and sum(p["time"] for p in parts) == [r["wall"] for r in why if "tid" in r][-1])([r for r in why if "part" in r])
T

if [ -z "$disk" ]; then
	skip "who reads a slow disk waits for it" "no ext4 on a loop device on FUSE: $(head -1 "$tap_dir/err")"
else
judge <<'T'
who reads a slow disk waits for a device, 20 ms each time
tasks["read"]["device"] >= 0.99 * truth["read"]["count"] * 20e6 - truth["read"]["wait"] - slack
that is not longer than its calls took
tasks["read"]["device"] <= truth["read"]["own"] + slack
the disk has its name
tasks["read"]["disk"] == disk
all of the wait is that disk's
sum(d["wait"] for d in tasks["read"]["disks"] if d["disk"] == disk) == tasks["read"]["device"] + tasks["read"]["journal"]
its data is what it has read, and was that disk's
near(tasks["read"]["bytes"], truth["read"]["count"] * 4096, 0.02, 4096)
who does not use a disk has none
all(tasks[t]["bytes"] == 0 for t in ("spin-0", "sleep", "lock"))
its longest wait is at least one read
tasks["read"]["longest"] >= 20e6
who calls fsync waits in D state, for its data and for the journal
min(tasks["fsync"]["device"], tasks["fsync"]["kernel"]) >= 0.9 * truth["fsync"]["count"] * 20e6 - truth["fsync"]["wait"] - slack
nothing of that is sleep
tasks["fsync"]["sleep"] <= tasks["fsync"]["wall"] - truth["fsync"]["own"] + 0.01 * truth["fsync"]["own"] + slack
what it waits for the journal is known to be so
tasks["fsync"]["journal"] >= 0.9 * tasks["fsync"]["kernel"] - truth["fsync"]["wait"] - slack
its disk is the file system's
tasks["fsync"]["disk"] == disk
the journal's thread is told from those who suffer
[r["kind"] for r in all_rows if r["comm"].startswith("jbd2/" + disk)] == ["journal"]
no other disk is named
all(r["disk"] in (None, disk) for r in rows("one"))
the parts name the disk, and where to look
[r["next"] for r in why if r.get("part") == "device"] == ["weir biosnoop --disk " + disk]
T
fi

check "a process that sleeps is one to look at off the CPU" holds "$tap_dir/said" "weir offcpu --pid $load"

check "a process that is not there is an error" status 2 "$weir" why 4194303 --duration 1s
"$weir" why 4194303 --duration 1s >"$tap_dir/said" 2>&1
check "and is named" holds "$tap_dir/said" "no process 4194303"
check "without a process there is nothing to tell" status 2 "$weir" why
check "a command's status is passed on" status 3 "$weir" why -- sh -c 'exit 3'
sleep 60 &
sleeper=$!
"$weir" why "$sleeper" --duration 1h >"$tap_dir/said" 2>"$tap_dir/err" &
watcher=$!
attached "$tap_dir/err"
kill $sleeper
wait $sleeper 2>/dev/null
check "when the process has ended, so does weir" status 0 wait $watcher
check "and its time is told" holds "$tap_dir/said" "sleep"
finish
