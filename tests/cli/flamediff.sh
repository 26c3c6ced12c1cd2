#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two profiles compared: every stack of either, changes with all that a frame called, what vanished.
# Usage: flamediff.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"

cat >"$tap_dir/before.folded" <<EOF
gone;path 25
other 30
parent 5
parent;first 10
parent;second_[k] 10
EOF
cat >"$tap_dir/after.folded" <<EOF
fresh 10
other 30
parent;first 30
parent;second_[k] 30
EOF

compare() {
	(cd "$tap_dir" && "$build/weir" flamediff before.folded after.folded "$@" 2>said) ||
		{ cat "$tap_dir/said"; return 1; }
}

# numbers EXPECTED OPTIONS...
numbers() {
	printf '%s' "$1" >"$tap_dir/expected"
	shift
	compare --format folded -o - "$@" >"$tap_dir/got" && same "$tap_dir/expected" "$tap_dir/got"
}

check "each stack of either has two numbers" numbers "fresh 0 10
gone;path 25 0
other 30 30
parent 5 0
parent;first 10 30
parent;second_[k] 10 30
"
# 80 before, 100 after: what was 30 of 80 would have been 37.5 of 100.
check "... and shares can be compared" numbers "fresh 0 10
gone;path 31 0
other 38 30
parent 6 0
parent;first 13 30
parent;second_[k] 13 30
" --normalize
check "a graph is drawn where nothing else is said" compare
check "... a parent's change is that of all that it calls" \
	holds "$tap_dir/flamediff.svg" '<title>parent (60 samples, 60.00 %; +35.00 %)</title>'
check "... a new stack is there" holds "$tap_dir/flamediff.svg" '<title>fresh (10 samples, 10.00 %; +10.00 %)</title>'
check "... what vanished is there" holds "$tap_dir/flamediff.svg" '<title>path (0 samples, 0.00 %; -25.00 %)</title>'
check "... what stayed is white" sh -c \
	"grep -F '<title>other (' '$tap_dir/flamediff.svg' | grep -qF 'rgb(255,255,255)'"
check "an inverted one, too" compare --inverted -o inverted.svg
check "it is no comparison of numbers of samples" status 2 sh -c \
	"cd '$tap_dir' && '$build/weir' flamediff before.folded after.folded --value samples 2>said"

: >"$tap_dir/empty.folded"
check "an empty profile is exit status 2" status 2 sh -c \
	"cd '$tap_dir' && '$build/weir' flamediff before.folded empty.folded -o x.svg 2>said"
check "... and says which" holds "$tap_dir/said" "empty.folded"
check "two profiles must be given" status 2 sh -c \
	"'$build/weir' flamediff '$tap_dir/before.folded' 2>'$tap_dir/said'"

finish
