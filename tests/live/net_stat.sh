#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir netdev, tcpstat and listeners from outside of two network namespaces of the test's own, whose
# counters the host's files do not show, against what these namespaces' own files say.
# Usage: net_stat.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/live/sockets.sh"
weir=$build/weir
near=weir-$$-a far=weir-$$-b

if [ "$(id -u)" != 0 ]; then
	skip "network namespaces have counters of their own" "needs root"
	finish
fi
if ! ip netns add $near 2>"$tap_dir/err"; then
	skip "network namespaces have counters of their own" "no namespaces: $(head -1 "$tap_dir/err")"
	finish
fi
ip netns add $far
holders=
cleanup() {
	[ -z "$holders" ] || kill $holders
	ip netns del $near
	ip netns del $far
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# Without IPv6 and with known neighbours nothing but the test's own packets goes over the wire.
for space in $near $far; do
	ip netns exec $space sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
done
ip -n $near link add veth0 address 02:00:00:00:00:01 type veth peer name veth0 address 02:00:00:00:00:02 netns $far
ip -n $near addr add 10.9.8.1/24 dev veth0
ip -n $far addr add 10.9.8.2/24 dev veth0
for space in $near $far; do
	ip -n $space link set lo up
	ip -n $space link set veth0 up
	# A namespace is known by the processes that are in it.
	ip netns exec $space sleep 600 &
	holders="$holders $!"
done
ip -n $near neigh replace 10.9.8.2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent
ip -n $far neigh replace 10.9.8.1 lladdr 02:00:00:00:00:01 dev veth0 nud permanent
near_id=$(stat -L -c %i /run/netns/$near)
far_id=$(stat -L -c %i /run/netns/$far)

# row PYTHON: an expression over rows, the list of what was printed, is true. of(id): its one row.
row() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
near, far = int(sys.argv[3]), int(sys.argv[4])
def of(space):
    return [row for row in rows if row["netns"] == space][0]
if not eval(sys.argv[2]):
    sys.exit("not so: " + sys.argv[2] + "\n" + "\n".join(map(str, rows)))' \
		"$tap_dir/rows" "$1" "$near_id" "$far_id"
}

# begin PIPELINE ARGUMENTS...: a window begins. It ends at end_window.
begin() {
	: >"$tap_dir/err"
	timeout -s KILL 300 "$weir" "$@" --interval 1h --format json >"$tap_dir/rows" 2>"$tap_dir/err" &
	runs=$!
	attached "$tap_dir/err"
}
end_window() {
	sleep 0.2 # a window of less than 100 ms is left out
	kill -INT $runs
	wait $runs
	[ -s "$tap_dir/rows" ] || { cat "$tap_dir/err"; return 1; }
}

# wire NAMESPACE: rx bytes, rx packets, tx bytes, tx packets of veth0.
wire() {
	ip netns exec "$1" awk '/veth0:/ {sub(/.*:/, ""); print $1, $2, $9, $10}' /proc/net/dev
}

# grown BEFORE AFTER: what each number grew by, as a Python list.
grown() {
	echo "[b - a for a, b in zip([$(echo "$1" | tr ' ' ,)], [$(echo "$2" | tr ' ' ,)])]"
}

# talk BYTES COUNT: datagrams from near to far, where nobody needs to hear them.
talk() {
	ip netns exec $near python3 -c '
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.9.8.1", 0))
for _ in range(int(sys.argv[2])):
    s.sendto(b"x" * int(sys.argv[1]), ("10.9.8.2", 9))' "$1" "$2"
}

# counters NAMESPACE NAME...: of its own snmp and netstat.
counters() {
	ip netns exec "$1" cat /proc/net/snmp /proc/net/netstat | python3 -c '
import sys
lines = [line.split() for line in sys.stdin]
known = {names[0] + n: int(v) for names, values in zip(lines[::2], lines[1::2]) for n, v in zip(names[1:], values[1:])}
print(*[known[name] for name in sys.argv[1:]])' $2
}

# arrived N: so many datagrams have come to the far namespace.
arrived() {
	[ $(($(counters $far Udp:NoPorts) - none_before)) -ge "$1" ]
}

window_of_datagrams() {
	begin netdev --interface veth0 && talk 958 500 && until_true arrived 500 && end_window
}
before=$(wire $near) none_before=$(counters $far Udp:NoPorts)
check "a window of 500 datagrams ends" window_of_datagrams
sent=$(grown "$before" "$(wire $near)")
check "bytes and packets are those of the namespace's own file" row \
	"[of(near)[n] for n in ('rx_bytes', 'rx_packets', 'tx_bytes', 'tx_packets')] == $sent"
check "500 datagrams of 1000 bytes on the wire are 500 packets and 500,000 bytes" row \
	'(of(near)["tx_packets"], of(near)["tx_bytes"]) == (500, 500 * 1000)'
check "what one namespace sends, the other one receives" row \
	'(of(far)["rx_packets"], of(far)["rx_bytes"]) == (500, 500 * 1000)'

# troubles: SYNs that nobody answers, a listener that does not accept, and a full UDP buffer.
troubles() {
	ip netns exec $far python3 -c '
import socket, time
full = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
full.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
full.bind(("127.0.0.1", 0))
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(100):
    out.sendto(b"x" * 1000, full.getsockname())
deaf = socket.socket()
deaf.bind(("127.0.0.1", 0))
deaf.listen(1)
def overflows():
    lines = [line.split() for line in open("/proc/net/netstat") if line.startswith("TcpExt:")]
    return int(lines[1][lines[0].index("ListenOverflows")])
before, callers = overflows(), []
for _ in range(6):
    caller = socket.socket()
    caller.setblocking(False)
    caller.connect_ex(deaf.getsockname())
    callers.append(caller)
while overflows() == before:
    time.sleep(0.05)
for caller in callers:
    caller.close()
deaf.close()'
	ip netns exec $near python3 -c '
import socket, time
lost = socket.socket()
lost.setblocking(False)
lost.connect_ex(("10.9.8.77", 80))
def again():
    lines = [line.split() for line in open("/proc/net/snmp") if line.startswith("Tcp:")]
    return int(lines[1][lines[0].index("RetransSegs")])
before = again()
while again() == before:
    time.sleep(0.05)
lost.close()'
}
ip -n $near neigh replace 10.9.8.77 lladdr 02:00:00:00:00:77 dev veth0 nud permanent

far_names='Tcp:ActiveOpens Tcp:InSegs TcpExt:ListenOverflows TcpExt:ListenDrops Udp:RcvbufErrors Udp:InErrors'
near_names='Tcp:ActiveOpens Tcp:RetransSegs TcpExt:TCPTimeouts TcpExt:TCPSynRetrans Tcp:OutSegs'

window_of_troubles() {
	begin tcpstat --idle && troubles && until_true no_talk $far && until_true no_talk $near && end_window
}
far_before=$(counters $far "$far_names") near_before=$(counters $near "$near_names")
check "a window of troubles ends" window_of_troubles
far_grown=$(grown "$far_before" "$(counters $far "$far_names")")
near_grown=$(grown "$near_before" "$(counters $near "$near_names")")
check "listen overflows and full UDP buffers are those of the namespace's own files" row \
	"[of(far)[n] for n in ('active_opens', 'in_segments', 'listen_overflows', 'listen_drops', 'udp_receive_full', 'udp_errors')] == $far_grown"
check "some connections and datagrams were lost, so that these are no zeros" row \
	'of(far)["listen_overflows"] > 0 and of(far)["udp_receive_full"] > 0'
check "retransmits and timeouts are those of the namespace's own files" row \
	"[of(near)[n] for n in ('active_opens', 'retransmits', 'timeouts', 'syn_retransmits', 'out_segments')] == $near_grown"
check "their share of the segments sent is told" row \
	'of(near)["retransmits"] > 0 and 0 < of(near)["retransmitted"] <= 1'

# listening: a listener that does not accept, until its input ends.
mkfifo "$tap_dir/stay"
window_of_a_listener() {
	begin listeners || return 1
	ip netns exec $far python3 -c '
import socket, sys
deaf = socket.socket()
deaf.bind(("127.0.0.1", 7123))
deaf.listen(1)
callers = []
for _ in range(5):
    caller = socket.socket()
    caller.setblocking(False)
    caller.connect_ex(deaf.getsockname())
    callers.append(caller)
print("listens", flush=True)
sys.stdin.read()' <"$tap_dir/stay" >"$tap_dir/listens" 2>&1 &
	listener=$!
	exec 9>"$tap_dir/stay"
	for _ in $(seq 600); do
		grep -q listens "$tap_dir/listens" && break
		sleep 0.1
	done
	end_window
	ended=$?
	exec 9>&-
	wait $listener
	return $ended
}
check "a window with a listener that does not accept ends" window_of_a_listener
check "its queue is over its limit, it has lost connections, and its owner is known" row \
	'[(r["laddr"], r["queue"], r["limit"], r["drops"] > 0, r["comm"]) for r in rows if r["netns"] == far and r["lport"] == 7123] == [("127.0.0.1", 2, 1, True, "python3")]'

# A socket of UDP that nobody reads, by each family, until its input ends.
window_of_full_sockets() {
	begin udp || return 1
	ip netns exec $far python3 -c '
import socket, sys
full = []
for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    try:
        one = socket.socket(family, socket.SOCK_DGRAM)
        one.bind((address, 7124))
    except OSError:
        continue
    full.append(one)
    out = socket.socket(family, socket.SOCK_DGRAM)
    for _ in range(1000):
        out.sendto(b"x" * 1000, (address, 7124))
print("full", flush=True)
sys.stdin.read()' <"$tap_dir/stay" >"$tap_dir/full" 2>&1 &
	owner=$!
	exec 9>"$tap_dir/stay"
	for _ in $(seq 600); do
		grep -q full "$tap_dir/full" && break
		sleep 0.1
	done
	end_window
	ended=$?
	exec 9>&-
	wait $owner
	return $ended
}
full_before=$(counters $far Udp:RcvbufErrors)
check "a window with a socket that nobody reads ends" window_of_full_sockets
full_grown=$(grown "$full_before" "$(counters $far Udp:RcvbufErrors)")
check "it lost what the namespace counts, its buffer is full, and its owner is known" row \
	"[([r['drops']], r['queue'] > r['limit'] - 4096, r['comm']) for r in rows if r['netns'] == far and r['laddr'] == '127.0.0.1'] == [($full_grown, True, 'python3')]"
check "so many that it is no zero" row 'all(r["drops"] > 100 for r in rows if r["netns"] == far)'
finish
