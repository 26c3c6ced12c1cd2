#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs in the guest: the live tests, and those of devices that only this kernel has. Their TAP
# becomes one. Usage: guest.sh SOURCE BUILD KERNEL [TEST...]
set -u
source=$1 build=$2 kernel=$3
shift 3
# Wrappers of the host's programs take longer here than the programs.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
export TMPDIR=/scratch
# By name only, until they have run often on both kernels: live/fs_calls live/offcpu live/processes live/why
# vm/dm_error vm/smoke.
# Not live/flame: emulated instructions do not take the time that the program measures.
tests="vm/null_blk vm/scsi_debug vm/netem vm/slow_disk
	live/biosnoop live/cachestat live/exec live/flame_overlay live/open
	live/runq live/tcplife live/tcpretrans"
[ $# = 0 ] || tests=$*

cases=0 failed=0
say() {
	cases=$((cases + 1))
	[ "$1" = ok ] || failed=1
	echo "$1 - $2"
}

# run SCRIPT: a test of tests/, none of whose cases may get lost. Its numbers and plan are left out;
# each line is passed on at once, so that it is known how far it came.
run() {
	name=${1%.sh}
	begun=$(date +%s)
	timeout 900 sh "$source/tests/$1" "$source" "$build" 2>&1 |
		sed -u -E "s|^(not )?ok [0-9]+ - |\\1ok - $name: |; s|^1\\.\\.|# $name had a plan: |" |
		tee /run/joined
	number=$(grep -cE '^(not )?ok - ' /run/joined)
	plan=$(sed -n 's|^# .* had a plan: ||p' /run/joined)
	cases=$((cases + number))
	grep -q '^not ok - ' /run/joined && failed=1
	[ "$plan" = "$number" ] || say "not ok" "$name: $number cases were seen, of ${plan:-no plan}"
	echo "# $name took $(($(date +%s) - begun)) s"
}

prepare() {
	mkfs.ext4 -q /dev/vda && mkdir -p $TMPDIR && mount /dev/vda $TMPDIR && modprobe -a loop fuse
}

case $(uname -r) in
"$kernel".*) say ok "Linux $(uname -r) runs" ;;
*) say "not ok" "Linux $(uname -r) runs, which is not $kernel" ;;
esac
if prepare; then
	for test in $tests; do
		run "$test.sh"
	done
else
	say "not ok" "the scratch disk is mounted"
fi
echo "1..$cases"
exit $failed
