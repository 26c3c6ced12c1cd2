# SPDX-License-Identifier: BSD-2-Clause
# What weir saw against what is known. To be sourced after tap.sh and ask.sh.

program judge <<'P'
import errno, json, os, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
known = dict(pair.split("=", 1) for pair in sys.argv[3:])
known = dict({name: eval(value) for name, value in known.items()}, rows=rows, errno=errno, os=os)
if not eval(sys.argv[2], known):
    sys.exit(" ".join(sys.argv[2:]))
P

# judge [NAME=VALUE...] <<LINES: each line "sentence: expression" is a case; a Python expression
# over `rows`, which weir wrote to $tap_dir/json, and the names.
judge() {
	while read -r line; do
		check "${line%%: *}" stands "${line#*: }" "$@"
	done
}

stands() {
	ask judge "$tap_dir/json" "$@" && return
	head -c 4000 "$tap_dir/json"
	cat "$tap_dir/err"
	return 1
}

# counted DISK COMMAND...: runs the command; $reads and $read_ms are what the kernel counted of it.
# shellcheck disable=SC2034 # for who sources this
counted() {
	disk=$1
	shift
	before=$(awk '{print $1, $4}' "/sys/block/$disk/stat")
	"$@"
	after=$(awk '{print $1, $4}' "/sys/block/$disk/stat")
	reads=$((${after% *} - ${before% *})) read_ms=$((${after#* } - ${before#* }))
}

# watch PIPELINE DISK NUMBER: that pipeline over so many reads of 4 KiB, past the page cache.
watch() {
	counted "$2" "$weir" "$1" --disk "$2" --format json -- \
		dd if="/dev/$2" of=/dev/null bs=4k count="$3" iflag=direct >"$tap_dir/json" 2>"$tap_dir/err"
}
