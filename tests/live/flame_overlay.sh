#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir flame on a program that lies on overlayfs, as those of containers do, has no build-id, and
# has ended before its functions are named. Usage: flame_overlay.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
top=$(on_disk "$build/tests")/overlay-$$

cleanup() {
	mountpoint -q "$top/all" && umount "$top/all"
	rm -rf "$top" "$tap_dir"
}
trap cleanup EXIT

mkdir -p "$top/lower" "$top/upper" "$top/work" "$top/all"
objcopy --remove-section .note.gnu.build-id "$build/tests/calltree" "$top/lower/calltree"
if ! mount -t overlay -o "lowerdir=$top/lower,upperdir=$top/upper,workdir=$top/work" weir "$top/all" 2>"$tap_dir/err"; then
	skip "a program on overlayfs has its names" "no overlayfs here: $(head -1 "$tap_dir/err")"
	finish
fi
# Each of them ends before anybody looks at it.
"$weir" flame --frequency 997 -o "$tap_dir/x.folded" -- sh -c 'for i in $(seq 20); do "$0" 0.05; done' \
	"$top/all/calltree" >"$tap_dir/own" 2>"$tap_dir/err"
check "a program on overlayfs has its names" holds "$tap_dir/x.folded" ";main"
check "nothing is said to be another file" lacks "$tap_dir/err" "is not the file that was mapped"
finish
