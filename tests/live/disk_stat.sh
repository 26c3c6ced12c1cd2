#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir iostat on disks of the test's own: direct I/O of a known number on a loop device, against the
# kernel's own file of that device, and a zram disk that takes the place of another one.
# Usage: disk_stat.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
loop= zram=

cleanup() {
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$zram" ] || zram_remove
	rm -rf "$tap_dir"
}
trap cleanup EXIT

if [ "$(id -u)" != 0 ]; then
	skip "iostat counts what a disk did" "needs root"
	finish
fi

# row PYTHON: an expression over rows, the list of what was printed, is true.
row() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
if not eval(sys.argv[2]):
    sys.exit("not so: " + sys.argv[2] + "\n" + "\n".join(map(str, rows)))' "$tap_dir/rows" "$1"
}

# iostat DISK COMMAND...: one window, from before the command until after it.
iostat_of() {
	disk=$1
	shift
	: >"$tap_dir/err"
	timeout -s KILL 300 "$weir" iostat --disk "$disk" --interval 1h --format json >"$tap_dir/rows" \
		2>"$tap_dir/err" &
	runs=$!
	attached "$tap_dir/err" || return 1
	"$@" || return 1
	sleep 0.2 # a window of less than 100 ms is left out
	kill -INT $runs
	wait $runs
	[ -s "$tap_dir/rows" ] || { cat "$tap_dir/err"; return 1; }
}

# direct DISK: 300 writes of 4 KiB and 200 reads of 8 KiB, one after the other.
direct() {
	dd if=/dev/zero of="$1" bs=4k count=300 oflag=direct status=none &&
		dd if="$1" of=/dev/null bs=8k count=200 iflag=direct status=none
}

truncate -s 16M "$tap_dir/file"
if loop=$(losetup -f --show "$tap_dir/file" 2>"$tap_dir/err"); then
	name=${loop#/dev/}
	stat_before=$(cat "/sys/block/$name/stat")
	check "a window with direct I/O on a loop device ends with a row" iostat_of "$name" direct "$loop"
	stat_after=$(cat "/sys/block/$name/stat")
	check "its requests and bytes are those that were made" row \
		'[(r["writes"], r["write_bytes"], r["reads"] >= 200, r["read_bytes"] >= 200 * 8192) for r in rows] == [(300, 300 * 4096, True, True)]'
	set -- $stat_before $stat_after
	check "and those of the kernel's own file" row \
		"[(r['reads'], r['read_bytes'], r['writes'], r['write_bytes']) for r in rows] == [(${18} - $1, (${20} - $3) * 512, ${22} - $5, (${24} - $7) * 512)]"
	check "a request has its size" row '[(r["write_size"], r["in_flight"]) for r in rows] == [(4096, 0)]'
else
	loop=
	skip "iostat counts what a loop device did" "no loop device: $(head -1 "$tap_dir/err")"
fi

# zram_add N: with that number, which was free; a disk of 64 MiB.
zram_add() {
	zram=$(cat /sys/class/zram-control/hot_add) || return 1
	echo 64M >"/sys/block/zram$zram/disksize"
}

zram_remove() {
	echo 1 >"/sys/block/zram$zram/reset"
	for _ in $(seq 50); do
		echo "$zram" >/sys/class/zram-control/hot_remove 2>/dev/null && break
		sleep 0.1
	done
	zram=
}

# replace: another disk of the same name, on which 500 writes are made.
replace() {
	was=$zram
	zram_remove
	zram_add || return 1
	[ "$zram" = "$was" ] || { echo "zram$zram came in the place of zram$was"; return 1; }
	dd if=/dev/zero of="/dev/zram$zram" bs=4k count=500 oflag=direct status=none
}

if [ -e /sys/class/zram-control/hot_add ] && zram_add; then
	dd if=/dev/zero of="/dev/zram$zram" bs=4k count=10 oflag=direct status=none
	check "a window in which a disk is replaced ends with rows" iostat_of "zram$zram" replace
	check "the old disk is told as gone, and all of the new one's writes are counted" row \
		'[(r["note"], r["writes"], r["write_bytes"]) for r in rows] == [("gone", None, None), ("new", 500, 500 * 4096)]'
	check "the window is marked, and diskseq tells them apart" row \
		'rows[0]["gap"] and rows[0]["diskseq"] != rows[1]["diskseq"]'
else
	zram=
	skip "a replaced disk is another disk" "no zram"
fi
finish
