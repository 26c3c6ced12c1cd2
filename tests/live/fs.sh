#!/bin/sh
# weir fsslower and fsdist on calls whose answer is known: paths, failures, processes, threads, and a disk
# that takes 50 ms for each request. Usage: fs.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir load=$build/tests/fs_load

if [ "$(id -u)" != 0 ]; then
	skip "fsslower and fsdist on known calls" "needs root"
	finish
fi
. "$source/tests/live/fs_rows.sh"

folder=$top/tmpfs
fill "$folder"
slower opens 10 "$folder" 0 --op open
check "a path relative to the working directory is told from the root on" counts 10 \
	'call == "openat" and path == folder + "/data" and fs == "tmpfs"'
check "one relative to a directory's descriptor, too" counts 10 'call == "openat2" and path == folder + "/data"'
check "what could not be opened is told by its name" counts 10 \
	'path == folder + "/missing" and error == "ENOENT" and fs is None and fd is None'
slower opens 10 "$folder" 0 --op open --fs tmpfs
check "but lies on no file system that was asked for" counts 0 'error'
slower long,deleted,full 10 "$folder" 0 --fs tmpfs --op write
check "a path of 300 characters is whole" counts 10 \
	'op == "write" and path == folder + "/" + 150 * "d" + "/" + 149 * "d"'
check "a file that was deleted while open is marked" counts 10 \
	'op == "write" and path == folder + "/removed (deleted)"'
check "a write that finds no room says so" counts 10 \
	'op == "write" and error == "ENOSPC" and bytes is None and offset == 1 << 30 and path == folder + "/made"'
dist full 10 "$folder" --fs tmpfs --op write
check "and is counted as failed" counts 1 'op == "write" and errors == 11'
rm -f "$folder/made"
slower others 50 "$folder" 0
check "pipes, devices and what the kernel makes up are no files" counts 0 \
	'fs in ("proc", "devtmpfs", "pipefs", "sysfs") or bytes == 10 or (path or "").startswith(("/proc/", "/dev/"))'

# A whole machine's calls are told apart by name and by process.
cp "$load" "$tap_dir/weirtest_fs"
: >"$tap_dir/err"
"$weir" fsdist 0 --by op,pid,fs,disk --op read --comm weirtest_fs --fs tmpfs --format json \
	>"$tap_dir/json" 2>"$tap_dir/err" &
pid=$!
attached "$tap_dir/err"
"$tap_dir/weirtest_fs" cached 1000 "$folder" &
one=$!
"$tap_dir/weirtest_fs" cached 2000 "$folder" &
two=$!
wait $one $two
kill -INT $pid
wait $pid
check "a process has its own histogram" counts 1 "op == 'read' and pid == $one and count == 1000 and comm == 'weirtest_fs'"
check "and the other one its own" counts 1 "op == 'read' and pid == $two and count == 2000 and disk is None"

if disk ext4 mkfs.ext4 -q -F; then
	fill "$top/ext4"
	slower reads 10 "$top/ext4" 0 --op read --disk "${loop#/dev/}"
	check "one disk can be asked for" counts 60 'op == "read"'
	check "and no other one is shown" counts 0 "disk != '${loop#/dev/}'"
fi

# ext4 on a disk that takes 50 ms for each request.
slow_disk() {
	command -v mkfs.ext4 >/dev/null && [ -x "$build/tests/slow_file" ] || return 1
	truncate -s 16M "$top/images/slow"
	mkfs.ext4 -q -F -E lazy_itable_init=0 "$top/images/slow" || return 1
	mkdir "$top/slow" "$top/slow_ext4"
	mount -o loop "$top/images/slow" "$top/slow_ext4" || return 1
	fill "$top/slow_ext4"
	umount "$top/slow_ext4"
	"$build/tests/slow_file" 16 50 "$top/slow" "$top/images/slow" &
	until_true test -e "$top/slow/disk"
	loop=$(losetup -f --show "$top/slow/disk") || return 1
	loops="$loop $loops"
	mount -t ext4 "$loop" "$top/slow_ext4"
}

if slow_disk 2>"$tap_dir/said" >&2; then
	folder=$top/slow_ext4
	slower direct 20 "$folder" 40ms --op read
	check "20 reads of 50 ms each are 20 rows, with their offsets" counts 20 \
		'op == "read" and path == folder + "/data" and latency >= 50000000 and bytes == 4096 and fs == "ext4"'
	check "each of them once" counts 1 \
		'offset == 0 and op == "read" and sorted(r["offset"] for r in rows if r["op"] == "read" and r["path"] == path) == [8192 * i for i in range(20)]'
	slower position 10 "$folder" --op read
	check "reads at the file's position have it" counts 1 \
		'offset == 0 and op == "read" and sorted(r["offset"] for r in rows if r["op"] == "read" and r["path"] == path) == [4096 * i for i in range(10)]'
	slower threads 5 "$folder" 40ms --op read
	check "threads that read at the same time are told apart" counts 20 \
		'op == "read" and tid != pid and path == folder + "/data" and 50000000 <= latency'
	slower closed 10 "$folder" 40ms --op read
	check "a file that another thread closed meanwhile is told, not the one that took its number" counts 10 \
		'op == "read" and path == folder + "/data" and latency >= 50000000'
	check "which nobody has read" counts 0 'op == "read" and path == folder + "/other"'
	slower sync 2 "$folder" 40ms --op fsync
	check "each fsync waits for the disk" counts 2 \
		'call == "fsync" and path == folder + "/made" and latency >= 50000000'
	dist direct 20 "$folder" --op read --fs ext4 --disk "${loop#/dev/}"
	check "a histogram of them has none below 50 ms" counts 1 \
		'op == "read" and count == 20 and latency["min"] >= 50000000'
else
	skip "20 reads of 50 ms each are 20 rows" "no ext4 on a loop device on FUSE here: $(tail -1 "$tap_dir/said")"
fi

"$weir" fsslower --duration 200ms --op fsync --comm nosuchprogram >"$tap_dir/said" 2>&1
check "a true zero says that there was nothing" holds "$tap_dir/said" "(no events)"
"$weir" fsslower --duration 200ms --op fsync --fs nosuchfs >"$tap_dir/said" 2>&1
check "a file system that nobody knows is warned of" holds "$tap_dir/said" 'no file system "nosuchfs"'
if command -v setpriv >/dev/null; then
	denied() {
		setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups \
			"$weir" "$1" --duration 200ms >"$tap_dir/said" 2>&1
	}
	for pipeline in fsslower fsdist; do
		check "$pipeline: without the right to load programs it ends with 3" status 3 denied $pipeline
		check "$pipeline: and says what is missing" holds "$tap_dir/said" CAP_BPF
	done
else
	skip "without the right to load programs it says so" "setpriv is not installed"
fi
finish
