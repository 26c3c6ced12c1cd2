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

# Not in the host's /tmp, which the guest does not see.
for times in 1 20; do
	aarch64-linux-gnu-gcc -nostdlib -static -DTIMES=$times -o "$build/loops$([ $times = 1 ] || echo -long)" \
		"$source/tests/vm/arm64_loops.S" || exit 1
done

aarch64-linux-gnu-gcc -shared -fPIC -fvisibility=hidden -std=gnu11 -I "$source/sdk/include" \
	-o "$build/pmu.acme.so" "$source/sdk/examples/vendor-pmu/acme_pmu.c" || exit 1

# An instruction takes a cycle, then two. Two guests, one TAP.
cases=0 failed=0
for shift in 0 1; do
	"$boot" -s $shift -t 400 -- sh "$source/tests/vm/arm64_guest.sh" "$build" $((1 << shift)) \
		>"$tap_dir/tap" 2>"$tap_dir/said"
	status=$?
	if [ $status = 125 ] && grep -qE "cannot download|apt-get update failed" "$tap_dir/said"; then
		skip "$what" "its kernel cannot be downloaded: $(grep -m1 -E '^(E|W|Err)' "$tap_dir/said")"
		finish
	fi
	sed -E "s/^((not )?ok) [0-9]+ - /\1 - /; /^1\.\./d" "$tap_dir/tap"
	number=$(grep -cE '^(not )?ok ' "$tap_dir/tap")
	grep -qx "1..$number" "$tap_dir/tap" || status=1
	cases=$((cases + number))
	[ $status = 0 ] || { failed=1; sed 's/^/# /' "$tap_dir/said"; }
done
echo "1..$cases"
exit $failed
