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
# glibc's newlocale() leaks what it makes of it, and constructors of libraries call newlocale().
unset LOCPATH

# found FAULT PLUGIN CHECK TEXT: that check fails of a plugin with that fault, and says so. A sanitizer
# leaves the signal to the kit.
found() {
	ASAN_OPTIONS="${ASAN_OPTIONS-}:handle_segv=0:handle_sigbus=0" "$conform" --patience 2 --only "$3" --set "fault=$1" "$gallery/sloppy/$2.so" >"$out" 2>&1
	[ $? = 1 ] || { echo "no failure:"; cat "$out"; return 1; }
	holds "$out" "$4"
}

for plugin in "$gallery"/good/*.so; do
	check "$(basename "$plugin") passes" "$conform" --plugin-path "$gallery/good" "$plugin"
done
for plugin in "$gallery"/frozen/*.so; do
	check "$(basename "$plugin") of the headers of ABI 1.0 passes" \
		"$conform" --plugin-path "$gallery/frozen" "$plugin"
done
check "a plugin without a fault passes" "$conform" "$gallery/sloppy/sloppy.so"
check "a transform without a fault passes" "$conform" "$gallery/sloppy/hasty.so"
while IFS='|' read -r fault plugin kind text sentence; do
	check "$sentence is found" found $fault $plugin "$kind" "$text"
done <<'END'
memory|sloppy|life: start, stop at once|not freed|memory that is not freed
fd|sloppy|life: start, stop at once|file descriptors are left open|an fd that is not closed
thread|sloppy|life: start, stop at once|threads are left running|a thread that is not ended
crash|sloppy|life: create, destroy|killed by signal|a crash
silent|sloppy|life: start, stop at once|without weir_fail()|a failure without reason
batch|sloppy|life: rows, drain, stop|neither committed nor discarded|a batch that is forgotten
text|sloppy|life: rows, drain, stop|a text lies outside of the arena|a text outside of its batch
window|sloppy|life: rows, drain, stop|window is not set|a batch without a window
hang|sloppy|life: start, stop at once|start() did not end: it took more than 2.0 s|a start that waits for ever
spin|sloppy|life: rows, drain, stop|tick() did not end: it took more than 2.0 s|a tick that computes for ever
silent|hasty|life: a host short of memory|neither is that an error|a loss of rows in silence
write|hasty|life: rows that nobody may write|killed by signal|a write to the input
late|hasty|life: a deadline that is past|drain() did not end: it took more than 0.5 s|a drain beyond its deadline
empty|hasty|life: rows, drain, stop|killed by signal|a fault at a batch without rows
watch|sloppy|life: start, stop at once|was closed while it was watched|an fd that is closed while it is watched
names|sloppy|life: a host that refuses all|killed by signal|a call whose failure is not looked at
global|sloppy|life: two at once|file descriptors are left open|a state that all instances share
half|sloppy|life: create, destroy|killed by signal|a destroy that needs a start
word|sloppy|options: random texts|killed by signal|an option that is not checked
files|sloppy|life: no more files|start() failed (Too many open files) without|silence where there are no more files
rights|sloppy|life: an ordinary user|start() failed (Permission denied) without|silence where rights are missing
bpf|sloppy|life: a kernel without BTF|start() failed (Invalid argument) without|silence where no program can be loaded
perf|sloppy|life: no perf events|start() failed (No such file or directory) without|silence where nothing can be counted
stride|hasty|life: a newer host|killed by signal|a walk over fields of a newer host by the own size
host|forward|life: start, stop at once|killed by signal|a call that only a newer host has
context|forward|life: start, stop at once|killed by signal|a member that only a newer host has
END
"$conform" "$gallery/bad/faulty.so" >"$out"
check "of a faulty descriptor the first fault is shown" holds "$out" "a source needs outputs"
check "... and the last" holds "$out" "option limit: it lies outside of its struct"
check "a refused file is a failure" status 1 "$conform" "$gallery/bad/abi_two.so"

for plugin in "$build"/plugins/*.so; do
	check "$(basename "$plugin" .so), as shipped, passes" "$conform" "$plugin"
done

finish
