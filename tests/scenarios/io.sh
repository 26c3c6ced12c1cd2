#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Disks, networks and descriptors that hold a machine back: what weir says of each, who it says is
# the cause, and who suffers. Usage: io.sh SOURCE BUILD
set -u
. "$1/tests/scenarios/stage.sh"
load=$build/tests/io_load
PATH=$PATH:/usr/sbin:/sbin

if [ "$(id -u)" != 0 ]; then
	skip "disks and networks that hold a machine back" "needs root"
	finish
fi

top=$(cd "$tap_dir" && pwd -P)
space=weir-$$-a far=weir-$$-b
loads='' loops='' zram=''
cleanup() {
	end_loads
	mountpoint -q "$top/ext4" && umount "$top/ext4"
	[ -z "$zram" ] || echo "${zram#zram}" >/sys/class/zram-control/hot_remove
	for loop in $loops; do
		losetup -d "$loop"
	done
	# Lazily, as a loop device is let go of a moment later.
	for folder in "$top"/slow* "$top/full" "$top/fast"; do
		mountpoint -q "$folder" && umount -l "$folder"
	done
	for name in "$space" "$far"; do
		[ ! -e "/run/netns/$name" ] || ip netns del "$name"
	done
	rm -rf "$tap_dir"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# begin [in NAMESPACE] ARGUMENT...: one more load, which is at work when this returns.
begin() {
	: >"$tap_dir/ready"
	if [ "$1" = in ]; then
		inside=$2
		shift 2
		ip netns exec "$inside" "$load" "$@" >"$tap_dir/ready" 2>"$tap_dir/load.err" &
	else
		"$load" "$@" >"$tap_dir/ready" 2>"$tap_dir/load.err" &
	fi
	loads="$loads $!"
	until_so grep -q ready "$tap_dir/ready" || { cat "$tap_dir/load.err"; return 1; }
}

end_loads() {
	for pid in $loads; do
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	loads=''
}

# slow_disk NAME MS [IMAGE]: a disk that takes so long for each request; its name in $disk.
slow_disk() {
	mkdir "$top/$1"
	"$build/tests/slow_file" 64 "$2" "$top/$1" ${3+"$3"} 2>"$tap_dir/err" &
	until_so test -e "$top/$1/disk" && loop=$(losetup -f --show "$top/$1/disk" 2>"$tap_dir/err") ||
		return 1
	loops="$loops $loop"
	disk=${loop#/dev/}
}

# none SENTENCE...: what cannot be staged here.
none() {
	reason="$(head -1 "$tap_dir/err")"
	for sentence; do
		skip "$sentence" "not to be had here: $reason"
	done
}

# state RESOURCE INSTANCE STATE...: the resource is in one of these states, and was in use.
state() {
	judged 'any(x["resource"] == resource and x["instance"] == instance and x["state"] in states.split()
		and (x["utilization"] or 0) > 0 for x in r)' resource="$1" instance="$2" states="$3"
}

# A disk of which each request takes 20 ms: one process reads all of it, another one here and there.
if slow_disk slow 20; then
	begin sequential "/dev/$disk" && begin random "/dev/$disk"
	verdict
	check "a slow disk is found, with who reads most of it, and who waits" \
		finds disk saturation "$disk" sequential random
	check "with what a read takes" judged \
		'any(e["metric"] == "read_wait" and e["value"] >= 20e6 for x in f if x["instance"] == disk for e in x["evidence"])' disk="$disk"
	check "and why now: who reads it has just begun" judged \
		'any((x["why_now"] or "").startswith("sequential ") for x in f if x["instance"] == disk)' disk="$disk"
	check "it costs what was waited for it, by two at most all of the time" judged \
		'any(3 < x["cost_s"] < 7.2 for x in f if x["instance"] == disk)' disk="$disk"
	end_loads

	# A second one, for which five wait.
	first=$disk
	if slow_disk slow_too 20; then
		begin random "/dev/$first"
		for _ in 1 2 3 4 5; do
			begin random "/dev/$disk"
		done
		verdict
		check "of two slow disks both are found" \
			finds disk saturation "$first" random '' && finds disk saturation "$disk" random ''
		check "and first the one that costs more" judged \
			'[x["instance"] for x in f if x["instance"] in (few, many)] == [many, few]' few="$first" many="$disk"
		end_loads
	fi
else
	none "a slow disk is found, with who reads most of it, and who waits"
fi

# A file system on one: who calls fsync waits for its journal, and the journal's thread for others.
truncate -s 64M "$top/image"
mkdir "$top/ext4"
if mkfs.ext4 -q -F "$top/image" 2>"$tap_dir/err" && slow_disk slow_ext4 20 "$top/image" &&
	mount "/dev/$disk" "$top/ext4" 2>"$tap_dir/err"; then
	begin storm "$top/ext4/storm" && begin saver "$top/ext4/saver"
	verdict
	check "a storm of fsync is found, with who waits in it" finds disk saturation "$disk" storm saver
	check "which the journal's thread does not" judged \
		'not any(p["comm"].startswith("jbd2") for x in f for p in x["victims"])'
	end_loads
else
	none "a storm of fsync is found, with who waits in it"
fi

# A disk whose requests fail, as what is below it has no room.
mkdir "$top/full"
fill() {
	! dd if=/dev/zero of="$1" bs=4k 2>/dev/null
}
if mount -t tmpfs -o size=1m weirtest "$top/full" 2>"$tap_dir/err" && truncate -s 16M "$top/full/disk" &&
	fill "$top/full/fill" && loop=$(losetup -f --show "$top/full/disk" 2>"$tap_dir/err"); then
	loops="$loops $loop"
	begin writer "$loop"
	verdict
	check "a disk that returns errors is found, with who writes to it" \
		finds disk errors "${loop#/dev/}" writer ''
	check "and its state is that" state disk "${loop#/dev/}" "ERRORS SATURATED"
	end_loads
else
	none "a disk that returns errors is found, with who writes to it"
fi

# A disk in memory: always in use, and never in the way.
if number=$(cat /sys/class/zram-control/hot_add 2>"$tap_dir/err") && zram=zram$number &&
	echo 16M >"/sys/block/$zram/disksize"; then
	dd if=/dev/urandom of="/dev/$zram" bs=1M count=16 oflag=direct 2>/dev/null
	begin random "/dev/$zram"
	verdict
	check "a fast disk is not accused, though it is always in use" finds_no disk '' "$zram"
	check "it is looked at" state disk "$zram" "ok busy"
	end_loads
else
	none "a fast disk is not accused, though it is always in use"
fi

# Where each descriptor is in use.
begin hoarder 300
verdict
check "a process at its limit of descriptors is found" finds software limit hoarder hoarder ''
end_loads

# Networks, in namespaces of the test's own.
if ! ip netns add "$space" 2>"$tap_dir/err" || ! ip netns add "$far" 2>"$tap_dir/err"; then
	none "connections that a listener loses are found" "datagrams that find a full buffer are found, with whose it is" \
		"lost segments are found"
	finish
fi
ip -n "$space" link add veth0 type veth peer name veth0 netns "$far"
for name in "$space" "$far"; do
	ip -n "$name" link set lo up
	ip -n "$name" link set veth0 up
done
ip -n "$space" addr add 10.9.7.1/24 dev veth0
ip -n "$far" addr add 10.9.7.2/24 dev veth0
space_id=$(stat -L -c %i /run/netns/$space)

begin in "$space" deaf 7001 && begin in "$space" caller 7001
verdict
check "a listener that does not accept is found" finds network saturation "$space_id" deaf ''
end_loads

begin in "$space" flooder 7002
verdict
check "datagrams that find a full buffer are found, with whose it is" \
	finds network errors "$space_id" flooder ''
check "as such" judged 'any("UDP" in x["summary"] for x in f if x["instance"] == space)' space="$space_id"
end_loads

# A tenth of what comes to the far side gets lost.
if ip netns exec "$far" iptables -A INPUT -p tcp -m statistic --mode random --probability 0.1 -j DROP 2>"$tap_dir/err"; then
	: >"$tap_dir/ready"
	ip netns exec "$far" "$build/tests/tcp_load" serve 10.9.7.2 7003 1 2000000000 1 >"$tap_dir/ready" &
	loads="$loads $!"
	until_so grep -q . "$tap_dir/ready"
	ip netns exec "$space" "$build/tests/tcp_load" talk 10.9.7.2 7003 1 2000000000 1 0 >"$tap_dir/out" 2>&1 &
	loads="$loads $!"
	verdict
	check "lost segments are found where they were sent" finds network errors "$space_id" '' ''
	check "as such" judged 'any("TCP" in x["summary"] for x in f if x["instance"] == space)' space="$space_id"
	end_loads
else
	none "lost segments are found where they were sent"
fi
finish
