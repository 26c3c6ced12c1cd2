#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sets of metrics on counts that are staged: a published example with its published results, top-down by
# hand, what is absent, and what is wrong with a set. Usage: metrics.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

# counts: standard input, "event amount unit" a line, becomes a window of 10 s.
counts() {
	{
		printf 'columns: {event: text, amount: number, unit: text, note: text}\n'
		printf 'windows:\n- seconds: 10\n  rows:\n'
		awk '{ printf "  - [\"%s\", %s, \"%s\", \"%s\"]\n", $1, $2, $3, $4 }'
	} >"$tap_dir/counts.rows"
}

# metrics SET: of those counts, as JSON in $tap_dir/answer.
metrics() {
	cat >"$tap_dir/replay.yaml" <<Y
# Staged counts.
weir: 1
sources:
  counts: {plugin: test.script, file: counts.rows}
transforms:
  metrics: {plugin: metrics, metrics: ["$1"], inputs: [counts]}
sinks:
  out: {plugin: json, inputs: [metrics.values, metrics.readings]}
Y
	"$weir" "$tap_dir/replay.yaml" >"$tap_dir/answer" 2>"$tap_dir/err" || { cat "$tap_dir/err"; return 1; }
}

# is EXPRESSION: true of `v`, the values by metric, `note`, why they are not there, `said`, the sentences
# by reading.
is() {
	python3 - "$tap_dir/answer" "$1" <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
v = {r["metric"]: r["value"] for r in rows if "metric" in r}
note = {r["metric"]: r["note"] for r in rows if "metric" in r}
said = {r["reading"]: r for r in rows if "reading" in r}
if not eval(sys.argv[2], {"v": v, "note": note, "said": said}):
    sys.exit(f"not so: {sys.argv[2]}\n{json.dumps(rows, indent=1)}")
P
}

# The example: 16 s of a program, as perf stat showed it, and what its author read there.
example() {
	cat <<C
task-clock 15984320000 ns
cycles 54346812940
instructions 21738725176
branches 4120491304
branch-misses 482097483
L1-dcache-loads 7891234019
L1-dcache-load-misses 1420422123
LLC-loads 612390112
LLC-load-misses 244956045
C
}
example | counts
check "the example's counts are read" metrics "$source/configs/metrics/generic.yaml"
check "instructions per cycle" is 'v["ipc"] == "0.40"'
check "branches that were predicted wrongly" is 'v["branch_miss"] == "11.70 %"'
check "misses of the first level" is 'v["l1_miss"] == "18.00 %"'
check "misses of the last level" is 'v["llc_miss"] == "40.00 %"'
check "the clock" is 'v["clock"] == "3.400 GHz"'
check "CPUs in use" is 'v["cpus_used"] == "1.60"'
check "it is memory-bound, with the evidence" is \
	'all(part in said["memory-bound"]["says"] for part in ("memory-bound", "0.40", "18.00 %", "40.00 %"))'
check "what to run next" is 'said["memory-bound"]["next"] == "weir flame --event cache-misses"'
check "and branchy" is '"11.70 %" in said["branchy"]["says"]'
check "nothing else" is 'set(said) == {"memory-bound", "branchy"}'
check "what was not counted has no value, and says so" is \
	'v["dtlb_miss"] is None and "dTLB-load-misses is not there: it was not counted" == note["dtlb_miss"]'

example | sed 's/^LLC-loads .*/LLC-loads ~ - no_counter/' | counts
check "one event less" metrics "$source/configs/metrics/generic.yaml"
check "takes one metric away, with the event's own reason" is \
	'v["llc_miss"] is None and note["llc_miss"] == "LLC-loads is not there: no_counter"'
check "and leaves the others" is 'v["ipc"] == "0.40" and v["l1_miss"] == "18.00 %"'
check "the reading stands by what is left" is '"memory-bound" in said'

example | sed 's/^branches .*/branches 0/; s/^instructions .*/instructions 108693625880/' | counts
check "a divisor of 0" metrics "$source/configs/metrics/generic.yaml"
check "is no number" is 'v["branch_miss"] is None and "divisor is 0" in note["branch_miss"]'
check "two instructions per cycle are well used" is \
	'v["ipc"] == "2.00" and "computes" in said and "memory-bound" not in said'

printf 'task-clock 1000 ns\nsleep 3000 ns\nrun-queue-wait 0 ns\n' | counts
check "without hardware counters" metrics "$source/configs/metrics/generic.yaml"
check "what it does instead is left" is \
	'v["sleep_share"] == "75.00 %" and said["off-cpu"]["next"] == "weir offcpu"'

printf 'task-clock 1000 ms\ncycles 4\n' | counts
check "a count in another unit" metrics "$source/configs/metrics/generic.yaml"
check "is not taken for what is meant" is \
	'v["clock"] is None and "another unit" in note["clock"]'

# By hand: of 4 x 1000 slots 800 not delivered, 2200 issued, 2000 retired, 25 cycles of recovery.
counts <<C
CPU_CLK_UNHALTED:THREAD_P 1000
IDQ_UOPS_NOT_DELIVERED:CORE 800
IDQ_UOPS_NOT_DELIVERED:CYCLES_0_UOPS_DELIV_CORE 50
UOPS_ISSUED:ANY 2200
UOPS_RETIRED:RETIRE_SLOTS 2000
INT_MISC:RECOVERY_CYCLES 25
BR_MISP_RETIRED:ALL_BRANCHES 3
MACHINE_CLEARS:COUNT 2
CYCLE_ACTIVITY:STALLS_MEM_ANY 80
CYCLE_ACTIVITY:STALLS_TOTAL 100
IDQ:MS_UOPS 11
C
check "top-down of Intel" metrics "$source/configs/metrics/topdown-intel.yaml"
check "level 1 is all slots" is \
	'(v["frontend_bound"], v["bad_speculation"], v["retiring"], v["backend_bound"]) == ("20.00 %", "7.50 %", "50.00 %", "22.50 %")'
check "level 2 divides it" is \
	'(v["fetch_latency"], v["fetch_bandwidth"], v["branch_mispredicts"], v["memory_bound"], v["core_bound"]) == ("5.00 %", "15.00 %", "4.50 %", "18.00 %", "4.50 %")'
check "top-down of Neoverse is a set" metrics "$source/configs/metrics/topdown-neoverse.yaml"

# By hand: of 1000 slots 500 retired, 100 thrown away, 150 and 250 were without work.
ice_lake() {
	cat <<C
cpu/slots/ 1000
cpu/topdown-retiring/ 500
cpu/topdown-bad-spec/ 100
cpu/topdown-fe-bound/ 150
cpu/topdown-be-bound/ 250
C
}
ice_lake | counts
check "top-down of Ice Lake" metrics "$source/configs/metrics/topdown-icelake.yaml"
check "its level 1 is all slots" is \
	'(v["retiring"], v["bad_speculation"], v["frontend_bound"], v["backend_bound"]) == ("50.00 %", "10.00 %", "15.00 %", "25.00 %")'
check "what only later cores count takes away level 2 alone" is \
	'v["memory_bound"] is None and "topdown-mem-bound" in note["memory_bound"] and "backend-bound" in said'
{
	ice_lake
	printf 'cpu/topdown-mem-bound/ 220\ncpu/topdown-heavy-ops/ 40\n'
} | counts
check "top-down of Sapphire Rapids" metrics "$source/configs/metrics/topdown-icelake.yaml"
check "its level 2 divides the back end" is \
	'(v["memory_bound"], v["core_bound"], v["heavy"]) == ("22.00 %", "3.00 %", "4.00 %") and "memory-bound" in said and "backend-bound" not in said'

# By hand: of 6 x 1000 slots 1200 without instructions, 100 cycles wholly so, 2400 dispatched, 2100 retired.
counts <<C
cpu/event=0x76/ 1000
cpu/event=0x1a0,umask=0x01/ 1200
cpu/event=0x1a0,umask=0x01,cmask=0x06/ 100
cpu/event=0xaa,umask=0x07/ 2400
cpu/event=0xc1/ 2100
cpu/event=0x1a0,umask=0x1e/ 1800
cpu/event=0x1a0,umask=0x60/ 600
cpu/event=0xc3/ 30
cpu/event=0x96/ 10
cpu/event=0xd6,umask=0x02/ 400
cpu/event=0xd6,umask=0xa2/ 300
cpu/event=0x1c2,umask=0x00/ 210
C
check "top-down of Zen 4" metrics "$source/configs/metrics/topdown-amd.yaml"
check "its level 1 is all slots, those of the other thread among them" is \
	'(v["frontend_bound"], v["bad_speculation"], v["backend_bound"], v["smt_contention"], v["retiring"]) == ("20.00 %", "5.00 %", "30.00 %", "10.00 %", "35.00 %")'
check "and its level 2" is \
	'(v["fetch_latency"], v["fetch_bandwidth"], v["branch_mispredicts"], v["restarts"], v["memory_bound"], v["core_bound"], v["heavy"]) == ("10.00 %", "10.00 %", "3.75 %", "1.25 %", "22.50 %", "7.50 %", "3.50 %")'

# By hand: of 8 x 1000 slots 4800 without work; 5 branches cost 4 cycles each; 9 of 10 operations were of use.
counts <<C
cpu_cycles 1000
stall_slot 4800
stall_slot_frontend 960
stall_slot_backend 3840
op_retired 2880
op_spec 3200
br_mis_pred 5
C
check "top-down of Neoverse V1" metrics "$source/configs/metrics/topdown-neoverse-v1.yaml"
check "its level 1 is all slots" is \
	'(v["frontend_bound"], v["bad_speculation"], v["backend_bound"], v["retiring"]) == ("10.00 %", "6.00 %", "48.00 %", "36.00 %")'

# In 10 s: two controllers read 20,000 MiB each, and wrote 5,000 and 5,000.
counts <<C
uncore_imc_0/cas_count_read/ 20000 MiBy
uncore_imc_1/cas_count_read/ 20000 MiBy
uncore_imc_0/cas_count_write/ 5000 MiBy
uncore_imc_1/cas_count_write/ 5000 MiBy
C
check "memory bandwidth of Intel" metrics "$source/configs/metrics/memory-bandwidth-intel.yaml"
check "4194.3 MB/s were read, and a fifth of all was written" is \
	'(v["read_rate"], v["write_rate"], v["write_share"]) == ("4194.3 MB/s", "1048.6 MB/s", "20.00 %")'
# 10 s: 3e9 and 1e9 commands of 64 bytes.
counts <<C
amd_umc_0/event=0x0a,rdwrmask=0x1/ 3000000000
amd_umc_0/event=0x0a,rdwrmask=0x2/ 1000000000
C
check "memory bandwidth of AMD" metrics "$source/configs/metrics/memory-bandwidth-amd.yaml"
check "19200 MB/s were read" is '(v["read_rate"], v["write_rate"]) == ("19200.0 MB/s", "6400.0 MB/s")'

# The events of a set are those of the CPU's manual.
if [ -e "$build/plugins/pmu.libpfm4.so" ] && [ "$(uname -m)" = x86_64 ]; then
	check "each event of Intel's set is one of Skylake's" sh -c '
		for event in $(sed -n "/^events/,/^\$/s/^  [a-z_0-9]*: //p" "$2"); do
			LIBPFM_FORCE_PMU=skx "$1" flame --event $event --duration 1ms -o "$3" 2>&1 |
				grep "there is no event\|libpfm4:" && exit 1
		done; exit 0' sh "$weir" "$source/configs/metrics/topdown-intel.yaml" "$tap_dir/x.folded"
else
	skip "each event of Intel's set is one of Skylake's" "built without libpfm4"
fi

# wrong TEXT SET: what is wrong with it, and where.
wrong() {
	printf '%s\n' "$2" >"$tap_dir/set.yaml"
	metrics "$tap_dir/set.yaml" >/dev/null && return 1
	holds "$tap_dir/err" "$1"
}
check "a word that is no event is told in its place" wrong 'set.yaml:3:31: error' \
	'weir-metrics: 1
events: {a: cycles}
metrics: [{metric: x, of: a / b, means: y}]'
check "a unit that is none" wrong '"furlongs" is none of' \
	'events: {a: cycles}
metrics: [{metric: x, of: a, unit: furlongs, means: y}]'
check "a unit of something else" wrong '"GHz" is no unit of what x is' \
	'events: {a: cycles}
metrics: [{metric: x, of: a, unit: GHz, means: y}]'
check "a metric without meaning" wrong 'takes "metric", "of" and "means"' \
	'events: {a: cycles}
metrics: [{metric: x, of: a}]'
check "two of a name" wrong 'there is another a' \
	'events: {a: cycles}
metrics: [{metric: a, of: a, means: y}]'
check "a set without metrics" wrong '"metrics" is missing' 'events: {a: cycles}'
check "a set that is not there" status 2 "$weir" stat --metrics nosuch --duration 10ms
finish
