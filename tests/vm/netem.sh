#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir tcpretrans where the loopback device of a network namespace loses a tenth of its packets.
# Usage: netem.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
. "$source/tests/vm/judge.sh"
. "$source/tests/live/sockets.sh"
weir=$build/weir load=$build/tests/tcp_load

# segments: that the kernel has sent again in the namespace.
segments() {
	ip netns exec lossy awk '/^Tcp:/ && n++ {print $13}' /proc/net/snmp
}

# Packets of an ordinary size, so that there are many of them.
lossy_loopback() {
	ip netns add lossy && ip -n lossy link set lo up mtu 1500 &&
		tc -n lossy qdisc add dev lo root netem loss 10%
}

# talk BYTES: so many through it.
talk() {
	ip netns exec lossy "$load" serve 127.0.0.1 6001 1 "$1" 1 >"$tap_dir/server" &
	server=$!
	until_true test -s "$tap_dir/server"
	ip netns exec lossy "$load" talk 127.0.0.1 6001 1 "$1" 1 0 && wait $server
}

check "a loopback device loses a tenth of its packets" lossy_loopback
space=$(stat -L -c %i /run/netns/lossy)

: >"$tap_dir/err"
"$weir" tcpretrans --format json >"$tap_dir/json" 2>"$tap_dir/err" &
snoop=$!
check "weir sees what is sent again" attached "$tap_dir/err"
check "a megabyte gets through" talk 1000000
# The last segments of both sides are sent again, too, while they are not acknowledged.
until_true no_talk lossy
kernel=$(segments)
kill -INT $snoop
wait $snoop
judge space="$space" kernel="$kernel" <<'END'
segments were sent again: kernel > 0
they are as many as the kernel counts: sum(r["segments"] for r in rows if r["netns"] == space) == kernel
no other namespace lost any: {r["netns"] for r in rows} == {space}
END
ip netns del lossy
finish
