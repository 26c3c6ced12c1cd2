#!/bin/sh
# cpu.process against sysstat's pidstat over the same two samples of files made by hand: every figure
# to the last digit that pidstat prints; and what pidstat gets wrong. Usage: pidstat.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/golden/peer.sh"
weir=$build/weir

# Whole folders change places: what is gone must be so when the clock is a new one.
tree_show() {
	mkdir -p "$peer_root"
	[ -e "$peer_root/$1" ] || cp -r "$tap_dir/$1" "$peer_root/$1"
	ln -s "$1/proc" "$peer_root/next"
	mv -T "$peer_root/next" "$peer_root/proc"
}

# row PYTHON: true, of `rows` by pid and `ended`, all others.
row() {
	python3 -c '
import json, sys
rows, ended = {}, []
for line in map(json.loads, open(sys.argv[1])):
    if line["kind"] == "process":
        rows[line["pid"]] = line
    else:
        ended.append(line)
if not eval(sys.argv[2]):
    sys.exit("not so: " + sys.argv[2] + "\n" + "\n".join(map(str, [*rows.values(), *ended])))' \
		"$tap_dir/rows" "$1"
}

python3 "$source/tests/golden/process_trees.py" "$tap_dir/one" "$tap_dir/two"
check "two samples are read" weir_run "$tap_dir/rows" pidstat --show cpu,disk,memory,switches \
	--all
if [ "$(id -u)" = 0 ] && peer_program pidstat 2>/dev/null; then
	check "pidstat reads them" peer_run "$tap_dir/pidstat" /usr/bin/pidstat \
		-h -H -u -d -r -s -w -p ALL 3600 1
	# Of the parent, all that its child ever read; of the pool, its first thread alone; of the
	# pid that is used again, differences to the process that had it before.
	check "each figure is pidstat's, but those that it gets wrong" \
		python3 "$source/tests/golden/pidstat.py" "$tap_dir/pidstat" "$tap_dir/rows" \
		200:kB_rd/s 300:%wait 300:cswch/s 300:nvcswch/s 104
else
	skip "each figure is pidstat's" "needs root and sysstat"
fi

check "I/O of a child that its parent waited for is not told again" row \
	'rows[200]["read"] == 2 * 10**6'
check "what a child used after the last sample is a row of its own" row \
	'[(r["ppid"], r["user"], r["system"]) for r in ended] == [(200, 40 * 10**7, 5 * 10**7)]'
check "a process waits and switches with all of its threads" row \
	'(rows[300]["wait"], rows[300]["voluntary"], rows[300]["involuntary"]) == (10**9, 511, 83)'
check "a wait for I/O that the kernel does not count is absent, not 0" row \
	'all(r["iowait"] is None for r in rows.values())'
check "and the cure is told" holds "$tap_dir/weir.err" "sysctl kernel.task_delayacct=1"
check "names may hold brackets and ends of lines" row \
	'(rows[102]["comm"], rows[102]["state"], rows[103]["comm"]) == ("a) R 1 (b", "S", "two\nlines")'
check "a pid that is used again begins with nothing" row \
	'(rows[104]["user"], rows[104]["read"]) == (31 * 10**7, 700)'
check "a process that is new has used all of it in this window" row \
	'rows[105]["user"] == 19 * 10**7'
check "one that is gone, or was never there, is no row and no error" row \
	'not {201, 401} & set(rows)'
check "a file that cannot be one of the kernel's is counted" holds "$tap_dir/weir.err" \
	"lost 2 rows: file of a process was not as the kernel writes it"
check "the window is as long as the tree's clock says" row \
	'abs(rows[100]["seconds"] - 3.27) < 1e-9'

for tree in one two; do
	echo 1 >"$peer_root/$tree/proc/sys/kernel/task_delayacct"
done
check "where the kernel counts waits for I/O, they are read" weir_run "$tap_dir/rows" pidstat \
	--show cpu,disk,memory,switches --all
check "in ticks of the kernel" row 'rows[100]["iowait"] == 23 * 10**7'
if [ -s "$tap_dir/pidstat" ]; then
	check "and are pidstat's" python3 "$source/tests/golden/pidstat.py" "$tap_dir/pidstat" "$tap_dir/rows" \
		200:kB_rd/s 300:%wait 300:cswch/s 300:nvcswch/s 104
fi

check "threads and what is left add up" weir_run "$tap_dir/rows" pidstat --show cpu,disk --threads \
	--pid 300
check "the process, then its threads, each by its own files" row \
	'[(r["kind"], r["tid"], r["run"]) for r in [rows[300], *ended]] == [("process", None, 302 * 10**7), ("thread", 300, 302 * 10**7), ("thread", 301, 170 * 10**7)]'
finish
