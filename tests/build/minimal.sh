#!/bin/sh
# A small device: weir with cpu.stat and table alone, as plugins and linked in. Needs no BPF, no
# clang, none of the heavy libraries. Usage: minimal.sh SOURCE BUILD
set -u
source=$1
. "$source/tests/tap.sh"

# A compiler for BPF that is not there would be noticed.
export CLANG=/nonexistent/clang BPFTOOL=/nonexistent/bpftool

setup() {
	meson setup "$tap_dir/$1" "$source" -Dplugins=cpu.stat,table -Dtests=false -Dbuildtype=release \
		-Dstrip=true "$2" && ninja -C "$tap_dir/$1"
}

stripped() {
	for file in "$@"; do
		strip -o "$tap_dir/stripped" "$file" && stat -c %s "$tap_dir/stripped"
	done | awk '{n += $1} END {print n}'
}

at_most() {
	[ "$1" -gt 0 ] && [ "$1" -le "$2" ] || { echo "$1, not at most $2"; return 1; }
}


# The peak of a run in KiB.
resident() {
	"$1" mpstat --interval 200ms --duration 20s >/dev/null 2>&1 &
	pid=$!
	sleep 1
	awk '/^VmHWM/ {print $2}' /proc/$pid/status
	kill -INT $pid
	wait $pid
}

libraries() {
	ldd "$1" | awk '{print $1}' | sed 's,.*/,,; s/\.so.*//' | LC_ALL=C sort | tr '\n' ' '
}

check "it builds without clang, bpftool and BPF libraries" setup dynamic -Dstatic=false
dynamic=$tap_dir/dynamic
bytes=$(stripped "$dynamic/weir" "$dynamic/plugins/cpu.stat.so" "$dynamic/plugins/table.so")
echo "# $bytes bytes stripped"
check "weir, cpu.stat and table are at most 400 KB stripped" at_most "${bytes:-0}" 400000
check "the core links libc and libyaml only" test "$(libraries "$dynamic/weir")" = "ld-linux-x86-64 libc libyaml-0 linux-vdso "
check "the table of CPUs is shown" sh -c "'$dynamic/weir' mpstat --interval 100ms --count 2 | grep -q ^all"
kib=$(resident "$dynamic/weir")
echo "# $kib KiB resident at most"
check "it has at most 3 MiB resident" at_most "${kib:-0}" 3072

check "it builds with its plugins linked in" setup static -Dstatic=true
static=$tap_dir/static
bytes=$(stripped "$static/weir")
echo "# $bytes bytes stripped, in one file"
check "that file is at most 400 KB stripped" at_most "${bytes:-0}" 400000
check "it shows the table of CPUs without a plugin file" \
	sh -c "'$static/weir' mpstat --interval 100ms --count 2 | grep -q ^all"
finish
