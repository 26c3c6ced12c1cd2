#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `weir verdict --compare`: a load that stays the same is no change, and one that comes or goes is. Looks at a
# cgroup of its own, whose quota is so small that nothing else on the machine touches what is found there.
# Usage: compare.sh SOURCE BUILD
set -u
. "$1/tests/scenarios/stage.sh"
. "$source/tests/groups.sh"

if [ "$(id -u)" != 0 ] || ! group steady cpu || ! set_one cpu.max "3000 100000" cpu.cfs_quota_us 3000; then
	skip "a steady load is no change" "no cgroup with the controller cpu can be made"
	finish
fi
spinner=
trap '[ -z "$spinner" ] || kill $spinner; groups_clean' EXIT

# spin, rest: the load is there, and not.
spin() {
	sh -c 'echo $$ >"$0/cgroup.procs"; while :; do :; done' "$folder" &
	spinner=$!
	until_so grep -qx "$spinner" "$folder/cgroup.procs"
}

rest() {
	kill "$spinner"
	wait "$spinner" 2>/dev/null
	spinner=
}

# changes [WORD...]: what is sure to have changed in that cgroup is each of these, and nothing where there is
# none. Others on the machine do as they like.
changes() {
	judged '(lambda told, want: set(want) <= set(told) if want else not told)(
		[c["change"] + ":" + (c["what"] or c["about"]) for c in v["changes"]
		 if c["instance"] == "/" + group and c["change"] != "undecided"], want.split())' \
		group="$name" want="$*"
}

again() {
	cp "$tap_dir/verdict-1.json" "$tap_dir/before.json"
	verdict --compare "$tap_dir/before.json" --interval 500ms
}

pairs=$((4 * turns)) turns=1
spin
verdict --interval 500ms
check "the quota of a cgroup is found" finds cgroup limit "/$name" '' ''
for pair in $(seq $pairs); do
	again
	check "the same load is no change ($pair)" changes
done
rest
again
check "a load that went is told" changes went:limit
again
check "nothing is no change either" changes
spin
again
check "a load that came is told" changes came:limit
finish
