#!/bin/sh
# weir biosnoop and biotop on disks whose answer is known: a process of known number reads known
# places of a loop device, whose own worker then reads the file. Usage: biosnoop.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir

if [ "$(id -u)" != 0 ]; then
	skip "biosnoop on known disks" "needs root"
	finish
fi
if ! losetup -f >/dev/null 2>&1; then
	skip "biosnoop on known disks" "no loop device is to be had here"
	finish
fi

loop= slow= expire= interval=
# The machine's and the device's settings are as before, too.
settings_back() {
	[ -z "$expire" ] || echo "$expire" >/proc/sys/vm/dirty_expire_centisecs
	[ -z "$interval" ] || echo "$interval" >/proc/sys/vm/dirty_writeback_centisecs
	echo 1 >"/sys/block/${loop#/dev/}/queue/iostats"
}
cleanup() {
	[ -n "$loop" ] && { settings_back; losetup -d "$loop"; }
	[ -n "$slow" ] && losetup -d "$slow"
	mountpoint -q "$tap_dir/slow" && umount "$tap_dir/slow"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# watch PIPELINE OPTIONS... -- COMMAND...: the command under weir; JSON in $tap_dir/json, the
# command's process in $child.
watch() {
	pipeline=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # options hold no blanks
	: >"$tap_dir/err"
	"$weir" "$pipeline" $options --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	pid=$!
	attached "$tap_dir/err" || return 1
	"$@" &
	child=$!
	wait $child
	kill -INT $pid
	wait $pid
}

# rows EXPRESSION: prints a Python expression over `rows`, a list of dicts, and `lost`.
program rows <<'P'
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
lost = sum(int(n) for n in re.findall(r"lost (\d+) rows: request .* not seen", open(sys.argv[2]).read()))
print(eval(sys.argv[3]))
P
rows() {
	ask rows "$tap_dir/json" "$tap_dir/err" "$1"
}

is() {
	got=$(rows "$1")
	[ "$got" = "$2" ] || { echo "$1: $got, not $2"; head -3 "$tap_dir/json"; cat "$tap_dir/err"; return 1; }
}

dd if=/dev/zero of="$tap_dir/image" bs=1M count=16 2>/dev/null
loop=$(losetup -f --show "$tap_dir/image")
name=${loop#/dev/}
udevadm settle 2>/dev/null || sleep 1

# 200 reads of 4 KiB from 4 MiB on.
watch biosnoop --disk "$name" -- dd if="$loop" of="$tap_dir/read" bs=4k count=200 skip=1024 iflag=direct 2>/dev/null
mine='[r for r in rows if r["comm"] == "dd" and r["op"] == "read"]'
check "200 reads are 200 rows" is "len($mine) + lost" 200
check "each has the process that submitted it" is "{r['pid'] for r in $mine} == {$child}" True
check "their places are exact" is "{r['offset'] for r in $mine} <= {4096 * i for i in range(1024, 1224)} and len({r['offset'] for r in $mine}) == len($mine)" True
check "their bytes are exact" is "{r['bytes'] for r in $mine}" "{4096}"
check "no other process made requests to this disk" is "[r for r in rows if r['pid'] != $child]" "[]"
check "the rows come in the order of their completions" is "[r['time'] for r in rows] == sorted(r['time'] for r in rows)" True

echo 0 >"/sys/block/$name/queue/iostats"
watch biosnoop --disk "$name" -- dd if="$loop" of="$tap_dir/read" bs=4k count=100 iflag=direct 2>/dev/null
echo 1 >"/sys/block/$name/queue/iostats"
check "the disk's switched-off iostats do not matter" is "len([r for r in $mine if r['pid'] == $child]) + lost" 100

# Reads, then writes; flushes are counted by the kernel, too.
before=$(awk '{printf "%s %.0f %s\n", $1, $7 * 512, $16}' "/sys/block/$name/stat")
watch biosnoop --disk "$name" -- dd if=/dev/zero of="$loop" bs=64k count=4 conv=fsync,notrunc oflag=direct 2>/dev/null
after=$(awk '{printf "%s %.0f %s\n", $1, $7 * 512, $16}' "/sys/block/$name/stat")
delta() {
	echo "$before $after" | awk -v i="$1" '{printf "%.0f\n", $(i + 3) - $i}'
}
check "bytes written are those of the kernel" is "sum(r['bytes'] for r in rows if r['op'] == 'write') + 4096 * lost" "$(delta 2)"
check "and those of the program" test "$(delta 2)" = 262144
check "one fsync is one flush" is "len([r for r in rows if r['op'] == 'flush'])" 1
check "the kernel counted that flush" test "$(delta 3)" = 1
check "the flush is of the process that called fsync" is "[r['pid'] for r in rows if r['op'] == 'flush']" "[$child]"
check "it has no place and no bytes" is "[(r['offset'], r['bytes']) for r in rows if r['op'] == 'flush']" "[(None, 0)]"

# A buffered write that the kernel writes back later.
written() {
	awk '{printf "%.0f\n", $7 * 512}' "/sys/block/$name/stat"
}
write_back() {
	before=$(written)
	dd if=/dev/zero of="$loop" bs=64k count=1 conv=notrunc 2>/dev/null
	exec 9<"$loop"
	until_true all_written
	exec 9<&-
}
all_written() {
	[ "$(written)" -ge $((before + 65536)) ]
}
expire=$(cat /proc/sys/vm/dirty_expire_centisecs)
interval=$(cat /proc/sys/vm/dirty_writeback_centisecs)
echo 50 >/proc/sys/vm/dirty_expire_centisecs
echo 50 >/proc/sys/vm/dirty_writeback_centisecs
exec 8<"$loop" # or the last close writes all
watch biosnoop --disk "$name" -- write_back
exec 8<&-
settings_back
check "write-back is labelled as such" is "{('writeback' in (r['flags'] or ''), r['comm'].startswith('kworker')) for r in rows if r['op'] == 'write'}" "{(True, True)}"
check "and all pages are in it" is "sum(r['bytes'] for r in rows if r['op'] == 'write')" 65536

# Filters.
watch biosnoop --disk "$name" --comm nobody -- dd if="$loop" of="$tap_dir/read" bs=4k count=10 iflag=direct 2>/dev/null
check "other names are left out" is "len(rows) + lost" 0
watch biosnoop --comm dd -- dd if="$loop" of="$tap_dir/read" bs=4k count=50 iflag=direct 2>/dev/null
check "by name, on all disks" is "len([r for r in rows if r['disk'] == '$name' and r['pid'] == $child]) + lost" 50

"$weir" biosnoop --disk "$name" --duration 300ms >"$tap_dir/said" 2>&1
check "a disk without requests shows a zero" holds "$tap_dir/said" "no events"
check "a disk that is not there is an error" status 2 "$weir" biosnoop --disk nosuchdisk --duration 1s

# Sums.
watch biotop --disk "$name" --interval 1h -- dd if="$loop" of="$tap_dir/read" bs=4k count=100 iflag=direct 2>/dev/null
check "biotop counts 100 reads as 100" is "[r['count'] + lost for r in rows if r['pid'] == $child and r['op'] == 'read']" "[100]"
check "and their bytes" is "[r['bytes'] + lost * 4096 for r in rows if r['pid'] == $child]" "[409600]"
check "its longest is no shorter than its mean" is "all(r['max'] >= r['latency'] > 0 for r in rows)" True

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
	watch biosnoop --disk "$name" --min-latency 50ms -- dd if="$slow" of=/dev/null bs=4k count=10 skip=256 iflag=direct 2>/dev/null
	check "10 reads of a slow disk are 10, each of 50 ms or more" is "len([r for r in rows if r['latency'] >= 50000000 and r['pid'] == $child]) + lost" 10
	watch biosnoop --disk "$name" --min-latency 10s -- dd if="$slow" of=/dev/null bs=4k count=3 skip=300 iflag=direct 2>/dev/null
	check "none of them takes 10 s" is "len(rows)" 0
	losetup -d "$slow"
	slow=
fi
finish
