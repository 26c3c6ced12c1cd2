#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names of events by several providers, and the tables of CPUs: each event's numbers are those that
# libpfm4's own tool (check_events, which its package has as source) prints. Usage: pmu_events.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
tool=$tap_dir/check_events
example=/usr/share/doc/libpfm4-dev/examples/check_events.c
export WEIR_PLUGIN_PATH=$build/plugins

# The tool's numbers hold what perf_event_open() sets itself: the rings, interrupts, and that it counts.
equal_tables() {
	LIBPFM_FORCE_PMU=$1 "$weir" events --kind pmu --format csv --columns name,type,config,config1 \
		2>/dev/null | awk -F, '$5 == 4 && !/^t,/ { print $4, $6, $7 }' >"$tap_dir/ours"
	# One at a time: the tool mixes up what it frees where events of one and two numbers meet.
	cut -d' ' -f1 "$tap_dir/ours" | LIBPFM_FORCE_PMU=$1 xargs -n 1 "$tool" >"$tap_dir/theirs"
	python3 - "$tap_dir/ours" "$tap_dir/theirs" "$2" <<'EOF'
import sys
ours = dict((name, (int(config), int(config1))) for name, config, config1 in
            (line.split() for line in open(sys.argv[1])))
theirs, name = {}, None
for line in open(sys.argv[2]):
    if line.startswith("Requested Event: "):
        name = line.split()[-1]
    elif line.startswith("Codes"):
        codes = [int(code, 16) for code in line.split(":")[1].split()]
        theirs[name] = (codes[0] & ~0x530000, codes[1] if len(codes) > 1 else 0)
wrong = [f"{n}: {ours[n]} {theirs.get(n)}" for n in ours if ours[n] != theirs.get(n)]
print(len(ours), "events,", len(wrong), "wrong", *wrong[:5], sep="\n")
sys.exit(len(wrong) > 0 or len(ours) < int(sys.argv[3]))
EOF
}

# The package lacks the one header of its own that the tool takes.
build_tool() {
	mkdir -p "$tap_dir/include/perfmon" && echo '#include <err.h>' >"$tap_dir/include/perfmon/err.h" &&
		cc -w -I"$tap_dir/include" -o "$tool" "$example" -lpfm
}

# encodes STATUS TEXT EVENT: with Skylake's tables.
encodes() {
	LIBPFM_FORCE_PMU=skx "$weir" flame --event "$3" --duration 10ms -o "$tap_dir/x.folded" \
		>"$tap_dir/said" 2>&1
	[ $? = "$1" ] || { cat "$tap_dir/said"; return 1; }
	holds "$tap_dir/said" "$2"
}

if [ ! -e "$build/plugins/pmu.libpfm4.so" ]; then
	skip "events of manuals have the numbers of libpfm4's own tool" "built without libpfm4"
elif [ "$(uname -m)" != x86_64 ]; then
	skip "events of manuals have the numbers of libpfm4's own tool" "those tables are of x86"
elif [ ! -e "$example" ]; then
	skip "events of manuals have the numbers of libpfm4's own tool" "no $example"
elif ! build_tool; then
	check "libpfm4's own tool can be built" false
else
	# tables | CPU | how many events there are at least
	while read -r table least cpu; do
		check "each event of $cpu has the numbers of libpfm4's own tool" \
			equal_tables "$table" "$least"
	done <<EOF
skx 450 Skylake-SP
icx 400 Ice Lake-SP
spr 400 Sapphire Rapids
amd64_fam19h_zen3 150 Zen 3
amd64_fam19h_zen4 250 Zen 4
EOF
fi

if [ -e "$build/plugins/pmu.libpfm4.so" ] && [ "$(uname -m)" = x86_64 ]; then
	check "a mask that an event does not have is told" encodes 2 "libpfm4: " INST_RETIRED:NOSUCH
	check "a provider asked for that does not know it is told" \
		encodes 2 'there is no event "cycles"' libpfm4::cycles
	if "$weir" events cycles --format json 2>/dev/null | grep -q '"available":true'; then
		skip "names of manuals reach the kernel" "this machine has a PMU of its own"
	elif [ "$(id -u)" != 0 ]; then
		skip "names of manuals reach the kernel" "needs root: that it may not is said first"
	else
		for event in INST_RETIRED:ANY_P INST_RETIRED:ANY_P:u skx::INST_RETIRED:ANY_P:pp \
			libpfm4::INST_RETIRED:ANY_P; do
			check "$event is known, and the kernel has no counter for it" \
				encodes 3 "no hardware PMU" $event
		done
	fi
fi
finish
