#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Flame graphs in a browser, by hand of a script: zoom, search, reset, keyboard, address, resize, and
# graphs of a size that others fail at. WEIR_SHOTS names a folder for pictures of it.
# Usage: browser.sh SOURCE BUILD
set -u
source=$1 build=$2

for chromium in chromium chromium-browser google-chrome; do
	command -v $chromium >/dev/null && break
done
if ! command -v "$chromium" >/dev/null || ! command -v node >/dev/null; then
	echo "1..0 # SKIP chromium or node is not installed: tests/deps.sh browser"
	exit 0
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
convert() {
	"$build/weir" convert "$dir/in.folded" "$@" 2>"$dir/said" || { cat "$dir/said" >&2; exit 1; }
}

cat >"$dir/in.folded" <<EOF
a;main;alpha;hot_call<T>&x 40
a;main;beta;hot_call<T>&x 20
a;main;Hot2 20
b;other_[k] 20
EOF
convert -o "$dir/small.svg"
convert -o "$dir/icicle.svg" --inverted --palette kind --title "Icicle <&> graph" --subtitle "of a test"
awk 'BEGIN {for (i = 0; i < 32767; i++) printf "f;"; print "leaf 100"}' >"$dir/in.folded"
convert -o "$dir/deep.svg"
awk 'BEGIN {for (i = 0; i < 100000; i++) print "r;f" i " 1"}' >"$dir/in.folded"
convert -o "$dir/wide.svg" --min-width 0
awk 'BEGIN {for (i = 0; i < 3000; i++) {
	printf "app";
	for (j = i; j > 0; j = int(j / 3)) printf ";step_%d_of_the_work", j;
	print " " 1 + i % 7}}' >"$dir/in.folded"
convert -o "$dir/real.svg"

node "$source/tests/browser/browser.js" "$chromium" "$dir"
