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
"$weir" flame --frequency 997 -o "$tap_dir/x.folded" -- "$calltree" 4 7 >"$tap_dir/own" 2>"$tap_dir/err"
check "the command's status is passed on" test $? = 7
check "a command that cannot be run is 127" status 127 "$weir" flame -o "$tap_dir/y.svg" -- /nonexistent/command
for path in $(awk '{print $1}' "$tap_dir/own"); do
	check "$path has the share that it measured itself" within "$path" "$(own "$tap_dir/own" "$path")" "$tap_dir/x.folded"
done
check "there were at least three paths" test "$(wc -l <"$tap_dir/own")" -ge 3
check "main is in each stack of the program" within main 100 "$tap_dir/x.folded"
check "no frame of the process that has exited is unknown" status 1 unnamed "$tap_dir/x.folded"
check "the rate obtained is told" holds "$tap_dir/err" "asked 997 Hz, got"

# The same on a process that runs already, as a picture.
"$calltree" 60 >/dev/null &
pid=$!
"$weir" flame --pid $pid --frequency 499 --duration 3s -o "$tap_dir/x.svg" 2>"$tap_dir/err"
"$weir" flame --pid $pid --frequency 499 --duration 3s -o "$tap_dir/z.folded" 2>>"$tap_dir/err"
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
	"$weir" flame --frequency 999 -o "$tap_dir/short.folded" 2>"$tap_dir/err" &
	pid=$!
	for _ in $(seq 100); do
		grep -q attached "$tap_dir/err" && break
		sleep 0.1
	done
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
finish
