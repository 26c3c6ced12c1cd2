#!/bin/sh
# weir flame on programs whose names lie in a separate debug file: found, proven, or said to be missing.
# Usage: debug_files.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
folder=$tap_dir/bin
program=$folder/program
store=/usr/lib/debug

if [ "$(id -u)" != 0 ] || ! command -v objcopy >/dev/null || ! [ -d $store ]; then
	skip "names from debug files" "needs root, objcopy and $store"
	finish
fi

# built [OBJCOPY-OPTION...]: $program without names, $tap_dir/names with them, linked as debug.file.
built() {
	rm -rf "$folder"
	mkdir -p "$folder"
	objcopy "$@" "$build/tests/calltree" "$tap_dir/whole"
	objcopy --only-keep-debug "$tap_dir/whole" "$tap_dir/debug.file" 2>/dev/null # a warning of notes
	objcopy --strip-all --add-gnu-debuglink="$tap_dir/debug.file" "$tap_dir/whole" "$program"
	id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
}

# flame SETUP: folded stacks of the program, on a machine whose /usr/lib/debug holds what SETUP puts there.
flame() {
	unshare -m sh -ec 'mount -t tmpfs none "$1"; eval "$2"; shift 2; exec "$@"' sh $store "$1" \
		"$weir" flame --frequency 997 -o "$tap_dir/x.folded" -- "$program" 0.5 >/dev/null 2>"$tap_dir/err"
}

named() {
	holds "$tap_dir/x.folded" "trunk;north;leaf"
}

nameless() {
	lacks "$tap_dir/x.folded" "leaf" && holds "$tap_dir/x.folded" "[program]"
}

built
by_id="mkdir -p $store/.build-id/$(echo "$id" | cut -c1-2)"
id_file="$store/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
flame :
check "without its debug file the program has no names" nameless
check "which is said, with the share and what would help" grep -q \
	"[0-9.]* % of user frames are in $program and have no name: it is stripped, .*debug symbols would help" "$tap_dir/err"
flame "$by_id; cp $tap_dir/debug.file $id_file"
check "names are found by build-id" named
check "and it is not said that they are missing" lacks "$tap_dir/err" "$program and have no name"
flame "mkdir -p $store$folder; cp $tap_dir/debug.file $store$folder"
check "names are found by the link, below $store" named
cp "$tap_dir/debug.file" "$folder"
flame :
check "names are found by the link, beside the program" named
mkdir "$folder/.debug"
mv "$folder/debug.file" "$folder/.debug"
flame :
check "names are found by the link, in .debug" named
flame "$by_id; cp $program $id_file"
check "a stripped copy in the store does not hide it" named
flame "$by_id; mkfifo $id_file"
check "nor does a FIFO hold weir up" named
rm -r "$folder/.debug"

# The debug file of another program, with other names at the same addresses.
objcopy --only-keep-debug --redefine-sym leaf=wrong_leaf "$tap_dir/whole" "$tap_dir/wrong"
python3 -c 'import sys
path, id = sys.argv[1], bytes.fromhex(sys.argv[2])
whole = open(path, "rb").read()
assert id in whole
open(path, "wb").write(whole.replace(id, id[::-1]))' "$tap_dir/wrong" "$id"
flame "$by_id; cp $tap_dir/wrong $id_file"
check "a debug file with another build-id is not believed" nameless
built --remove-section=.note.gnu.build-id
check "(the program has no build-id)" test -z "$id"
cp "$tap_dir/debug.file" "$folder"
flame :
check "without a build-id, the CRC of the link proves the file" named
echo >>"$folder/debug.file"
flame :
check "a file of another CRC is not believed" nameless

# What distributions leave in stripped files: the names of functions, packed.
built
if command -v xz >/dev/null; then
	objcopy --strip-debug "$tap_dir/debug.file" "$tap_dir/mini"
	xz -k "$tap_dir/mini"
	objcopy --add-section .gnu_debugdata="$tap_dir/mini.xz" "$program"
	flame :
	if lacks "$tap_dir/err" "without liblzma" >/dev/null; then
		check "names are found in the packed table of a stripped file" named
		check "and it is not said that they are missing" lacks "$tap_dir/err" "$program and have no name"
		head -c 200 "$tap_dir/mini.xz" >"$tap_dir/cut"
		objcopy --update-section .gnu_debugdata="$tap_dir/cut" "$program"
		flame :
		check "a packed table that is cut off is none" nameless
	else
		skip "names are found in the packed table of a stripped file" "built without liblzma"
	fi
else
	skip "names are found in the packed table of a stripped file" "there is no xz"
fi

# Servers of debug files. What is fetched is kept below $DEBUGINFOD_CACHE_PATH.
if ! [ -e "$build/plugins/debug_file.debuginfod.so" ] || ! command -v python3 >/dev/null; then
	skip "names are fetched from a server of debug files" "needs libdebuginfod and python3"
	finish
fi
built
served=$tap_dir/served/buildid/$id
mkdir -p "$served"
cp "$tap_dir/debug.file" "$served/debuginfo"
python3 -u -m http.server --bind 127.0.0.1 --directory "$tap_dir/served" 0 >"$tap_dir/server" 2>&1 &
server=$!
trap 'kill $server; rm -rf "$tap_dir"' EXIT
for _ in $(seq 300); do
	grep -q "port [0-9]" "$tap_dir/server" && break
	sleep 0.1
done
port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$tap_dir/server")

# fetched URLS: the same as flame, with a cache that is empty at first.
fetched() {
	rm -rf "$tap_dir/cache"
	DEBUGINFOD_URLS=$1 DEBUGINFOD_CACHE_PATH=$tap_dir/cache DEBUGINFOD_TIMEOUT=1 \
		flame :
}

fetched ""
check "no server is asked where DEBUGINFOD_URLS is not set" lacks "$tap_dir/server" GET
check "and there are no names" nameless
fetched "http://127.0.0.1:$port"
check "names are fetched from a server of debug files" named
check "which was asked for this program" holds "$tap_dir/server" "/buildid/$id/debuginfo"
cp "$tap_dir/wrong" "$served/debuginfo"
fetched "http://127.0.0.1:$port"
check "a file with another build-id is not believed" nameless
check "which is said" holds "$tap_dir/err" "the debug file that came for build-id $id is another one"
echo "no ELF file" >"$served/debuginfo"
fetched "http://127.0.0.1:$port"
check "nor is what is no ELF file" nameless

# A server that takes what is asked and never answers.
python3 -u -c 'import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print("port", s.getsockname()[1])
time.sleep(600)' >"$tap_dir/deaf" &
deaf=$!
trap 'kill $server $deaf; rm -rf "$tap_dir"' EXIT
for _ in $(seq 300); do
	grep -q "port [0-9]" "$tap_dir/deaf" && break
	sleep 0.1
done
fetched "http://127.0.0.1:$(sed -n 's/port //p' "$tap_dir/deaf")"
check "a server that does not answer is not waited for for ever" nameless
check "it is said whose names were not there" holds "$tap_dir/err" "DEBUGINFOD_URLS: "
finish
