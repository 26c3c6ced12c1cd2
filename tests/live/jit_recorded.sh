#!/bin/sh
# Recordings of programs that make code at run time, read by weir convert: by weir record and by perf, with
# what the programs have told of their code where they wrote it, or in a folder. Usage: jit_recorded.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
jitter=$build/tests/jitter
folder=$tap_dir/brought
maps=

tidy() {
	rm -rf "$tap_dir" $maps
}
trap tidy EXIT
mkdir "$folder"

# recorded COMMAND...: x.data, and $map, where a map of it would be.
recorded() {
	"$weir" record --frequency 1997 -o "$tap_dir/x.data" -- "$@" >"$tap_dir/own" 2>"$tap_dir/said" || {
		cat "$tap_dir/said"
		return 1
	}
	pid=$("$weir" convert "$tap_dir/x.data" --by comm,pid 2>/dev/null | sed -n "1s/^[^;]*-\([0-9]*\);.*/\1/p")
	map=/tmp/perf-$pid.map
	maps="$maps $map"
}

# convert OPTION...: folded stacks in x.folded.
convert() {
	"$weir" convert "$tap_dir/x.data" -o "$tap_dir/x.folded" "$@" 2>"$tap_dir/err"
}

share() {
	python3 "$source/tests/live/jit_share.py" "$tap_dir/x.folded" "$tap_dir/own" "$1" "$2"
}

# told: each sample of made code has a name.
told() {
	! grep -E '\[jit\]|\[anon\]' "$tap_dir/x.folded"
}

# doubted TITLE REASON: the map is not believed.
doubted() {
	convert
	check "$1 is not believed" lacks "$tap_dir/x.folded" alpha
	check "$1: it is said why" holds "$tap_dir/err" "$2"
}

recorded "$jitter" map 2
convert
check "a perf map names code of a process that is gone" share alpha "beta:odd name(int, char)"
check "all of it" told
check "nothing is said of missing names" lacks "$tap_dir/err" "have no names"
mv "$map" "$folder"
doubted "a map that is elsewhere" "code that jitter (pid $pid) made have no names"
convert --jit-dir "$folder"
check "the folder that it was brought to can be named" share alpha "beta:odd name(int, char)"
ln -s "$folder/perf-$pid.map" "$map"
doubted "a link" "its map belongs to somebody else, or is a link"
rm "$map"
mkfifo "$map"
doubted "a FIFO" "its map cannot be read"
rm "$map"
if [ "$(id -u)" = 0 ]; then
	cp "$folder/perf-$pid.map" "$map"
	chown 65533 "$map"
	doubted "a map of another user" "its map belongs to somebody else, or is a link"
else
	skip "a map of another user is not believed" "needs root"
fi

recorded "$jitter" dump 2 "$tap_dir"
convert
check "a jitdump tells apart what was at the same address" share first second
check "and names all of it" told
mv "$tap_dir"/jit-*.dump "$folder"
convert --jit-dir "$folder"
check "the same from another folder" share first second

if command -v perf >/dev/null; then
	perf record -q -F 1997 -e cpu-clock -g -o "$tap_dir/x.data" "$jitter" dump 2 "$tap_dir" >"$tap_dir/own" 2>/dev/null
	convert
	check "times of another clock are not compared, which is said" holds "$tap_dir/err" "perf record -k mono"
	rm -f "$tap_dir"/jit-*.dump
	perf record -q -F 1997 -e cpu-clock -g -k mono -o "$tap_dir/y.data" "$jitter" dump 2 "$tap_dir" >"$tap_dir/own" 2>/dev/null
	cp "$tap_dir/y.data" "$tap_dir/x.data"
	convert
	check "perf's recording has the names of the dump, too" share first second
	perf inject -j -i "$tap_dir/y.data" -o "$tap_dir/x.data" 2>"$tap_dir/said"
	rm -f "$tap_dir"/jit-*.dump
	convert
	check "what perf inject has merged needs no dump" share first second
	rm -f "$tap_dir"/jitted-*.so
	convert
	check "without the files that it wrote, it is said what is missing" holds "$tap_dir/err" "code that jitter (pid"
else
	skip "recordings of perf" "there is no perf"
fi
finish
