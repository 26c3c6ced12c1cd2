#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What each tracing tool says when a table of its BPF programs is full: what could not be followed is
# told as lost, in its number and with what helps, and what is shown and what is lost are together
# what there was. Tables are made small from outside, see kernel_fault.c. Usage: full.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir load=$build/tests/storm_load

if [ "$(id -u)" != 0 ]; then
	skip "full tables of tracing tools" "needs root"
	finish
fi
loop=
cleanup() {
	[ -z "$loop" ] || losetup -d "$loop"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# A name that nothing else has, 15 bytes at most.
me=full-$$
cp "$load" "$tap_dir/$me"
dd if=/dev/zero of="$tap_dir/image" bs=1M count=2 2>/dev/null
loop=$(losetup -f --show "$tap_dir/image" 2>/dev/null)
port=$((20000 + $$ % 10000))

# So many connections stand while as many others come and go, all on one port.
connect_all() {
	python3 - "$1" $port <<'P'
import socket, sys
number, port = map(int, sys.argv[1:])
server = socket.create_server(("127.0.0.1", port), backlog=number)
def connect():
    return socket.create_connection(("127.0.0.1", port))
near = [connect() for _ in range(number)]
far = [server.accept()[0] for _ in range(number)]
for _ in range(number):
    with connect():
        server.accept()[0].close()
for one in near + far:
    one.close()
print(2 * number)
P
}

work() {
	case $1 in
	connect_all) connect_all "$2" ;;
	*) "$tap_dir/$me" "$me" "$@" ;;
	esac
}

# full SHRINK WORK TOOL...: below the tool, one of whose tables is small. $truth.
full() {
	fault=$1 task=$2
	shift 2
	# Sanitizers want to be the first that is preloaded.
	[ -z "$fault" ] || set -- env "WEIR_TEST_FAULT=shrink:$fault" \
		LD_PRELOAD="$build/tests/kernel_fault.so" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" "$@"
	: >"$tap_dir/err"
	"$@" --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	watcher=$!
	attached "$tap_dir/err" || return
	# shellcheck disable=SC2086 # a list of words
	truth=$(work $task)
	kill -INT $watcher
	wait $watcher
}

# told PYTHON: something was lost for the reason that $reason is, a regular expression, and this holds of
# `lost`, `truth`, `rows`, `counts` (waits) and `ends` (rows of sockets of the port).
told() {
	python3 - "$tap_dir" "$truth" $port "$reason" "$1" <<'P'
import json, re, sys
folder, truth, port, reason, expression = sys.argv[1], *map(int, sys.argv[2:4]), *sys.argv[4:]
said = open(folder + "/err").read()
rows = [json.loads(line) for line in open(folder + "/json")]
lost = re.search(r"lost (\d+) rows: " + reason, said)
lost = lost and int(lost[1])
counts = sum(row["wait"]["count"] for row in rows if isinstance(row.get("wait"), dict))
ends = sum(port in (row.get("lport"), row.get("rport")) for row in rows)
print("lost", lost, "of", truth, "and", len(rows), "rows,", ends, "of the port", rows[:2], said)
sys.exit(lost is None or not eval(expression))
P
}

# A row per tool: arguments | its small table | what happens meanwhile | why it is lost and what helps,
# a regular expression | how many are.
while IFS='|' read -r tool small task reason expression; do
	[ -n "$tool" ] || continue
	if [ -z "$loop" ] && [ "${task%% *}" = read ]; then
		skip "a full table of $tool" "no loop device is to be had here"
		continue
	fi
	# shellcheck disable=SC2086 # lists of words
	full "$small" "$task" "$weir" $tool
	check "${tool%% *} with a full table tells what it lost, and the cure" told "$expression"
done <<T
opensnoop --latency --comm $me|1:opening|open 400|call not timed: too many at a time \(cure: choose fewer: --pid|lost == sum(row["latency"] is None for row in rows) > 0 and len(rows) >= truth
fsdist --op read --interval 0 --comm $me|1:calls|file 400 $tap_dir/image|call not timed: too many threads were in one \(cure: watch fewer: --op|lost >= truth and not rows
runqlat --interval 0 --comm $me|1:waiting|switch 2000|wait not timed: too many threads were waiting \(cure: watch fewer: --pid|lost >= 0.9 * truth and counts <= 0.1 * truth and "begin was not seen" not in said
biolatency --interval 0 --disk ${loop##*/}|1:flights|read 400 $loop|request not followed: too many in flight \(cure: watch one disk: --disk|lost >= truth and not rows and "was not seen" not in said
biosnoop --disk ${loop##*/}|1:flights|read 400 $loop|request not followed: too many in flight \(cure: watch one disk: --disk|lost >= truth and not rows and "was not seen" not in said
tcplife --connections 64||connect_all 100|connection not followed: too many at a time \(cure: a larger --connections|0 <= lost - truth < 50 and ends == truth
T

full 1:waiting "connect_all 20" "$weir" tcpaccept --lport "$port"
check "tcpaccept shows accepts whose wait found no room" python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
print(rows)
sys.exit(len(rows) != 40 or sum(row["wait"] is None for row in rows) != 19)' "$tap_dir/json"
check "and says how many" python3 -c '
import re, sys
said = open(sys.argv[1]).read()
print(said)
known = re.findall("too many connections wait to be accepted: the wait of ([0-9]+) is not known", said)
sys.exit(sum(map(int, known)) != 19)' "$tap_dir/err"
finish
