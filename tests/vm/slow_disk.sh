#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir fsslower on file systems whose disk answers 50 ms late, by dm-delay: below the system calls,
# above the requests. Usage: slow_disk.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
. "$source/tests/vm/judge.sh"
weir=$build/weir disk=/dev/vdb

# delayed FS: an empty file system of that type in $top, on the slow disk from then on.
delayed() {
	case $1 in
	ext4) mkfs.ext4 -q -F $disk ;;
	*) mkfs."$1" -q -f $disk ;;
	esac && dmsetup create slow --table "0 $(blockdev --getsz $disk) delay $disk 0 50" &&
		mount -t "$1" /dev/mapper/slow "$top"
}

top=$tap_dir/slow
mkdir "$top"
modprobe dm-delay
for fs in ext4 xfs btrfs; do
	modprobe $fs
	check "$fs on a slow disk" delayed $fs
	# The timer of dm-delay may be early by one tick, which is 4 ms.
	: >"$tap_dir/err"
	"$weir" fsslower 40ms --comm dd --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	snoop=$!
	check "fsslower sees $fs" attached "$tap_dir/err"
	dd if=/dev/zero of="$top/file" bs=4k count=10 conv=fsync 2>/dev/null
	began=$(date +%s%N)
	dd if="$top/file" of=/dev/null bs=4k count=10 iflag=direct 2>/dev/null
	took=$(($(date +%s%N) - began))
	kill -INT $snoop
	wait $snoop
	judge "path='$top/file'" "fs='$fs'" took=$took <<'END'
all on that file are calls of dd on that file system: {(r["comm"], r["fs"]) for r in rows if r["path"] == path} == {("dd", fs)}
their disk is told, where a file system has one only: fs == "btrfs" or {r["disk"] for r in rows if r["path"] == path} == {"dm-0"}
reads past the cache wait for the disk, each, and say where: [(r["offset"], r["bytes"]) for r in rows if r["path"] == path and r["op"] == "read"] == [(4096 * i, 4096) for i in range(10)]
and so does fsync: [r["op"] for r in rows if r["path"] == path].count("fsync") == 1
none took less than the disk: all(r["latency"] >= 46e6 for r in rows if r["path"] == path and r["op"] in ("read", "fsync"))
the reads together took no longer than dd: sum(r["latency"] for r in rows if r["path"] == path and r["op"] == "read") < took
END
	umount "$top"
	dmsetup remove slow
done
finish
