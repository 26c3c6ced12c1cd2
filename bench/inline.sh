#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Inlined functions and lines at many addresses of a program, beside addr2line: CPU time and memory, in
# turn. Usage: inline.sh BUILD PROGRAM [ADDRESSES]
set -eu
build=$1 program=$(realpath "$2") count=${3:-100000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

nm --defined-only -S "$program" | awk 'NF == 4 && $3 ~ /[tTwW]/ { print $1, $2 }' | python3 -c '
import random, sys
addresses = []
for line in sys.stdin:
    start, size = (int(text, 16) for text in line.split())
    addresses += range(start, start + size)
random.seed(1)
print("\n".join(hex(random.choice(addresses)) for _ in range(int(sys.argv[1]))))' "$count" >"$folder/addresses"

for round in 1 2 3; do
	echo "round $round, $count addresses"
	/usr/bin/time -f "weir: %U s user, %S s system, %M KiB" \
		"$build/tests/dwarf_lines" "$program" <"$folder/addresses" >/dev/null
	/usr/bin/time -f "addr2line -i: %U s user, %S s system, %M KiB" \
		addr2line -a -f -i -e "$program" <"$folder/addresses" >/dev/null
done
