# SPDX-License-Identifier: BSD-2-Clause
# Staged rows, and what the transform use makes of them: sourced by its tests after tap.sh.
weir=$build/weir

# rows NAME: standard input becomes the rows of the source NAME.
rows() {
	cat >"$tap_dir/$1.rows"
}

# judge OPTION...: standard input as rules, over every source that has rows; the answer in out.
judge() {
	cat >"$tap_dir/rules.yaml"
	{
		printf '# Staged rows.\nweir: 1\nsources:\n'
		for file in "$tap_dir"/*.rows; do
			name=$(basename "$file" .rows)
			printf '  %s: {plugin: test.script, file: %s.rows}\n' "$name" "$name"
			names="${names-}${names:+, }$name"
		done
		printf 'transforms:\n  use: {plugin: use, rules: rules.yaml, inputs: [%s]}\n' "$names"
		printf 'sinks:\n  out: {plugin: "${format}", inputs: [use]}\n'
	} >"$tap_dir/use.yaml"
	names=
	"$weir" "$tap_dir/use.yaml" "$@" >"$tap_dir/answer" 2>"$tap_dir/err"
}

# is EXPRESSION: true of the verdict `v`? `f`: its findings, `r`: its resources.
is() {
	python3 - "$tap_dir/answer" "$1" <<'P' && return
import json, sys
v = json.loads(open(sys.argv[1]).read())
if not eval(sys.argv[2], {"v": v, "f": v["findings"], "r": v["resources"]}):
    sys.exit(f"not so: {sys.argv[2]}\n{json.dumps(v, indent=1)}")
P
	cat "$tap_dir/err"
	return 1
}
