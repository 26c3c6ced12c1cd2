#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir biolatency and biosnoop on a SCSI disk that takes 20 ms for each request and cannot read
# sector 4660. Usage: scsi_debug.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
. "$source/tests/vm/judge.sh"
weir=$build/weir

# The disk that the emulated host adapter brought.
scsi_disk() {
	for path in /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/*; do
		[ -b "/dev/${path##*/}" ] && { disk=${path##*/}; return; }
	done
	return 1
}

disk=
modprobe sd_mod
check "there is a scsi_debug" modprobe scsi_debug ndelay=20000000 opts=2 dev_size_mb=64
check "it brings a disk" until_true scsi_disk

watch biolatency "$disk" 20
judge reads=$reads read_ms=$read_ms <<'END'
biolatency counts the reads that the kernel counts: sum(r["count"] for r in rows if r["op"] == "read") == reads == 20
none took less than 20 ms: all(r["device"]["min"] >= 20e6 for r in rows)
with its time in the queue none took longer than the kernel says: sum(r["device"]["sum"] + r["queued"]["sum"] for r in rows) <= (read_ms + 1) * 1e6
END

watch biosnoop "$disk" 20
judge reads=$reads read_ms=$read_ms <<'END'
biosnoop has a row for each read that the kernel counts: len(rows) == reads == 20
each took 20 ms at least: all(r["latency"] >= 20e6 for r in rows)
together they took no longer than the kernel says: sum(r["latency"] for r in rows) <= (read_ms + 1) * 1e6
who submitted them is dd, whoever handed them to the device: {r["comm"] for r in rows} == {"dd"}
none has an error: {r["error"] for r in rows} == {None}
END

# What dd is told by the kernel is what the row must say.
"$weir" biosnoop --disk "$disk" --format json -- \
	dd if="/dev/$disk" of=/dev/null bs=512 skip=4660 count=1 iflag=direct >"$tap_dir/json" 2>"$tap_dir/err"
judge "said='$(sed -n 's/^dd: error reading.*: //p' "$tap_dir/err")'" <<'END'
a sector that cannot be read is an error at that sector: [r["offset"] for r in rows] == [4660 * 512]
the error is the one that the reader is told: [os.strerror(getattr(errno, r["error"])) for r in rows] == [said]
END
"$weir" biolatency --disk "$disk" --format json -- \
	dd if="/dev/$disk" of=/dev/null bs=512 skip=4660 count=1 iflag=direct >"$tap_dir/json" 2>"$tap_dir/err"
judge <<'END'
biolatency counts it as an error: [(r["count"], r["errors"]) for r in rows] == [(1, 1)]
END
finish
