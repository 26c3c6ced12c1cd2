#!/bin/sh
# weir's main job in half a minute: profiles a known workload, prints the hot functions, writes
# flame.svg, shows block I/O latency. Usage: demo.sh BUILD
set -eu

build=$1
weir=$build/weir
workload=$build/tests/calltree

say() {
	printf '\n\033[1m%s\033[0m\n' "$*" | { [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && cat || sed 's/\x1b\[[01]m//g'; }
}

say "1. Where does the CPU time go? weir profile -- $workload 3"
"$weir" profile --view flat --percent_limit 2% -- "$workload" 3

say "2. The same as a picture: weir flame -o flame.svg -- $workload 3"
"$weir" flame -o flame.svg -- "$workload" 3
ls -l flame.svg

say "3. How slow is the disk? weir biolatency while a file is read past the page cache"
if [ "$(id -u)" != 0 ]; then
	echo "(needs root: sudo $weir biolatency)"
	exit 0
fi
file=$(mktemp ./demo.XXXXXX)
trap 'rm -f "$file"' EXIT
dd if=/dev/urandom of="$file" bs=1M count=64 conv=fsync 2>/dev/null
"$weir" biolatency -- dd if="$file" of=/dev/null bs=16k iflag=direct 2>/dev/null
