#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names of code that was made at run time, in recordings of the test corpus that WEIR_CORPUS names:
# the same, with the same weights, as perf has found. Usage: corpus_names.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

corpus=${WEIR_CORPUS:-}
made=$corpus/generated
if [ ! -d "$made/node20-jitdump" ]; then
	skip "recordings of the corpus have the names that perf finds" "WEIR_CORPUS names no corpus"
	finish
fi
if ! command -v python3 >/dev/null; then
	skip "recordings of the corpus have the names that perf finds" "needs python3"
	finish
fi

# names FOLDER RECORDING TEXT PREFIX...: RECORDING, with what lies beside it, has the names and weights of TEXT.
names() {
	folder=$made/$1 recording=$2 text=$3
	shift 3
	rm -rf "$tap_dir/jit"
	mkdir "$tap_dir/jit"
	for file in "$folder"/*.map.gz "$folder"/*.dump.gz; do
		[ -f "$file" ] && gzip -dc "$file" >"$tap_dir/jit/$(basename "$file" .gz)"
	done
	"$weir" convert "$folder/$recording" --jit-dir "$tap_dir/jit" -o "$tap_dir/x.folded" 2>"$tap_dir/said" || {
		cat "$tap_dir/said"
		return 1
	}
	gzip -dcf "$folder/$text" >"$tap_dir/expected"
	python3 "$source/tests/corpus/jit_names.py" "$tap_dir/x.folded" "$tap_dir/expected" "$@"
}

check "node, its perf map" names node20-perfmap node-perfmap.perf.data.gz \
	node-perfmap.stackcollapse-all.folded.gz JS: RegExp:
check "nothing is said of code without names" lacks "$tap_dir/said" "have no names"
check "Java 17, the map that jcmd wrote" names jdk17-perfmap java-perfmap.perf.data.gz \
	java-perfmap.stackcollapse-all.folded "long Busy" "void Busy" StubRoutines Interpreter _new_array_Java
check "node, its jitdump, as perf inject has merged it" names node20-jitdump node-jitdump.perf.data.gz \
	after-perf-inject.stackcollapse-all.folded.gz JS: RegExp:
mkdir "$tap_dir/none"
"$weir" convert "$made/node20-jitdump/node-jitdump.perf.data.gz" --jit-dir "$tap_dir/none" -o "$tap_dir/x.folded" 2>"$tap_dir/said"
check "without the dump it is said whose code has no names" \
	grep -q "100 % of [0-9]* frames of code that node (pid 20422) made have no names" "$tap_dir/said"
finish
