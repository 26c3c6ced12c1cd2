#!/bin/sh
# weir flame of one cgroup, in each hierarchy that is mounted here: that one's processes and no
# others, wherever their other cgroups are. Usage: flame_cgroup.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
calltree=$build/tests/calltree
name=weir-test-$$

if [ "$(id -u)" != 0 ]; then
	skip "flame of a cgroup" "needs root"
	finish
fi

# busy NAME CGROUP-FOLDER...: a program of that name in those cgroups; its pid in $pid.
busy() {
	cp "$calltree" "$tap_dir/$1"
	program=$tap_dir/$1
	shift
	"$program" 60 >/dev/null &
	pid=$!
	pids="$pids $pid"
	until_true runs $pid "$(basename "$program")"
	for folder in "$@"; do
		echo $pid >"$folder/cgroup.procs"
	done
}

only_inside() {
	"$weir" flame --cgroup "$1" --frequency 499 --duration 1s -o "$tap_dir/g.folded" 2>"$tap_dir/err" || return 1
	grep -q '^inside;' "$tap_dir/g.folded" && ! grep -v '^inside;' "$tap_dir/g.folded"
}

pids= made=
cleanup() {
	for pid in $pids; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	for folder in $made; do
		rmdir "$folder"
	done
	rm -rf "$tap_dir"
}
trap cleanup EXIT

folders=
for mount in $(awk '/ - cgroup2? / && / \/sys\/fs\/cgroup/ {print $5}' /proc/self/mountinfo); do
	case $mount in */cpuset) continue ;; esac # an empty one takes no tasks
	mkdir "$mount/$name" 2>/dev/null && folders="$folders $mount/$name"
done
made=$folders
[ -n "$folders" ] || { skip "flame of a cgroup" "no cgroup can be made here"; finish; }

busy inside $folders
busy outside
for folder in $folders; do
	check "$(dirname "$folder"): the cgroup's processes and no others" only_inside "$folder"
done
check "a path below the hierarchy is enough" only_inside "/$name"
"$weir" flame --cgroup /nowhere --duration 100ms -o "$tap_dir/g.folded" 2>"$tap_dir/none"
check "a cgroup that is not there is an error" holds "$tap_dir/none" "no cgroup"
finish
