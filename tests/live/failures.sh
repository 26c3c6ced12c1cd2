#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What each tracing tool says where this host lacks something, or does not allow it, or something
# runs out: one line that names the thing and the cure, the exit status that belongs to it, and
# nothing that looks like an answer. And what it says of nothing, which is an answer.
# Usage: failures.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

if [ "$(id -u)" != 0 ]; then
	skip "what tracing tools say when they cannot trace" "needs root"
	finish
fi
if ! command -v setpriv >/dev/null || ! unshare -m true 2>/dev/null; then
	skip "what tracing tools say when they cannot trace" "needs setpriv and unshare"
	finish
fi

# Where every user may write.
free=$tap_dir/free
chmod 711 "$tap_dir"
mkdir -m 777 "$free"

# A row per tool: arguments | what it uses: BPF programs, on raw tracepoints, on those of system
# calls, or perf events | arguments for which nothing can happen | what the table then says.
tools='
execsnoop|bpf raw|--comm nosuchprog|(no events)
execsnoop --failed|bpf raw calls|--comm nosuchprog|(no events)
exitsnoop|bpf raw|--comm nosuchprog|(no events)
runqlat|bpf raw|--comm nosuchprog|0 events
runqslower|bpf raw|--comm nosuchprog|(no events)
sched|bpf raw|--comm nosuchprog|(nothing in this window)
offcpu|bpf raw|--comm nosuchprog|(nothing in this window)
why '$$'|bpf raw||
pidstat||--comm nosuchprog|(nothing in this window)
pidstat --way bpf|bpf raw|--comm nosuchprog|(nothing in this window)
fsslower|bpf raw|--comm nosuchprog|(no events)
fsdist|bpf raw|--comm nosuchprog|0 events
biolatency|bpf raw|--comm nosuchprog|0 events
biosnoop|bpf raw|--comm nosuchprog|(no events)
biotop|bpf raw|--comm nosuchprog|(nothing in this window)
cachestat|bpf raw|--comm nosuchprog|hits  misses
opensnoop|bpf calls|--comm nosuchprog|(no events)
tcplife|bpf raw|--comm nosuchprog|(no events)
tcpconnect|bpf raw|--comm nosuchprog|(no events)
tcpaccept|bpf raw calls|--comm nosuchprog|(no events)
tcpretrans|bpf raw|--comm nosuchprog|(no events)
profile|perf||
flame -o '$free'/flame.svg|perf||
'

# A row per failure: whom it can befall | fault, see kernel_fault.c | exit status | what is
# said, a regular expression | what it is run under.
failures='
bpf||3|CAP_BPF and CAP_PERFMON, neither is granted: run as root|no_capabilities
bpf||3|CAP_PERFMON is not granted: run as root|some_capabilities
raw|attach:ENOENT:|3|this kernel has no tracepoint [a-z_]+|as_is
raw|attach:EPERM:|3|attach to tracepoint [a-z_]+: the kernel forbids it|as_is
raw|attach:EMFILE:|1|attach to tracepoint [a-z_]+: raise the limit of open files|as_is
bpf|map:EPERM:|3|make BPF map [a-z_.]+: the kernel forbids it|as_is
bpf|map:ENOMEM:|1|make BPF map [a-z_.]+: this machine or cgroup .* no more memory|as_is
bpf|program:EINVAL:|3|description of its types \(BTF\) is damaged.*no BPF program of weir can be loaded|as_is
bpf|program:EINVAL:*|3|verifier of Linux .* refuses BPF program [a-z_]+: .*report|as_is
bpf|program:EACCES:*|3|verifier of Linux .* refuses BPF program [a-z_]+: .*report|as_is
bpf|program:ENOMEM:|1|load BPF program [a-z_]+: this machine or cgroup .* no more memory|as_is
bpf|program:EINVAL:|3|/sys/kernel/btf/vmlinux is missing: it needs CONFIG_DEBUG_INFO_BTF|no_btf
calls|perf:ENOENT:|3|this kernel (does not have it)?(has no tracepoints of system calls)?:|as_is
calls|perf:EMFILE:|1|tracepoint syscalls/[a-z_]+: raise the limit of open files|as_is
calls|mount:EPERM:|3|tracefs is not mounted.*`mount -t tracefs|no_tracefs
calls|mount:ENODEV:|3|this kernel has no tracefs: it needs CONFIG_TRACING|no_tracefs
perf||3|perf_event_paranoid is .*cap_perfmon|no_capabilities
perf|perf:EACCES:|3|perf_event_paranoid is .*cap_perfmon|as_is
perf|perf:ENOENT:|3|cannot be sampled here|as_is
perf|perf:EMFILE:|1|as many open files; `ulimit -n|as_is
'

as_is() {
	"$@"
}

no_capabilities() {
	setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups "$@"
}

some_capabilities() {
	setpriv --reuid 65534 --clear-groups --inh-caps -all,+bpf --ambient-caps -all,+bpf \
		--bounding-set -all,+bpf "$@"
}

# An empty folder over each that holds it, in a mount namespace of its own.
no_btf() {
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh "$@"
}

no_tracefs() {
	# shellcheck disable=SC2016 # a shell of its own
	unshare -m sh -c 'while umount /sys/kernel/debug/tracing 2>/dev/null; do :; done
		for folder in tracing debug/tracing; do
			[ ! -d /sys/kernel/$folder ] || mount -t tmpfs none /sys/kernel/$folder || exit
		done
		exec "$@"' sh "$@"
}

# fails FAULT STATUS REGEX UNDER TOOL: what is said, and that nothing else is.
fails() {
	fault=$1 want=$2 regex=$3 under=$4 tool=$5
	set -- env
	# Sanitizers want to be the first that is preloaded.
	[ -z "$fault" ] || set -- env "WEIR_TEST_FAULT=$fault" \
		LD_PRELOAD="$build/tests/kernel_fault.so" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0"
	# shellcheck disable=SC2086 # a tool comes with its arguments
	$under "$@" "$weir" $tool --duration 100ms >"$tap_dir/stdout" 2>"$tap_dir/stderr"
	got=$?
	head -3 "$tap_dir/stdout" "$tap_dir/stderr"
	[ $got = "$want" ] || { echo "exit status $got, not $want"; return 1; }
	[ ! -s "$tap_dir/stdout" ] || { echo "something on stdout"; return 1; }
	[ ! -e "$free/flame.svg" ] || { echo "a file of no samples"; return 1; }
	[ "$(grep -c ': node "' "$tap_dir/stderr")" = 1 ] || { echo "not one line"; return 1; }
	grep -qE "$regex" "$tap_dir/stderr" || { echo "no \"$regex\""; return 1; }
}

# all_fail USES FAULT STATUS REGEX UNDER: each tool that this can befall.
all_fail() {
	needed=$1
	shift
	while IFS='|' read -r tool uses _; do
		case " $uses " in
		*" $needed "*) fails "$@" "${tool:-}" || { echo "$tool"; return 1; } ;;
		esac
	done <<T
$tools
T
}

while IFS='|' read -r needed fault want regex under; do
	[ -n "$needed" ] || continue
	check "$under ${fault%:}: status $want, \"$regex\"" all_fail "$needed" "$fault" "$want" \
		"$regex" "$under"
done <<T
$failures
T

# nothing TOOL ARGUMENT... TEXT: attached, and the table says that there was nothing.
nothing() {
	said=$1
	shift
	"$@" --duration 100ms >"$tap_dir/stdout" 2>"$tap_dir/stderr" || return
	holds "$tap_dir/stderr" ": attached" && holds "$tap_dir/stdout" "$said" || return
	"$@" --duration 100ms --format json >"$tap_dir/stdout" 2>"$tap_dir/stderr" || return
	holds "$tap_dir/stderr" ": attached"
}

while IFS='|' read -r tool _ filter said; do
	[ -n "$said" ] || continue
	# shellcheck disable=SC2086 # several arguments
	check "$tool says that it was attached and nothing happened" nothing "$said" "$weir" $tool \
		$filter
done <<T
$tools
T

# nobody TOOL...: that there is no such process is the user's mistake and known at once.
nobody() {
	status 2 "$@" --pid 4194303 --duration 60s >"$tap_dir/stdout" 2>"$tap_dir/stderr" &&
		[ ! -s "$tap_dir/stdout" ] && holds "$tap_dir/stderr" "no process 4194303"
}

while IFS='|' read -r tool _ filter _; do
	[ -n "$filter" ] || continue
	# shellcheck disable=SC2086 # several arguments
	check "$tool: a process that is not there is an error" nobody "$weir" $tool
done <<T
$tools
T

asleep() {
	runs "$1" sleep && grep -q '^State:.S' "/proc/$1/status"
}

# Sampled, and never seen on a CPU: a graph that says so, and a table that has a line for it.
sleep 1000 &
sleeper=$!
until_true asleep $sleeper
check "flame of who sleeps says that there were no samples" "$weir" flame --pid $sleeper \
	--duration 100ms -o "$tap_dir/sleeper.svg"
check "in the graph, too" holds "$tap_dir/sleeper.svg" ">no samples<"
"$weir" profile --pid $sleeper --duration 100ms >"$tap_dir/stdout" 2>"$tap_dir/stderr"
check "and so does profile" holds "$tap_dir/stderr" "no samples"
kill $sleeper

# On a kernel that hides the file but has the types, nothing is missing.
# shellcheck disable=SC2016 # a shell of its own
check "a hidden /sys/kernel/btf hinders nobody" no_btf "$weir" opensnoop --duration 100ms
finish
