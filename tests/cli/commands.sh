#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands around pipelines: what they print where, and how they end. Usage: commands.sh
# SOURCE BUILD; WEIR_TEST_PLUGINS is what fixtures/plugins/build.sh made.
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
gallery=$WEIR_TEST_PLUGINS
out=$tap_dir/stdout err=$tap_dir/stderr

weir() {
	"$build/weir" "$@" >"$out" 2>"$err"
}

# both STATUS OUT ERR COMMAND...: the status, and a text in stdout and in stderr ("": empty).
both() {
	both_status=$1 both_out=$2 both_err=$3
	shift 3
	status "$both_status" weir "$@" || { cat "$err"; return 1; }
	contains "$out" "$both_out" && contains "$err" "$both_err"
}

# contains FILE TEXT: blanks between columns count as one, for their widths depend on all rows.
contains() {
	tr -s ' ' <"$1" >"$tap_dir/squeezed"
	if [ -n "$2" ]; then holds "$tap_dir/squeezed" "$2"; else same /dev/null "$1"; fi
}

mkdir "$tap_dir/pipelines"
cat >"$tap_dir/pipelines/toys.yaml" <<EOF
# How many toys are there?
weir: 1
params:
  rows: {type: int, default: 3, help: rows of a batch}
sources:
  toys:
    plugin: toy.rows
    rows: \${rows}
  numbers:
    plugin: toy.client
transforms:
  counts:
    plugin: toy.count
    inputs: [toys]
sinks:
  out:
    plugin: toy.sink
    inputs: [toys, counts, numbers]
EOF
cat >"$tap_dir/pipelines/grown.yaml" <<EOF
# Do components of smaller and larger structs work together?
weir: 1
sources:
  old:
    plugin: smaller
    second: 5
sinks:
  new:
    plugin: larger
    high: 7
    inputs: [old]
  out:
    plugin: toy.sink
    inputs: [old]
EOF
sed 's/plugin: toy.rows/plugin: toy.rosw/; s/inputs: .toys.$/inputs: [tosy]/' \
	"$tap_dir/pipelines/toys.yaml" >"$tap_dir/wrong.yaml"
export WEIR_PIPELINE_PATH="$tap_dir/pipelines" WEIR_PLUGIN_PATH="$gallery/good"

cp "$tap_dir/pipelines/toys.yaml" "$tap_dir/pipelines/verdict.yaml"
check "weir alone runs the pipeline verdict" both 0 "7 rows" "verdict: attached"
rm "$tap_dir/pipelines/verdict.yaml"
check "--help goes to stdout" both 0 "usage: weir PIPELINE" "" --help
check "help of a command" both 0 "usage: weir check FILE..." "" help check
check "--help after a command" both 0 "usage: weir check FILE..." "" check --help
check "help of a pipeline shows its parameters" both 0 "--rows" "" help toys
check "--version names the ABI" both 0 "plugin ABI 1.0" "" --version
check "a mistyped command brings the nearest" both 2 "" 'did you mean "check"?' chekc
check "a mistyped pipeline brings the nearest" both 2 "" 'did you mean "toys"?' tosy
check "an option before the pipeline is refused" both 2 "" "unknown option --rows" --rows 3 toys
check "a command without its argument shows its usage" both 2 "" "usage: weir describe NAME" describe
check "a command with too many arguments, too" both 2 "" "usage: weir list" list all
check "--plugin-path needs a folder" both 2 "" "--plugin-path: a folder must follow" list --plugin-path
check "a folder that is not there is an error" both 2 "" "/nowhere is not a folder" --plugin-path /nowhere list
check "list shows name and question" both 0 "How many toys are there?" "" list
check "data that cannot be written is a failure" status 1 \
	sh -c '"$1" list >/dev/full 2>/dev/null' - "$build/weir"

check "plugins shows name, kind and ABI" both 0 "toy.count transform 1.0 how many rows came" "" plugins
check "describe shows options with type, range and default" \
	both 0 "int, 0 to 100000, default 3" "" describe toy.rows
check "describe shows columns of nested rows" both 0 'parts holds rows of "part":' "" describe toy.rows
check "describe shows what a service offers" both 0 "toy/1" "" describe toy
check "describe shows formats" both 0 ".toy" "" describe toy.sink
check "describe shows needs" both 0 "charge-toys --all" "" describe toy.rows
check "describe takes a path" both 0 "toy.sink: how many rows" "" describe "$gallery/good/toy.sink.so"
check "describe shows a pipeline" both 0 "toys source toy.rows" "" describe toys
check "describe of nothing brings the nearest" both 2 "" 'did you mean "toy.rows"?' describe toy.rosw
check "doctor shows the worst first, and what it limits" both 0 "toys are slow charge-toys --all toy.rows" "" doctor

check "doctor looks below --root" both 0 "toys are slow" "" doctor --root "$tap_dir"
check "... which must be a folder" both 2 "" "/nowhere is not a folder" doctor --root=/nowhere
printf '# Is this one broken?\nweir: [\n' >"$tap_dir/pipelines/torn.yaml"
check "list shows the others beside a broken one" both 0 "How many toys are there?" "" list
check "... and the broken one" holds "$out" torn
rm "$tap_dir/pipelines/torn.yaml"
check "data for a closed stdout is a failure" status 1 \
	sh -c '"$1" list >&- 2>/dev/null' - "$build/weir"

check "check says ok and nothing else" both 0 "toys.yaml: ok" "" check "$tap_dir/pipelines/toys.yaml"
check "check shows all errors, with the nearest names" \
	both 2 "" 'did you mean "toy.rows"?' check "$tap_dir/wrong.yaml"
cp "$err" "$tap_dir/check.err"
check "... also the second" holds "$err" '"tosy"'
cat >"$tap_dir/needy.yaml" <<EOF
# How many toys were asked for?
weir: 1
params:
  rows: {type: int, help: rows of a batch}
  form: {type: choice, choices: [toy.sink]}
sources:
  toys: {plugin: toy.rows, rows: "\${rows}"}
sinks:
  out: {plugin: "\${form}", inputs: [toys]}
EOF
check "check names the parameters that must be given" \
	both 0 "needy.yaml: ok; must be given: --rows, --form" "" check "$tap_dir/needy.yaml"
check "... and so does describe" both 0 "must be given" "" describe "$tap_dir/needy.yaml"
check "... but run wants them" both 2 "" "give --rows" run "$tap_dir/needy.yaml"
check "run says the same as check" both 2 "" 'did you mean "toy.rows"?' "$tap_dir/wrong.yaml"
check "... to the byte" same "$tap_dir/check.err" "$err"
check "check goes on after a bad file" \
	both 2 "toys.yaml: ok" "wrong.yaml:" check "$tap_dir/wrong.yaml" "$tap_dir/pipelines/toys.yaml"

check "a source, a provider's client and a transform run" both 0 "7 rows" "" toys --quiet
check "run is the same" both 0 "7 rows" "" run toys --quiet
check "a parameter is an option" both 0 "24 rows" "" toys --rows 20 --quiet

cat >"$tap_dir/shown.yaml" <<EOF
weir: 1
sources:
  toys: {plugin: toy.rows, rows: 3}
sinks:
  out: {plugin: "\${format}", inputs: [toys]}
EOF
check "an option of the output's format is one of the command line" \
	both 0 "latency" "" run "$tap_dir/shown.yaml" --columns latency --header=once --quiet
check "... but not one of another format" \
	both 2 "" "has no option --line-end" run "$tap_dir/shown.yaml" --line-end crlf
check "... and its value is checked at its place" \
	both 2 "" 'command line:1:' run "$tap_dir/shown.yaml" --header sometimes
check "smaller and larger structs run together" both 0 "1 rows" "" grown --quiet
check "the command's status is passed on" status 7 weir toys -- sh -c 'exit 7'

finish
