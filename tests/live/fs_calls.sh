#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir fsslower and fsdist over every kind of call, in known numbers, on each kind of file system.
# Usage: fs_calls.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir load=$build/tests/fs_load

if [ "$(id -u)" != 0 ]; then
	skip "fsslower and fsdist on known calls" "needs root"
	finish
fi
. "$source/tests/live/fs_rows.sh"

# Every kind of call on a file system: its name and its disk ("None": it has none).
check_calls() {
	fs=$1 folder=$2 disk=$3
	same="fs == '$fs' and (disk == $disk or fs == 'btrfs') and comm == 'fs_load'"
	data="$same and path == folder + '/data' and error is None"
	fill "$folder"
	slower reads,writes,sync 10 "$folder" 0 --fs "$fs"
	check "$fs: ten reads by each of six calls are 60 rows" counts 60 "$data and op == 'read' and bytes == 100"
	for call in "read:0" "readv:100" "pread64:200" "preadv:300" "preadv2:400" "preadv2:200"; do
		check "$fs: ${call%:*} at ${call#*:}" counts 10 \
			"$data and call == '${call%:*}' and offset == ${call#*:} and bytes == 100"
	done
	check "$fs: and one open of it" counts 1 "$data and op == 'open' and bytes is None and offset is None and fd >= 3"
	for call in "write:0" "writev:100" "pwrite64:200" "pwritev:300" "pwritev2:400"; do
		check "$fs: ${call%:*} at ${call#*:}" counts 10 \
			"$same and op == 'write' and path == folder + '/made' and call == '${call%:*}' and offset == ${call#*:} and bytes == 100"
	done
	check "$fs: a write that goes to the end has no offset of its caller" counts 10 \
		"$same and call == 'pwrite64' and offset is None and bytes == 100"
	for call in fdatasync syncfs; do
		check "$fs: $call" counts 10 "$same and op == 'fsync' and call == '$call' and path == folder + '/made' and bytes is None"
	done
	check "$fs: fsync" counts 10 "$same and call == 'fsync' and path == folder + '/made'"
	check "$fs: fsync of a folder" counts 10 "$same and call == 'fsync' and path == folder"
	check "$fs: sync_file_range tells where" counts 10 \
		"$same and call == 'sync_file_range' and offset % 4096 == 0 and path == folder + '/made'"
	# Programs are loaded from the same kind of file system, but not from the same disk.
	if [ "$disk" = None ]; then
		dist reads 500 "$folder" --op read --fs "$fs"
	else
		dist reads 500 "$folder" --op read --fs "$fs" --disk "$(eval echo "$disk")"
	fi
	check "$fs: 3,000 reads are counted, every one" counts 1 \
		"fs == '$fs' and op == 'read' and count == 3000 and bytes == 300000 and errors == 0 and latency['count'] == 3000"
}

check_calls tmpfs "$top/tmpfs" None
disk ext4 mkfs.ext4 -q -F && check_calls ext4 "$top/ext4" "'${loop#/dev/}'"
disk xfs mkfs.xfs -q && check_calls xfs "$top/xfs" "'${loop#/dev/}'"
# Which may lie on many disks: Linux 6.18 no longer names one of them.
disk btrfs mkfs.btrfs -q && check_calls btrfs "$top/btrfs" None
if [ "$(stat -f -c %T "$build")" = overlayfs ]; then
	skip "overlay: all calls" "the programs' own reads are on overlayfs, too"
elif grep -qw overlay /proc/filesystems; then
	mkdir "$top/tmpfs/upper" "$top/tmpfs/work" "$top/lower" "$top/overlay"
	if mount -t overlay -o "lowerdir=$top/lower,upperdir=$top/tmpfs/upper,workdir=$top/tmpfs/work" \
		weirtest "$top/overlay" 2>"$tap_dir/said"; then
		check_calls overlay "$top/overlay" None
	else
		skip "overlay: all calls" "$(head -1 "$tap_dir/said")"
	fi
else
	skip "overlay: all calls" "this kernel has no overlay"
fi
finish
