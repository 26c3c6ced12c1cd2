#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# For live tests that need a cgroup; to be sourced.

# Where one can be made: prints the folder of the hierarchy that weir prefers, see weir/cgroup.h.
cgroup_tree() {
	for hierarchy in memory cpu pids ""; do
		tree=$(awk -v want="$hierarchy" '{
			for (dash = 1; $dash != "-"; dash++) continue
			one = want == "" ? $(dash + 1) == "cgroup2" : $(dash + 1) == "cgroup"
			if (one && (want == "" || index("," $(dash + 3) ",", "," want ","))) {
				print $5
				exit
			}
		}' /proc/self/mountinfo)
		[ -n "$tree" ] && break
	done
	echo "$tree"
}
