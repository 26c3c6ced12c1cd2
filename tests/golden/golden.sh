#!/bin/sh
# What the sinks table, json and csv print of the rows of test.rows, to the byte but for the time of day.
# Usage: golden.sh SOURCE BUILD. Expected outputs are NAME.txt beside this file.
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
golden="$source/tests/golden"
: "${WEIR:=$build/weir}"

# The fixture's windows begin when the pipeline does.
without_times() {
	sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{9}Z/DATE/g' \
		-e 's/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}/HH:MM:SS.mmm/g'
}

# prints NAME PIPELINE ARGUMENTS...
prints() {
	expected="$golden/$1.txt" pipeline="$golden/$2"
	shift 2
	timeout 60 "$WEIR" run "$pipeline" "$@" >"$tap_dir/raw" || return 1
	without_times <"$tap_dir/raw" >"$tap_dir/got"
	same "$expected" "$tap_dir/got"
}

for with in types histograms events tree nested nothing heads; do
	check "table shows $with" prints "table-$with" rows.yaml --with $with
	check "json writes $with" prints "json-$with" rows.yaml --with $with --format json
	check "csv writes $with" prints "csv-$with" rows.yaml --with $with --format csv
done
check "csv has the columns of all inputs, and line ends as asked for" prints csv-two csv.yaml

check "table gives percentiles as columns" \
	prints table-line table.yaml --with histograms --histogram line --percentiles 50,99.9
check "table leaves histograms out" \
	prints table-off table.yaml --with histograms --histogram off --header once
check "table shows raw numbers with units in the head" \
	prints table-raw table.yaml --units raw --columns load,pid,took,size,share
check "table draws raw histograms" \
	prints table-raw-bars table.yaml --with histograms --units raw --header never
check "table shows columns in the order asked for" \
	prints table-columns table.yaml --with tree --columns symbol,depth
check "table takes columns by their heads, too" \
	prints table-heads-columns table.yaml --with heads --columns %util,r/s,wait
check "json writes the columns asked for" \
	prints json-columns rows.yaml --with heads --format json --columns %util,disk
check "csv writes the columns asked for" \
	prints csv-columns rows.yaml --with heads --format csv --columns %util,disk
# refuses FORMAT: a column that there is not, with the one that was meant.
refuses() {
	status 2 "$WEIR" run "$golden/rows.yaml" --with heads --format "$1" --columns disk,%uitl 2>"$tap_dir/err" &&
		holds "$tap_dir/err" 'command line:1:' && holds "$tap_dir/err" 'did you mean "%util"?'
}
for format in table json csv; do
	check "$format refuses a column that there is not, and knows the one that was meant" refuses $format
done
check "table shows raw counts where heads say rates" \
	prints table-heads-raw table.yaml --with heads --units raw
check "table prints no head when told so" \
	prints table-never table.yaml --with events --header never

# on_terminal NAME COLUMNS ROWS; a terminal ends lines with a carriage return, too.
on_terminal() {
	expected="$golden/$1.txt"
	script -qec "stty cols $2; timeout 60 '$WEIR' run '$golden/rows.yaml' --with $3 2>/dev/null" \
		/dev/null </dev/null >"$tap_dir/raw" || return 1
	tr -d '\r' <"$tap_dir/raw" | without_times >"$tap_dir/got"
	same "$expected" "$tap_dir/got"
}

unset COLUMNS NO_COLOR
export TERM=xterm
if command -v script >/dev/null; then
	check "table leaves columns out on a narrow terminal" on_terminal tty-types 60 types
	check "table cuts texts on a narrower one" on_terminal tty-cut 50 types
	check "table breaks the line of totals" on_terminal tty-histograms 60 histograms
else
	skip "table fits a narrow terminal" "script (bsdutils) is not installed"
fi
finish
