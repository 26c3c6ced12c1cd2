#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir tcplife, tcpconnect and tcpaccept on connections whose number, bytes, owners and outcomes
# are known, in network namespaces of the test's own, so that the kernel's counters are exact.
# Usage: tcplife.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir
load=$build/tests/tcp_load
near=weir-$$-a far=weir-$$-b
. "$source/tests/live/sockets.sh"

if [ "$(id -u)" != 0 ]; then
	skip "tcplife on known connections" "needs root"
	finish
fi
if ! ip netns add $near 2>"$tap_dir/err"; then
	skip "tcplife on known connections" "no network namespaces: $(head -1 "$tap_dir/err")"
	finish
fi
cleanup() {
	ip netns del $near
	ip netns del $far
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# The near one reaches the far one; 10.9.9.3 answers no more than a MAC that nobody has, and
# beyond the far one there is no way to 10.99.0.0/16.
ip netns add $far
ip -n $near link add veth0 type veth peer name veth0 netns $far
for space in $near $far; do
	ip -n $space link set lo up
	ip -n $space link set veth0 up
done
ip -n $near addr add 10.9.9.1/24 dev veth0
ip -n $far addr add 10.9.9.2/24 dev veth0
ip -n $near -6 addr add fd09::1/64 dev veth0 nodad
ip -n $far -6 addr add fd09::2/64 dev veth0 nodad
ip -n $near neigh add 10.9.9.3 lladdr 02:00:00:00:00:09 dev veth0
ip -n $near route add 10.99.0.0/16 via 10.9.9.2
ip netns exec $near sysctl -qw net.ipv4.tcp_syn_retries=1
ip netns exec $far sysctl -qw net.ipv4.ip_forward=1 net.ipv4.icmp_ratelimit=0
near_id=$(stat -L -c %i /run/netns/$near)
far_id=$(stat -L -c %i /run/netns/$far)

# tcp NAMESPACE COUNTER: of /proc/net/snmp.
tcp() {
	ip netns exec "$1" awk -v name="$2" '/^Tcp:/ && !seen {for (i = 2; i <= NF; i++) at[$i] = i; seen = 1; next}
		/^Tcp:/ {print $at[name]}' /proc/net/snmp
}

equal() {
	[ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }
}

# rows PIPELINE CONDITION [VALUE]: counts the rows in our namespaces for which it holds, `r`
# being the row; or prints the value of the first.
program rows <<'P'
import json, sys
near, far = int(sys.argv[2]), int(sys.argv[3])
rows = [r for r in map(json.loads, open(sys.argv[1])) if r["netns"] in (near, far)]
rows = [r for r in rows if eval(sys.argv[4])]
print(eval(sys.argv[5], {"rows": rows}) if sys.argv[5] else len(rows))
P
rows() {
	ask rows "$tap_dir/$1.json" "$near_id" "$far_id" "$2" "${3-}"
}

# begin PIPELINE...: starts them all. end: stops them all.
begin() {
	running=
	for pipeline; do
		: >"$tap_dir/$pipeline.err"
		"$weir" "$pipeline" --format json >"$tap_dir/$pipeline.json" 2>"$tap_dir/$pipeline.err" &
		running="$running $!"
	done
	for pipeline; do
		attached "$tap_dir/$pipeline.err" || return 1
	done
}

# What ends does so before.
end() {
	until_true no_talk $near
	until_true no_talk $far
	for pid in $running; do
		kill -INT "$pid"
		wait "$pid"
	done
}

# serve NAMESPACE ARGUMENT...: a server in the background; its pid in $server.
serve() {
	: >"$tap_dir/server"
	ip netns exec "$1" "$load" serve "$2" "$3" "$4" "$5" "$6" >"$tap_dir/server" &
	serving=$!
	until_true test -s "$tap_dir/server"
	server=$(cat "$tap_dir/server")
}

# client ARGUMENT...: in the near namespace; its pid in $client.
client() {
	ip netns exec $near "$load" "$@" >"$tap_dir/client"
	result=$?
	client=$(cat "$tap_dir/client")
	return $result
}

active=$(tcp $near ActiveOpens) failed=$(tcp $near AttemptFails)
passive=$(($(tcp $near PassiveOpens) + $(tcp $far PassiveOpens)))
begin tcplife tcpconnect tcpaccept

serve $near 127.0.0.1 5001 100 3000 7000
talking=$(date +%s%N)
check "100 connections on loopback" client talk 127.0.0.1 5001 100 3000 7000 20
talking=$(($(date +%s%N) - talking))
wait $serving
server4=$server client4=$client
serve $far fd09::2 5002 50 100000 1
check "50 between two namespaces, by IPv6" client talk fd09::2 5002 50 100000 1 1
wait $serving
server6=$server client6=$client
serve $far :: 5003 10 5 5
check "10 by IPv4 to a socket of IPv6" client talk 10.9.9.2 5003 10 5 5 1
wait $serving
server46=$server
serve $far 10.9.9.2 5004 20 10 20
check "20 that end with RST" client abort 10.9.9.2 5004 20 10 20 1
wait $serving
server_reset=$server client_reset=$client
check "30 refused" client fail 10.9.9.2 5005 30 111
refused=$client
check "one timed out" client fail 10.9.9.3 5006 1 110
late=$client
check "4 unreachable" client fail 10.99.1.1 5007 4 101
unreachable=$client
check "5 abandoned after 50 ms" client abandon 10.9.9.3 5008 5 50
abandoned=$client
end

check "connects are those that the kernel counts" equal "$(rows tcpconnect 'r["netns"] == near')" $(($(tcp $near ActiveOpens) - active))
check "failed connects are those that the kernel counts" equal "$(rows tcpconnect 'r["outcome"] in ("refused", "timed out", "unreachable")')" $(($(tcp $near AttemptFails) - failed))
# A SYN that is sent again on a slow machine may open a connection that nobody asked for or accepts.
opened=$(($(tcp $near PassiveOpens) + $(tcp $far PassiveOpens) - passive))
check "accepts are those of the programs" equal "$(rows tcpaccept True)" 180
check "the kernel counts no fewer" test $opened -ge 180
check "each of both sides has one row of its life" equal "$(rows tcplife True)" "$(($(rows tcpconnect True) + opened))"

check "the client's side of loopback is the client's" equal "$(rows tcplife "r['pid'] == $client4 and r['rport'] == 5001 and r['opened'] == 'active' and r['comm'] == 'tcp_load'")" 100
check "the server's side of loopback is the server's" equal "$(rows tcplife "r['pid'] == $server4 and r['lport'] == 5001 and r['opened'] == 'passive' and r['comm'] == 'tcp_load'")" 100
check "what was sent is to the byte" equal "$(rows tcplife "r['pid'] == $client4 and r['tx'] == 3000 and r['rx'] == 7000")" 100
check "and what was received" equal "$(rows tcplife "r['pid'] == $server4 and r['rx'] == 3000 and r['tx'] == 7000")" 100
check "none lived shorter than the 20 ms it was held" equal "$(rows tcplife "r['pid'] == $client4 and r['duration'] >= 20000000")" 100
check "one after the other they lived no longer than their program" test "$(rows tcplife "r['pid'] == $client4" 'sum(r["duration"] for r in rows)')" -lt $talking
check "IPv6 to the byte, in its namespace" equal "$(rows tcplife "r['pid'] == $client6 and r['netns'] == near and r['tx'] == 100000 and r['rx'] == 1 and r['raddr'] == 'fd09::2'")" 50
check "the far side in the other one" equal "$(rows tcplife "r['pid'] == $server6 and r['netns'] == far and r['rx'] == 100000 and r['tx'] == 1 and r['raddr'] == 'fd09::1'")" 50
check "IPv4 to a socket of IPv6 is IPv4" equal "$(rows tcplife "r['pid'] == $server46 and r['laddr'] == '10.9.9.2' and r['raddr'] == '10.9.9.1'")" 10
check "who ends with RST has aborted" equal "$(rows tcplife "r['pid'] == $client_reset and r['outcome'] == 'aborted' and r['tx'] == 10 and r['rx'] == 20")" 20
check "the other side is its owner's, and was reset" equal "$(rows tcplife "r['pid'] == $server_reset and r['outcome'] == 'reset' and r['error'] == 'ECONNRESET' and r['tx'] == 20")" 20
closed=$(rows tcplife 'r["outcome"] == "closed"')
check "all others that were connected were closed" test "$closed" -ge 320 -a "$closed" -le $((320 + opened - 180))

check "connected" equal "$(rows tcpconnect 'r["outcome"] == "connected"')" 180
check "refused" equal "$(rows tcpconnect "r['pid'] == $refused and r['outcome'] == 'refused' and r['error'] == 'ECONNREFUSED'")" 30
check "timed out, after the second SYN" equal "$(rows tcpconnect "r['pid'] == $late and r['outcome'] == 'timed out' and r['latency'] >= 2000000000")" 1
check "unreachable" equal "$(rows tcpconnect "r['pid'] == $unreachable and r['outcome'] == 'unreachable' and r['error'] == 'ENETUNREACH'")" 4
check "abandoned, after 50 ms" equal "$(rows tcpconnect "r['pid'] == $abandoned and r['outcome'] == 'abandoned' and r['latency'] >= 50000000")" 5
check "accepts on loopback are the server's" equal "$(rows tcpaccept "r['pid'] == $server4 and r['lport'] == 5001 and r['wait'] is not None")" 100

# Connections from before weir looked.
serve $near 127.0.0.1 5009 1 5 5
mkfifo "$tap_dir/held"
client talk 127.0.0.1 5009 1 5 5 -1 <"$tap_dir/held" &
before=$!
exec 9>"$tap_dir/held"
connected() {
	[ "$(tcp $near CurrEstab)" = 2 ]
}
until_true connected
begin tcplife 9>&-
exec 9>&-
wait $before $serving
end
check "a connection from before has no duration" equal "$(rows tcplife 'r["duration"] is None and r["opened"] == ""')" 2
check "but its owners" equal "$(rows tcplife "r['pid'] in ($server, $(cat "$tap_dir/client"))")" 2

# Filters.
: >"$tap_dir/tcplife.err"
"$weir" tcplife --lport 5010 --format json >"$tap_dir/tcplife.json" 2>"$tap_dir/tcplife.err" &
running=$!
attached "$tap_dir/tcplife.err"
for port in 5010 5011; do
	serve $near 127.0.0.1 $port 3 1 1
	client talk 127.0.0.1 $port 3 1 1 0
	wait $serving
done
end
check "--lport chooses" equal "$(rows tcplife True) $(rows tcplife 'r["lport"] == 5010')" "3 3"
: >"$tap_dir/tcpconnect.err"
"$weir" tcpconnect --comm tcp_load --family ipv6 --format json >"$tap_dir/tcpconnect.json" 2>"$tap_dir/tcpconnect.err" &
running=$!
attached "$tap_dir/tcpconnect.err"
client fail ::1 5012 2 111
client fail 127.0.0.1 5012 2 111
ip netns exec $near python3 -c 'import socket; socket.socket(socket.AF_INET6).connect_ex(("::1", 5012))'
end
check "--comm and --family choose" equal "$(rows tcpconnect True)" 2
check "a port that is none is an error" status 2 "$weir" tcplife --lport 99999 --duration 1s
"$weir" tcplife --pid $$ --duration 200ms >"$tap_dir/said" 2>&1
check "nothing happened is said" holds "$tap_dir/said" "(no events)"
finish
