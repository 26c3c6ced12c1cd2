#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs in the guest of arm64.sh, in its shell of few commands. CYCLES: of an instruction.
# Usage: arm64_guest.sh BUILD CYCLES
set -u
build=$1 cycles=$2
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
		sed 's/^/# counts: /' counts
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

# The instructions of loops: 20,000,000 in the rounds, 5 around each of three, 7 in _start.
instructions=20000022
instructions_long=400000022

# counts EVENT...: the value of each in a JSON of `weir stat`, one after the other.
counts() {
	sed -n 's/.*"count":\([0-9]*\),.*/\1/p' counts
}

counted() {
	[ "$(counts | tr '\n' ' ')" = "$* " ]
}

stat() {
	"$weir" stat --format json "$@" >counts 2>said
}

# close_to N: each count is, within 0.2 %, and one at least was not counted all the time.
close_to() {
	counts | awk -v want="$1" '$1 < want * 0.998 || $1 > want * 1.002 {print; bad = 1}
		END {exit bad || NR != 9}' && grep -q '"counted":0' counts || return 1
}

stat --events cycles:u,instructions:u -- "$loops"
check "cycles and instructions are exact" counted $((instructions * cycles)) $instructions
if [ "$cycles" != 1 ]; then
	echo "1..$count"
	exit $failed
fi

stat --events '{instructions:u,cycles:u}' -- "$loops"
check "so are those of a group" counted $instructions $instructions
stat --events arm_ac57::INST_RETIRED:u,arm_ac57::CPU_CYCLES:u -- "$loops"
check "so are events by the names of the CPU's manual" counted $instructions $instructions
stat --plugin-path "$build" --events acme::RETIRED:u,acme::CYCLES:u -- "$loops"
check "so are a vendor's, from a plugin of its own" counted $instructions $instructions
# The same by other names, which count apart.
stat --events instructions:u,r8:u,r08:u,r008:u,r0008:u,r00008:u,r000008:u,r0000008:u,r00000008:u \
	-- "$loops-long"
check "nine events on six counters are within 0.2 %" close_to $instructions_long
"$weir" stat --events instructions,cache-misses -- "$loops" >table 2>said
check "an event that this CPU lacks says so" \
	grep -E 'cache-misses +<not supported> .*this CPU does not have it' table

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
check "20,000,022 cycles are 200 samples at a period of 100,000" total
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
