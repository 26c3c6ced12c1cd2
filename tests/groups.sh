# SPDX-License-Identifier: BSD-2-Clause
# cgroups of a test's own: sourced by tests after tap.sh.
#
#	group cpu && set_one cpu.max "10000 100000" cpu.cfs_quota_us 10000
groups_made= folders=

# The folders of the test's cgroups go when it ends.
groups_clean() {
	for group in $groups_made; do
		for _ in $(seq 100); do
			[ -d "$group" ] || break
			rmdir "$group" 2>/dev/null || sleep 0.1
		done
	done
	rm -rf "$tap_dir"
}
trap groups_clean EXIT

# group NAME CONTROLLER...: makes one that has these, in whatever version there is, as managers of
# containers do: $name, and $folders, more than one in version 1, $folder being the first.
group() {
	name=weirtest_$$_$1 folders=
	shift
	for controller; do
		if [ -d "/sys/fs/cgroup/$controller" ]; then
			at=/sys/fs/cgroup/$controller/$name
		elif grep -qw "$controller" /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
			at=/sys/fs/cgroup/$name
		else
			return 1
		fi
		case " $folders " in
		*" $at "*) continue ;;
		esac
		if [ ! -d "$at" ]; then
			mkdir "$at" 2>/dev/null || return 1
			groups_made="$groups_made $at"
		fi
		folders="$folders${folders:+ }$at"
	done
	# shellcheck disable=SC2034 # for who sources this
	folder=${folders%% *}
}

# nowhere: what is to enter stays where it is, as there is no cgroup yet.
nowhere() {
	folders=
}

# set_one FILE VALUE [FILE VALUE]: the first of the files that there is.
set_one() {
	while [ $# -gt 1 ]; do
		for at in $folders; do
			[ -e "$at/$1" ] && { echo "$2" >"$at/$1"; return; }
		done
		shift 2
	done
	return 1
}

# enter PID: goes into the cgroup.
enter() {
	for at in $folders; do
		echo "$1" >"$at/cgroup.procs" || return
	done
}
