#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The tracing tools on a stock kernel that is not this machine's: boots it once, in emulation, and
# passes on what the tests say there. WEIR_VM is the folder of vm-run, which boots Debian's kernels.
# Usage: vm.sh SOURCE BUILD KERNEL [TEST...], all tests unless some are named: live/runq vm/netem
set -u
source=$1 build=$2 kernel=$3
shift 3
. "$source/tests/tap.sh"

case ${WEIR_VM-} in
/*) boot=$WEIR_VM/vm-run ;;
*) boot= ;;
esac
if [ ! -x "$boot" ]; then
	skip "the tracing tools on Linux $kernel" "WEIR_VM names no folder with vm-run"
	finish
fi

# What is downloaded only once may be out of reach; nothing else about the guest is an excuse.
offline() {
	grep -qE "cannot download|apt-get update failed" "$1" &&
		grep -qE "Could not (resolve|connect)|Temporary failure|Unable to connect|Connection (refused|timed out|failed)|unreachable" "$1"
}

# Two scratch disks: one holds the tests' files, the other becomes a slow one.
"$boot" -k "$kernel" -t 2400 -d 1G -d 1G -- \
	/bin/sh "$source/tests/vm/guest.sh" "$source" "$build" "$kernel" "$@" 2>"$tap_dir/said"
status=$?
if [ $status = 125 ] && offline "$tap_dir/said"; then
	skip "the tracing tools on Linux $kernel" "its kernel cannot be downloaded: $(grep -m1 -E '^(E|W|Err)' "$tap_dir/said")"
	finish
fi
[ $status = 0 ] || sed 's/^/# /' "$tap_dir/said"
exit $status
