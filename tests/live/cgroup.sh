#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cgroup.stat, kernel.log and kernel.limits on loads of known effect: a quota that throttles, a limit
# of memory that kills, a process whose descriptors are used up. What they say is compared with the
# kernel's own files. Usage: cgroup.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir load=$build/tests/cgroup_load
. "$source/tests/groups.sh"

# watch PIPELINE [OPTION...]: in the background, JSON in $tap_dir/json, until `unwatch`.
watch() {
	: >"$tap_dir/err"
	"$weir" "$@" --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	watched=$!
	attached "$tap_dir/err"
}

unwatch() {
	kill -INT $watched
	wait $watched
}

# told PYTHON: an expression over rows, those of the cgroup or process `name` in the JSON, is true.
told() {
	python3 - "$tap_dir/json" "$1" <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
if not eval(sys.argv[2], {"rows": rows}):
    sys.exit("not so: " + sys.argv[2] + "\n" + "\n".join(map(str, rows[-8:])))
P
}

of_group() {
	printf '[r for r in rows if r["cgroup"] == "/%s"]' "$name"
}

lines() {
	grep -c "/$name\"" "$tap_dir/json"
}

# Two more windows have begun and ended since there were $1 of them.
two_more() {
	[ "$(lines)" -ge $(($1 + 2)) ]
}

if [ "$(id -u)" != 0 ]; then
	skip "limits of cgroups and processes" "needs root"
	finish
fi

if group cpu cpu && set_one cpu.max "10000 100000" cpu.cfs_quota_us 10000; then
	watch cgroup --interval 200ms
	"$load" spin "$folder/cgroup.procs" 2
	have=$(lines)
	until_true two_more "$have"
	unwatch
	throttled=$(sed -n 's/^nr_throttled //p' "$folder/cpu.stat")
	check "a quota throttles" test "$throttled" -gt 0
	check "as often as the kernel says" told "sum(r['throttled'] or 0 for r in $(of_group)) == $throttled"
	check "against a limit of a tenth of a CPU" told "all(r['cpus_max'] == 0.1 for r in $(of_group))"
else
	skip "a quota throttles" "no cgroup with the controller cpu can be made"
fi

if group memory memory && set_one memory.max 30M memory.limit_in_bytes 30M; then
	set_one memory.swap.max 0 memory.memsw.limit_in_bytes 40M 2>/dev/null
	"$weir" errors --follow --since 0 --unknown none --format json \
		>"$tap_dir/log" 2>"$tap_dir/log_err" &
	log=$!
	attached "$tap_dir/log_err"
	watch cgroup --interval 200ms
	"$load" fill "$folder/cgroup.procs" 200 2>/dev/null &
	victim=$!
	wait $victim
	have=$(lines)
	until_true two_more "$have"
	unwatch
	check "a limit of memory kills once" told "sum(r['oom_kills'] or 0 for r in $(of_group)) == 1"
	check "as the kernel says" grep -qx 'oom_kill 1' "$folder"/memory.oom_control "$folder"/memory.events -s
	check "it came up to the limit" told "sum(r['memory_max_hits'] or 0 for r in $(of_group)) > 0"
	check "which is told" told "all(r['memory_max'] == 30 << 20 for r in $(of_group))"
	until_true grep -q "\"pid\":$victim," "$tap_dir/log"
	kill -INT $log
	wait $log
	cp "$tap_dir/log" "$tap_dir/json"
	check "the kernel's log tells who was killed" told "[(r['kind'], r['comm'], r['cgroup'], r['before']) for r in rows if r['pid'] == $victim] == [('oom_cgroup', 'cgroup_load', '/$name', False)]"
	"$weir" errors --since 5m --format json >"$tap_dir/json" 2>"$tap_dir/err"
	check "who looks later sees it too, as before" told "[r['before'] for r in rows if r['pid'] == $victim and r['kind'] == 'oom_cgroup'] == [True]"
else
	skip "a limit of memory kills" "no cgroup with the controller memory can be made"
fi

mkfifo "$tap_dir/hold"
"$load" open 64 <"$tap_dir/hold" >"$tap_dir/opened" &
opener=$!
exec 9>"$tap_dir/hold"
until_true grep -q open "$tap_dir/opened"
"$weir" limits --format json >"$tap_dir/json" 2>"$tap_dir/err"
# It may have been given some beyond its limit.
opened=$(find "/proc/$opener/fd" -mindepth 1 | wc -l)
check "a process without a free descriptor is told" told "[(r['limit'], r['comm'], r['used'], r['max'], r['share']) for r in rows if r['pid'] == $opener] == [('fds', 'cgroup_load', $opened, 64, $opened / 64)]"
exec 9>&-
wait $opener
"$weir" limits --format json >"$tap_dir/json" 2>"$tap_dir/err"
check "the machine's limit of files is the kernel's" told "[r['max'] for r in rows if r['limit'] == 'files'] == [$(cat /proc/sys/fs/file-max)]"

if command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/dmesg_restrict 2>/dev/null)" = 1 ]; then
	setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups \
		"$weir" doctor >"$tap_dir/said" 2>&1
	check "who may not read the kernel's log is told the cure" holds "$tap_dir/said" "kernel.dmesg_restrict=0"
else
	skip "who may not read the kernel's log is told the cure" "everybody may, or no setpriv"
fi
finish
