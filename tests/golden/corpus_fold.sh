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

# begin_cases, end_cases WHAT: says how many of the cases between them are right.
begin_cases() {
	cases_before=$tap_count cases_failed_before=$tap_failed
}

end_cases() {
	cases=$((tap_count - cases_before))
	echo "# $1: $((cases - tap_failed + cases_failed_before)) of $cases are right"
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

begin_cases
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

end_cases "stacks as stackcollapse-perf.pl folds them"

# unmarked: lines without the marks that weir's have by default
unmarked() {
	sed 's/_\[[kj]\]//g'
}

begin_cases
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

end_cases "reported faults"

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
begin_cases
check "inferno, cpp-stacks-std-function" folds_alike "$inferno/cpp-stacks-std-function.txt" \
	"$inferno/results/cpp-stacks-std-function-collapsed.txt" theirs_cpp unmarked_cpp
for name in go-stacks java-inline no-events single-event; do
	check "inferno, $name" folds_alike "$inferno/$name.txt" \
		"$inferno/results/$name-collapsed.txt" theirs unmarked
done
# all marks, or some, or none: weir's are always there.
unmarked_jit() {
	sed 's/_\[j\]//g'
}

unmarked_kernel() {
	sed 's/_\[k\]//g'
}

# It writes "-?" for a process that the text does not tell.
theirs_pid() {
	theirs | sed 's/-?;/;/'
}

for case in "all comm theirs cat" "jit comm theirs unmarked_kernel" "kernel comm theirs unmarked_jit" \
	"pid comm,pid theirs_pid unmarked" "tid comm,tid theirs unmarked"; do
	set -- $case
	check "inferno, perf-rust-Yamakaky-dcpu, $1" folds_alike \
		"$corpus/FlameGraph/test/perf-rust-Yamakaky-dcpu.txt.gz" \
		"$inferno/results/perf-rust-Yamakaky-dcpu-collapsed-$1.txt" "$3" "$4" --by "$2"
done
check "inferno, example-perf-stacks" folds_alike "$corpus/FlameGraph/example-perf-stacks.txt.gz" \
	"$inferno/results/example-perf-stacks-collapsed.txt.gz" theirs unmarked
check "inferno, single-line-stacks" folds_alike "$inferno/single-line-stacks.txt" \
	"$inferno/results/single-line-stacks-collapsed.txt" cat cat --event cycles
check "inferno, sourcepawn-jitdump" folds "$inferno/sourcepawn-jitdump.txt" \
	"$inferno/results/sourcepawn-jitdump-collapsed-jit.txt"
check "inferno, versioned-vmlinux" folds_alike "$inferno/versioned-vmlinux.txt" \
	"$inferno/results/versioned-vmlinux-collapsed-kernel.txt" theirs_kernel cat
# folds_to INPUT LINE: what is no frame is counted.
folds_to() {
	"$build/weir" convert "$1" >"$tap_dir/got" 2>"$tap_dir/said"
	printf '%s\n' "$2" >"$tap_dir/expected"
	same "$tap_dir/expected" "$tap_dir/got"
}
check "inferno, empty-line" folds_to "$inferno/empty-line.txt" "inline-counter;main 500000"
check "inferno, weird-stack-line" folds_to "$inferno/weird-stack-line.txt" \
	"inline-counter 250000
inline-counter;main 250000"
check "the weird line of it is told" holds "$tap_dir/said" "weird-stack-line.txt:5: not understood"
check "inferno, an unknown format" status 2 "$build/weir" convert "$corpus/inferno/collapse-guess/unknown-format.txt"
end_cases "inferno's cases of collapsing"

finish
