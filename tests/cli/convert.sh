#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Recorded profiles in, other formats out: what is read, what is not understood, what is left out.
# Usage: convert.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"

# converts OPTIONS...: what comes out of tap_dir/in, on stdout; messages to tap_dir/said
converts() {
	"$build/weir" convert "$tap_dir/in" "$@" 2>"$tap_dir/said"
}

# gives EXPECTED OPTIONS...: the output is that text
gives() {
	printf '%s' "$1" >"$tap_dir/expected"
	shift
	converts "$@" >"$tap_dir/got" || { cat "$tap_dir/said"; return 1; }
	diff -u "$tap_dir/expected" "$tap_dir/got"
}

# packed COMMAND...: the same folded lines come out of what the command makes of them
packed() {
	printf 'a b;c_[k] 5\nx;y 7\n' | "$@" >"$tap_dir/in" && gives 'a b;c_[k] 5
x;y 7
'
}

little_endian() {
	printf '\377\376' && iconv -f UTF-8 -t UTF-16LE
}

big_endian() {
	printf '\376\377' && iconv -f UTF-8 -t UTF-16BE
}

twice_packed() {
	gzip -c | gzip -c
}

members() {
	head -1 | gzip -c
	printf 'x;y 7\n' | gzip -c
}

crlf() {
	sed 's/$/\r/'
}

check "folded lines come back" packed cat
check "they come back out of gzip" packed gzip -c
check "they come back out of gzip within gzip" packed twice_packed
check "they come back out of two gzip members" packed members
check "they come back out of zstd" packed zstd -qc
check "they come back out of UTF-16, little endian" packed little_endian
check "they come back out of UTF-16, big endian" packed big_endian
check "they come back out of lines that end as on Windows" packed crlf

from_pipe() {
	printf 'a;b 3\n' | (cat; sleep 0.3; printf 'a;c 4') | "$build/weir" convert - \
		2>"$tap_dir/said" >"$tap_dir/got" && [ "$(cat "$tap_dir/got")" = 'a;b 3
a;c 4' ]
}
check "a pipe is read to its end, last line without one" from_pipe

# says_in_all TEXT INPUT...: that is what the graph of the input stands for as a whole
says_in_all() {
	text=$1
	shift
	printf "$@" >"$tap_dir/in"
	converts -o "$tap_dir/out.svg" && holds "$tap_dir/out.svg" ">$text</text>"
}
for event in cpu-clock task-clock:u; do
	check "weights of $event are ns" says_in_all "3.00 ms in 2 samples" \
		"a 1/1 1.0: 1000000 $event: \n\t1 x (y)\n\na 1/1 2.0: 2000000 $event: \n\t1 x (y)\n"
done
check "weights of cycles are numbers" says_in_all "3,000,000 in 1 sample" 'a 1/1 1.0: 3000000 cycles: \n\t1 x (y)\n'
check "weights of a heap profile are bytes" says_in_all "2.00 KiB in 2 samples" \
	'heap profile: 2: 2048 [2: 2048] @ heapprofile\n2: 2048 [2: 2048] @ 0x10\n'
check "what weighs 1 each is samples" says_in_all "5 samples" 'a;b 5\n'

unordered() {
	printf 'a 3\n' >"$tap_dir/in"
	status 2 "$build/weir" flame --chart -- true 2>"$tap_dir/said" && holds "$tap_dir/said" "weir flamechart"
}
check "a chart of merged samples is refused, with what does it" unordered

cut_off() {
	seq 20000 | sed 's/.*/a;& 1/' | gzip -c | head -c 20000 >"$tap_dir/in"
	converts >"$tap_dir/got" || return 1
	[ "$(wc -l <"$tap_dir/got")" -gt 1000 ] && holds "$tap_dir/said" 'gzip data is cut off'
}
check "of cut off gzip data, what is there is read, and the rest is missed" cut_off

bad_lines() {
	printf 'a;b 3\nwithout number\na;c 99999999999999999999\n# note\n\na;c 4\n' >"$tap_dir/in"
	gives 'a;b 3
a;c 4
' && holds "$tap_dir/said" 'in:2: not understood: "without number"' &&
		holds "$tap_dir/said" 'in:3: not understood' &&
		holds "$tap_dir/said" 'lost 2 rows: lines that are no part of a profile'
}
check "lines that are not understood are shown with their number, and counted" bad_lines

fractions() {
	printf 'a 0.5\na 0.25\na 0.25\nb 1.5\nb 1.5\n' >"$tap_dir/in"
	gives 'a 1
b 3
' && holds "$tap_dir/said" '5 weights have fractions'
}
check "fractions are rounded without a change of the total" fractions

compared() {
	printf 'a;b 3 5\na;c 1 0\n' >"$tap_dir/in"
	gives 'a;b 5
' && holds "$tap_dir/said" 'compares two profiles'
}
check "of two columns, the second is read, which is said" compared

numbered() {
	printf 'a;Thread 7 3\na;b 4\n' >"$tap_dir/in"
	gives 'a;Thread 7 3
a;b 4
'
}
check "a name may end with a number" numbered

# ends_with STATUS TEXT INPUT: weir ends so, and says that
ends_with() {
	printf "$3" >"$tap_dir/in"
	status "$1" converts -o "$tap_dir/out.svg" && holds "$tap_dir/said" "$2"
}
check "an empty input exits with 2" ends_with 2 'is empty' ''
check "the graph of it says so" holds "$tap_dir/out.svg" 'no samples'
check "an input of no known format exits with 2, and shows its first bytes" \
	ends_with 2 'begins with "hello\x07\x0a"' 'hello\007\n'
check "so it does with what is known" holds "$tap_dir/said" 'folded stacks'
check "a file that is not there exits with 1" status 1 "$build/weir" convert "$tap_dir/none"
check "options that leave nothing exit with 2" \
	eval 'printf "a;b 1\n" >"$tap_dir/in"; status 2 converts --pid 7 && holds "$tap_dir/said" "none of 1 samples is left"'
check "only kernel code, only user code" \
	eval 'printf "a;u;k_[k] 1\nb;u 2\n" >"$tap_dir/in"; gives "k_[k] 1
" --kernel && gives "a;u 1
b;u 2
" --user'
check "both exclude each other" status 2 "$build/weir" convert "$tap_dir/in" --kernel --user
check "compat takes nothing unknown" \
	eval 'status 2 converts --compat flamegraph:pid,nothing && holds "$tap_dir/said" "\"nothing\" is none of"'

finish
