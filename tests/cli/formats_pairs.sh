#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Any format becomes any other and comes back with the same stacks and counts; and what an input can
# be that is no file, or no whole one. Usage: formats_pairs.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"

convert() {
	"$build/weir" convert "$@" 2>"$tap_dir/said" || { cat "$tap_dir/said"; return 1; }
}

# Blanks, a kernel's frame, an object without a function, a count beyond 32 bits.
cat >"$tap_dir/in.script" <<'EOF'
web worker  10/11 [000] 5.000001: 5000000000 cpu-clock:
	            1000 std::map<int, a b>::find+0x10 (/lib/libc.so.6)
	            2000 main+0x20 (/bin/a)

db  20/20 [001] 5.000002:        300 cpu-clock:
	ffffffff81000010 vfs_read+0x10 ([kernel.kallsyms])
	            2000 [unknown] (/bin/b)

EOF
cat >"$tap_dir/expected" <<'EOF'
db;[b];vfs_read_[k] 300
web_worker;main;std::map<int, a b>::find 5000000000
EOF

# pair FIRST SECOND: from the text to the one, to the other, and back to the one.
pair() {
	convert "$tap_dir/in.script" -o "$tap_dir/first.$1" &&
		convert "$tap_dir/first.$1" -o "$tap_dir/second.$2" &&
		convert "$tap_dir/second.$2" -o "$tap_dir/third.$1" &&
		convert "$tap_dir/third.$1" -o "$tap_dir/got.folded" &&
		same "$tap_dir/expected" "$tap_dir/got.folded"
}

for first in folded script pb.gz; do
	for second in folded script pb.gz; do
		check "$first to $second and back: the same stacks and counts" pair $first $second
	done
done

# whole_to_none FILE: cut anywhere, it is read as far as it goes, or it is said that it cannot be.
whole_to_none() {
	size=$(stat -c %s "$1")
	for at in $(seq 0 7 "$size"); do
		head -c "$at" "$1" >"$tap_dir/cut"
		"$build/weir" convert "$tap_dir/cut" --format folded >"$tap_dir/got" 2>"$tap_dir/said"
		got=$?
		[ $got -le 2 ] || { echo "cut at $at: exit status $got"; cat "$tap_dir/said"; return 1; }
		[ -s "$tap_dir/got" ] || grep -qv ': attached$' "$tap_dir/said" ||
			{ echo "cut at $at: neither read nor said"; return 1; }
	done
}
convert "$tap_dir/in.script" -o "$tap_dir/in.folded"
convert "$tap_dir/in.script" -o "$tap_dir/in.pb.gz"
gzip -dc "$tap_dir/in.pb.gz" >"$tap_dir/in.pb"
printf 'heap profile: 2: 2048 [2: 2048] @ heapprofile\n2: 2048 [2: 2048] @ 0x10 0x20\n' >"$tap_dir/in.heap"
for name in script folded pb pb.gz heap; do
	check "cut anywhere: $name" whole_to_none "$tap_dir/in.$name"
done

from_fifo() {
	mkfifo "$tap_dir/fifo"
	cat "$tap_dir/in.folded" >"$tap_dir/fifo" &
	convert "$tap_dir/fifo" --format folded >"$tap_dir/got" && same "$tap_dir/expected" "$tap_dir/got"
}
check "a named pipe is read" from_fifo
# fails STATUS TEXT INPUT
fails() {
	status "$1" "$build/weir" convert "$3" --format folded 2>"$tap_dir/said" && holds "$tap_dir/said" "$2"
}
check "a folder is none" fails 1 "Is a directory" "$tap_dir"
: >"$tap_dir/empty"
check "an empty file exits with 2" fails 2 "is empty" "$tap_dir/empty"
ln -s "$tap_dir/loop" "$tap_dir/loop"
check "a file that cannot be opened is told" fails 1 "loop" "$tap_dir/loop"
finish
