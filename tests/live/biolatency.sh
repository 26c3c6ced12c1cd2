#!/bin/sh
# weir biolatency on disks whose answer is known: counts against the kernel's own, latency
# against what a file system under the disk makes it. Usage: biolatency.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

if [ "$(id -u)" != 0 ]; then
	skip "biolatency on known disks" "needs root"
	finish
fi
if ! losetup -f >/dev/null 2>&1; then
	skip "biolatency on known disks" "no loop device is to be had here"
	finish
fi

loop= slow=
cleanup() {
	[ -n "$loop" ] && { echo 1 >"/sys/block/${loop#/dev/}/queue/iostats"; losetup -d "$loop"; }
	[ -n "$slow" ] && losetup -d "$slow"
	mountpoint -q "$tap_dir/slow" && umount "$tap_dir/slow"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# The kernel's own counters of a disk: reads, sectors read.
reads() {
	awk '{print $1}' "/sys/block/$1/stat"
}

# How long they took together, queued and on the device.
read_ms() {
	awk '{print $4}' "/sys/block/$1/stat"
}

# watch NAME COMMAND...: runs the command under a biolatency of that disk; JSON in $tap_dir/json.
watch_disk() {
	disk=$1
	shift
	: >"$tap_dir/err"
	"$weir" biolatency --disk "$disk" --format json --interval 0 >"$tap_dir/json" 2>"$tap_dir/err" &
	pid=$!
	attached "$tap_dir/err" || return 1
	"$@"
	kill -INT $pid
	wait $pid
}

# value OP FIELD: of the row of that operation; 0 when there is none.
value() {
	python3 - "$tap_dir/json" "$1" "$2" <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
rows = [r for r in rows if r["op"] == sys.argv[2]]
assert len(rows) <= 1, "one window, so one row"
value = rows[0] if rows else {}
for part in sys.argv[3].split("."):
    value = value.get(part, 0) if value else 0
print(value)
P
}

equal() {
	[ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }
}

# 2,000 reads of 4 KiB, exactly, past the page cache.
dd_reads() {
	dd if="/dev/$1" of=/dev/null bs=4k count=2000 iflag=direct 2>/dev/null
}

count_case() {
	before=$(reads "$1")
	watch_disk "$1" dd_reads "$1"
	after=$(reads "$1")
}

dd if=/dev/zero of="$tap_dir/image" bs=1M count=16 2>/dev/null
loop=$(losetup -f --show "$tap_dir/image")
name=${loop#/dev/}
udevadm settle 2>/dev/null || sleep 1

# A completion whose issue the kernel did not show to us, or the other way round, is told in stderr.
untimed() {
	sed -n 's/.*lost \([0-9]*\) rows: request .* not seen.*/\1/p' "$tap_dir/err" |
		awk '{n += $1} END {print n + 0}'
}

count_case "$name"
check "the reads of weir are the reads of the kernel" equal "$(($(value read count) + $(untimed)))" "$((after - before))"
check "2,000 reads were made" equal "$((after - before))" 2000
check "their bytes add up" equal "$(value read bytes)" "$((4096 * $(value read count)))"
check "each has one device time" equal "$(value read device.count)" "$(value read count)"
check "each has one queued time" equal "$(value read queued.count)" "$(value read count)"

echo 0 >"/sys/block/$name/queue/iostats"
watch_disk "$name" dd_reads "$name"
echo 1 >"/sys/block/$name/queue/iostats"
check "the disk's switched-off iostats do not matter" equal "$(($(value read count) + $(untimed)))" 2000

"$weir" biolatency --disk "$name" --duration 300ms >"$tap_dir/said" 2>&1
check "a disk without requests shows a zero" holds "$tap_dir/said" "0 events"

check "a disk that is not there is an error" status 2 "$weir" biolatency --disk nosuchdisk --duration 1s
"$weir" biolatency --disk nosuchdisk --duration 1s >"$tap_dir/said" 2>&1
check "and is named" holds "$tap_dir/said" 'no disk "nosuchdisk"'

# A disk that takes 50 ms for each read.
mkdir "$tap_dir/slow"
if "$build/tests/slow_file" 4 50 "$tap_dir/slow" & then
	until_true test -e "$tap_dir/slow/disk"
fi
slow=$(losetup -f --show "$tap_dir/slow/disk" 2>"$tap_dir/err") || slow=
if [ -z "$slow" ]; then
	skip "a disk of 50 ms shows 50 ms" "no loop device on FUSE here: $(head -1 "$tap_dir/err")"
else
	name=${slow#/dev/}
	udevadm settle 2>/dev/null || sleep 1
	before=$(read_ms "$name")
	watch_disk "$name" dd if="$slow" of=/dev/null bs=4k count=20 skip=256 iflag=direct 2>/dev/null
	after=$(read_ms "$name")
	check "20 reads of a slow disk are 20" equal "$(value read count)" 20
	check "none is faster than the 50 ms it takes" test "$(value read device.min)" -ge 50000000
	check "all together took no longer than the kernel says" test "$(value read device.sum)" -le $(((after - before + 1) * 1000000))
	losetup -d "$slow"
	slow=
fi
finish
