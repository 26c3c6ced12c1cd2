#!/bin/sh
# Sinks that never read: a FIFO without a reader, a full disk. The others go on, memory does not
# grow, and each edge's ledger adds up. Usage: dead_sink.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

# What the sanitizer keeps back of freed memory would be taken for growth.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=0:thread_local_quarantine_size_kb=0"

mkfifo "$tap_dir/fifo"
cat >"$tap_dir/dead.yaml" <<Y
# Does one dead sink stop the others?
weir: 1
sources:
  cpu: {plugin: cpu.stat, interval: 10ms}
sinks:
  nobody:
    plugin: json
    path: $tap_dir/fifo
    inputs: [{from: cpu, queue: {rows: 20}}]
  full:
    plugin: json
    path: /dev/full
    inputs: [cpu]
  good:
    plugin: json
    path: $tap_dir/good.json
    inputs: [cpu]
Y

: >"$tap_dir/good.json"
"$weir" run "$tap_dir/dead.yaml" --stats --deadline 2s >"$tap_dir/stdout" 2>"$tap_dir/stderr" &
pid=$!
resident() {
	awk '/^VmRSS/ {print $2}' /proc/$pid/status
}
# lines N: so many rows have come to the good sink.
lines() {
	[ "$(wc -l <"$tap_dir/good.json")" -ge "$1" ]
}
attached "$tap_dir/stderr"
until_true lines 300
early=$(resident)
until_true lines 1000
late=$(resident)
kill -INT $pid
wait $pid
ended=$?

at_most() {
	[ "$1" -le "$2" ] || { echo "$1 KiB more than $early"; return 1; }
}

rows=$(wc -l <"$tap_dir/good.json")
check "a failed sink makes the exit status 1" test $ended = 1
check "the good sink got all that came meanwhile" test "$rows" -ge 1000
check "each of its lines is whole" python3 -c "
import json
for line in open('$tap_dir/good.json'): json.loads(line)"
check "the process did not grow" at_most "$((late - early))" 256
check "the full disk is named once" test "$(grep -c 'No space left' "$tap_dir/stderr")" = 1
check "what the dead sink did not take is told" grep -q 'nobody.*lost [0-9]* rows' "$tap_dir/stderr"

# edge LINE: in = out + lost + queued
adds_up() {
	grep "edge .*$1:" "$tap_dir/stderr" | tr -d ',' | awk '
		{for (i = 1; i < NF; i++) n[$i] = $(i + 1)}
		END {exit !(NR == 1 && n["in"] > 0 && n["in"] == n["out"] + n["lost"] + n["queued"])}' ||
		{ cat "$tap_dir/stderr"; return 1; }
}
for sink in nobody full good; do
	check "the ledger of $sink adds up" adds_up $sink
done
check "the good sink lost nothing" grep -q 'edge .*good: .*lost 0, queued 0' "$tap_dir/stderr"
check "each row of the good sink's ledger is a line" test "$(sed -n 's/.*good: .*out \([0-9]*\),.*/\1/p' "$tap_dir/stderr")" = "$rows"
finish
