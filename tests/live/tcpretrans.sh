#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir tcpretrans where packets get lost on purpose, in network namespaces of the test's own, so
# that the kernel's counters are exact. Usage: tcpretrans.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir
load=$build/tests/tcp_load
near=weir-$$-a far=weir-$$-b
. "$source/tests/live/hierarchy.sh"
. "$source/tests/live/sockets.sh"
tree=$(cgroup_tree)
group=$tree/weir-$$

if [ "$(id -u)" != 0 ]; then
	skip "tcpretrans on lost packets" "needs root"
	finish
fi
if ! ip netns add "$near" 2>"$tap_dir/err"; then
	skip "tcpretrans on lost packets" "no network namespaces: $(head -1 "$tap_dir/err")"
	finish
fi
cleanup() {
	ip netns del "$near"
	ip netns del "$far"
	[ ! -d "$group" ] || rmdir "$group"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# What goes to 10.9.9.3 gets lost, as nobody has its MAC; so do answers to 10.9.9.4.
ip netns add "$far"
ip -n "$near" link add veth0 type veth peer name veth0 netns "$far"
for space in "$near" "$far"; do
	ip -n "$space" link set lo up
	ip -n "$space" link set veth0 up
	ip netns exec "$space" sysctl -qw net.ipv4.tcp_syn_retries=1 net.ipv4.tcp_synack_retries=1
done
ip -n "$near" addr add 10.9.9.1/24 dev veth0
ip -n "$near" addr add 10.9.9.4/24 dev veth0
ip -n "$far" addr add 10.9.9.2/24 dev veth0
ip -n "$near" neigh add 10.9.9.3 lladdr 02:00:00:00:00:09 dev veth0
ip -n "$far" neigh add 10.9.9.4 lladdr 02:00:00:00:00:09 dev veth0
near_id=$(stat -L -c %i "/run/netns/$near")
far_id=$(stat -L -c %i "/run/netns/$far")

# kernel NAMESPACE COUNTER: of /proc/net/snmp and netstat.
kernel() {
	ip netns exec "$1" awk -v name="$2" '/^(Tcp|TcpExt):/ {
		if (!($1 in seen)) {seen[$1] = 1; delete at; for (i = 2; i <= NF; i++) at[$i] = i}
		else if (name in at) print $at[name]
	}' /proc/net/snmp /proc/net/netstat
}

equal() {
	[ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }
}

# rows CONDITION [VALUE]: counts the rows in our namespaces for which it holds; or prints a value.
program rows <<'P'
import json, sys
near, far = int(sys.argv[2]), int(sys.argv[3])
rows = [r for r in map(json.loads, open(sys.argv[1])) if r["netns"] in (near, far)]
rows = [r for r in rows if eval(sys.argv[4])]
print(eval(sys.argv[5], {"rows": rows}) if sys.argv[5] else len(rows))
P
rows() {
	ask rows "$tap_dir/json" "$near_id" "$far_id" "$1" "${2-}"
}

segments() {
	rows "$1" 'sum(r["segments"] for r in rows)'
}

# begin: starts weir, and notes the kernel's counters. end: stops it.
begin() {
	: >"$tap_dir/err"
	"$weir" tcpretrans --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	running=$!
	attached "$tap_dir/err"
	for counter in RetransSegs TCPSynRetrans TCPFastRetrans TCPLossProbes; do
		eval "near_$counter=\$(kernel $near $counter) far_$counter=\$(kernel $far $counter)"
	done
}

# It ends when nothing can be sent again any more, so that the kernel's counters stand still.
end() {
	until_true no_talk "$near"
	until_true no_talk "$far"
	kill -INT $running
	wait $running
	for counter in RetransSegs TCPSynRetrans TCPFastRetrans TCPLossProbes; do
		eval "near_$counter=\$((\$(kernel $near $counter) - near_$counter))"
		eval "far_$counter=\$((\$(kernel $far $counter) - far_$counter))"
	done
}

# serve ARGUMENT...: a server in the far namespace; its pid in $server.
serve() {
	: >"$tap_dir/server"
	ip netns exec "$far" "$load" serve "$@" >"$tap_dir/server" &
	serving=$!
	until_true test -s "$tap_dir/server"
	server=$(cat "$tap_dir/server")
}

client() {
	ip netns exec "$near" "$load" "$@" >"$tap_dir/client"
	result=$?
	client=$(cat "$tap_dir/client")
	return $result
}

begin
check "2 connects to nobody" client fail 10.9.9.3 6001 2 110
end
check "each sent its SYN again" equal "$(rows 'r["kind"] == "syn" and r["state"] == "SYN_SENT" and r["raddr"] == "10.9.9.3" and r["rport"] == 6001' 'len({r["lport"] for r in rows})')" 2
check "as often as the kernel counts" equal "$(segments True) $(rows True)" "$near_RetransSegs $near_TCPSynRetrans"
check "they are the client's" equal "$(rows "r['pid'] != $client or r['comm'] != 'tcp_load'")" 0

# chosen FILTER...: of two that connect to nobody, only that of user 65533 in a cgroup is shown.
chosen() {
	: >"$tap_dir/err"
	"$weir" tcpretrans --rport 6005 --format json "$@" >"$tap_dir/json" 2>"$tap_dir/err" &
	running=$!
	attached "$tap_dir/err" || return
	# shellcheck disable=SC2016 # a shell of its own
	sh -c 'echo $$ >"$1/cgroup.procs" && exec ip netns exec "$2" setpriv --reuid 65533 \
		--clear-groups "$3" fail 10.9.9.3 6005 1 110' sh "$group" "$near" \
		"$tap_dir/tcp_load" >"$tap_dir/mine" &
	mine=$!
	client fail 10.9.9.3 6005 1 110
	wait $mine
	end
	mine=$(cat "$tap_dir/mine")
	equal "$(rows True '{r["pid"] for r in rows}')" "{$mine}"
}

if [ -n "$tree" ] && mkdir "$group" 2>/dev/null && command -v setpriv >/dev/null; then
	chmod 711 "$tap_dir"
	cp "$load" "$tap_dir/tcp_load"
	chmod 755 "$tap_dir/tcp_load"
	check "--user shows those of that user's process" chosen --user 65533
	check "--cgroup shows those of that cgroup's process" chosen --cgroup "/${group##*/}"
	check "a cgroup may be told by the path of its folder" chosen --cgroup "$group"
else
	skip "retransmits of one user or cgroup" "no cgroup can be made here"
fi

begin
serve 10.9.9.2 6002 1 1 1
ip netns exec "$near" python3 - <<'P'
import socket
s = socket.socket()
s.bind(("10.9.9.4", 0))
s.settimeout(4)
s.connect_ex(("10.9.9.2", 6002))
P
end
kill $serving 2>/dev/null
wait $serving 2>/dev/null
check "answers to a SYN are sent again" test "$(rows 'r["kind"] == "synack" and r["netns"] == far and r["lport"] == 6002')" -gt 0
check "as the kernel counts, on both sides" equal "$(segments 'r["netns"] == far') $(segments 'r["netns"] == near')" "$far_RetransSegs $near_RetransSegs"
check "they are the server's" equal "$(rows "r['kind'] == 'synack' and r['pid'] != $server")" 0

# What this client sends is lost while it lives, and so it is sent again after its end.
begin
serve 10.9.9.2 6006 1 1 1
gone=$(ip netns exec "$near" python3 - <<'Y'
import os, socket, subprocess
s = socket.create_connection(("10.9.9.2", 6006))
subprocess.check_call("ip neigh replace 10.9.9.2 lladdr 02:00:00:00:00:09 dev veth0".split())
s.send(b"x")
print(os.getpid())
Y
)
sent_again() {
	[ "$(rows 'r["netns"] == near and r["state"] == "FIN_WAIT1"')" -gt 0 ]
}
until_true sent_again
ip -n "$near" neigh del 10.9.9.2 dev veth0
end
kill $serving 2>/dev/null
wait $serving 2>/dev/null
check "what a process sent that is gone is sent again" test "$(segments 'r["netns"] == near and r["state"] == "FIN_WAIT1"')" -gt 0
check "and is that process's" equal "$(rows 'r["netns"] == near' '{r["pid"] for r in rows}')" "{$gone}"

# A tenth of what comes to the far namespace gets lost.
if ! ip netns exec "$far" iptables -A INPUT -p tcp -m statistic --mode random --probability 0.1 -j DROP >"$tap_dir/out" 2>&1; then
	skip "a tenth of the packets is lost" "no iptables with -m statistic"
	finish
fi
bytes=3000000
emulated && bytes=1000000
begin
serve 10.9.9.2 6003 1 $bytes 1
"$weir" tcpretrans --flows --interval 0 --format json >"$tap_dir/flows" 2>"$tap_dir/flows.err" &
counting=$!
attached "$tap_dir/flows.err"
check "megabytes get through where a tenth is lost" client talk 10.9.9.2 6003 1 $bytes 1 2000
wait $serving
until_true no_talk "$near"
until_true no_talk "$far"
kill -INT $counting
wait $counting
end
check "many segments were sent again" test "$near_RetransSegs" -gt 20
check "as many as the kernel counts" equal "$(segments 'r["netns"] == near') $(segments 'r["netns"] == far')" "$near_RetransSegs $far_RetransSegs"
check "those of fast recovery, too" equal "$(segments 'r["netns"] == near and r["kind"] == "fast"')" "$near_TCPFastRetrans"
check "probes are at most those that the kernel counts" test "$(rows 'r["netns"] == near and r["kind"] == "tlp"')" -le "$near_TCPLossProbes"
check "while the client has the socket open, they are the client's" equal "$(rows "r['netns'] == near and r['state'] == 'ESTABLISHED' and r['pid'] != $client" "[r['pid'] for r in rows]")" "[]"
total=$(segments 'r["netns"] == near')
mv "$tap_dir/flows" "$tap_dir/json"
check "counted by flow they are as many" equal "$(segments 'r["netns"] == near')" "$total"
check "one row for each kind and state" equal "$(rows 'r["netns"] == near' 'len({(r["kind"], r["state"], r["lport"], r["rport"]) for r in rows}) == len(rows)')" True

"$weir" tcpretrans --lport 1 --duration 200ms >"$tap_dir/said" 2>&1
check "nothing happened is said" holds "$tap_dir/said" "(no events)"
finish
