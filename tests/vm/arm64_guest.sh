#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs in the guest of arm64.sh, in its shell of few commands. Usage: arm64_guest.sh BUILD
set -u
build=$1
weir=$build/weir loops=$build/loops
mount -t tmpfs tmpfs /mnt
cd /mnt || exit 1
count=0 failed=0

# check SENTENCE COMMAND...
check() {
	sentence=$1
	shift
	count=$((count + 1))
	if "$@" >out 2>&1; then
		echo "ok $count - $sentence"
	else
		failed=1
		echo "not ok $count - $sentence"
		sed 's/^/# /' out
		sed 's/^/# said: /' said
	fi
}

# samples FUNCTION N: so many samples of 100,000 cycles each lie there, within one.
samples() {
	got=$(awk -v name="$1" '{n = split($0, f, "[; ]"); if (f[n - 1] == name) s += f[n]} END {print s / 100000}' loops.folded)
	[ "$got" -ge $(($2 - 1)) ] && [ "$got" -le $(($2 + 1)) ] || { echo "$1: $got"; cat loops.folded; return 1; }
}

total() {
	got=$(awk '{s += $NF} END {print s / 100000}' loops.folded)
	[ "$got" = 200 ] || { echo "$got"; cat loops.folded; return 1; }
}

"$weir" doctor >doctor 2>said
check "doctor finds the PMU" grep -E '^hardware PMU +ok' doctor
check "doctor finds typed tracepoints" grep -E '^typed tracepoints .* +ok' doctor

cat >user.yaml <<'Y'
weir: 1
params: {pid: {type: pid, default: 0}}
sources:
  samples: {plugin: cpu.sample, pid: "${pid}", event: cycles, period: 100000, kernel: false}
transforms:
  symbolized: {plugin: flame.symbolize, inputs: [samples]}
  folded:     {plugin: flame.fold, inputs: [symbolized]}
sinks:
  out: {plugin: flame.folded, path: loops.folded, inputs: [folded]}
Y
"$weir" run user.yaml -- "$loops" >out 2>said
check "20,000,020 cycles are 200 samples at a period of 100,000" total
check "60 % of them in north" samples north 120
check "30 % in east" samples east 60
check "10 % in west" samples west 20
check "north was called by _start" grep -q ';_start;north ' loops.folded

: >said
"$weir" execsnoop --format json --duration 20s >execs 2>said &
weir_pid=$!
until grep -q attached said; do sleep 0.1; done
"$loops"
kill -INT $weir_pid
wait $weir_pid
check "execsnoop sees an exec" grep -F "\"path\":\"$loops\"" execs

while :; do :; done &
busy=$!
"$weir" pidstat --format json --interval 1s --count 1 >tasks 2>said
kill $busy
check "a BPF iterator tells of processes" grep -F "BPF iterator" said
check "of one that is busy" grep -F "\"pid\":$busy," tasks
echo "1..$count"
exit $failed
