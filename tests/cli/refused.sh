#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Plugins that must be refused: each in one clear line, and the rest of weir goes on. Usage:
# refused.sh SOURCE BUILD; WEIR_TEST_PLUGINS is what fixtures/plugins/build.sh made.
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
gallery=$WEIR_TEST_PLUGINS
out=$tap_dir/stdout err=$tap_dir/stderr
unset WEIR_PLUGIN_PATH

weir() {
	"$build/weir" "$@" >"$out" 2>"$err"
}

# refused FILE TEXT: one line about it, which holds the text.
refused() {
	[ "$(grep -c "/$1.so: " "$err")" = 1 ] || { echo "not one line about $1:"; cat "$err"; return 1; }
	grep "/$1.so: refused: " "$err" >"$tap_dir/line" || { cat "$err"; return 1; }
	holds "$tap_dir/line" "$2"
}

check "plugins ends with 0 though some are refused" \
	status 0 weir plugins --plugin-path "$gallery/bad" --plugin-path "$gallery/good"
check "the good ones are listed" holds "$out" "toy.rows"
check "none of the bad ones is" lacks "$out" "/bad/"
check "ABI 2.0 names both versions and the cure" \
	refused abi_two "built for ABI 2.0; this weir accepts 1.x: build it with this weir's headers"
check "a minor version that this weir has not names both and the cure" \
	refused too_new "it needs ABI 1.1; this weir has 1.0: take a newer weir"
check "a truncated struct" refused truncated "has 24 bytes; ABI 1.0 needs"
check "a struct that claims too much" refused oversized "says it has 100000 bytes"
check "no symbol" refused no_symbol "exports no data symbol weir_component"
check "an undefined symbol" refused undefined "undefined symbol: nobody_has_this"
check "not ELF" refused text "not an ELF file"
check "empty" refused empty "not an ELF file"
check "cut short" refused cut "cut short or damaged"
check "another machine" refused foreign "; this weir is "
check "no note" refused no_note "it has no weir note"
check "another name than its file" refused misnamed "must be called well.named.so"
check "note and component disagree" refused two_minds "differ in kind or ABI"
check "a faulty descriptor" refused faulty "weir-conform lists them"
if [ "$(id -u)" = 0 ]; then
	check "writable by everybody, as root" refused writable "chmod go-w $gallery/bad/writable.so"
else
	skip "writable by everybody, as root" "needs root"
fi

cat >"$tap_dir/bad.yaml" <<EOF
weir: 1
sources:
  one:
    plugin: abi_two
  two:
    plugin: toy.rows
sinks:
  out:
    plugin: toy.sink
    inputs: [one, two]
EOF
check "a pipeline that names one ends with 2" \
	status 2 weir check "$tap_dir/bad.yaml" --plugin-path "$gallery/bad" --plugin-path "$gallery/good"
check "... with its place" holds "$err" "bad.yaml:4:13"
check "... and the reason" holds "$err" "built for ABI 2.0"
check "doctor goes on" status 0 weir doctor --plugin-path "$gallery/bad" --plugin-path "$gallery/good"
check "... and answers for the good ones" holds "$out" "toy batteries"

finish
