#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What weir says of a stock kernel as a whole: doctor, the verdict and its comparison, a recording, a
# flame graph, and what is left for an ordinary user and where the kernel's types are not to be had.
# Usage: smoke.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir

# said N COMMAND...: it ends with N; its output and what it says go to $tap_dir/json and err.
said() {
	want=$1
	shift
	"$@" >"$tap_dir/json" 2>"$tap_dir/err"
	got=$?
	[ $got = "$want" ] && return
	echo "exit status $got, not $want"
	tail -5 "$tap_dir/json"
	cat "$tap_dir/err"
	return 1
}

# rows EXPRESSION: true of the rows of $tap_dir/json.
program rows <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
sys.exit(not eval(sys.argv[2]))
P
rows() {
	ask rows "$tap_dir/json" "$1" && return
	cut -c1-3000 "$tap_dir/json" | head -30
	cat "$tap_dir/err"
	return 1
}

check "doctor looks at this kernel" said 0 "$weir" doctor
check "it has what traces and BPF programs need" sh -c '! grep -E "^(kernel BTF|raw tracepoints).*missing" "$1"' sh "$tap_dir/json"

verdict="$weir verdict --interval 500ms --format json"
check "a verdict" said 0 $verdict --duration 2s
# An idle machine may have used no disk and no network.
check "it has looked at the CPUs and the memory" rows \
	'{"cpu", "memory"} <= {r["resource"] for r in rows[0]["resources"]}'
cp "$tap_dir/json" "$tap_dir/before"
check "a verdict that is compared with it" said 0 $verdict --duration 2s --compare "$tap_dir/before"
check "says so" rows 'rows[0]["compared_with"]'

busy='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
check "a flame graph of a program" said 0 "$weir" flame -o "$tap_dir/x.folded" -- sh -c "$busy"
check "it has that program's samples" grep -q '^sh;' "$tap_dir/x.folded"
check "a recording of it" said 0 "$weir" record -o "$tap_dir/x.data" -- sh -c "$busy"
check "it is read again" said 0 "$weir" convert "$tap_dir/x.data" -o "$tap_dir/again.folded"
check "with that program's samples" grep -q '^sh;' "$tap_dir/again.folded"

# Without BTF that can be read in /sys, as where the kernel was built without it.
hidden() {
	mkdir -p "$tap_dir/nothing"
	unshare -m sh -c 'mount --bind "$0" /sys/kernel/btf && exec "$@"' "$tap_dir/nothing" "$@"
}
check "without BTF doctor says so" said 0 hidden "$weir" doctor
check "and what would help" grep -q 'kernel BTF *missing.*CONFIG_DEBUG_INFO_BTF' "$tap_dir/json"
check "and there still is a verdict" said 0 hidden $verdict --duration 2s
check "which has rows" rows 'len(rows) > 0'

if ! command -v setpriv >/dev/null; then
	skip "an ordinary user has a verdict" "setpriv is not installed"
	finish
fi
user() {
	setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups "$@"
}
check "an ordinary user has a verdict" said 0 user $verdict --duration 2s
check "which has rows" rows 'len(rows) > 0'
check "but may not trace" said 3 user "$weir" runqlat --duration 1s
check "and is told what is missing" grep -q CAP_BPF "$tap_dir/err"
check "doctor tells which tools that are" said 0 user "$weir" doctor
finish
