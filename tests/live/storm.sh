#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# More events than the smallest buffers hold: what is shown and what is told as lost are together
# what there was, for each source that sends events, and weir needs no more memory for more of them.
# Usage: storm.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir load=$build/tests/storm_load

if [ "$(id -u)" != 0 ]; then
	skip "event storms" "needs root"
	finish
fi
# What a sanitizer keeps of freed memory is no growth; its account of what was touched may be some.
growth=512
ldd "$build/weir" | grep -q libasan && growth=8192
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=0:thread_local_quarantine_size_kb=0"

loop=
space=weir-$$-s
cleanup() {
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$space" ] || ip netns del "$space"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# A name that nothing else has, 15 bytes at most.
me=storm-$$
cp "$load" "$tap_dir/$me"
dd if=/dev/zero of="$tap_dir/image" bs=1M count=16 2>/dev/null
loop=$(losetup -f --show "$tap_dir/image" 2>/dev/null)
port=$((20000 + $$ % 10000))
if ip netns add "$space" 2>"$tap_dir/err"; then
	# What goes to 10.9.8.2 gets lost, as nobody has its MAC.
	ip -n "$space" link add veth0 type veth peer name veth1
	ip -n "$space" link set veth0 up
	ip -n "$space" link set veth1 up
	ip -n "$space" addr add 10.9.8.1/24 dev veth0
	ip -n "$space" neigh add 10.9.8.2 lladdr 02:00:00:00:00:09 dev veth0
else
	space=
fi

# A row per tool: arguments | the load's case and its argument | events, few and many | what a row
# counts: 1, or a column | how many may be missing or too many, and how many of a hundred.
#
# Exact, but for turns on a CPU, which Linux 6.18 does not show each of, and what a program reads
# before it does as it is told. User stacks need names of all processes of the machine, whose number is
# not the test's.
tools='
opensnoop --buffer 4KiB|open - |20000 1000000|1|0 0
execsnoop --buffer 4KiB|exec '$tap_dir/$me'|300 2000|1|0 0
exitsnoop --buffer 4KiB|exec '$tap_dir/$me'|300 2000|1|0 0
tcpconnect --buffer 4KiB --rport '$port'|connect '$port'|2000 20000|1|0 0
tcplife --buffer 4KiB --rport '$port'|connect '$port'|2000 20000|1|0 0
tcpaccept --buffer 4KiB --lport '$port'|connect '$port'|2000 20000|1|0 0
runqslower --buffer 4KiB --min-wait 0ms|switch - |20000 200000|1|10 2
sched --top 1000 --interval 200ms|switch - |20000 200000|switches|10 2
fsslower --buffer 4KiB --min-latency 0 --op read|file '$tap_dir/image'|20000 1000000|1|0 0
fsdist --interval 200ms --op read|file '$tap_dir/image'|20000 1000000|count|50 0
cachestat --interval 200ms|file '$tap_dir/image'|20000 1000000|hits|200 0
biolatency --interval 200ms --disk '${loop##*/}'|read '$loop'|2000 20000|count|0 0
biosnoop --buffer 4KiB --disk '${loop##*/}'|read '$loop'|2000 20000|1|0 0
tcpretrans --buffer 4KiB --rport '$port'|retransmit -|2000 4000|1|0 0
offcpu --max-stacks 16 --stack kernel --interval 1h|blocks 24|1000 10000|count|100 2
biotop --buffer 4KiB --top 1000 --interval 200ms --disk '${loop##*/}'|read '$loop'|2000 20000|count|0 0
'

# 2000 connections to a neighbour that does not answer: each sends its SYN again after a second, and so
# on. How often the kernel did, once that is the number at least.
retransmit() {
	ip netns exec "$space" python3 - "$1" $port <<'P'
import resource, socket, sys, time
number, port = map(int, sys.argv[1:])
def sent_again():
    names, values = (line.split() for line in open("/proc/net/snmp") if line.startswith("Tcp:"))
    return int(values[names.index("RetransSegs")])
resource.setrlimit(resource.RLIMIT_NOFILE, (2064, 2064))
before, sockets = sent_again(), []
for _ in range(2000):
    sockets.append(socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK))
    sockets[-1].connect_ex(("10.9.8.2", port))
end = time.monotonic() + 60
while sent_again() - before < number and time.monotonic() < end:
    time.sleep(0.05)
for one in sockets:
    one.close()
print(sent_again() - before)
P
}

# work CASE NUMBER ARGUMENT: how often it was done.
work() {
	case $1 in
	blocks) # so many processes at a time, each of which has its own stacks
		for _ in $(seq "$3"); do
			"$tap_dir/$me" "$me" block "$2" -
		done | awk '{ sum += $1 } END { printf "%.0f\n", sum }' ;;
	retransmit) retransmit "$2" ;;
	*) "$load" "$me" "$@" ;;
	esac
}

# storm NUMBER CASE ARGUMENT TOOL...: below the tool. $truth, and $peak in KiB. Where $stands is set, all
# of it comes once more while weir stands still, so that the buffer overflows on a machine of any speed.
stands=
storm() {
	count=$1 kind=$2 argument=$3
	shift 3
	: >"$tap_dir/err"
	# Who sends again does so in no thread of its own.
	[ "$kind" = retransmit ] || set -- "$@" --comm "$me"
	"$weir" "$@" --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	watcher=$!
	attached "$tap_dir/err"
	truth=$(work "$kind" "$count" "$argument")
	if [ -n "$stands" ]; then
		kill -STOP $watcher
		truth=$((truth + $(work "$kind" "$count" "$argument")))
		kill -CONT $watcher
	fi
	peak=$(sed -n 's/VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$watcher/status)
	kill -INT $watcher
	wait $watcher
}

# account COLUMN FEW SHARE: what was shown and what was lost are together $truth.
account() {
	python3 - "$tap_dir" "$truth" "$@" <<'P'
import json, re, sys
folder, truth, column, few, share = sys.argv[1], *map(str, sys.argv[2:6])
rows = [json.loads(line) for line in open(folder + "/json")]
shown = len(rows) if column == "1" else sum(row[column] for row in rows)
said = open(folder + "/err").read()
# The kernel may not show each request's begin and end, which is told, too.
reasons = r"lost (\d+) rows: (?:event found no room in the ring|request .* not seen)"
lost = sum(map(int, re.findall(reasons, said)))
print(f"{shown} shown and {lost} lost of {truth}", said)
sys.exit(abs(shown + lost - int(truth)) > int(few) + int(share) * int(truth) / 100)
P
}

lost_told() {
	grep -q "lost [0-9]* rows: event found no room in the ring of events (cure: a larger --buffer" \
		"$tap_dir/err" || { cat "$tap_dir/err"; return 1; }
}

# Their time is not lost: it is told of no stack.
stacks_told() {
	grep -q "counted under .lost stack.: the table was full (cure: a larger --max-stacks)" \
		"$tap_dir/err" && grep -q "lost stack" "$tap_dir/json" || { cat "$tap_dir/err"; return 1; }
}

at_most() {
	[ "$1" -le "$2" ] || { echo "$1 KiB, more than $2"; return 1; }
}

while IFS='|' read -r tool case numbers column tolerance; do
	name=${tool%% *}
	[ -n "$tool" ] || continue
	if [ -z "$loop" ] && [ "${case%% *}" = read ]; then
		skip "a storm below $name" "no loop device is to be had here"
		continue
	fi
	if [ -z "$space" ] && [ "${case%% *}" = retransmit ]; then
		skip "a storm below $name" "no network namespace is to be had here"
		continue
	fi
	[ "$column" != 1 ] || stands=yes
	# shellcheck disable=SC2086 # lists of words
	storm "${numbers% *}" $case $tool
	early=$peak stands=
	# shellcheck disable=SC2086
	check "$name: of ${numbers% *} events all are shown or told as lost" account "$column" $tolerance
	[ "$column" != 1 ] || check "$name: why, and what helps" lost_told
	# shellcheck disable=SC2086
	storm "${numbers#* }" $case $tool
	# shellcheck disable=SC2086
	check "$name: of ${numbers#* } events, too" account "$column" $tolerance
	check "$name: it needs no more memory for more events" at_most "$peak" $((early + growth))
	[ "$name" != offcpu ] || check "$name: which stacks were not kept, and what helps" stacks_told
done <<T
$tools
T

storm 5000 open - opensnoop --buffer 32MiB
check "a buffer that is large enough loses none" account 1 0 0
check "and tells of none" lacks "$tap_dir/err" "lost"
finish
