#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a fuzz target on RUNS inputs, the same ones each time, so that what fails is the change at
# hand. To search for what nobody has seen, set WEIR_FUZZ_SECONDS: so long, at random. What it finds
# and learns goes to WORK, so that the source tree stays as it is. Usage: fuzz.sh PROGRAM WORK RUNS
# SEED..., seeds being files or folders, or corpus:FOLDER below WEIR_CORPUS, where that is set
set -u
program=$1 work=$2 runs=$3
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

if [ "${WEIR_FUZZ_SECONDS-}" ]; then
	span="$WEIR_FUZZ_SECONDS s" how="-max_total_time=$WEIR_FUZZ_SECONDS"
else
	span="$runs inputs" how="-seed=1 -reload=0 -runs=$runs -max_total_time=60"
fi

fuzz() {
	# shellcheck disable=SC2086 # several options
	"$program" $how -timeout=10 -rss_limit_mb=2048 -verbosity=1 \
		-print_final_stats=1 -artifact_prefix="$work/" "$work/corpus" >"$work/log" 2>&1 ||
		{ tail -60 "$work/log"; return 1; }
}

check "there is something to begin with" test -n "$(ls "$work/corpus")"
check "$(basename "$program"): $span without a finding" fuzz
sed -n 's/^stat::number_of_executed_units: */# inputs tried: /p' "$work/log"
finish
