# SPDX-License-Identifier: BSD-2-Clause
# What weir saw, asked in Python: one process answers all that a test asks, as in an emulated machine
# the start of each takes seconds. To be sourced after tap.sh, with $source set.
#
#	program count <<'P'
#	import sys
#	print(sum(1 for line in open(sys.argv[1])))
#	P
#	ask count "$tap_dir/json"

mkfifo "$tap_dir/question" "$tap_dir/answer"
python3 -I -S "$source/tests/answer.py" "$tap_dir" </dev/null >"$tap_dir/answers" 2>&1 &
answers=$!

# program NAME: is to be known by that name from now on, and is on stdin.
program() {
	cat >"$tap_dir/$1.py"
}

# ask NAME ARGUMENT...: prints what the program prints, and ends as it does.
ask() {
	kill -0 $answers || { cat "$tap_dir/answers"; return 1; }
	printf '%s\0' $# "$@" >"$tap_dir/question"
	{
		read -r ask_status
		while IFS= read -r ask_line || [ -n "$ask_line" ]; do
			printf '%s\n' "$ask_line"
		done
	} <"$tap_dir/answer"
	return "$ask_status"
}
