#!/bin/sh
# Records the ABI as the compiler sees it: weir.abi for abidiff, layout.txt for people. To be run,
# and its change committed with a line in CHANGELOG.md, when the ABI changes on purpose.
# Usage: record.sh [OUTPUT-FOLDER]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The path is a constant one, so that it does not end in the record.
cd "$here/.."
${CC:-cc} -std=gnu11 -g -shared -fPIC -fvisibility=hidden -ffile-prefix-map="$PWD"=. -Iinclude \
	-o "$work/probe.so" abi/probe.c
cd "$work"
abidw --no-comp-dir-path --no-show-locs --no-corpus-path --load-all-types probe.so >"$out/weir.abi"
python3 "$here/layout.py" "$out/weir.abi" >"$out/layout.txt"
