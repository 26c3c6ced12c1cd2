#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `weir top` on a terminal: windows take each other's place, within its rows and columns; elsewhere they are
# plain blocks. Usage: live_page.sh SOURCE BUILD
set -u
. "$1/tests/tap.sh"
source=$1 weir=$2/weir

# page ROWS COLUMNS END OPTION...: `weir top` on such a terminal; what it shows is in page.
page() {
	timeout 120 python3 "$source/tests/cli/live_page.py" "$1" "$2" "$3" \
		"$weir" top --interval 200ms --top 100 >"$tap_dir/page"
}

# once TEXT: it stands on the page one time. rows_at_most N: the page has no more.
once() {
	[ "$(grep -c -- "$1" "$tap_dir/page")" = 1 ] || { cat "$tap_dir/page"; return 1; }
}

rows_at_most() {
	[ "$(wc -l <"$tap_dir/page")" -le "$1" ] || { cat "$tap_dir/page"; return 1; }
}

check "the largest processes stay within 24 rows and 80 columns, and an interrupt ends it" page 24 80 interrupt
check "one window is on the screen, with its time and head" once "(.* ms)\|( *[0-9.]* s)"
check "and nothing below it" once " pid "
check "the names of the processes are among what has room" once "comm$"
check "a row is left for what comes next" rows_at_most 23
check "a small terminal has less" page 5 40 interrupt
check "of rows" rows_at_most 4
check "when it is killed, nothing of the terminal is left changed either" page 24 80 kill
"$weir" top --interval 200ms --count 2 >"$tap_dir/pipe" 2>"$tap_dir/err"
check "in a pipe, each window is a block" sh -c '[ "$(grep -c " pid " "$0")" = 2 ]' "$tap_dir/pipe"
check "without anything that moves a cursor" sh -c '! grep "$(printf "\033")" "$0"' "$tap_dir/pipe"
"$weir" top --interval 200ms --count 1 --format json >"$tap_dir/json" 2>"$tap_dir/err"
check "what only the table is told is nothing to other formats" \
	sh -c 'head -1 "$0" | grep -q "\"pid\":"' "$tap_dir/json"
check "but on the command line, it is an error" \
	status 2 "$weir" top --count 1 --format json --header never
"$weir" vmstat --interval 200ms --count 3 >"$tap_dir/pipe" 2>"$tap_dir/err"
check "vmstat has one head, and a line for each window" \
	awk '/swpd/ { heads++ } END { exit !(heads == 1 && NR == 4) }' "$tap_dir/pipe"
if command -v script >/dev/null; then
	TERM=xterm script -qec "stty rows 6 cols 80; env -u LINES '$weir' vmstat --interval 50ms --count 12 2>/dev/null" \
		/dev/null </dev/null >"$tap_dir/page"
	check "on a terminal, one for each screenful" awk '/swpd/ { heads++ } END { exit heads != 3 }' "$tap_dir/page"
else
	skip "on a terminal, one for each screenful" "script (bsdutils) is not installed"
fi
finish
