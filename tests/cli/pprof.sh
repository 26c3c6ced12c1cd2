#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pprof profiles, written and read: by a second decoder, by go tool pprof where there is one, and
# there and back. Recorded ones are of the folder that WEIR_CORPUS names. Usage: pprof.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
text=$source/tests/cli/pprof_text.py

convert() {
	"$build/weir" convert "$@" 2>"$tap_dir/said" || { cat "$tap_dir/said"; return 1; }
}

# decoded PROFILE FOLDED: the second decoder reads what the folded text says.
decoded() {
	python3 "$text" "$1" >"$tap_dir/decoded" && same "$2" "$tap_dir/decoded"
}

# by_go PROFILE: go tool pprof reads of it what the second decoder does, but for names that it lacks.
by_go() {
	PPROF_BINARY_PATH=/nonexistent go tool pprof -symbolize=none -raw "$1" >"$tap_dir/raw" 2>"$tap_dir/said" ||
		{ cat "$tap_dir/said"; return 1; }
	python3 "$text" --blank --raw "$tap_dir/raw" >"$tap_dir/go" &&
		python3 "$text" --blank "$1" >"$tap_dir/decoded" && same "$tap_dir/decoded" "$tap_dir/go"
}

# there_and_back FOLDED
there_and_back() {
	convert "$1" -o "$tap_dir/there.pb.gz" && convert "$tap_dir/there.pb.gz" -o "$tap_dir/back.folded" &&
		same "$1" "$tap_dir/back.folded"
}

cat >"$tap_dir/plain.folded" <<EOF
a b;main;std::f<int, void (*)()>::g 3
a b;main;work 18446744073709551
x;a->b;café 2
EOF
LC_ALL=C sort -o "$tap_dir/plain.folded" "$tap_dir/plain.folded"
cat >"$tap_dir/marked.folded" <<EOF
java;main;Lx/Y.run_[j];Lx/Z.go_[i] 5
java;main;read;vfs_read_[k] 7
EOF
check "stacks come back as they were" there_and_back "$tap_dir/plain.folded"
check "the second decoder reads the same of the profile" \
	decoded "$tap_dir/there.pb.gz" "$tap_dir/plain.folded"
check "the kinds of frames come back, too" there_and_back "$tap_dir/marked.folded"

deep() {
	awk 'BEGIN {for (i = 0; i < 32768; i++) printf "f%d;", i; print "leaf 5"}' >"$tap_dir/deep.folded"
	there_and_back "$tap_dir/deep.folded"
}
check "a stack of 32,769 frames comes back" deep

empty() {
	status 2 "$build/weir" convert "$1" --format folded 2>"$tap_dir/said"
}
printf '\n\004\010\001\020\002\062\000\062\007samples\062\005count' >"$tap_dir/empty.pb"
check "a profile without samples is exit status 2" empty "$tap_dir/empty.pb"
head -c 100 "$tap_dir/there.pb.gz" >"$tap_dir/cut.pb.gz"
check "a profile that was cut is told, not read in part" status 1 sh -c \
	"'$build/weir' convert '$tap_dir/cut.pb.gz' --format folded 2>'$tap_dir/said' >/dev/null; s=\$?; grep -q . '$tap_dir/said'; [ \$s = 0 ]"

if command -v go >/dev/null && go tool -n pprof >/dev/null 2>&1; then
	for name in plain marked; do
		convert "$tap_dir/$name.folded" -o "$tap_dir/$name.pb.gz"
		check "go tool pprof reads the $name profile as it is" by_go "$tap_dir/$name.pb.gz"
	done
else
	skip "go tool pprof reads the profiles as they are" "go is not installed"
fi

# recorded FILE: read as the second decoder does; written again, the same comes back.
recorded() {
	convert "$1" --no-annotations -o "$tap_dir/got.folded" && decoded "$1" "$tap_dir/got.folded" || return 1
	convert "$1" -o "$tap_dir/again.pb.gz" && decoded "$tap_dir/again.pb.gz" "$tap_dir/got.folded" || return 1
	! command -v go >/dev/null || by_go "$tap_dir/again.pb.gz"
}

# What there was before profile.proto. Words of the CPU profile have 4 or 8 bytes, of either byte order.
python3 - "$tap_dir" <<'P'
import struct, sys
maps = "00400000-00500000 r-xp 00001000 08:02 42    /bin/program\n00600000-00700000 rw-p 00000000 08:02 42    /bin/data\n"
samples = [(3, [0x400010, 0x400021]), (2, [0x400030, 0x400031, 0x650000])]
for form in ("<Q", ">Q", "<I", ">I"):
    word = lambda *values: b"".join(struct.pack(form, value) for value in values)
    data = word(0, 3, 0, 10000, 0)
    for times, stack in samples:
        data += word(times, len(stack), *stack)
    name = {"<": "little", ">": "big"}[form[0]] + {"Q": "64", "I": "32"}[form[1]]
    open("%s/%s.cpu" % (sys.argv[1], name), "wb").write(data + word(0, 1, 0) + maps.encode())
    open("%s/cut.cpu" % sys.argv[1], "wb").write(data[:-3])
P
# as_old NAME EXPECTED OPTIONS...: what weir makes of tap_dir/NAME.
as_old() {
	printf '%s\n' "$2" >"$tap_dir/expected"
	in=$tap_dir/$1
	shift 2
	convert "$in" --format folded "$@" >"$tap_dir/got" && same "$tap_dir/expected" "$tap_dir/got"
}
for form in little64 big64 little32 big32; do
	check "a CPU profile of gperftools is read ($form)" as_old $form.cpu "[program];[program] 30000000
[unknown];[program];[program] 20000000"
done
check "its samples can be chosen" as_old little64.cpu "[program];[program] 3
[unknown];[program];[program] 2" --event samples
check "one that is cut is read as far as it goes" as_old cut.cpu "[unknown];[unknown] 30000000"
check "and that is said" holds "$tap_dir/said" "lost 1 rows: lines or samples that cannot be read"
cat >"$tap_dir/goroutines.txt" <<EOF
goroutine profile: total 5
3 @ 0x101 0x201
#	0x100	main.inner+0x20	/src/a.go:12
#	0x100	main.outer+0x30	/src/a.go:34
#	0x200	main.main+0x10	/src/main.go:5

2 @ 0x301 0x201
EOF
check "a profile of goroutines is read, with its remarks" as_old goroutines.txt "main.main;[unknown] 2
main.main;main.outer;main.inner_[i] 3"
cat >"$tap_dir/heap.txt" <<EOF
heap profile:      3:  3072 [    10: 10240] @ heapprofile
     2:  2048 [     9:  9216] @ 0x400010 0x400020
     1:  1024 [     1:  1024] @ 0x400030
     no sample
MAPPED_LIBRARIES:
00400000-00500000 r-xp 00000000 08:02 42    /bin/program
EOF
check "a heap profile is read: what is in use" as_old heap.txt "[program] 1024
[program];[program] 2048"
check "a line of it that is not understood is counted" holds "$tap_dir/said" "lost 1 rows: lines or samples that cannot be read"
check "or what was allocated" as_old heap.txt "[program] 1
[program];[program] 9" --event alloc_objects
cat >"$tap_dir/mutex.txt" <<EOF
--- mutex:
cycles/second = 2000000000
sampling period = 10
4000 2 @ 0x400010 0x400020
EOF
check "waits for locks are read, in ns" as_old mutex.txt "[unknown];[unknown] 20000"

# Addresses without names: those of the program, as nm tells, where it is known to be the one.
python3 "$source/tests/cli/pprof_addresses.py" "$build/tests/calltree" east leaf "$tap_dir"
check "addresses are named by the file whose build-id the profile tells" as_old named.pb "east;leaf 7"
check "not by another one" as_old changed.pb "[calltree];[calltree] 7"
check "and that is said" holds "$tap_dir/said" "what lies there now is not the file that was mapped"
check "nor without a build-id" as_old odd.pb "[calltree];[calltree] 7"
check "and what to do is said" holds "$tap_dir/said" "--trust-files"
check "with --trust-files, it is believed" as_old odd.pb "east;leaf 7" --trust-files
check "an old profile is named, too" as_old named.heap "east;leaf 512" --trust-files

count=0
for file in ${WEIR_CORPUS:+"$WEIR_CORPUS"/pprof/profile/testdata/*.string}; do
	count=$((count + 1))
	name=$(basename "$file" .string)
	check "as pprof reads it: $name" python3 "$source/tests/corpus/pprof_legacy.py" "$build/weir" \
		"$source/tests/fixtures/perf_data.yaml" "${file%.string}" "$file"
	sed -n 's/^\([0-9]* values.*\)/# \1/p' "$tap_dir/out"
done
if [ -n "${WEIR_CORPUS:-}" ]; then
	check "there were old profiles" test $count -ge 14
else
	skip "old profiles are read as pprof reads them" "WEIR_CORPUS names no folder of them"
fi

count=0
for file in ${WEIR_CORPUS:+"$WEIR_CORPUS"/pprof/internal/*/testdata/* "$WEIR_CORPUS"/parca/pkg/*/*.pb.gz
	"$WEIR_CORPUS"/parca/pkg/query/testdata/*.pb.gz "$WEIR_CORPUS"/speedscope/sample/profiles/pprof/*}; do
	[ "$(head -c 2 "$file" | od -An -tx1 | tr -d ' ')" = 1f8b ] || continue
	count=$((count + 1))
	check "recorded: ${file#"$WEIR_CORPUS"/}" recorded "$file"
done
if [ -n "${WEIR_CORPUS:-}" ]; then
	check "there were recorded profiles" test $count -ge 10
else
	skip "recorded profiles are read as they are" "WEIR_CORPUS names no folder of them"
fi

finish
