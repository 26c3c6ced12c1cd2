#!/bin/sh
# weir opensnoop on a program that opens files in every way, each in known numbers.
# Usage: open.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir load=$build/tests/open_load

if [ "$(id -u)" != 0 ]; then
	skip "opensnoop on known calls" "needs root"
	finish
fi
folder=$(on_disk "$build/tests")/open-$$
chmod 755 "$tap_dir" # for the user who may not open one file in it

# snoop CASE N [OPTION...]: the load's case N times below weir; JSON in $tap_dir/json.
snoop() {
	case=$1 number=$2
	shift 2
	"$weir" opensnoop --format json "$@" -- "$load" "$case" "$number" "$folder" \
		>"$tap_dir/json" 2>"$tap_dir/err"
}

# counts N CONDITION: exactly so many rows hold it, a Python expression over their columns.
program counts <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
print(sum(bool(eval(sys.argv[2], {"folder": sys.argv[3]}, row)) for row in rows))
P
counts() {
	found=$(ask counts "$tap_dir/json" "$2" "$folder")
	[ "$found" = "$1" ] && return
	echo "$found rows, not $1: $2"
	tail -5 "$tap_dir/json"
	cat "$tap_dir/err"
	return 1
}

machine=$(uname -m)
if [ "$machine" = x86_64 ]; then
	snoop open 100
	check "100 calls of open are 100 rows" counts 100 \
		'call == "open" and path == folder + "/file" and name == path and flags == "O_RDONLY" and fd >= 3 and error is None and mode is None'
	snoop creat 100
	check "100 calls of creat are 100 rows" counts 100 \
		'call == "creat" and path == folder + "/made" and flags == "O_WRONLY|O_CREAT|O_TRUNC" and mode == "0640"'
else
	skip "100 calls of open are 100 rows" "$machine has no such call"
	skip "100 calls of creat are 100 rows" "$machine has no such call"
fi
snoop openat 100
check "100 calls of openat are 100 rows" counts 100 \
	'call == "openat" and path == folder + "/file" and flags == "O_RDWR|O_APPEND|O_CLOEXEC" and comm == "open_load"'
snoop openat2 100
check "100 calls of openat2 are 100 rows" counts 100 \
	'call == "openat2" and path == folder + "/file" and flags == "O_RDONLY|O_NOFOLLOW|RESOLVE_NO_MAGICLINKS"'
snoop handle 100
check "100 files opened by a handle are 100 rows with their path" counts 100 \
	'call == "open_by_handle_at" and path == folder + "/file" and name is None'

snoop cwd 100
check "a path relative to the working directory is told from the root on" counts 100 \
	'name == "../sub/./inner" and path == folder + "/sub/inner"'
check "of what is not there, too" counts 100 \
	'path == folder + "/sub/missing" and name == "missing" and error == "ENOENT" and fd is None'
snoop folder 100
check "a path relative to a directory's descriptor is told from the root on" counts 100 \
	'name == "inner" and path == folder + "/sub/inner"'
check "of what is not there, too" counts 100 'path == folder + "/sub/not/there" and error == "ENOENT"'
check "also when that directory is taken for the root" counts 100 \
	'path == folder + "/sub//rooted" and error == "ENOENT" and flags == "O_RDONLY|RESOLVE_IN_ROOT"'
snoop cold 50
check "a name in a page that was never touched is there" counts 50 \
	'path == name == folder + "/sub/inner" and flags == "O_RDONLY"'
check "of what is not there, too" counts 50 \
	'path == name == folder + "/cold and missing" and error == "ENOENT"'
check "a name that is in no page at all is absent" counts 50 \
	'error == "EFAULT" and path is None and name is None'
snoop link 100
check "a link is told by what it leads to, and by its name" counts 100 \
	'path == folder + "/sub/inner" and name == folder + "/link"'

snoop chroot 100
check "paths are told from the root that the process has" counts 100 'path == "/inner" == name'
check "relative ones, too" counts 100 'path == "/inner" and name == "inner" and flags == "O_WRONLY"'
check "and of what is not there" counts 100 'path == "/missing" and error == "ENOENT"'
check "what lies outside is marked" counts 100 'path.startswith("(unreachable)/") and path.endswith(folder + "/file") and name == "file"'
snoop bind 100
check "a mount of the process's own namespace is crossed" counts 100 \
	'path == folder + "/bound/inner" == name and error is None'
check "and one mounted on it" counts 100 'path == folder + "/bound/deeper/held" and name == "held"'
check "also of what is not there" counts 100 'path == folder + "/bound/deeper/missing" and error == "ENOENT"'
check "the root is /" counts 100 'path == "/" == name'

snoop deleted 20
check "a deleted file is marked" counts 20 'path == folder + "/removed (deleted)"'
snoop denied 100
check "what nobody may open is told" counts 100 \
	'error == "EACCES" and path == folder + "/secret" and uid == 65534'
snoop deep 20
check "a path that is too long is cut at its beginning, and says so" counts 20 \
	'path.startswith("(cut)/dddd") and path.endswith("d/end") and 4000 < len(path) < 4400'

snoop cwd 100 --failed
check "only failures, when asked for" counts 100 'path == folder + "/sub/missing"'
check "and nothing else" counts 0 'not error'
snoop slow 3 --latency
check "how long a call took is told" counts 3 \
	'path == folder + "/fifo" and flags == "O_RDONLY" and 90000000 < latency < 60000000000'
check "of each of them" counts 0 'latency is None and path and path.startswith(folder)'

# A whole machine's calls are told apart by name.
cp "$load" "$tap_dir/weirtest_open"
: >"$tap_dir/err"
"$weir" opensnoop --format json --comm weirtest_open >"$tap_dir/json" 2>"$tap_dir/err" &
pid=$!
attached "$tap_dir/err"
"$tap_dir/weirtest_open" openat 500 "$folder" &
one=$!
"$tap_dir/weirtest_open" openat 500 "$folder" &
wait $one $!
kill -INT $pid
wait $pid
check "two processes at a time are both seen" counts 1000 'flags == "O_RDWR|O_APPEND|O_CLOEXEC"'
check "and no others" counts 0 'comm != "weirtest_open"'

"$weir" opensnoop --duration 200ms --comm nosuchprogram >"$tap_dir/said" 2>&1
check "a true zero says that there was nothing" holds "$tap_dir/said" "(no events)"
if command -v setpriv >/dev/null; then
	setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups \
		"$weir" opensnoop --duration 200ms >"$tap_dir/said" 2>&1
	check "without the right to load programs it says so" holds "$tap_dir/said" "CAP_BPF"
else
	skip "without the right to load programs it says so" "setpriv is not installed"
fi
rm -rf "$folder"
finish
