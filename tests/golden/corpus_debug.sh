#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs and debug files of the test corpus that WEIR_CORPUS names, most of another processor: functions,
# inlined functions and lines at known addresses, beside what llvm-symbolizer and nm find there.
# Usage: corpus_debug.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
lines=$build/tests/dwarf_lines
root=$tap_dir/root

corpus=${WEIR_CORPUS:-}
if [ ! -d "$corpus/samply" ] || [ ! -d "$corpus/otel-ebpf-profiler" ]; then
	skip "programs and debug files of the corpus are understood" "WEIR_CORPUS names no corpus"
	finish
fi
if ! [ -x "$lines" ] || ! command -v nm >/dev/null || ! command -v python3 >/dev/null; then
	skip "programs and debug files of the corpus are understood" "needs libdw, nm and python3"
	finish
fi
llvm=$(ls -d /usr/lib/llvm-*/bin/llvm-symbolizer /usr/bin/llvm-symbolizer 2>/dev/null | head -1)

# unpacked FOLDER TO: all files of the corpus' FOLDER.
unpacked() {
	mkdir -p "$2"
	for file in "$corpus/$1"/*; do
		[ -f "$file" ] && gzip -dcf "$file" >"$2/$(basename "$file" .gz)"
	done
}

# every FILE: addresses of its functions, every fourth byte of those whose names the expression has.
every() {
	nm -S --defined-only "$1" | awk -v wanted="$2" '$3 ~ /[tT]/ && $4 ~ wanted { print $1, $2 }' | python3 -c '
import sys
for line in sys.stdin:
    start, size = (int(text, 16) for text in line.split())
    print("\n".join(map(hex, range(start, start + size, 4))))'
}

# chains: functions and lines, without folders, of what has a line: code that the C library adds has none.
chains() {
	sed 's| (discriminator .*||; /:[0-9?]*$/s|^.*/||; s|:?$|:0|; s|^0x0*|0x|' | awk '
		/^0x/ { if (all !~ /\?\?:0/) printf "%s", all; all = "" }
		{ all = all $0 "\n" }
		END { if (all !~ /\?\?:0/) printf "%s", all }'
}

# theirs FILE <ADDRESSES
theirs() {
	"$llvm" --output-style=GNU --addresses --functions=linkage --inlines --no-demangle --obj="$1" |
		grep -v '^$' | chains
}

# as EXPECTED FILE [ROOT]: the addresses have the chains in EXPECTED.
as() {
	expected=$1
	shift
	"$lines" "$@" <"$tap_dir/addresses" 2>"$tap_dir/said" | chains >"$tap_dir/ours"
	[ -s "$expected" ] || { echo "nothing is expected"; return 1; }
	cat "$tap_dir/said"
	diff "$expected" "$tap_dir/ours" | head -20
	cmp -s "$expected" "$tap_dir/ours"
}

symblib=otel-ebpf-profiler/rust-crates/symblib/testdata
unpacked $symblib "$tap_dir/otel"
every "$tap_dir/otel/inline" '^(a|b|c|d|main)$' >"$tap_dir/addresses"
if [ -n "$llvm" ]; then
	theirs "$tap_dir/otel/inline" <"$tap_dir/addresses" >"$tap_dir/inline.expected"
	check "(32 addresses, with functions in one another)" holds "$tap_dir/inline.expected" d_inline
	check "inlined functions and lines" as "$tap_dir/inline.expected" "$tap_dir/otel/inline"
	check "the same in sections that zlib packed" as "$tap_dir/inline.expected" "$tap_dir/otel/inline-compressed-dwarf"
	if "$lines" "$tap_dir/otel/inline-compressed-dwarf-zstd" </dev/null 2>"$tap_dir/said"; then
		check "the same in sections that zstd packed" as "$tap_dir/inline.expected" "$tap_dir/otel/inline-compressed-dwarf-zstd"
	else
		check "sections that zstd packed are refused, not misread" holds "$tap_dir/said" "Bad message"
		skip "the same in sections that zstd packed" "this libelf knows zlib only"
	fi
	every "$tap_dir/otel/inline-no-tco" '^(a|b|c|d|main)$' >"$tap_dir/addresses"
	theirs "$tap_dir/otel/inline-no-tco" <"$tap_dir/addresses" >"$tap_dir/no-tco.expected"
	check "the same where calls are no jumps" as "$tap_dir/no-tco.expected" "$tap_dir/otel/inline-no-tco"
	"$lines" "$tap_dir/otel/inline-big-fake-compressed-dwarf" <"$tap_dir/addresses" >"$tap_dir/ours" 2>"$tap_dir/said"
	check "debug information that unpacks to nothing of use gives no names" lacks "$tap_dir/ours" "inline.c"
else
	skip "inlined functions and lines" "there is no llvm-symbolizer"
fi

# names FILE SYMBOLS [ROOT]: at the start of each function in SYMBOLS the outermost one has its name.
names() {
	nm --defined-only "$2" | awk '$2 == "T" && $3 ~ /^(_Z|main$)/ { print "0x" $1, $3 }' | sort >"$tap_dir/functions"
	cut -d' ' -f1 "$tap_dir/functions" | "$lines" "$1" "${3:-/}" 2>"$tap_dir/said" |
		awk '/^0x/ { if (NR > 1) print address, name; address = $0; next } !/:[0-9?]*$/ { name = $0 } END { print address, name }' >"$tap_dir/found"
	[ -s "$tap_dir/functions" ] || { echo "there are none"; return 1; }
	cat "$tap_dir/said"
	diff "$tap_dir/functions" "$tap_dir/found"
}

for kind in regular-debuglink with-dwo with-dwp dwp-debuglink; do
	unpacked samply/simple-example/out/$kind "$tap_dir/simple/$kind/out/$kind"
done
chmod -R go-w "$tap_dir/simple"
simple=$tap_dir/simple/regular-debuglink/out/regular-debuglink
check "functions of a file that .gnu_debuglink names" names "$simple/main" "$simple/main.dbg"
# The path of a .dwo file is relative to the folder where the program was built.
dwo=$tap_dir/simple/with-dwo
cp "$dwo/out/with-dwo/main" "$dwo"
check "functions of split DWARF" names "$dwo/main" "$dwo/main"
if [ -n "$llvm" ]; then
	every "$simple/main.dbg" '^(_Z|main$)' >"$tap_dir/addresses"
	theirs "$simple/main.dbg" <"$tap_dir/addresses" >"$tap_dir/simple.expected"
	check "their inlined functions and lines" as "$tap_dir/simple.expected" "$simple/main"
	check "the same of split DWARF" as "$tap_dir/simple.expected" "$dwo/main"
fi

# What the program's own debug file names is in a second one, which dwz made.
ls=$corpus/samply/ls-linux
mkdir -p "$root/usr/lib/debug/.build-id/63" "$root/usr/lib/debug/.dwz/aarch64-linux-gnu"
gzip -dc "$ls/ls.gz" >"$tap_dir/ls"
gzip -dc "$ls/260a3e6e46db57abf718f6a3562c6eedccf269.debug.gz" \
	>"$root/usr/lib/debug/.build-id/63/260a3e6e46db57abf718f6a3562c6eedccf269.debug"
cp "$ls/coreutils.debug" "$root/usr/lib/debug/.dwz/aarch64-linux-gnu"
every "$root/usr/lib/debug/.build-id/63/260a3e6e46db57abf718f6a3562c6eedccf269.debug" '^gobble_file' >"$tap_dir/addresses"
"$lines" "$tap_dir/ls" "$root" <"$tap_dir/addresses" >"$tap_dir/ours" 2>"$tap_dir/said"
check "gobble_file of ls, out of two debug files" grep -qx gobble_file "$tap_dir/ours"
check "and do_lstat, inlined into it, whose name is in the second" awk '
	$0 == "do_lstat" { inlined = 1 } /^0x/ { inlined = 0 }
	$0 ~ /^gobble_file/ && inlined { found = 1 } END { exit !found }' "$tap_dir/ours"
check "each address has a name" lacks "$tap_dir/ours" "??"

# A program at a fixed address whose first segment is not at 0: offset 0x4580 is address 0x8580.
gzip -dc "$corpus/samply/issue-776-nonpie-aarch64.gz" >"$tap_dir/fixed"
python3 "$source/tests/corpus/one_mapping.py" "$tap_dir/x.data" "$tap_dir/fixed" 90c8965473b4715c6586a19727f1bf6d4d3c0d20 \
	4000 6000 0 8580
"$weir" convert "$tap_dir/x.data" -o "$tap_dir/x.folded" 2>"$tap_dir/said"
check "a program at a fixed address: its function, not what has the offset as its address" \
	holds "$tap_dir/x.folded" "worker;func_74 "
finish
