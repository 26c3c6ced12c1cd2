#!/bin/sh
# Every test, in every build: the normal one, sanitizers, valgrind, fuzzers, lint. Usage: run.sh BUILD
# The last line is "N passed, N failed"; what was skipped says why above it.
set -u

build=$1
here=$(cd "$(dirname "$0")" && pwd)
totals=$(mktemp)
trap 'rm -f "$totals"' EXIT

# suite TITLE BUILD ARGUMENTS...: runs `meson test` there and adds up the cases of its TAP output.
# A measurement of the machine that failed runs once more, alone, and both outcomes are shown: one
# that weir is to blame for fails again, one that another load spoiled does not. A crash, or what a
# sanitizer finds, is a failure at once.
suite() {
	title=$1 dir=$2
	shift 2
	printf '\n== %s\n' "$title"
	rm -f "$dir"/meson-logs/testlog*.json
	meson test -C "$dir" --no-rebuild --print-errorlogs "$@" >"$totals.log" 2>&1
	python3 "$here/count.py" "$title" "$dir" "$totals" "$totals.log" "$totals.again"
	while read -r of name; do
		rm -f "$dir"/meson-logs/testlog*.json
		meson test -C "$dir" --no-rebuild --suite "$of" "$name" \
			>"$totals.log" 2>&1 </dev/null
		python3 "$here/count.py" "once more: $of / $name" "$dir" "$totals" "$totals.log"
	done <"$totals.again"
	rm -f "$totals.log" "$totals.again"
}

# variant DIR TARGET OPTIONS...: another build of the same tree.
variant() {
	dir=$1 target=$2
	shift 2
	{ test -f "$dir/build.ninja" || meson setup "$dir" "$@"; } >"$dir.log" 2>&1 &&
		ninja -C "$dir" "$target" >>"$dir.log" 2>&1
	status=$?
	[ $status = 0 ] || { tail -40 "$dir.log"; echo "0 1 0 build of $dir" >>"$totals"; }
	rm -f "$dir.log"
	return $status
}

# Its tests are among the others, in a guest.
if command -v aarch64-linux-gnu-gcc >/dev/null &&
	[ -f /usr/lib/aarch64-linux-gnu/pkgconfig/yaml-0.1.pc ]; then
	variant "$build-arm64" all --cross-file "$here/../sdk/cross/aarch64-linux-gnu.ini" \
		-Dtests=false
else
	echo "no build for arm64 here: tests/deps.sh arm64 installs what it needs"
fi

suite "tests" "$build" --no-suite lint

variant "$build-asan" all -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debug &&
	suite "address and undefined-behaviour sanitizers" "$build-asan" --suite unit --suite golden \
		--suite cli --suite live --no-suite no-asan

suite "valgrind" "$build" --setup valgrind --suite unit

CC=clang variant "$build-fuzz" fuzz -Dfuzz=true &&
	suite "fuzz targets" "$build-fuzz" --suite fuzz

suite "lint" "$build" --suite lint

printf '\n'
python3 "$here/count.py" --total "$totals"
