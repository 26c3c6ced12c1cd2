#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir biolatency, biosnoop and biotop on a device that takes 10 ms for each request, by a timer of
# the kernel. The host may hold up the guest, so that the upper bound is what the kernel counts.
# Usage: null_blk.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
. "$source/tests/vm/judge.sh"
weir=$build/weir

check "there is a null_blk" modprobe null_blk irqmode=2 completion_nsec=10000000 nr_devices=1 gb=1

watch biolatency nullb0 50
judge reads=$reads read_ms=$read_ms <<'END'
biolatency counts the reads that the kernel counts: sum(r["count"] for r in rows if r["op"] == "read") == reads == 50
none took less than 10 ms: all(r["device"]["min"] >= 10e6 for r in rows)
all together took no longer than the kernel says: 500e6 <= sum(r["device"]["sum"] for r in rows) <= (read_ms + 1) * 1e6
END

watch biosnoop nullb0 50
judge reads=$reads read_ms=$read_ms <<'END'
biosnoop has a row for each read that the kernel counts: len(rows) == reads == 50
each took 10 ms at least: all(r["latency"] >= 10e6 for r in rows)
the rows together took no longer than the kernel says: sum(r["latency"] for r in rows) <= (read_ms + 1) * 1e6
their places and bytes are exact: [(r["offset"], r["bytes"]) for r in rows] == [(4096 * i, 4096) for i in range(50)]
their submitter is dd: {r["comm"] for r in rows} == {"dd"} and len({r["pid"] for r in rows}) == 1
END

watch biotop nullb0 50
judge reads=$reads <<'END'
biotop counts the reads that the kernel counts: sum(r["count"] for r in rows) == reads == 50
their mean is 10 ms at least, and the longest is no shorter: all(10e6 <= r["latency"] <= r["max"] for r in rows)
END

check "none is slower than an hour" "$weir" biosnoop --disk nullb0 --min-latency 1h --format json -o "$tap_dir/json" -- \
	dd if=/dev/nullb0 of=/dev/null bs=4k count=5 iflag=direct
judge <<'END'
and so there is no row: rows == []
END
rmmod null_blk
finish
