#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The JSON of `weir verdict` has the members, types and words that programs rely on: on staged rows, and on
# the machine as it is. Usage: verdict_json.sh SOURCE BUILD
set -u
. "$1/tests/cli/staged.sh"

# keeps FILE: its contract.
keeps() {
	python3 "$source/tests/cli/verdict_json.py" "$1"
}

# Five windows of 1000 disks each, of which the rules' transform keeps 4095 and the machine as a whole.
many() {
	echo 'columns: {disk: text, busy: ratio, pid: uint, comm: text, wait: ns}'
	echo 'windows:'
	for window in 1 2 3 4 5; do
		echo "- seconds: 1"
		echo "  rows:"
		seq 1000 | sed "s/.*/  - [disk$window.&, 0.9, &, 'rsync \"a\"', 1000000]/"
	done
}
many | rows disks
judge --format json <<'Y'
weir-rules: 1
resources:
- resource: disk
  input: disks
  instance: disk
  figures:
    busy: {of: busy, take: mean}
    wait: {of: wait, take: sum}
    gone: {input: log, of: count, take: sum}
  utilization: busy
  errors: gone
  unknown: {gone: nobody reads the log}
  findings:
  - kind: saturation
    when: busy > 80%
    because: tasks wait for it
    cost: wait
    summary: "BOTTLENECK disk ${instance}"
    evidence: [busy, gone, wait]
    causes:  {by: wait, take: sum, say: "${name}"}
    victims: {by: wait, say: "${name}"}
    next: ["weir iostat"]
Y
check "what is found has all its members" keeps "$tap_dir/answer"
check "a name with quotation marks is one" is "f[0]['causes'][0]['comm'] == 'rsync \"a\"'"
check "what was lost is a map from where and why to how much" is \
	"list(v['lost']) == ['use: more instances of a resource than are kept'] and v['lost'].popitem()[1] > 900"

: >"$tap_dir/live.err"
"$weir" verdict --duration 2s --format json >"$tap_dir/live" 2>"$tap_dir/live.err"
check "so has what is found on this machine" keeps "$tap_dir/live"
printf '{"resources":[{"resource":"gpu"}]}\n' >"$tap_dir/foreign"
check "a file that is none does not" status 1 keeps "$tap_dir/foreign"
finish
