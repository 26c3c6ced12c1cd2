# SPDX-License-Identifier: BSD-2-Clause
# Staged rows, and what the transform use makes of them: sourced by its tests.
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

# rows NAME: standard input becomes the rows of the source NAME.
rows() {
	cat >"$tap_dir/$1.rows"
}

# judge OPTION...: standard input as rules, over every source that has rows; the answer in out. $compare is
# the earlier answer that it is compared with.
judge() {
	cat >"$tap_dir/rules.yaml"
	{
		printf '# Staged rows.\nweir: 1\nsources:\n'
		for file in "$tap_dir"/*.rows; do
			name=$(basename "$file" .rows)
			printf '  %s: {plugin: test.script, file: %s.rows}\n' "$name" "$name"
			names="${names-}${names:+, }$name"
		done
		printf 'transforms:\n  use: {plugin: use, rules: rules.yaml, compare: "%s", inputs: [%s]}\n' "${compare-}" "$names"
		printf 'sinks:\n  out: {plugin: "${format}", inputs: [use]}\n'
	} >"$tap_dir/use.yaml"
	names=
	"$weir" "$tap_dir/use.yaml" "$@" >"$tap_dir/answer" 2>"$tap_dir/err"
}

# is EXPRESSION: true of the verdict `v`? `f`: its findings, `r`: its resources, `found`: of each
# finding its resource, instance and kind.
is() {
	python3 - "$tap_dir/answer" "$1" <<'P' && return
import json, re, sys
v = json.loads(open(sys.argv[1]).read())
found = [(x["resource"], x["instance"], x["kind"]) for x in v["findings"]]
if not eval(sys.argv[2], {"re": re, "v": v, "f": v["findings"], "r": v["resources"], "found": found}):
    sys.exit(f"not so: {sys.argv[2]}\n{json.dumps(v, indent=1)}")
P
	cat "$tap_dir/err"
	return 1
}

# shipped: the verdict by the rules as they are, but for the names of inputs: a staged
# source has one output, so that cpu.system is the source cpu_system.
shipped() {
	sed 's/input: \([a-z]*\)\.\([a-z]*\)/input: \1_\2/' "$source/configs/rules/use.yaml" |
		judge --format json
}

# staged NAME COLUMNS: standard input, a row a line, becomes a window of 5 s; without any, the source
# says nothing, as one that may not start.
staged() {
	sed 's/.*/  - [&]/' >"$tap_dir/staged"
	{
		printf 'columns: {%s}\nwindows:' "$2"
		[ -s "$tap_dir/staged" ] && printf '\n- seconds: 5\n  rows:\n' || printf ' []\n'
		cat "$tap_dir/staged"
	} | rows "$1"
}

# waits: where the time of threads went. The last two columns may be left out: one thread, and no lock.
waits() {
	awk -F, 'NF == 13 { $0 = $0 ", 0, 1" } 1' | staged waits 'pid: uint, comm: text, kind: text, disk: text, wall: ns, run: ns, runnable: ns, device: ns, kernel: ns, journal: ns, bytes: bytes, longest: ns, longest_in: text, lock: ns, threads: uint'
}
