#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Folding `perf script` text of the test corpus that WEIR_CORPUS names: equal to what
# stackcollapse-perf.pl and inferno make of it, and to what is right where they are wrong.
# Usage: corpus_fold.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"

corpus=${WEIR_CORPUS:-}
if [ ! -d "$corpus/FlameGraph/test" ]; then
	skip "profiles of the corpus fold as expected" "WEIR_CORPUS names no corpus"
	finish
fi

# plain FILE: its bytes, unpacked if it is packed; FILE.gz stands for it, too
plain() {
	case $1 in
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

# either FILE: that, or its packed form
either() {
	[ -f "$1" ] && echo "$1" || echo "$1.gz"
}

# folds INPUT EXPECTED OPTIONS...: to the byte; an input without samples ends with 2
folds() {
	input=$1
	plain "$2" >"$tap_dir/expected"
	shift 2
	"$build/weir" convert "$input" "$@" >"$tap_dir/got" 2>"$tap_dir/said"
	got=$?
	if [ -s "$tap_dir/expected" ]; then
		[ $got = 0 ]
	else
		[ $got = 2 ]
	fi || { cat "$tap_dir/said"; return 1; }
	cmp -s "$tap_dir/expected" "$tap_dir/got" && return
	diff "$tap_dir/expected" "$tap_dir/got" | cut -c-300 | head -20
	return 1
}

# folds_alike INPUT EXPECTED THEIRS OURS OPTIONS...: the same lines after these filters, in any order
folds_alike() {
	input=$1
	plain "$2" | "$3" | LC_ALL=C sort >"$tap_dir/expected"
	filter=$4
	shift 4
	"$build/weir" convert "$input" "$@" 2>"$tap_dir/said" | "$filter" | LC_ALL=C sort >"$tap_dir/got"
	diff "$tap_dir/expected" "$tap_dir/got" >"$tap_dir/diff" && return
	cut -c-300 "$tap_dir/diff" | head -20
	return 1
}

# What HEAD of the script makes of some inputs differs from what lies beside them.
for input in "$corpus"/FlameGraph/test/perf-*.txt*; do
	name=$(basename "$input" .gz)
	name=${name%.txt}
	for option in addrs all jit kernel pid tid; do
		result=$name-collapsed-$option.txt
		expected=$(either "$corpus/generated/FlameGraph-HEAD-actual/$result")
		[ -f "$expected" ] || expected=$(either "$corpus/FlameGraph/test/results/$result")
		check "flamegraph:$option, $name" folds "$input" "$expected" \
			--compat "flamegraph:$option"
	done
done

# unmarked: lines without the marks that weir's have by default
unmarked() {
	sed 's/_\[[kj]\]//g'
}

for input in "$corpus"/issues/*.perf.txt; do
	name=$(basename "$input" .perf.txt)
	expected=$corpus/issues/$name.expected
	# The one whose expected lines have no marks.
	if [ "$name" = 21-missing-comm ]; then
		check "by default, $name" folds_alike "$input" "$expected" cat unmarked
	else
		check "by default, $name" folds "$input" "$expected"
	fi
done

# inferno names modules "[[x]]" that have brackets, and keeps the '_' that Rust puts before "{{closure}}" and "<impl X>".
theirs() {
	sed 's/\[\(\[[^]]*\]\)\]/\1/g; s/::_\([<{]\)/::\1/g'
}

# It does not take BPF programs for the kernel's.
theirs_kernel() {
	theirs | sed 's/l4lb /l4lb_[k] /'
}

# It cuts a name behind "operator", and marks no inlined frames of C.
theirs_cpp() {
	theirs | sed 's/operator;/operator();/'
}

unmarked_cpp() {
	unmarked | sed 's/_\[i\]//g'
}

inferno=$corpus/inferno/collapse-perf
check "inferno, cpp-stacks-std-function" folds_alike "$inferno/cpp-stacks-std-function.txt" \
	"$inferno/results/cpp-stacks-std-function-collapsed.txt" theirs_cpp unmarked_cpp
for name in go-stacks java-inline no-events single-event; do
	check "inferno, $name" folds_alike "$inferno/$name.txt" \
		"$inferno/results/$name-collapsed.txt" theirs unmarked
done
for option in all tid; do
	by=comm ours=cat
	[ $option = tid ] && by=comm,tid ours=unmarked
	check "inferno, perf-rust-Yamakaky-dcpu, $option" folds_alike \
		"$corpus/FlameGraph/test/perf-rust-Yamakaky-dcpu.txt.gz" \
		"$inferno/results/perf-rust-Yamakaky-dcpu-collapsed-$option.txt" theirs $ours --by $by
done
check "inferno, example-perf-stacks" folds_alike "$corpus/FlameGraph/example-perf-stacks.txt.gz" \
	"$inferno/results/example-perf-stacks-collapsed.txt.gz" theirs unmarked
check "inferno, single-line-stacks" folds_alike "$inferno/single-line-stacks.txt" \
	"$inferno/results/single-line-stacks-collapsed.txt" cat cat --event cycles
check "inferno, sourcepawn-jitdump" folds "$inferno/sourcepawn-jitdump.txt" \
	"$inferno/results/sourcepawn-jitdump-collapsed-jit.txt"
check "inferno, versioned-vmlinux" folds_alike "$inferno/versioned-vmlinux.txt" \
	"$inferno/results/versioned-vmlinux-collapsed-kernel.txt" theirs_kernel cat

finish
