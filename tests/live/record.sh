#!/bin/sh
# weir record: what it keeps of a program whose functions are known is read by weir convert and by
# perf, and both find the same in it. Usage: record.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
calltree=$build/tests/calltree
pipeline=$source/tests/fixtures/perf_data.yaml

# Samples of a function of the program, by file of folded stacks.
functions() {
	python3 - "$1" <<'P'
import collections, sys
names = collections.Counter()
for line in open(sys.argv[1]):
    stack, count = line.rsplit(" ", 1)
    for name in {"main", "trunk", "north", "east", "west", "leaf"} & set(stack.split(";")):
        names[name] += int(count)
print("\n".join("%s %d" % item for item in sorted(names.items())))
P
}

# The same of what perf says of a recording.
functions_of_perf() {
	perf script -i "$1" -F comm,ip,sym 2>"$tap_dir/perf" | python3 -c '
import collections, sys
names = collections.Counter()
for sample in sys.stdin.read().split("\n\n"):
    stack = {line.split()[1] for line in sample.splitlines()[1:] if len(line.split()) > 1}
    for name in {"main", "trunk", "north", "east", "west", "leaf"} & stack:
        names[name] += 1
print("\n".join("%s %d" % item for item in sorted(names.items())))'
}

# convert FILE NAME: to NAME.folded, by samples.
convert() {
	"$weir" convert "$1" --weight samples -o "$tap_dir/$2.folded" 2>"$tap_dir/$2.said" ||
		{ cat "$tap_dir/$2.said"; return 1; }
}

# total NAME: samples in NAME.folded.
total() {
	awk '{n += $NF} END {print n + 0}' "$tap_dir/$1.folded"
}

# told NAME: as many samples as weir said that it had taken.
told() {
	said=$(sed -n 's/.*(\([0-9]*\) samples of .*/\1/p; s/.*got \([0-9]*\) samples of .*/\1/p' "$tap_dir/$1.err" | head -1)
	[ "$(total "$1")" = "${said:-none}" ] || { echo "$(total "$1") read, ${said:-none} taken"; cat "$tap_dir/$1.err"; return 1; }
}

same_functions() {
	functions "$tap_dir/$1.folded" >"$tap_dir/functions"
	functions_of_perf "$2" >"$tap_dir/functions_of_perf"
	[ "$(wc -l <"$tap_dir/functions")" = 6 ] || { echo "not all functions:"; cat "$tap_dir/functions"; return 1; }
	same "$tap_dir/functions_of_perf" "$tap_dir/functions"
}

same_samples() {
	perf script -i "$1" --comms calltree --ns -F comm,pid,tid,cpu,time,period,event,ip,dso \
		>"$tap_dir/printed" 2>"$tap_dir/perf" &&
		python3 "$source/tests/corpus/perf_data.py" --comm=calltree "$weir" "$pipeline" "$1" "$tap_dir/printed"
}

if command -v perf >/dev/null; then
	with_perf() { check "$@"; }
else
	with_perf() { skip "$1" "perf is not installed"; }
fi

"$weir" record -o "$tap_dir/command.data" --frequency 997 -- "$calltree" 2 9 >/dev/null 2>"$tap_dir/command.err"
check "the command's status is passed on" test $? = 9
check "weir convert reads the recording" convert "$tap_dir/command.data" command
check "it has all the samples that were taken" told command
with_perf "perf and weir read the same samples from it" same_samples "$tap_dir/command.data"
reported() {
	perf report -i "$tap_dir/command.data" --stdio --header --sort comm,dso >"$tap_dir/report" 2>"$tap_dir/perf" || { cat "$tap_dir/perf"; return 1; }
	holds "$tap_dir/report" "# hostname : $(uname -n)" && holds "$tap_dir/report" "# os release : $(uname -r)" &&
		holds "$tap_dir/report" "# event : name = " && holds "$tap_dir/report" "Total Lost Samples: 0" &&
		grep -q '^ *[0-9.]*% .*calltree *calltree' "$tap_dir/report" || { cat "$tap_dir/report" "$tap_dir/perf"; return 1; }
}
with_perf "perf report shows its header, what was lost, and who ran" reported
with_perf "perf and weir find the same functions in it" same_functions command "$tap_dir/command.data"
# What libc does at its begin and end has no frame pointers.
check "the stacks of the program are complete" grep -E '(100\.0|99\.[0-9]) % of' "$tap_dir/command.said"

"$weir" record -o - --frequency 997 -- sh -c "exec '$calltree' 1 >&2" >"$tap_dir/stream.data" 2>"$tap_dir/stream.err"
check "weir convert reads the stream that stdout got" convert "$tap_dir/stream.data" stream
check "the stream has all the samples that were taken" told stream
by_stream() {
	functions "$tap_dir/stream.folded" >"$tap_dir/functions"
	perf script -i - -F comm,ip,sym <"$tap_dir/stream.data" 2>"$tap_dir/perf" >"$tap_dir/script"
	[ "$(grep -c leaf "$tap_dir/script")" = "$(sed -n 's/^leaf //p' "$tap_dir/functions")" ] ||
		{ cat "$tap_dir/perf" "$tap_dir/functions"; grep -c leaf "$tap_dir/script"; return 1; }
}
with_perf "perf reads the stream, too" by_stream

# A process that was there before, and one that comes later; both are gone when the file is read.
"$calltree" 600 >/dev/null &
early=$!
if [ "$(id -u)" = 0 ]; then
	"$weir" record -o "$tap_dir/all.data" --frequency 499 2>"$tap_dir/all.err" &
	watch=$!
	attached "$tap_dir/all.err"
	"$calltree" 1 >/dev/null
	kill -INT $watch
	wait $watch
	check "weir convert reads a recording of everybody" convert "$tap_dir/all.data" all
	check "it has all the samples of everybody" told all
	of_one() {
		"$weir" convert "$tap_dir/all.data" --pid $early --weight samples -o "$tap_dir/early.folded" 2>&1 &&
			holds "$tap_dir/early.folded" "main;trunk;north;leaf" && lacks "$tap_dir/early.folded" "[calltree]"
	}
	check "a process that was there before has its names" of_one
	with_perf "perf and weir read the same samples of everybody" same_samples "$tap_dir/all.data"
else
	skip "weir convert reads a recording of everybody" "system-wide sampling needs root"
fi

# weir stands still while the program goes on.
"$weir" record -o "$tap_dir/small.data" --pid $early --frequency 997 --buffer 4KiB 2>"$tap_dir/small.err" &
watch=$!
attached "$tap_dir/small.err"
kill -STOP $watch
until_ticks $early $(($(ticks $early) + 100))
kill -CONT $watch
# The kernel tells of what is lost in front of the next record that finds room.
until_ticks $early $(($(ticks $early) + 50))
kill -INT $watch
wait $watch
check "a ring that is too small loses samples, which is said" holds "$tap_dir/small.err" "ring buffer full (cure: a larger"
convert "$tap_dir/small.data" small
check "and is told by the recording itself" holds "$tap_dir/small.said" "lost while it was recorded: ring full"

# All of so many page faults are taken or told as lost, the last ones too: weir stands still until
# after them, so that no further record can tell of what found no room. They are slow enough for the kernel.
faults=4000
mkfifo "$tap_dir/go" "$tap_dir/gone"
python3 - "$tap_dir/go" "$tap_dir/gone" $faults <<'P' &
import mmap, sys, time
pages = mmap.mmap(-1, int(sys.argv[3]) * 4096)
pages.madvise(15)  # MADV_NOHUGEPAGE
open(sys.argv[2], "w").close()
open(sys.argv[1]).close()
for page in range(int(sys.argv[3])):
    end = time.perf_counter() + 30e-6
    while time.perf_counter() < end:
        pass
    pages[page * 4096] = 1
open(sys.argv[2], "w").close()
open(sys.argv[1]).close()
P
faulting=$!
: <"$tap_dir/gone"
"$weir" record -o "$tap_dir/last.data" --pid $faulting --event page-faults --period 1 --buffer 4KiB 2>"$tap_dir/last.err" &
watch=$!
attached "$tap_dir/last.err"
kill -STOP $watch
: >"$tap_dir/go"
: <"$tap_dir/gone"
kill -INT $watch
kill -CONT $watch
wait $watch
: >"$tap_dir/go"
wait $faulting
# counted FILE: rows that are told as lost, or 0
counted() {
	sed -n 's/.*lost \([0-9]*\) rows: .*ring.*full.*/\1/p' "$1" | grep . || echo 0
}
all_told() {
	convert "$tap_dir/last.data" last || return 1
	taken=$(total last) lost=$(counted "$tap_dir/last.said") said=$(counted "$tap_dir/last.err")
	[ "$lost" = "$said" ] && [ "$lost" -gt $((faults / 2)) ] &&
		[ $((taken + lost)) -ge $faults ] && [ $((taken + lost)) -le $((faults + 200)) ] ||
		{ echo "$taken taken, $lost lost, $said said to be lost"; cat "$tap_dir/last.err"; return 1; }
}
check "what is lost at the very end is counted, too" all_told

"$weir" record -o "$tap_dir/killed.data" --pid $early --frequency 997 --buffer 16KiB 2>"$tap_dir/killed.err" &
watch=$!
attached "$tap_dir/killed.err"
for _ in $(seq 600); do
	[ "$(stat -c %s "$tap_dir/killed.data")" -gt 65536 ] && break
	sleep 0.1
done
kill -KILL $watch
wait $watch 2>/dev/null
unfinished() {
	"$weir" convert "$tap_dir/killed.data" -o "$tap_dir/killed.folded" 2>"$tap_dir/killed.said"
	[ "$(total killed)" -gt 0 ] && holds "$tap_dir/killed.said" "was not finished: it is read as far as it goes"
}
check "a recording that was killed is read as far as it goes, which is said" unfinished
kill $early
wait $early 2>/dev/null
finish
