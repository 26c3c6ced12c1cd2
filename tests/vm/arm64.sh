#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The build for 64-bit Arm on an emulated CPU whose hardware counters are exact. WEIR_VM is the
# folder of vm-run-arm64-pmu. Usage: arm64.sh SOURCE BUILD
set -u
source=$1 build=$2-arm64
. "$source/tests/tap.sh"

boot=${WEIR_VM-}/vm-run-arm64-pmu
what="weir on 64-bit Arm, with hardware counters"
[ -x "$boot" ] || { skip "$what" "WEIR_VM names no folder with vm-run-arm64-pmu"; finish; }
[ -x "$build/weir" ] || { skip "$what" "it is not built: tests/deps.sh arm64 installs what that needs"; finish; }

aarch64-linux-gnu-gcc -nostdlib -static -o "$tap_dir/loops" "$source/tests/vm/arm64_loops.S" || exit 1
# Not the host's /tmp, which the guest may not see.
cp "$tap_dir/loops" "$build/loops"
"$boot" -t 900 -- sh "$source/tests/vm/arm64_guest.sh" "$build" 2>"$tap_dir/said"
status=$?
if [ $status = 125 ] && grep -qE "cannot download|apt-get update failed" "$tap_dir/said"; then
	skip "$what" "its kernel cannot be downloaded: $(grep -m1 -E '^(E|W|Err)' "$tap_dir/said")"
	finish
fi
[ $status = 0 ] || sed 's/^/# /' "$tap_dir/said"
exit $status
