#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What weir says of a device-mapper disk that cannot read one known block (dm-error), and of one that
# answers nothing any more (dm-flakey): no request to a disk has these errors. Usage: dm_error.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
. "$source/tests/vm/judge.sh"
weir=$build/weir disk=/dev/vdb
sectors=$(blockdev --getsz $disk)

broken() {
	dmsetup create broken <<-END
		0 4656 linear $disk 0
		4656 8 error
		4664 $((sectors - 4664)) linear $disk 4664
	END
}

# An ext4 that is only read, so that nothing is written back when its disk answers no more.
readable() {
	mkfs.ext4 -q -F $disk && mount $disk "$top" && dd if=/dev/zero of="$top/file" bs=4k count=10 2>/dev/null &&
		umount "$top" && dmsetup create flakey --table "0 $sectors linear $disk 0" &&
		mount -o ro,noload /dev/mapper/flakey "$top" && dd if="$top/file" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
}

down() {
	dmsetup suspend flakey && dmsetup load flakey --table "0 $sectors flakey $disk 0 0 3600" && dmsetup resume flakey
}

top=$tap_dir/top
mkdir "$top"
check "a disk whose block 582 of 4 KiB cannot be read" broken
name=dm-$(dmsetup info -c --noheadings -o minor broken)
"$weir" verdict --interval 500ms --format json -- dd if=/dev/mapper/broken of=/dev/null bs=4k skip=580 count=4 \
	>"$tap_dir/json" 2>"$tap_dir/err"
judge "name='$name'" <<'END'
the verdict has errors of that disk, and of no other: [r["instance"] for r in rows[0]["resources"] if r["resource"] == "disk" and r["errors"]] == [name]
END
"$weir" errors --format json >"$tap_dir/json" 2>"$tap_dir/err"
judge "name='$name'" <<'END'
what the kernel says of it is of that disk and block: {(r["kind"], r["sector"]) for r in rows if r["instance"] == name} == {("io_error", 582)}
END
check "a disk without requests of its own is refused, not taken for idle" status 2 \
	"$weir" biosnoop --disk "$name" --duration 1s
dmsetup remove broken

modprobe dm-flakey
check "a disk with a file that can be read" readable
name=dm-$(dmsetup info -c --noheadings -o minor flakey)
check "answers no more" down
"$weir" fsslower 0ms --op read --format json -- dd if="$top/file" of=/dev/null bs=4k count=1 skip=1 iflag=direct \
	>"$tap_dir/json" 2>"$tap_dir/err"
judge "path='$top/file'" "name='$name'" "said='$(sed -n 's/^dd: error reading.*: //p' "$tap_dir/err")'" <<'END'
fsslower has the read that failed, with its disk and place: [(r["disk"], r["offset"]) for r in rows if r["path"] == path] == [(name, 4096)]
the error is the one that the reader is told: [os.strerror(getattr(errno, r["error"])) for r in rows if r["path"] == path] == [said]
END
umount "$top"
dmsetup remove flakey
finish
