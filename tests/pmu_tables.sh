# SPDX-License-Identifier: BSD-2-Clause
# Events of a CPU by its manual's names: what weir makes of them beside libpfm4's own tool, showevtinfo. Sourced
# by tests, also in a guest whose shell has few commands.

# equal_tables TOOL TABLE LEAST MASK: each event that the tool knows has the tool's numbers, and there are no others;
# MASK leaves out of the tool's what perf_event_open() sets itself.
equal_tables() {
	LIBPFM_FORCE_PMU=$2 "$1" -E | while read -r code rest; do
		case $rest in
		0x*) echo "${rest#*::} $((code & $4)) $((${rest%%[!0-9a-fx]*}))" ;;
		*) echo "${rest#*::} $((code & $4)) 0" ;;
		esac
	done | sort >theirs
	LIBPFM_FORCE_PMU=$2 "$weir" events --kind pmu --format csv --columns name,type,config,config1 2>/dev/null |
		awk -F, '$5 == 4 && !/^t,/ { print $4, $6, $7 }' | sort >ours
	echo "$(wc -l <theirs) events"
	[ "$(wc -l <theirs)" -ge "$3" ] && diff theirs ours
}
