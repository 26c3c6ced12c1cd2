#!/bin/sh
# Recordings of perf in all their forms: those that the test writes itself and whose samples are
# known, and, where WEIR_CORPUS names a folder of them, those that others have made. Usage:
# perf_data.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
pipeline=$source/tests/fixtures/perf_data.yaml
made=$tap_dir/made
mkdir "$made"
python3 "$source/tests/cli/perf_data_write.py" "$made" "$build/tests/calltree" leaf || exit 1

# read FILE [OPTION...]: its samples, in $tap_dir/got, and what was said, in $tap_dir/said.
read_data() {
	"$weir" run "$pipeline" "$@" >"$tap_dir/got" 2>"$tap_dir/said"
}

reads() {
	read_data "$made/$1.data" || { cat "$tap_dir/said"; return 1; }
	same "$made/$1.expected" "$tap_dir/got"
}

piped() {
	"$weir" run "$pipeline" - >"$tap_dir/got" <"$made/$1.data" 2>"$tap_dir/said" ||
		{ cat "$tap_dir/said"; return 1; }
	same "$made/$1.expected" "$tap_dir/got"
}

through_a_pipe() {
	cat "$made/$1.data" | "$weir" run "$pipeline" - >"$tap_dir/got" 2>"$tap_dir/said" ||
		{ cat "$tap_dir/said"; return 1; }
	same "$made/$1.expected" "$tap_dir/got"
}

for order in little big; do
	check "a file of $order-endian order is read" reads ${order}_file
	check "a stream of $order-endian order is read" reads ${order}_pipe
	for size in 64 72 128 264; do
		check "attributes of $size bytes, $order-endian, are read" reads ${order}_attr_$size
	done
	check "a file of $order-endian order is read from a pipe" through_a_pipe ${order}_file
	check "a stream of $order-endian order is read from a pipe" through_a_pipe ${order}_pipe
done
check "a recording is read from standard input" piped little_file
check "version 1 is read" reads version_1
check "unknown records of a file, and what follows them, are skipped" reads unknown_records_file
check "unknown records of a stream, and what follows them, are skipped" reads unknown_records_pipe
for form in packed packed_again; do
	check "a file with records cut by zstd is read ($form)" reads ${form}_file
	check "a stream with records cut by zstd is read ($form)" reads ${form}_pipe
done
gzip -c "$made/little_file.data" >"$made/zipped.data"
cp "$made/little_file.expected" "$made/zipped.expected"
check "a recording that is packed as a whole is read" reads zipped

for how in identifier id; do
	check "of several events, told by $how, the first one is taken" reads events_by_$how
	check "that others are left out is said ($how)" holds "$tap_dir/said" "1 of others are left out, such as second"
	chosen() {
		read_data "$made/second_event_by_$how.data" --event second &&
			same "$made/second_event_by_$how.expected" "$tap_dir/got"
	}
	check "--event takes another one, told by $how" chosen
done
check "a counter's value, with what was lost of it, is passed over" reads read_single
check "a group's values are passed over" reads read_group
check "mappings and names are those of each sample's time" reads processes

for order in little big; do
	check "user parts of stacks that come later are joined, $order-endian" reads deferred_$order
	check "those that did not come are counted, $order-endian" holds "$tap_dir/said" "the user part of 2 stacks was recorded apart, and is missing"
done
check "the processor's calls continue a stack" reads calls
check "so they do when their place in the hardware stands before them" reads calls_with_index
check "branches that are no calls do not" reads jumps

check "what cannot be a record ends the reading" reads impossible
check "and is said, with its place" holds "$tap_dir/said" "is no record: it is read up to there"
check "a stack longer than its record is left out" reads chain_too_long
check "and counted" holds "$tap_dir/said" "lost 1 rows: records that cannot be read"
check "a recording that was not finished is read as far as it goes" reads unfinished
check "and that it was not is said" holds "$tap_dir/said" "was not finished"
cut() {
	for file in "$made"/cut_*.data; do
		read_data "$file"
		got=$?
		[ $got -le 2 ] || { echo "$file: exit status $got"; cat "$tap_dir/said"; return 1; }
		grep -qv ': attached$' "$tap_dir/said" || { echo "$file: nothing is said"; return 1; }
	done
}
check "a recording cut anywhere is read as far as it goes, and that is said" cut

check "a function is named by its file's build-id" reads named
check "so it is when the mapping says that the file is deleted" reads named_deleted
check "so it is when a feature tells the build-id" reads named_by_feature
check "of another file, no function is named" reads other_file
check "and it is said which" holds "$tap_dir/said" "what lies there now is not the file that was mapped"
check "so it is when a feature tells another build-id" reads other_file_by_feature
check "without a build-id, no function is named" reads unproven
check "and the reason is said" holds "$tap_dir/said" "no build-id tells whether"
check "an inode tells the file on the machine that recorded, though marked as a build-id" reads inode
check "on another machine it does not" reads inode_elsewhere
check "this kernel's functions are named" reads kernel_here
for other in kernel_moved kernel_other kernel_other_release; do
	check "those of another kernel are not: $other" reads $other
	check "and the reason is said: $other" holds "$tap_dir/said" "no names of kernel functions"
done

# What perf itself printed of recordings, without names.
printed=${WEIR_CORPUS:-}/generated/perf-6.1-raw-ip
if [ -d "$printed" ]; then
	find "$printed" -type f | sort >"$tap_dir/list"
	while read -r text; do
		name=${text#"$printed"/}
		name=${name%.gz}
		name=${name%.rawip.txt}
		file=$WEIR_CORPUS/$name
		[ -e "$file" ] || file=$file.gz
		only=
		how=
		case $name in
		*intel_pt*) only=cycles ;; # perf makes samples up of a hardware trace
		*lbr*) how=--calls ;;
		esac
		check "as perf has them: $name" python3 "$source/tests/corpus/perf_data.py" $how "$weir" "$pipeline" "$file" "$text" $only
		sed -n 's/^\([0-9]* samples.*\)/# \1/p' "$tap_dir/out"
	done <"$tap_dir/list"
	readable() {
		"$weir" convert "$1" -o "$tap_dir/folded" 2>"$tap_dir/said"
		got=$?
		case $1 in
		*corrupted*) [ $got = 2 ] && holds "$tap_dir/said" "is no record" ;;
		*) [ $got = 0 ] && [ -s "$tap_dir/folded" ] ;;
		esac || { cat "$tap_dir/said"; return 1; }
	}
	# What perfparser unwound of copies of stacks, with its programs where they were.
	while read -r recording program; do
		from=$WEIR_CORPUS/perfparser/perfdata/${recording%%/*}
		expected=$from/${recording#*/}.expected.txt.gz
		place=$tap_dir/root$(gzip -dc "$expected" | grep -o "/[^ ]*/$program" | head -1)
		mkdir -p "${place%/*}"
		gzip -dc "$from/$program.gz" >"$place"
		check "as perfparser unwinds it: $recording" python3 "$source/tests/corpus/perfparser.py" \
			"$weir" "$source/tests/fixtures/unwound.yaml" "$tap_dir/root" "$from/${recording#*/}.gz" "$expected"
		sed -n 's/^\([0-9]* samples.*\)/# \1/p' "$tap_dir/out"
	done <<-END
		vector_static_gcc/perf.data vector_static_gcc_v9.1.0
		vector_static_gcc/perf.data.zstd vector_static_gcc_v9.1.0
		vector_static_clang/perf.data vector_static_clang_v8.0.1
		fork_static_gcc/perf.data.zstd fork
	END
	find "$WEIR_CORPUS/perf_data_converter/quipper" -name 'perf.data*' ! -name '*pb_text*' ! -name '*.buildids' |
		sort >"$tap_dir/list"
	while read -r file; do
		check "it is read, or it is said why not: $(basename "$file")" readable "$file"
	done <"$tap_dir/list"
else
	skip "as perf has them" "WEIR_CORPUS names no folder with recordings"
fi
finish
