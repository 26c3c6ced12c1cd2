#!/bin/sh
# Callers of programs without frame pointers, whose call chains are known from their source: live, from a
# recording, and beside perf. Usage: unwind.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
program=$tap_dir/unwinding

if [ "$(id -u)" != 0 ]; then
	skip "callers without frame pointers" "needs root"
	finish
fi

# built OPTION...: $program, and the library that it calls, which never keeps frame pointers.
built() {
	cc -O2 -g -fPIC -shared -fomit-frame-pointer -fno-optimize-sibling-calls -o "$tap_dir/library.so" \
		"$source/tests/live/unwind_library.c" &&
		cc -O2 -g -fno-optimize-sibling-calls -fno-inline -fno-ipa-icf -fno-ipa-sra "$@" -o "$program" \
			"$source/tests/live/unwind_cases.c" "$tap_dir/library.so"
}

# flame OPTION...: folded stacks of the program.
flame() {
	"$weir" flame "$@" --frequency 997 -o "$tap_dir/x.folded" -- "$program" >/dev/null 2>"$tap_dir/err"
}

# has CHAIN: a stack of the program is that, from where the C library calls main.
has() {
	grep -Eq "[;_]main$1 [0-9]+\$" "$tap_dir/x.folded" ||
		{ echo "no stack is main$1"; cut -c1-200 "$tap_dir/x.folded"; cat "$tap_dir/err"; return 1; }
}

lacks_chain() {
	! grep -E "main$1 [0-9]+\$" "$tap_dir/x.folded"
}

all_chains() {
	check "functions that call each other ($1)" has ";first;second;third;burn"
	check "a callback through the C library ($1)" has ";sorter;qsort[^;]*(;[^;]*)*;compare"
	check "a signal handler, above what it interrupted ($1)" has ";signaller;[^ ]*;handler;burn"
	check "a callback through a library ($1)" has ";library;inner;first;second;third;burn"
}

check "the program is built without frame pointers" built -fomit-frame-pointer
flame --unwind fp
check "by frame pointers, there are no callers of burn" lacks_chain ";first;second;third;burn"
flame --unwind dwarf
all_chains "without frame pointers"
check "and what cut the rest short is said in other words" lacks "$tap_dir/err" "for lack of frame pointers"
check "a stack larger than its copy is marked" grep -Eq "^unwinding;\[truncated\];deep(;deep)*;burn " "$tap_dir/x.folded"
check "and it is said" holds "$tap_dir/err" "are larger than the 16384 bytes that were copied"
flame --unwind dwarf --stack-size 60KiB
check "a larger copy has all of it" has ";deep(;deep){200};burn"
check "and nothing is said" lacks "$tap_dir/err" "are larger than"

"$weir" record --unwind dwarf --frequency 997 -o "$tap_dir/x.data" -- "$program" >/dev/null 2>"$tap_dir/err"
"$weir" convert "$tap_dir/x.data" -o "$tap_dir/x.folded" 2>"$tap_dir/err"
all_chains "from a recording"
"$weir" convert --unwind fp "$tap_dir/x.data" -o "$tap_dir/x.folded" 2>"$tap_dir/err"
check "with --unwind fp, the copies of a recording are passed over" lacks_chain ";first;second;third;burn"

perf_reads() {
	perf record -q -e cpu-clock -F 499 --call-graph dwarf -o "$tap_dir/perf.data" "$program" >"$tap_dir/perf" 2>&1 &&
		perf script -i "$tap_dir/perf.data" --no-inline --max-stack 1024 --comms unwinding --ns \
			-F comm,pid,tid,time,period,event,ip,dso >"$tap_dir/printed" 2>>"$tap_dir/perf"
}
as_perf() {
	python3 "$source/tests/corpus/perf_data.py" --unwound --comm=unwinding "$weir" \
		"$source/tests/fixtures/perf_data.yaml" "$tap_dir/perf.data" "$tap_dir/printed"
}
# That of Linux 6.1 dies now and then of a build-id ("assertion failed at util/build-id.c").
if ! command -v perf >/dev/null; then
	skip "perf finds the same callers" "perf is not installed"
elif ! perf_reads; then
	skip "perf finds the same callers" "perf failed: $(head -1 "$tap_dir/perf")"
else
	check "perf finds the same callers, frame by frame" as_perf
	sed -n 's/^\([0-9]* samples.*\)/# \1/p' "$tap_dir/out"
fi
# Each perf line is a frame, leaf first; a blank line ends a sample.
perf_walks() {
	perf script -i "$tap_dir/x.data" --no-inline -F ip,sym >"$tap_dir/printed" 2>"$tap_dir/perf"
	tr -s '\n\t ' ' ' <"$tap_dir/printed" |
		grep -q " burn [0-9a-f]* third [0-9a-f]* second [0-9a-f]* first [0-9a-f]* main "
}
if ! command -v perf >/dev/null; then
	skip "perf walks the stacks of weir record" "perf is not installed"
elif ! perf script -i "$tap_dir/x.data" --no-inline >/dev/null 2>"$tap_dir/perf"; then
	skip "perf walks the stacks of weir record" "perf failed: $(head -1 "$tap_dir/perf")"
else
	check "perf walks the stacks of weir record" perf_walks
fi

# By itself, weir copies the stacks of those programs only that need it.
cc -O1 -g -static -nostdlib -ffreestanding -fno-stack-protector -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	-fno-optimize-sibling-calls -fno-pie -no-pie -o "$tap_dir/keeper" "$source/tests/live/unwind_keeper.c"
# copied TEST: of how many stacks that were copied, of all, and of programs of which kind, is as the awk says.
copied() {
	awk -v FS='[ ,]' '/stacks were copied, of/ {
		for (i = 1; i <= NF; i++)
			if ($i == "of" && $(i + 2) == "stacks") {copied = $(i - 1); all = $(i + 1)}
		lacking = $0; sub(/.* copied, of /, "", lacking); lacking += 0
		keeping = $0; sub(/.*; /, "", keeping); keeping += 0
		found = 1
		exit !('"$1"')
	} END {if (!found) exit 1}' "$tap_dir/err" || { cat "$tap_dir/err"; return 1; }
}
flame
all_chains "without frame pointers, by itself"
check "the stacks were copied" copied "lacking == 1 && keeping == 0 && copied * 10 > all * 9"
"$weir" flame --frequency 997 -o "$tap_dir/x.folded" -- "$tap_dir/keeper" 2>"$tap_dir/err"
check "of a program that keeps frame pointers all callers are seen" \
	grep -Eq "^keeper;_start;begin;first;second;third;burn " "$tap_dir/x.folded"
check "with no stack copied but the first" copied "lacking == 0 && keeping == 1 && copied < all"
"$weir" flame --frequency 997 -o "$tap_dir/x.folded" -- sh -c '"$0" & "$1" && wait' "$tap_dir/keeper" "$program" 2>"$tap_dir/err"
all_chains "without frame pointers, beside one that keeps them"
check "and of that one they are not copied" copied "lacking >= 1 && keeping == 1 && copied < all"
check "nor is a caller of it missing" grep -Eq "^keeper;_start;begin;first;second;third;burn " "$tap_dir/x.folded"

check "a program with frame pointers calls a library without" built -fno-omit-frame-pointer
flame --unwind dwarf
all_chains "with frame pointers"
finish
