# Shell tests: sourced by them. Speaks TAP. A test is a sentence and a command that must succeed.
#
#	check "a broken file exits with 2" status 2 weir check broken.yaml
#	skip "the kernel has a PMU" "this machine has none"
#	finish

tap_count=0
tap_failed=0
tap_dir=$(mktemp -d)
trap 'rm -rf "$tap_dir"' EXIT
# What the test has made goes by the EXIT trap, whichever that is by then, also when its time is over.
trap 'exit 1' HUP INT TERM

# check SENTENCE COMMAND...: the command's output is shown when it fails.
check() {
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@" >"$tap_dir/out" 2>&1; then
		echo "ok $tap_count - $tap_name"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $tap_name"
		sed 's/^/# /' "$tap_dir/out"
	fi
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# status N COMMAND...: the command ends with that exit status.
status() {
	tap_want=$1
	shift
	"$@"
	tap_got=$?
	[ $tap_got = "$tap_want" ] || { echo "exit status $tap_got, not $tap_want"; return 1; }
}

# holds FILE TEXT: the file holds that text. lacks: it does not.
holds() {
	grep -qF -- "$2" "$1" || { echo "no \"$2\" in:"; cat "$1"; return 1; }
}

lacks() {
	! grep -F -- "$2" "$1"
}

# same FILE FILE: equal to the byte.
same() {
	diff -u "$1" "$2"
}

# attached FILE...: waits until each weir says there that it sees what happens. Empty a FILE of an
# earlier one before you start the next in the background, which does it later than the words of the
# earlier one would be found: `: >FILE`.
attached() {
	for tap_said in "$@"; do
		for _ in $(seq 2400); do
			grep -q ': attached' "$tap_said" 2>/dev/null && continue 2
			sleep 0.05
		done
		cat "$tap_said"
		return 1
	done
}

# emulated: true in a guest of tests/vm, where WEIR_VM is the kernel's release. There the start of a
# program takes a second, an interrupt or a tracepoint milliseconds, and the host, which has other
# things to do, stops a CPU between any two instructions for a tenth of a second.
emulated() {
	case ${WEIR_VM-} in
	[0-9]*) ;;
	*) return 1 ;;
	esac
}

# until_true COMMAND...: waits for it, two minutes at most.
until_true() {
	for _ in $(seq 1200); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	return 1
}

# runs PID NAME: that process has become the program of this name, and is no shell any more that will.
runs() {
	[ "$(cat "/proc/$1/comm")" = "$2" ]
}

# ticks PID: its CPU time so far, in 1/100 s. until_ticks PID N: waits until it has used so much.
ticks() {
	awk '{print $14 + $15}' "/proc/$1/stat"
}

until_ticks() {
	while [ "$(ticks "$1")" -lt "$2" ]; do
		sleep 0.1
	done
}

# on_disk FOLDER: the test's own folder, or this one where that has no disk below it. A tmpfs keeps
# all its pages in memory.
on_disk() {
	case $(stat -f -c %T "$tap_dir") in
	tmpfs) (cd "$1" && pwd -P) ;;
	*) (cd "$tap_dir" && pwd -P) ;;
	esac
}

finish() {
	echo "1..$tap_count"
	[ $tap_failed = 0 ]
	exit
}
