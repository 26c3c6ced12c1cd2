#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir-conform: good plugins pass, each fault of the sloppy one is found, and so pass all that weir
# ships. Usage: conform.sh SOURCE BUILD; WEIR_TEST_PLUGINS is what fixtures/plugins/build.sh made.
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
gallery=$WEIR_TEST_PLUGINS
conform=${WEIR_CONFORM:-$build/weir-conform}
out=$tap_dir/stdout

# found FAULT TEXT [PLUGIN]: with that fault the kit ends with 1, and says so.
found() {
	"$conform" --set "fault=$1" "$gallery/sloppy/${3:-sloppy}.so" >"$out" 2>&1
	[ $? = 1 ] || { echo "no failure:"; cat "$out"; return 1; }
	holds "$out" "$2"
}

for plugin in "$gallery"/good/*.so; do
	check "$(basename "$plugin") passes" "$conform" --plugin-path "$gallery/good" "$plugin"
done
check "a plugin without a fault passes" "$conform" "$gallery/sloppy/sloppy.so"
check "memory that is not freed is found" found memory "not freed"
check "an fd that is not closed is found" found fd "file descriptors are left open"
check "a thread that is not ended is found" found thread "threads are left running"
check "a crash is found" found crash "FAIL sloppy: life: create, destroy"
check "a failure without reason is found" found silent "without weir_fail()"
check "a batch that is forgotten is found" found batch "neither committed nor discarded"
check "a text outside of its batch is found" found text "a text lies outside of the arena"
check "a batch without a window is found" found window "window is not set"
check "a transform without a fault passes" "$conform" "$gallery/sloppy/hasty.so"
check "rows lost in silence are found" found silent "neither is that an error" hasty
check "a write to the input is found" found write "FAIL hasty: life: rows that nobody may write" hasty
check "a drain beyond its deadline is found" found late "a deadline that is past: took more than" hasty
"$conform" "$gallery/bad/faulty.so" >"$out"
check "of a faulty descriptor the first fault is shown" holds "$out" "a source needs outputs"
check "... and the last" holds "$out" "option limit: it lies outside of its struct"
check "a refused file is a failure" status 1 "$conform" "$gallery/bad/abi_two.so"

for plugin in "$build"/plugins/*.so; do
	check "$(basename "$plugin" .so), as shipped, passes" "$conform" "$plugin"
done

finish
