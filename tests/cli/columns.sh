#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tables that people know, on a terminal of 80 columns: no line is longer, and no column is left out of those
# that they expect; but of vmstat's, whose numbers may be large, the last one. Usage: columns.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
unset COLUMNS NO_COLOR

if ! command -v script >/dev/null; then
	skip "tables fit a terminal of 80 columns" "the program script is not installed"
	finish
fi

# at_80 PIPELINE OPTION...: one window of it, on such a terminal: $tap_dir/shown, and what weir says.
at_80() {
	script -qec "stty cols 80 rows 24; TERM=dumb timeout 200 '$build/weir' $* --count 1" /dev/null \
		</dev/null >"$tap_dir/shown" 2>&1
}

# A name may be as long as it likes; it is cut off.
fits() {
	python3 - "$tap_dir/shown" "$1" <<'P'
import re, sys
text = open(sys.argv[1], encoding="utf-8", errors="replace").read()
lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in text.replace("\r", "").split("\n")]
rows = [line for line in lines if not line.startswith("weir: ")]
assert len([line for line in rows if line.strip()]) > 1 and "usage" not in text, text
long = [line for line in rows if len(line) > 80]
assert not long, long
left_out = [line for line in lines if "not shown, as the terminal is" in line]
assert sys.argv[2] == "vmstat" or not left_out, left_out
P
}

for pipeline in vmstat mpstat pidstat iostat free netdev tcpstat cgroup limits; do
	case $pipeline in
	free | limits) at_80 $pipeline ;;
	netdev | iostat) at_80 $pipeline --interval 200ms --idle ;;
	cgroup) at_80 $pipeline --interval 200ms --all ;;
	*) at_80 $pipeline --interval 200ms ;;
	esac
	check "weir $pipeline fits 80 columns" fits $pipeline
done
finish
