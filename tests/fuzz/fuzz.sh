#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a fuzz target for some seconds. What it finds and learns goes to WORK, so that the source
# tree stays as it is. Usage: fuzz.sh PROGRAM WORK SECONDS SEED..., seeds being
# files or folders, or corpus:FOLDER below WEIR_CORPUS, where that is set
set -u
program=$1 work=$2 seconds=$3
shift 3
. "$(dirname "$0")/../tap.sh"

rm -rf "$work"
mkdir -p "$work/corpus"
for seed in "$@"; do
	case $seed in
	corpus:*)
		seed=${WEIR_CORPUS:-/nonexistent}/${seed#corpus:}
		[ -d "$seed" ] || continue
		;;
	esac
	find "$seed" -type f ! -name '*.expected' -exec cp {} "$work/corpus" \;
done

fuzz() {
	"$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=1 \
		-print_final_stats=1 -artifact_prefix="$work/" "$work/corpus" >"$work/log" 2>&1 ||
		{ tail -60 "$work/log"; return 1; }
}

check "there is something to begin with" test -n "$(ls "$work/corpus")"
check "$(basename "$program"): $seconds s without a finding" fuzz
sed -n 's/^stat::number_of_executed_units: */# inputs tried: /p' "$work/log"
finish
