#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each tracing tool's filters: of two processes that do the same at the same time, one by another
# user, in a cgroup and under a name of its own, each filter shows the one and not the other; and
# the rows name its cgroup and container. Usage: filters.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir load=$build/tests/storm_load

if [ "$(id -u)" != 0 ]; then
	skip "filters of tracing tools" "needs root"
	finish
fi
. "$source/tests/live/hierarchy.sh"
tree=$(cgroup_tree)
id=$(printf '%064d' $$ | tr 0-9 a-f0-3)
group=docker-$id.scope
if [ -z "$tree" ] || ! mkdir "$tree/$group" 2>/dev/null; then
	skip "filters of tracing tools" "no cgroup can be made here"
	finish
fi
loop=
cleanup() {
	[ -z "$loop" ] || losetup -d "$loop"
	rmdir "$tree/$group"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

# The one, and its twin. A file of each name, for what goes by that of the program.
mine=mine-$$ twin=twin-$$ user=65533
chmod 711 "$tap_dir"
for name in $mine $twin; do
	cp "$load" "$tap_dir/$name"
	chmod 755 "$tap_dir/$name"
done
port=$((10000 + $$ % 10000))
# Both read it.
dd if=/dev/zero of="$tap_dir/image" bs=1M count=2 2>/dev/null
chmod 644 "$tap_dir/image"
loop=$(losetup -f --show "$tap_dir/image" 2>/dev/null) && chmod 666 "$loop"
# The one has its pid, and waits here until it is watched.
mkfifo "$tap_dir/mine.gate"

cat >"$tap_dir/wait.yaml" <<'Y'
# Whose time went where?
weir: 1
params:
  pid:    {type: pid, default: 0}
  comm:   {type: string, default: ""}
  user:   {type: string, default: ""}
  cgroup: {type: string, default: ""}
sources:
  time: {plugin: cpu.wait, pid: "${pid}", comm: "${comm}", user: "${user}", cgroup: "${cgroup}"}
sinks:
  out: {plugin: "${format}", inputs: [time]}
Y

# A row per tool: arguments | the load's case, its number, and what is done beside; where rows do
# not say whose they are, | the column whose sum is that of the one alone.
tools='
opensnoop|open 100 -
execsnoop|exec 20 PROGRAM
exitsnoop|exec 20 PROGRAM
tcpconnect|connect 20 PORT
tcplife|connect 20 PORT
tcpaccept|connect 20 PORT
runqslower --min-wait 0ms|switch 100 -
sched --top 1000 --interval 200ms|switch 100 -
runqlat --by pid --interval 0|switch 100 -
offcpu --interval 0|switch 100 -
pidstat --show cpu,switches --interval 200ms|switch 20000 -
run '$tap_dir'/wait.yaml|switch 100 -
cachestat --interval 0|file 200 '$tap_dir/image'|hits
fsslower 0 --op read|file 20 '$tap_dir/image'
fsdist --by pid --op read --interval 0|file 20 '$tap_dir/image'
biosnoop --disk '${loop##*/}'|read 20 '$loop'
biotop --disk '${loop##*/}'|read 20 '$loop'
biolatency --interval 0 --disk '${loop##*/}'|read 20 '$loop'|count
'

# act NAME PORT CASE NUMBER ARGUMENT: as $user in the cgroup, or as root outside of it.
act() {
	name=$1 at=$2 kind=$3 number=$4 argument=$5
	case $argument in
	PROGRAM) argument=$tap_dir/$name ;;
	PORT) argument=$at ;;
	esac
	if [ "$name" = "$mine" ]; then
		# shellcheck disable=SC2016 # a shell of its own
		sh -c 'echo $$ >"$1/cgroup.procs" && echo $$ >"$2.pid" && read -r _ <"$2.gate" &&
			shift && shift && exec setpriv --reuid "$1" --clear-groups \
			"$2" "$3" "$4" "$5" "$6"' sh "$tree/$group" "$tap_dir/mine" $user \
			"$tap_dir/$name" "$name" "$kind" "$number" "$argument"
	else
		"$tap_dir/$name" "$name" "$kind" "$number" "$argument"
	fi
}

# only FILTER VALUE LOAD COLUMN TOOL...: the tool shows the one, with its names, and never the twin.
only() {
	filter=$1 value=$2 what=$3 column=$4
	shift 4
	rm -f "$tap_dir/mine.pid"
	# shellcheck disable=SC2086 # three words
	act $mine $port $what >"$tap_dir/mine" &
	own=$!
	until [ -s "$tap_dir/mine.pid" ]; do sleep 0.05; done
	[ "$filter" != pid ] || value=$(cat "$tap_dir/mine.pid")
	: >"$tap_dir/err"
	"$weir" "$@" "--$filter" "$value" --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	watcher=$!
	attached "$tap_dir/err" || return
	# shellcheck disable=SC2086 # three words
	act $twin $((port + 10000)) $what >"$tap_dir/twin" &
	other=$!
	echo >"$tap_dir/mine.gate"
	wait $own
	wait $other
	kill -INT $watcher
	wait $watcher
	python3 - "$tap_dir/json" $mine $twin $user "$group" "$id" \
		"$column" "${what#* }" "$tap_dir/err" <<'P'
import json, re, sys
path, mine, twin, user, group, container, column, number, err = sys.argv[1:]
rows = [json.loads(line) for line in open(path)]
if column:
    # The kernel may not show each request's begin and end, which is told.
    lost = sum(map(int, re.findall(r"lost (\d+) rows: request .* not seen", open(err).read())))
    print(rows, lost)
    # The twin does as much again; what a program reads before it begins is little.
    sys.exit(not 1 <= (sum(row[column] for row in rows) + lost) / int(number.split()[0]) < 1.5)
own = [row for row in rows if row["comm"] == mine]
print(len(rows), "rows,", len(own), "of them its own", rows[:3])
bad = [row for row in rows if row["comm"] == twin]
bad += [row for row in own if row.get("uid") not in (None, int(user))]
bad += [row for row in own if "cgroup" in row and row["cgroup"] != "/" + group]
bad += [row for row in own if "container" in row and row["container"] != container[:12]]
print("wrong:", bad[:3])
sys.exit(bool(bad) or not own)
P
}

while IFS='|' read -r tool what column; do
	[ -n "$tool" ] || continue
	if [ -z "$loop" ] && [ "${what%% *}" = read ]; then
		skip "filters of $tool" "no loop device is to be had here"
		continue
	fi
	for filter in "pid -" "comm $mine" "user $user" "cgroup /$group"; do
		# shellcheck disable=SC2086 # lists of words
		check "$tool --${filter%% *} shows the one and not its twin" only $filter "$what" \
			"$column" $tool
	done
done <<T
$tools
T
finish
