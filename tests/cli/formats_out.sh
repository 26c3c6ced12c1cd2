#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Profiles for other tools: speedscope's JSON against the rules of its format, and the text of perf
# script, which must say what was read. Usage: formats_out.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"

convert() {
	"$build/weir" convert "$@" 2>"$tap_dir/said" || { cat "$tap_dir/said"; return 1; }
}

# Two threads whose samples alternate, and a third of the same command.
cat >"$tap_dir/in.script" <<'EOF'
web worker  10/11 [000] 5.000001:        100 cpu-clock:
	            1000 read+0x10 (/lib/libc.so.6)
	            2000 main+0x20 (/bin/a)

db  20/20 [001] 5.000002:        300 cpu-clock:
	            3000 vfs_read ([kernel.kallsyms])
	            1000 read+0x10 (/lib/libc.so.6)

web worker  10/11 [000] 5.000003:        100 cpu-clock:
	            1000 read+0x10 (/lib/libc.so.6)
	            2000 main+0x20 (/bin/a)

web worker  10/12 [000] 5.000004:         50 cpu-clock:
	            2000 main+0x20 (/bin/a)

db  20/20 [001] 5.000005:          7 cpu-clock:
	            9000 "q\uo;te" (/bin/b)
	            2000 [unknown] (/bin/b)

EOF

# speedscope_is FOLDED OPTIONS...: what speedscope is told is that
speedscope_is() {
	expected=$1
	shift
	convert "$tap_dir/in.script" "$@" -o "$tap_dir/out.speedscope.json" &&
		python3 "$source/tests/cli/speedscope_text.py" "$tap_dir/out.speedscope.json" >"$tap_dir/got" &&
		same "$expected" "$tap_dir/got"
}

cat >"$tap_dir/by_comm" <<'EOF'
db;[b];"q\uo:te" 7
db;read;vfs_read 300
web_worker;main 50
web_worker;main;read 200
EOF
cat >"$tap_dir/by_tid" <<'EOF'
db-20/20;[b];"q\uo:te" 7
db-20/20;read;vfs_read 300
web_worker-10/11;main;read 200
web_worker-10/12;main 50
EOF
check "speedscope has a profile for each command" speedscope_is "$tap_dir/by_comm"
check "... or each thread" speedscope_is "$tap_dir/by_tid" --by comm,pid,tid
check "... with its samples in order of time, neighbours merged" \
	speedscope_is "$tap_dir/by_tid" --by comm,pid,tid,time
check "... each with its weight" holds "$tap_dir/out.speedscope.json" '"weights":[300,7]'
check "weights of a clock are nanoseconds" holds "$tap_dir/out.speedscope.json" '"unit":"nanoseconds"'
check "a frame's file is its binary" holds "$tap_dir/out.speedscope.json" '"name":"main","file":"a"'

odd() {
	printf 'a;\001\377"\\;\xe2\x82\xac 3\n' >"$tap_dir/odd.folded"
	convert "$tap_dir/odd.folded" -o "$tap_dir/odd.speedscope.json" &&
		python3 "$source/tests/cli/speedscope_text.py" "$tap_dir/odd.speedscope.json" >"$tap_dir/got" &&
		printf 'a;\001\357\277\275"\\;\xe2\x82\xac 3\n' >"$tap_dir/expected" &&
		same "$tap_dir/expected" "$tap_dir/got"
}
check "names of any bytes are valid JSON" odd

# as_text OPTIONS...: perf script's text, written again, folds to the same as it did.
as_text() {
	convert "$tap_dir/in.script" "$@" -o "$tap_dir/out.script" &&
		convert "$tap_dir/in.script" "$@" -o "$tap_dir/one.folded" &&
		convert "$tap_dir/out.script" "$@" -o "$tap_dir/two.folded" &&
		same "$tap_dir/one.folded" "$tap_dir/two.folded"
}
check "the text of perf script is written as it can be read" as_text
check "... sample by sample" as_text --by comm,pid,tid,cpu,time
check "... with thread, CPU, time, period and event" holds "$tap_dir/out.script" \
	'web worker    10/11 [000] 5.000001:        100 cpu-clock:'
check "... and kernel code is marked as perf does" holds "$tap_dir/out.script" 'vfs_read ([kernel.kallsyms])'

folded_as_text() {
	printf 'a;b c;d_[i] 5\na;b c_[k] 6\n' >"$tap_dir/in.folded"
	convert "$tap_dir/in.folded" -o "$tap_dir/x.script" && convert "$tap_dir/x.script" -o "$tap_dir/x.folded" &&
		sort "$tap_dir/in.folded" >"$tap_dir/sorted" && same "$tap_dir/sorted" "$tap_dir/x.folded"
}
check "folded text becomes text of perf script and comes back" folded_as_text

if [ -x "${WEIR_FLAMEGRAPH:-}/stackcollapse-perf.pl" ]; then
	collapsed() {
		"$WEIR_FLAMEGRAPH/stackcollapse-perf.pl" "$tap_dir/out.script" >"$tap_dir/perl" &&
			convert "$tap_dir/in.script" --compat flamegraph -o "$tap_dir/own" --format folded &&
			same "$tap_dir/perl" "$tap_dir/own"
	}
	check "stackcollapse-perf.pl reads it as well" collapsed
else
	skip "stackcollapse-perf.pl reads it as well" "WEIR_FLAMEGRAPH names no folder with it"
fi

finish
