#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `weir verdict --compare FILE` on staged runs of known spread: the same load, however noisy, is no change; a
# load that came or went is one; and a file that is no verdict is refused. Usage: compare.sh SOURCE BUILD
set -u
. "$1/tests/cli/staged.sh"

# run SEED BUSY QUEUE WAIT [SPREAD ERRORS]: ten windows of a disk. Its queue and wait vary around these by
# chance, one window like the one before it, with a standard deviation of SPREAD, and in bursts; ERRORS of
# ten runs have an error.
run() {
	python3 - "$@" >"$tap_dir/disks.rows" <<'P'
import random
import sys
seed, busy, queue, wait, spread, errors = sys.argv[1], *map(float, (sys.argv[2:] + [0.1, 0])[:5])
random.seed(seed)
print("columns: {disk: text, busy: ratio, queue: number, wait: ns, errors: count}\nwindows:")
drift = 0
bad = random.randrange(10) if random.random() * 10 < errors else -1
for window in range(10):
    drift = 0.5 * drift + random.gauss(0, 1)
    burst = 3 if random.random() < 0.1 and errors else 1
    vary = lambda mean, by: max(0, mean * (1 + by * drift) * burst)
    print(f"- {{seconds: 1, rows: [[sda, {min(1, vary(busy, spread / 3)):.4f}, {vary(queue, spread):.4f},"
          f" {vary(wait, spread):.0f}, {int(window == bad)}]]}}")
P
}

rules() {
	cat <<'Y'
weir-rules: 1
compare: {chance: 8, share: 20%, windows: 4}
resources:
- resource: disk
  input: disks
  instance: disk
  figures:
    busy:   {of: busy, take: mean}
    queue:  {of: queue, take: mean}
    wait:   {of: wait, take: sum}
    each:   {value: wait / queue}
    errors: {of: errors, take: sum}
  utilization: busy
  saturation: queue
  errors: errors
  notable: {busy: 5%, queue: 1, each: 1us, errors: 0}
  busy: busy > 40%
  drop: busy == 0
  findings:
  - kind: saturation
    when: queue > 4
    because: a queue that long never empties
    cost: wait
    summary: "BOTTLENECK disk ${instance}: ${queue} queued"
    evidence: [queue, wait]
  - kind: errors
    when: errors > 0
    because: none is right
    summary: "ERRORS disk ${instance}: ${errors}"
    evidence: [errors]
Y
}

# before, after: what a run's verdict is; the second beside the first.
before() {
	rules | judge --format json
	cp "$tap_dir/answer" "$tap_dir/before.json"
}

after() {
	rules >"$tap_dir/rules"
	compare=$tap_dir/before.json
	judge --format json <"$tap_dir/rules"
	after_status=$?
	compare=
}

# changes WORD...: the changes are these: "better:queue".
changes() {
	is "[c['change'] + ':' + (c['what'] or c['about']) for c in v['changes']] == '$*'.split()"
}

# Twenty pairs of the same load: half of them at the threshold of a finding, which comes and goes.
false_changes=0 undecided=0
for pair in $(seq 20); do
	mean=$((2 + pair % 2 * 2))
	run "a$pair" 0.5 $mean 100000000 0.3 5
	before
	run "b$pair" 0.5 $mean 100000000 0.3 5
	after
	is "[c for c in v['changes'] if c['change'] != 'undecided'] == []" >>"$tap_dir/false" 2>&1 ||
		false_changes=$((false_changes + 1))
	is "'no differences from' in v['summary']" >>"$tap_dir/false" 2>&1 || false_changes=$((false_changes + 1))
	is "v['changes'] == []" >/dev/null 2>&1 || undecided=$((undecided + 1))
done
check "the same load is no change in twenty pairs" test $false_changes = 0
[ $false_changes = 0 ] || sed 's/^/# /' "$tap_dir/false"
check "a finding that comes and goes at its threshold is told as undecided" test $undecided -gt 0

run slow 0.9 12 3000000000
before
run fast 0.1 1 100000000
after
check "a load that went is told: its finding, and its figures" changes went:saturation better:busy better:queue better:each
check "with both means and their spread" is \
	"[(0.5 < c['before'] <= 1, 0 < c['before_spread'] < 0.3, 0 < c['after'] < 0.3, c['unit']) for c in v['changes'] if c['what'] == 'busy'] == [(True, True, True, None)]"
check "and which file it is compared with" is "v['compared_with'].endswith('before.json') and 'differences from' in v['summary']"
before
run slow 0.9 12 3000000000
after
check "a load that came is told" changes came:saturation worse:busy worse:queue worse:each
before
run slower 0.9 40 9000000000
after
check "one that grew, too, with what its finding costs" changes worse:saturation worse:queue
before
echo 'columns: {disk: text, busy: ratio, queue: number, wait: ns, errors: count}
windows: []' >"$tap_dir/disks.rows"
after
check "a disk that is gone is told when something was to be said of it" changes went:saturation went:resource
before
run slow 0.9 12 3000000000
after
check "and one that came" changes came:saturation came:resource
run short 0.1 1 100000000
sed -i '6,$d' "$tap_dir/disks.rows"
before
run slow 0.9 12 3000000000
sed -i '6,$d' "$tap_dir/disks.rows"
after
check "too few windows decide nothing" changes undecided:saturation

# refused SENTENCE TEXT PLACE REASON: such a file is refused there, with exit status 2.
refused() {
	printf '%s' "$2" >"$tap_dir/before.json"
	after
	check "$1 is refused" test $after_status = 2
	check "in its place" holds "$tap_dir/err" "before.json:$3: error"
	check "with its reason" holds "$tap_dir/err" "$4"
}
refused "a file that is no verdict" '{"a": 1}' 1:1 'a list "resources" is expected here'
refused "half a file" '{"resources":[{"resource":"di' 1:30 "a quote that is not closed"
refused "an empty file" '' 1:1 ''
refused "a verdict without figures" '{"resources":[{"resource":"disk","instance":null,"state":"ok"}],"findings":[]}' 1:15 \
	'a list "figures" is expected here'
refused "a text for a number" '{"resources":[{"resource":"disk","instance":null,"state":"ok","figures":[{"metric":"busy","mean":"much","spread":1,"windows":2}]}],"findings":[]}' \
	1:98 'a number "mean" is expected here'
rm "$tap_dir/before.json"
after
check "a file that is not there is told" holds "$tap_dir/err" "No such file"
rules() { printf 'weir-rules: 1\nresources:\n- {resource: a, input: disks, figures: {b: {of: busy}}}\n'; }
before
after
check "rules that do not say what a change is are refused" holds "$tap_dir/err" '"compare" is missing'
finish
