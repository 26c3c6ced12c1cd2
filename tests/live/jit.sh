#!/bin/sh
# weir flame on code that was made at run time: a program that tells of its code in known ways and
# knows its shares, files that must not be believed, node and Java. Usage: jit.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
jitter=$build/tests/jitter
maps=

tidy() {
	rm -rf "$tap_dir" $maps
}
trap tidy EXIT

# flame OPTION...: folded stacks in x.folded.
flame() {
	"$weir" flame --frequency 1997 -o "$tap_dir/x.folded" "$@" >"$tap_dir/own" 2>"$tap_dir/err"
}

# share NAME OTHER: NAME has the share of both that the program measured.
share() {
	python3 "$source/tests/live/jit_share.py" "$tap_dir/x.folded" "$tap_dir/own" "$1" "$2"
}

# told: each sample of made code has a name.
told() {
	! grep -E '\[jit\]|\[anon\]' "$tap_dir/x.folded"
}

flame -- "$jitter" map 3
check "a perf map names code" share alpha "beta:odd name(int, char)"
check "all of it" told
check "nothing is said of missing names" lacks "$tap_dir/err" "have no names"
flame -- "$jitter" late 3
check "a map that is written at the end names what was before" share alpha "beta:odd name(int, char)"
check "all of that" told
flame -- "$jitter" dump 3 "$tap_dir"
check "a jitdump tells apart what was at the same address" share first second
check "and names all of it" told
flame -- "$jitter" none 1
check "code of which nothing is told has no name" grep -q 'jitter;.*;\[anon\]' "$tap_dir/x.folded"
check "which is said, with its share" grep -q "100 % of .* frames of code that jitter (pid [0-9]*) made have no names: it has told nothing of it" "$tap_dir/err"

# mapped PID TEXT...: a map for that process at all addresses.
mapped() {
	echo "1000 7fffffffe000 evil" >"/tmp/perf-$1.map"
	maps="$maps /tmp/perf-$1.map"
}

# doubted TITLE REASON: the map of $pid is not believed.
doubted() {
	flame --pid "$pid" --duration 1s
	kill "$pid"
	wait "$pid" 2>/dev/null
	check "$1 is not believed" lacks "$tap_dir/x.folded" evil
	check "$1: it is said why" holds "$tap_dir/err" "$2"
}
"$jitter" none 600 >/dev/null &
pid=$!
mapped $pid
flame --pid $pid --duration 1s
check "a map of the process's own user is believed" grep -q 'jitter;.*;evil_\[j\]' "$tap_dir/x.folded"
check "but never for code that comes from a file" lacks "$tap_dir/x.folded" "jitter;evil"
touch -d 2001-01-01 "/tmp/perf-$pid.map"
doubted "a map from before the process" "the map that is there is older than the process"
"$jitter" none 600 >/dev/null &
pid=$!
mapped $pid
mv "/tmp/perf-$pid.map" "$tap_dir/elsewhere"
ln -s "$tap_dir/elsewhere" "/tmp/perf-$pid.map"
doubted "a link" "its map belongs to somebody else, or is a link"
if [ "$(id -u)" = 0 ]; then
	"$jitter" none 600 >/dev/null &
	pid=$!
	mapped $pid
	chown 65533 "/tmp/perf-$pid.map"
	doubted "a map of another user" "its map belongs to somebody else, or is a link"
	# By its descriptor, as its own folder may be below the /tmp that is hidden.
	flame -- unshare -pfm sh -c 'mount -t tmpfs none /tmp && exec /proc/self/fd/3 map 2' 3<"$jitter"
	check "in a container, the map is the container's, by the pid in it" share alpha "beta:odd name(int, char)"
	check "and names all of the container's code" told
else
	skip "a map of another user is not believed" "needs root"
	skip "in a container, the map is the container's" "needs root"
fi

# Run times that people use.
cat >"$tap_dir/hot.js" <<'E'
function innermost(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
function outer() {
	let t = 0;
	while (process.cpuUsage().user < 5e6) t += innermost(1e6); // 5 s
	return t;
}
outer();
E
# most COMM NAME: the leaf has it in at least 80 % of the samples of that command.
most() {
	awk -v comm="$1" -v name="$2" 'index($0, comm ";") == 1 {
			all += $NF
			n = split($0, frames, ";")
			if (index(frames[n], name))
				some += $NF
		} END {if (some < 0.8 * all || !all) {print some, "of", all; exit 1}}' "$tap_dir/x.folded"
}
if command -v node >/dev/null; then
	(cd "$tap_dir" && flame -- node --perf-basic-prof hot.js)
	check "node with --perf-basic-prof" most node "$tap_dir/hot.js"
	(cd "$tap_dir" && flame -- node --perf-prof hot.js)
	check "node with --perf-prof" most node "$tap_dir/hot.js"
	(cd "$tap_dir" && flame -- node hot.js)
	check "node without either: what to do is said" holds "$tap_dir/err" "start it with --perf-basic-prof"
else
	skip "node" "there is none"
fi
if command -v javac >/dev/null && command -v jcmd >/dev/null; then
	cat >"$tap_dir/Hot.java" <<'E'
public class Hot {
	static long innermost(int n) { long s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
	public static void main(String[] a) throws Exception {
		long t = 0;
		System.out.println("warm");
		while (System.in.available() == 0) t += innermost(1000000);
		System.out.println(t);
	}
}
E
	javac -d "$tap_dir" "$tap_dir/Hot.java"
	mkfifo "$tap_dir/stop"
	java -XX:+PreserveFramePointer -cp "$tap_dir" Hot <"$tap_dir/stop" >"$tap_dir/java" &
	java=$!
	exec 9>"$tap_dir/stop"
	maps="$maps /tmp/perf-$java.map"
	until_true grep -q warm "$tap_dir/java"
	: >"$tap_dir/err"
	"$weir" flame --pid $java --frequency 499 -o "$tap_dir/x.folded" 2>"$tap_dir/err" &
	watch=$!
	attached "$tap_dir/err"
	until_ticks $java $(($(ticks $java) + 100)) # of samples, before there are names
	jcmd $java Compiler.perfmap >/dev/null
	kill -INT $watch
	wait $watch
	check "Java, whose map is written while it is looked at" most java "Hot.innermost(int)"
	echo >&9
	exec 9>&-
	wait $java
else
	skip "Java" "there is none"
fi
finish
