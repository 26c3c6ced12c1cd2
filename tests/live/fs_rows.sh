# SPDX-License-Identifier: BSD-2-Clause
# For live tests of fsslower and fsdist: file systems in memory, and the load on them below weir. To be
# sourced after tap.sh, with `source`, `weir` and `load` set.
. "$source/tests/ask.sh"

top=$(cd "$tap_dir" && pwd -P)

loops=
cleanup() {
	for folder in slow_ext4 overlay ext4 xfs btrfs tmpfs; do
		mountpoint -q "$top/$folder" && umount "$top/$folder"
	done
	for loop in $loops; do
		losetup -d "$loop"
	done
	# Lazily, as the loop device is let go of a moment later.
	mountpoint -q "$top/slow" && umount -l "$top/slow"
	mountpoint -q "$top/images" && umount -l "$top/images"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# slower CASE N FOLDER [OPTION...]: the load below weir fsslower; JSON in $tap_dir/json.
slower() {
	case=$1 number=$2 folder=$3
	shift 3
	"$weir" fsslower "$@" --format json -- "$load" "$case" "$number" "$folder" \
		>"$tap_dir/json" 2>"$tap_dir/err"
}

# dist CASE N FOLDER [OPTION...]: the same below weir fsdist.
dist() {
	case=$1 number=$2 folder=$3
	shift 3
	"$weir" fsdist 0 "$@" --format json -- "$load" "$case" "$number" "$folder" \
		>"$tap_dir/json" 2>"$tap_dir/err"
}

# counts N CONDITION: exactly so many rows hold it, a Python expression over their columns.
program counts <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
known = {"folder": sys.argv[3], "rows": rows}
print(sum(bool(eval(sys.argv[2], {**known, **row})) for row in rows))
P
counts() {
	found=$(ask counts "$tap_dir/json" "$2" "$folder")
	[ "$found" = "$1" ] && return
	echo "$found rows, not $1: $2"
	tail -5 "$tap_dir/json"
	cat "$tap_dir/err"
	return 1
}

# Content of the file that is read.
fill() {
	dd if=/dev/zero of="$1/data" bs=4k count=64 2>/dev/null && sync -f "$1/data"
}

# disk NAME MKFS [OPTION...]: makes a disk of 320 MiB and mounts it; false if that cannot be had here.
disk() {
	name=$1
	shift
	command -v "$1" >/dev/null || { skip "$name: its calls" "no $1 here"; return 1; }
	grep -qw "$name" /proc/filesystems || modprobe "$name" 2>/dev/null ||
		{ skip "$name: its calls" "this kernel has no $name"; return 1; }
	truncate -s 320M "$top/images/$name"
	mkdir "$top/$name"
	"$@" "$top/images/$name" >"$tap_dir/said" 2>&1 || { skip "$name: its calls" "$(tail -1 "$tap_dir/said")"; return 1; }
	loop=$(losetup -f --show "$top/images/$name" 2>"$tap_dir/said") ||
		{ skip "$name: its calls" "no loop device: $(head -1 "$tap_dir/said")"; return 1; }
	loops="$loops $loop"
	mount -t "$name" "$loop" "$top/$name"
}

PATH=$PATH:/usr/sbin:/sbin
# Images of disks lie in memory, so that no fsync waits for the machine's own disk.
mkdir "$top/images" "$top/tmpfs"
mount -t tmpfs weirtest "$top/images"
mount -t tmpfs -o size=1m weirtest "$top/tmpfs"
