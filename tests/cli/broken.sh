#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is said of broken pipelines: check and run end with 2, tell all errors at once, each with
# file:line:col, the line and a caret, and tell the same. Usage: broken.sh SOURCE BUILD
#
# The errors of tests/broken can be seen without any component; where components add theirs, that
# is right. Those of tests/broken_binding come from components, and there are no others.
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
unset WEIR_PLUGIN_PATH

# As root, weir does not read pipelines that belong to others, such as those of a foreign clone.
cp -r "$source/tests/broken" "$source/tests/broken_binding" "$tap_dir"

# Every error has its three lines: where and what, the line itself, the caret.
in_form() {
	awk -v name="$1" '
		NR % 3 == 1 && (index($0, name ":") != 1 || !/^[^:]+:[0-9]+:[0-9]+: error: ./) { bad = 1 }
		NR % 3 == 2 && !/^ *[0-9]+ \| / { bad = 1 }
		NR % 3 == 0 && !/^ +\| +\^~*$/ { bad = 1 }
		bad { print "not in form: " $0; exit }
		END { exit bad || NR == 0 || NR % 3 }' "$2"
}

# all_of EXPECTED FILE: nothing of the first is missing in the second.
all_of() {
	diff "$1" "$2" >"$tap_dir/differ"
	! grep '^<' "$tap_dir/differ"
}

# alike EXPECTED FILE: the same but for the list of formats, which each new sink makes longer.
alike() {
	sed 's/known formats: .*/known formats: .../' "$2" >"$tap_dir/alike"
	same "$1" "$tap_dir/alike"
}

# told FOLDER NAME COMPARE
told() {
	cd "$tap_dir/$1" || return 1
	"$build/weir" check "$2.yaml" >"$tap_dir/stdout" 2>"$tap_dir/check"
	[ $? = 2 ] || { echo "check does not end with 2"; cat "$tap_dir/check"; return 1; }
	"$build/weir" run "$2.yaml" >>"$tap_dir/stdout" 2>"$tap_dir/run"
	[ $? = 2 ] || { echo "run does not end with 2"; cat "$tap_dir/run"; return 1; }
	same /dev/null "$tap_dir/stdout" && in_form "$2.yaml" "$tap_dir/check" &&
		same "$tap_dir/check" "$tap_dir/run" && "$3" "$2.expected" "$tap_dir/check"
}

for folder in broken broken_binding; do
	compare=all_of
	[ $folder = broken ] || compare=alike
	for yaml in "$tap_dir/$folder"/*.yaml; do
		name=$(basename "$yaml" .yaml)
		check "$folder/$name" told $folder "$name" $compare
	done
done
finish
