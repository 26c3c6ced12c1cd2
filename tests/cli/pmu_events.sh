#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names of events by several providers, and the tables of CPUs: each event's numbers are those that
# libpfm4's own tool (showevtinfo, which its package has as source) prints, and none is missing. Usage: pmu_events.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/pmu_tables.sh"
weir=$build/weir
tool=$tap_dir/showevtinfo
example=/usr/share/doc/libpfm4-dev/examples/showevtinfo.c
export WEIR_PLUGIN_PATH=$build/plugins

# The package lacks the one header of its own that the tool takes.
build_tool() {
	mkdir -p "$tap_dir/include/perfmon" && echo '#include <err.h>' >"$tap_dir/include/perfmon/err.h" &&
		cc -w -I"$tap_dir/include" -o "$tool" "$example" -lpfm
}

# The tool's numbers hold what perf_event_open() sets itself: rings, interrupts, and that it counts.
equal() {
	(cd "$tap_dir" && equal_tables "$tool" "$1" "$2" $((~0x530000)))
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
			equal "$table" "$least"
	done <<EOF
skx 450 Skylake-SP
icx 400 Ice Lake-SP
spr 400 Sapphire Rapids
amd64_fam19h_zen3 150 Zen 3
amd64_fam19h_zen4 250 Zen 4
EOF
fi

# What doctor says of machines that are staged.
doctor() {
	"$weir" doctor --root "$tap_dir/machine" 2>/dev/null >"$tap_dir/doctor"
	grep -E "$1" "$tap_dir/doctor" || { cat "$tap_dir/doctor"; return 1; }
}
devices=$tap_dir/machine/sys/bus/event_source/devices
mkdir -p "$devices"
check "doctor says that there is no view of memory accesses, and why" \
	doctor '^samples of memory accesses +limited +none .*\(c2c\).* SPE'
mkdir "$devices/ibs_op"
check "on a CPU that has them it names what reads them" \
	doctor '^samples of memory accesses +limited +ibs_op .*perf c2c'

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
