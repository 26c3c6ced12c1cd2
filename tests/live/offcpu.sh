#!/bin/sh
# weir offcpu on threads that block for known times in functions of known names: against what the
# kernel says of these threads. Usage: offcpu.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir

if [ "$(id -u)" != 0 ]; then
	skip "known blocks of known threads" "needs root"
	finish
fi

slow=
cleanup() {
	[ -n "$slow" ] && losetup -d "$slow"
	mountpoint -q "$tap_dir/slow" && umount "$tap_dir/slow"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# watch NAME WEIR-ARGUMENT...: what is written goes to $tap_dir/NAME.
watch() {
	name=$1
	shift
	: >"$tap_dir/$name.err"
	"$weir" offcpu --interval 0 --deadline 5m "$@" >"$tap_dir/$name" 2>"$tap_dir/$name.err" &
	pids="$pids $!"
	told="$told $tap_dir/$name.err"
}

# stolen: ns that interrupts and a hypervisor have taken from all CPUs until now: the kernel does not
# count them as run time, so that they look blocked.
stolen() {
	awk '$1 == "cpu" {printf "%.0f\n", ($7 + $8 + $9) * 1e7}' /proc/stat
}

# run WATCH: the load under what the function WATCH starts. $tap_dir/truth.
run() {
	told= pids=
	rm -f "$tap_dir/in"
	mkfifo "$tap_dir/in"
	"$build/tests/offcpu_load" "$slow" <"$tap_dir/in" >"$tap_dir/truth" &
	loader=$!
	exec 9>"$tap_dir/in"
	until_true grep -q ready "$tap_dir/truth"
	load=$(sed -n 's/ready //p' "$tap_dir/truth")
	$1
	# shellcheck disable=SC2086 # several files
	attached $told
	before=$(stolen)
	echo >&9
	until_true grep -q "done" "$tap_dir/truth"
	stolen_ns=$(($(stolen) - before))
	for pid in $pids; do
		kill -INT "$pid"
		wait "$pid"
	done
	exec 9>&-
	wait $loader
}

# The kernel reads its clock a moment before its tracepoints, and several weirs look one after the
# other: what a guest is stopped meanwhile is missing from a block, and a nap may be over before it.
share=0.97 naps=50 shortest=1000000
emulated && share=0.5 naps=45 shortest=1

# judge NAME EXPRESSION: python, true. `rows` of NAME; of(comm, function) of them; `truth` by thread.
program judge <<'P'
import json, sys
folder, share, stolen = sys.argv[1], float(sys.argv[4]), int(sys.argv[5])
rows = [json.loads(line) for line in open(folder + "/" + sys.argv[2])]
truth = {}
for line in open(folder + "/truth"):
    words = line.split()
    if len(words) == 5:
        truth[words[0]] = dict(zip(("count", "blocked", "measured", "wall"), map(int, words[1:])))
    elif words[0] == "brief":
        brief, brief_life = map(int, words[1:])
def names(row):
    return row["stack"]
def of(comm, function=None, **others):
    return [r for r in rows if r["comm"] == comm and (not function or function in names(r))
            and all(r[key] == value for key, value in others.items())]
def total(found, key="weight"):
    return sum(r[key] for r in found)
# The kernel now and then counts a wait for a device as one for a CPU, too: the least is exact.
def least(name):
    return share * truth[name]["blocked"] - 5 * MS - stolen
def right(ns, name):
    return least(name) <= ns <= truth[name]["wall"]
# A thread may lose the CPU between arming its timer and blocking: a block can be shorter than that.
def measured(ns, name):
    return right(ns, name) and ns <= truth[name]["measured"] + 5 * MS
MS = 1000000
if not eval("(" + sys.argv[3] + ")"):
    print("truth", truth, "stolen", stolen)
    keys = ("comm", "tid", "weight", "count", "blocked", "min", "max", "state", "waker_comm")
    for row in [r for r in rows if r["comm"] in truth or r["comm"] == "offcpu_brief"][:30]:
        print(*(row.get(k) for k in keys), ";".join(names(row)[:12]))
    print(open(folder + "/" + sys.argv[2] + ".err").read())
    sys.exit(1)
P
judge() {
	ask judge "$tap_dir" "$1" "$2" "$share" "$stolen_ns"
}

mkdir "$tap_dir/slow"
if [ -x "$build/tests/slow_file" ]; then
	"$build/tests/slow_file" 4 50 "$tap_dir/slow" &
	until_true test -e "$tap_dir/slow/disk"
	slow=$(losetup -f --show "$tap_dir/slow/disk" 2>"$tap_dir/err") || slow=
fi

watch_all() {
	watch rows --pid "$load" --threads --format json
	watch dead --comm offcpu_brief --format json
	watch waker --pid "$load" --waker --format json
	watch states --pid "$load" --state uninterruptible --format json
	watch kernel --pid "$load" --stack kernel --format json
	emulated && return # the rest has nothing to do with the kernel
	watch folded --pid "$load" -o "$tap_dir/x.folded"
	watch svg --pid "$load" -o "$tap_dir/x.svg"
}

run watch_all
check "a thread that sleeps 50 times 10 ms has 50 blocks there" judge rows \
	"$naps <= total(of('sleeper', 'naps_ten_ms'), 'count') <= 50"
check "their time is what the thread measures, and what the kernel says of it within 3 %" judge rows \
	'measured(total(of("sleeper", "naps_ten_ms")), "sleeper")'
check "the mean lies between the shortest and the longest" judge rows \
	'all(0 < r["min"] <= r["weight"] / r["count"] <= r["max"] <= r["weight"] for r in of("sleeper", "naps_ten_ms"))'
check "kernel and user stack are one: the sleep is below the function" judge rows \
	'all(0 <= names(r).index("__schedule") < names(r).index("naps_ten_ms") < names(r).index("sleeper")
	     for r in of("sleeper", "naps_ten_ms")) and of("sleeper", "naps_ten_ms")'
check "no frame is of the program that took the stack" judge rows \
	'not any("bpf" in name or "traceiter" in name for r in rows for name in names(r))'
check "who waits for a lock is blocked as long as the kernel says, within 3 %" judge rows \
	'right(total([r for r in of("waiter") if "thread_main" in names(r) and "waiter" in names(r)]), "waiter")'
check "at least 20 times 10 ms of it for the lock itself" judge rows \
	'total(of("waiter", "wants_the_lock")) > share * 20 * 10 * MS'
check "threads that wait until the end count as blocked" judge rows \
	'all(total(of(name), "blocked") == 1 for name in truth)'
check "there are rows of this process only" judge rows 'len({r["pid"] for r in rows}) == 1'
check "a process that lived 5 ms and is gone has the names of its functions" judge dead \
	'total(of("offcpu_brief", "blocks_and_is_gone", pid=brief), "count") == 1'
check "and its time, of some ms" judge dead \
	"$shortest <= total(of('offcpu_brief', 'blocks_and_is_gone', pid=brief)) <= brief_life"
check "who has the lock is who wakes the one who waits for it" judge waker \
	'total(of("waiter", "wants_the_lock", waker_comm="holder"), "count") >= 15'
check "what the waker did stands on top" judge waker \
	'all(names(r).index("[woken in holder]") > 0 for r in of("waiter", "wants_the_lock", waker_comm="holder"))'
check "with wakers, times are the same" judge waker \
	'measured(total(of("sleeper", "naps_ten_ms")), "sleeper")'
check "kernel stacks alone have no user functions" judge kernel \
	'rows and not any("naps_ten_ms" in names(r) for r in rows)'
check "kernel stacks alone have the same time within 3 %" judge kernel \
	'total(of("sleeper"), "count") >= 50 and total(of("sleeper")) >= least("sleeper")'
if [ -z "$slow" ]; then
	skip "who reads a disk of 50 ms is uninterruptible for 50 ms" "no loop device on FUSE here: $(head -1 "$tap_dir/err")"
	skip "no other states are in a filtered result" "no loop device on FUSE here"
else
	check "who reads a disk of 50 ms is uninterruptible for 50 ms" judge states \
		'total(of("reader", "reads_the_disk"), "count") >= 10 and
		 measured(total(of("reader", "reads_the_disk")), "reader")'
	check "no other states are in a filtered result" judge states \
		'{r["state"] for r in rows} == {"uninterruptible"}'
fi
if ! emulated; then
check "the folded file has the sleeper's function and time" python3 - "$tap_dir" "$share" "$stolen_ns" <<'P'
import sys
folder, share, stolen = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
least, most = [tuple(map(int, l.split()[2:4])) for l in open(folder + "/truth") if l.startswith("sleeper ")][0]
lines = [l.rsplit(" ", 1) for l in open(folder + "/x.folded")]
ns = sum(int(n) for stack, n in lines if stack.startswith("sleeper-") and ";naps_ten_ms;" in stack)
sys.exit(0 if share * least - 5e6 - stolen <= ns <= most + 5e6 else "%d ns" % ns)
P
check "the flame graph is XML, has the function, and its unit is time" python3 - "$tap_dir" <<'P'
import re, sys
import xml.etree.ElementTree as tree
print(open(sys.argv[1] + "/svg.err").read())
text = open(sys.argv[1] + "/x.svg").read()
tree.fromstring(text)
assert "naps_ten_ms" in text, "no naps_ten_ms"
assert re.search(r"naps_ten_ms \([\d.]+ m?s, 50 samples", text), re.findall(r"naps_ten_ms[^<]*", text)
P

# The smallest table: what has no room keeps its time.
watch_small() {
	watch rows --pid "$load" --threads --max-stacks 16 --format json
	watch all --pid "$load" --format json
	watch every --format json --max-stacks 16
}
run watch_small
check "with too few stacks the time is under [lost stack]" judge every \
	'any(names(r) == ["[lost stack]"] and r["weight"] > 0 for r in rows) and len(rows) <= 16'
check "and the loss is told with its cure" holds "$tap_dir/every.err" "max-stacks"
fi

"$weir" offcpu --comm no-such-name --duration 300ms >"$tap_dir/said" 2>&1
check "no block shows that there was none" holds "$tap_dir/said" "(nothing in this window)"
check "a user who is not there is an error" status 2 "$weir" offcpu --user nosuchuser --duration 1s
check "a maximum below the minimum is an error" status 2 \
	"$weir" offcpu --min-block 2ms --max-block 1ms --duration 1s
if command -v setpriv >/dev/null; then
	setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups \
		"$weir" offcpu --duration 1s >"$tap_dir/said" 2>&1
	check "without the right to load programs it exits with 3" test $? = 3
	check "and says so" holds "$tap_dir/said" "CAP_BPF"
else
	skip "without the right to load programs it exits with 3" "setpriv is not installed"
fi
finish
