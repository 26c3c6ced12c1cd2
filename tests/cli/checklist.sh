#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `weir checklist`: ten blocks, in their order, each with one sentence; and what the sentences say of staged
# rows. Usage: checklist.sh SOURCE BUILD
set -u
. "$1/tests/cli/staged.sh"

"$weir" checklist --interval 200ms --since 0 --format json >"$tap_dir/live" 2>"$tap_dir/err"
ten() {
	python3 - "$tap_dir/live" <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
want = "uptime dmesg vmstat mpstat pidstat iostat free sar_dev sar_tcp top".split()
assert [r["block"] for r in rows] == want, [r["block"] for r in rows]
for r in rows:
    assert r["verdict"].startswith(r["block"] + ": ") and len(r["verdict"]) > len(r["block"]) + 4, r
    assert "${" not in r["verdict"], r
by = {r["block"]: r for r in rows}
assert len(by["vmstat"]["rows"]) == 1 and by["mpstat"]["rows"][0]["cpu"] == "all", by["mpstat"]
assert list(by["uptime"]["rows"][0])[:3] == ["load1", "load5", "load15"], by["uptime"]
assert len(by["pidstat"]["rows"]) <= 5 and 0.1 < by["vmstat"]["seconds"] < 60, by["pidstat"]
P
}
check "there are ten blocks, in their order, and each has a sentence" ten
timeout 200 "$weir" checklist --interval 200ms --since 0 >"$tap_dir/shown" 2>"$tap_dir/err"
# above SENTENCE ROW: lines that begin so, the first a few lines above the second.
above() {
	awk -v a="$1" -v b="$2" 'index($0, a) == 1 { f = NR } index($0, b) == 1 { m = NR }
		END { exit !(f && m > f && m < f + 7) }' "$tap_dir/shown"
}
check "people see the sentence above its rows" above "free: " "  memory"

# block NAME [COLUMNS]: the source's rows as that block of the shipped sentences, or of $rules.
rules=$source/configs/rules/checklist.yaml
block() {
	cat >"$tap_dir/block.yaml" <<Y
# Staged rows.
weir: 1
sources: {rows: {plugin: test.script, file: in.rows}}
transforms: {block: {plugin: block, rules: "$rules", block: $1, inputs: [rows]${2:+, columns: [$2]}}}
sinks: {out: {plugin: json, inputs: [block]}}
Y
	"$weir" "$tap_dir/block.yaml" >"$tap_dir/answer" 2>"$tap_dir/err"
	ended=$?
}

# says TEXT [NEXT]: that is the sentence, and what to run next.
says() {
	[ $ended = 0 ] || { echo "exit status $ended"; return 1; }
	python3 -c 'import json, sys
v = json.loads(open(sys.argv[1]).read())
assert (v["verdict"], v["next"]) == (sys.argv[2], sys.argv[3] or None), v' "$tap_dir/answer" "$1" "${2-}"
}

rows in <<'Y'
columns: {load1: number, load5: number, load15: number, running: uint, blocked: uint, uninterruptible: uint}
windows: [{seconds: 1, rows: [[9, 5, 2, 4, 0, 0]]}, {seconds: 3, rows: [[8, 5, 3, 4, 0, 0]]}, {seconds: 1, rows: [[1, 1, 1, 1, 0, 0]]}]
Y
block uptime "load1, load15"
check "a load that rises is told, of the longest window" says "uptime: the load rises: 8, over 15 minutes it was 3" weir
check "with the columns asked for, and how long it was looked" \
	holds "$tap_dir/answer" '"seconds":3,"rows":[{"load1":8,"load15":3}]'
# disks ROW...: what iostat is about.
disks() {
	rows in <<Y
columns: {disk: text, util: ratio, queue: number, read_wait: ns, write_wait: ns}
windows: [$1]
Y
	block iostat
}
disks '{seconds: 1, rows: [[sda, 1, 0.9, 100000, 100000], [sdb, 0.9, 7.9, 38000000, 90000000]]}'
check "a slow disk is told before a busy one" \
	says "iostat: sdb is slow: reads wait 38 ms, writes 90 ms, 7.9 queued" "weir biolatency"
disks '{seconds: 1, rows: [[sda, 1, 0.9, 100000, 100000]]}'
check "one that is always in use, and answers, is not slow" says "iostat: sda is busy, and answers in time"
disks '{seconds: 1, rows: []}'
check "of no rows, what needs none is said" says "iostat: no disk is busy"
disks ''
check "when nothing came at all, nobody says that all is well" says "iostat: nothing came"
block iostat nothing
check "a column that there is not is refused" holds "$tap_dir/err" 'wants "nothing"'
block iostatt
check "a block that there is not, too" holds "$tap_dir/err" 'a list "iostatt" of sentences is expected here'
rules=$tap_dir/rules.yaml
echo 'iostat: [{when: queue > 1, say: "${quue}"}]' >"$rules"
block iostat
check "an unknown column in a sentence is refused in its place" holds "$tap_dir/err" 'rules.yaml:1:33: error'
echo 'iostat: [{when: queue, say: x}]' >"$rules"
block iostat
check "a condition that is none, too" holds "$tap_dir/err" 'when takes a condition'

# Ten newer warnings do not hide that a process was killed.
{
	printf 'columns: {sequence: uint, kind: text, severity: text, comm: text, instance: text}\nwindows:\n- seconds: 1\n  rows:\n'
	printf '  - [7, oom, error, hog, ~]\n  - [8, io_error, error, ~, sda]\n'
	for number in 11 12 13 14 15 16 17 18 19 20; do
		printf '  - [%s, segfault, warning, x, ~]\n' $number
	done
} | rows in
sed -n 's/^  worst: *\(.*\)inputs: .*/transforms:\n  worst: \1inputs: [rows]}/p' "$source/configs/checklist.yaml" >"$tap_dir/worst"
cat >"$tap_dir/block.yaml" <<Y
# The worst of what the kernel's log has.
weir: 1
sources: {rows: {plugin: test.script, file: in.rows}}
$(cat "$tap_dir/worst")
  block: {plugin: block, rules: "$source/configs/rules/checklist.yaml", block: dmesg, inputs: [worst], columns: [kind]}
sinks: {out: {plugin: json, inputs: [block]}}
Y
"$weir" "$tap_dir/block.yaml" >"$tap_dir/answer" 2>"$tap_dir/err"
ended=$?
check "the worst that the log has is told, however much came after it" \
	says "dmesg: a process was killed for want of memory: hog" "weir errors"
check "and what is worse is shown before what is newer" python3 -c 'import json, sys
kinds = [row["kind"] for row in json.loads(open(sys.argv[1]).read())["rows"]]
assert kinds == ["oom", "io_error"] + 6 * ["segfault"], kinds' "$tap_dir/answer"
finish
