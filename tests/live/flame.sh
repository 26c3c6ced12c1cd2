#!/bin/sh
# weir flame and profile on a program whose call tree and shares are known, on processes that
# live for milliseconds, and on commands that end with a status. Usage: flame.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
calltree=$build/tests/calltree

# shares FOLDED: "NAME PERCENT" of each function of the program, callees included.
shares() {
	python3 - "$1" <<'P'
import collections, sys
total, names = 0, collections.Counter()
for line in open(sys.argv[1]):
    stack, count = line.rsplit(" ", 1)
    frames = stack.split(";")
    if frames[0] != "calltree":
        continue
    total += int(count)
    for name in set(frames):
        names[name] += int(count)
for name, count in names.items():
    print(name, 100 * count / total)
P
}

# within NAME PERCENT FOLDED: that function has that share, within 3 points.
within() {
	share=$(shares "$3" | awk -v name="$1" '$1 == name {print $2}')
	awk -v is="${share:-0}" -v want="$2" 'BEGIN {d = is - want; exit !(d <= 3 && d >= -3)}' ||
		{ echo "$1 has ${share:-no} %, not $2"; shares "$3"; return 1; }
}

# own PROGRAM-OUTPUT NAME: the share that the program itself measured for that path.
own() {
	awk -v name="$2" '$1 == name {print $2}' "$1"
}

unnamed() {
	grep -E '^calltree;' "$1" | grep -F '[unknown]'
}

# The program ends before its samples are named, and says itself what each path got.
"$weir" flame --frequency 1997 -o "$tap_dir/x.folded" -- "$calltree" 4 7 >"$tap_dir/own" 2>"$tap_dir/err"
check "the command's status is passed on" test $? = 7
check "a command that cannot be run is 127" status 127 "$weir" flame -o "$tap_dir/y.svg" -- /nonexistent/command
for path in $(awk '{print $1}' "$tap_dir/own"); do
	check "$path has the share that it measured itself" within "$path" "$(own "$tap_dir/own" "$path")" "$tap_dir/x.folded"
done
check "there were at least three paths" test "$(wc -l <"$tap_dir/own")" -ge 3
check "main is in each stack of the program" within main 100 "$tap_dir/x.folded"
check "no frame of the process that has exited is unknown" status 1 unnamed "$tap_dir/x.folded"
check "the rate obtained is told" holds "$tap_dir/err" "asked 1997 Hz, got"

# The same on a process that runs already, as a picture.
"$calltree" 600 >/dev/null &
pid=$!
"$weir" flame --pid $pid --frequency 1997 --duration 3s -o "$tap_dir/x.svg" 2>"$tap_dir/err"
# As many samples on a busy machine as on an idle one: so much of the program's time, not of the clock's.
"$weir" flame --pid $pid --frequency 4999 -o "$tap_dir/z.folded" 2>"$tap_dir/attached" &
watch=$!
attached "$tap_dir/attached"
until_ticks $pid $(($(ticks $pid) + 400))
kill -INT $watch
wait $watch
cat "$tap_dir/attached" >>"$tap_dir/err"
kill $pid
wait $pid 2>/dev/null
check "the picture is valid XML" xmllint --noout "$tap_dir/x.svg"
check "the picture needs no network" lacks "$tap_dir/x.svg" "src=\"http"
for path in $(awk '{print $1}' "$tap_dir/own"); do
	check "$path is in the picture" holds "$tap_dir/x.svg" "$path"
	check "attached to a running process, $path has its share" within "$path" "$(own "$tap_dir/own" "$path")" "$tap_dir/z.folded"
done

# Processes of some milliseconds, system-wide.
if [ "$(id -u)" = 0 ]; then
	: >"$tap_dir/err"
	"$weir" flame --frequency 999 -o "$tap_dir/short.folded" 2>"$tap_dir/err" &
	pid=$!
	attached "$tap_dir/err"
	seq 500 | xargs -n1 /bin/true
	kill -INT $pid
	wait $pid
	# User frames of the short-lived: those that are not the kernel's (_[k]).
	short_lived() {
		python3 - "$tap_dir/short.folded" <<'P'
import sys
named = unnamed = 0
for line in open(sys.argv[1]):
    stack, count = line.rsplit(" ", 1)
    frames = stack.split(";")
    if frames[0] not in ("true", "xargs"):
        continue
    for frame in frames[1:]:
        if frame.endswith("_[k]"):
            continue
        if frame == "[unknown]" or frame.startswith("0x"):
            unnamed += 1
        else:
            named += 1
print("%d named, %d unnamed" % (named, unnamed))
sys.exit(not (named > 100 and named >= 0.99 * (named + unnamed)))
P
	}
	check "99 % of the user frames of 500 short processes have names" short_lived
else
	skip "99 % of the user frames of 500 short processes have names" "system-wide sampling needs root"
fi

"$weir" profile --frequency 997 -- "$calltree" 1 >"$tap_dir/tree" 2>"$tap_dir/err"
check "the profile as text has the tree's columns" holds "$tap_dir/tree" "children"
check "the profile as text has the main function" holds "$tap_dir/tree" "main"

# --event, --period, --buffer: what cannot be done is said, with the right status.
# said STATUS TEXT ARGUMENTS...
said() {
	want=$1 text=$2
	shift 2
	status "$want" "$weir" flame --duration 1s -o "$tap_dir/e.folded" "$@" 2>"$tap_dir/err" &&
		holds "$tap_dir/err" "$text"
}
check "an event that does not exist has a neighbour" said 2 'did you mean "cycles"' --event cylces
check "an event unlike any other has none" said 2 'there is no event "xyzzy"; `weir events`' --event xyzzy
if "$weir" events cycles --format json 2>/dev/null | grep -q '"available":true'; then
	skip "an event that is not there exits with 3" "this machine has a PMU"
elif [ "$(id -u)" != 0 ]; then
	skip "an event that is not there exits with 3" "needs root: that it may not is said first"
else
	check "an event that is not there exits with 3" said 3 "no hardware PMU" --event cycles
fi
if [ "$(id -u)" != 0 ]; then
	skip "a tracepoint is sampled, whether tracefs is mounted or not" "needs root"
else
	# Each sleep is a switch of its own will; how many there are in all, only the kernel knows.
	check "a tracepoint is sampled, whether tracefs is mounted or not" \
		said 0 "asked for each 1, got" --event voluntary-switches --period 1 -- sleep 0.1
fi
check "a tracepoint that there is not exits with 2" \
	said 2 'there is no event "sched:sched_swich"' --event sched:sched_swich
check "a period takes the place of the frequency" \
	said 0 "asked for each 1, got" --event page-faults --period 1 -- /bin/true
check "period and frequency exclude each other" \
	said 2 "exclude each other" --period 1 --frequency 1
"$calltree" 60 >/dev/null &
pid=$!
check "a ring that is too small loses samples, which is said" \
	said 0 "ring buffer full (cure: a larger" --pid $pid --frequency 20000 --buffer 4KiB
kill $pid
wait $pid 2>/dev/null

# A program in another root, and in another mount namespace, whose namesake of the host has other
# names at the same addresses: once told apart by build-id, once by device and inode.
prefix=$tap_dir/namesake
root=$tap_dir/jail
# in_jail TITLE OBJCOPY-OPTION RUNNER...
in_jail() {
	title=$1 option=$2
	shift 2
	mkdir -p "$prefix" "$root$prefix"
	objcopy $option "$calltree" "$root$prefix/program"
	objcopy --remove-section .note.gnu.build-id --redefine-sym leaf=wrong_leaf \
		--redefine-sym trunk=wrong_trunk "$calltree" "$prefix/program"
	ldd "$calltree" | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done
	"$@" "$prefix/program" 60 >/dev/null &
	pid=$!
	until_true runs $pid program
	"$weir" flame --pid $pid --frequency 499 --duration 1s -o "$tap_dir/j.folded" 2>"$tap_dir/err"
	kill $pid
	wait $pid 2>/dev/null
	check "the names are those of the program in $title" holds "$tap_dir/j.folded" "trunk;north;leaf"
	check "none are those of its namesake on the host ($title)" lacks "$tap_dir/j.folded" wrong_
}
bound() {
	exec unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$root$prefix" "$prefix" "$@"
}
in_root() {
	exec chroot "$root" "$@"
}
if [ "$(id -u)" = 0 ] && command -v objcopy >/dev/null; then
	in_jail "another root" "" in_root
	in_jail "another root without build-ids" "--remove-section=.note.gnu.build-id" in_root
	in_jail "another mount namespace" "" bound
	in_jail "another mount namespace without build-ids" "--remove-section=.note.gnu.build-id" bound
else
	skip "the names are those of the program in another root" "needs root and objcopy"
fi

# In order of time, what ran again is drawn again; the widths of all that ran make up the whole.
"$weir" flamechart --frequency 499 -o "$tap_dir/chart.svg" -- "$calltree" 1 >/dev/null 2>"$tap_dir/err"
in_time() {
	python3 - "$tap_dir/chart.svg" <<'P'
import re, sys
frames = re.findall(r'data-w="(\d+)" data-d="(\d+)"><title>(\S+) \(', open(sys.argv[1]).read())
whole = sum(int(width) for width, depth, name in frames if depth == "0")
roots = sum(int(width) for width, depth, name in frames if depth == "1")
norths = [int(width) for width, depth, name in frames if name == "north"]
# What lies between two runs of the same function is at most left out where it is too narrow to be seen.
if not (len(norths) > 3 and whole * 0.9 < roots <= whole and sum(norths) < whole):
    sys.exit("%d of %d ns, north in %s" % (roots, whole, norths))
P
}
check "weir flamechart draws what ran in order of time" in_time

# The file of a running program is replaced: its names come from the old one, which lives on.
cp "$calltree" "$tap_dir/replaced"
"$tap_dir/replaced" 60 >/dev/null &
pid=$!
until_true runs $pid replaced
rm "$tap_dir/replaced"
cp /bin/true "$tap_dir/replaced"
"$weir" flame --pid $pid --frequency 499 --duration 1s -o "$tap_dir/r.folded" 2>"$tap_dir/err"
kill $pid
wait $pid 2>/dev/null
check "a program whose file was replaced keeps its names" holds "$tap_dir/r.folded" "trunk;north;leaf"
finish
