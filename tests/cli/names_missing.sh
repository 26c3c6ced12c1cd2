#!/bin/sh
# Frames without names: whose they are, which share, why, and what would give them names.
# Usage: names_missing.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
root=$tap_dir/root

if ! command -v python3 >/dev/null || ! command -v objcopy >/dev/null; then
	skip "what has no names is said" "needs python3 and objcopy"
	finish
fi
mkdir -p "$root/opt"
# Without a table of symbols, but for what the dynamic linker needs.
objcopy --strip-all "$build/tests/calltree" "$root/opt/demo"
id=$(readelf -n "$root/opt/demo" | sed -n 's/.*Build ID: //p')
python3 "$source/tests/cli/names_missing_write.py" "$tap_dir" "$id"

# convert NAME: what it says, in $tap_dir/said.
convert() {
	"$weir" convert --root "$root" "$tap_dir/$1.data" >"$tap_dir/x.folded" 2>"$tap_dir/said"
}

convert files
check "a stripped file, with its share of the samples" holds "$tap_dir/said" "75.0 % of user frames are in /opt/demo and have no name: it is stripped"
check "that no package has it, and what its debug file must be" holds "$tap_dir/said" "no package has that file: build it without strip, or keep its debug file (build-id $id)"
check "a file that is gone, with its share" holds "$tap_dir/said" "25.0 % of user frames are in /opt/gone and have no name: it could not be opened any more"
check "those that cost most come first" sh -c "grep -n 'user frames' '$tap_dir/said' | head -1 | grep -q /opt/demo"
mkdir -p "$root/var/lib/dpkg/info"
printf '/.\n/opt\n/opt/demo2\n' >"$root/var/lib/dpkg/info/wrong.list"
printf '/.\n/opt\n/opt/demo\n' >"$root/var/lib/dpkg/info/libdemo:amd64.list"
convert files
check "the package whose debug symbols to install, on Debian" holds "$tap_dir/said" "install libdemo-dbgsym or libdemo-dbg, or set DEBUGINFOD_URLS"
rm -r "$root/var/lib/dpkg"
mkdir -p "$root/var/lib/rpm"
convert files
check "what installs them, on Fedora" holds "$tap_dir/said" 'run dnf debuginfo-install "$(rpm -qf /opt/demo)"'
convert changed
check "a file that is another one now" holds "$tap_dir/said" "100.0 % of user frames are in /opt/demo and have no name: what lies there now is not the file that was mapped"
convert unproven
check "a file of which nothing tells whether it is the right one" holds "$tap_dir/said" "no build-id tells whether the file there is the one that was mapped: record with"

# advised COMM CURE: code that a process of that name made has no names, and what would help.
advised() {
	convert "$1"
	holds "$tap_dir/said" "100 % of 3 frames of code that $1 (pid 7) made have no names" && holds "$tap_dir/said" "$2" &&
		holds "$tap_dir/said" "75.0 % of all user frames"
}

check "Java" advised java "-XX:+PreserveFramePointer, then: jcmd PID Compiler.perfmap"
check "node" advised node "start it with --perf-basic-prof (and --interpreted-frames-native-stack"
check "Python" advised python3 "start it with -X perf, from Python 3.12 on, one that was built with frame pointers"
check "whatever else" advised other "let its run time write a perf map (/tmp/perf-PID.map) or a jitdump"
finish
