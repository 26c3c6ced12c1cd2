#!/bin/sh
# weir execsnoop and exitsnoop on a program that starts programs, fails to, and ends processes in
# known numbers and with known arguments. Usage: exec.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir cases=$build/tests/exec_cases

if [ "$(id -u)" != 0 ]; then
	skip "execsnoop and exitsnoop on known programs" "needs root"
	finish
fi

# snoop PIPELINE [OPTION...] -- CASE...: runs the case below weir; JSON in $tap_dir/json.
snoop() {
	"$weir" "$@" >"$tap_dir/json" 2>"$tap_dir/err"
}

# rows CONDITION: how many rows hold it, a Python expression over the row's columns.
program rows <<'P'
import json, sys
print(sum(bool(eval(sys.argv[2], {}, row)) for row in map(json.loads, open(sys.argv[1]))))
P
rows() {
	ask rows "$tap_dir/json" "$1"
}

# counts N CONDITION: exactly so many rows do.
counts() {
	found=$(rows "$2")
	[ "$found" = "$1" ] || { echo "$found rows, not $1: $2"; cut -c1-300 "$tap_dir/json" | tail -20; cat "$tap_dir/err"; return 1; }
}

# reads_back EXPRESSION: a shell that reads the args of the last row has the list of arguments.
program reads_back <<'P'
import json, subprocess, sys
args = [json.loads(line) for line in open(sys.argv[1])][-1]["args"]
read = subprocess.run(["bash", "-c", "printf '%s\\0' " + args], stdout=subprocess.PIPE).stdout
want = [a if isinstance(a, bytes) else a.encode() for a in eval(sys.argv[2])]
assert read.split(b"\0")[:-1] == want, (args, read)
assert "\n" not in args
P
reads_back() {
	ask reads_back "$tap_dir/json" "$1"
}

exec_json="execsnoop --format json"
exit_json="exitsnoop --format json"

many=200
emulated && many=40

snoop $exec_json -- "$cases" exec $many
check "$many programs started are $many rows" counts $many 'path == "/bin/true" and comm == "true"'
check "they and the first one are all" counts $((many + 1)) True
check "each has the arguments it was given" counts $many 'args == "/bin/true" and args_count == 1 and args_left == 0'
check "all are children of one process" counts 1 "args.endswith('exec $many')"

# Without a command the whole machine is seen; the rest of it is told apart by name.
cp /bin/true "$tap_dir/weirtest_true"
: >"$tap_dir/err"
"$weir" execsnoop --format json --comm weirtest_true >"$tap_dir/json" 2>"$tap_dir/err" &
pid=$!
attached "$tap_dir/err"
seq 50 | xargs -n1 -P4 "$tap_dir/weirtest_true"
kill -INT $pid
wait $pid
check "50 programs of a name are 50 rows" counts 50 'comm == "weirtest_true"'
check "and no others" counts 50 True
check "their arguments are all there" counts 1 'args.endswith(" 37")'

snoop $exec_json -- "$cases" many 200
check "200 arguments are shown" counts 1 'args == " ".join(["true"] + ["argument%d" % i for i in range(1, 201)])'

snoop $exec_json -- python3 -c 'import os; os.execv("/bin/true", ["a b", "x\ny\t", "", "it'"'"'s", "$HOME", "back\\slash", b"\xff\x1b[1m", "\u00e4\u202e", "~", "(cut)"])'
check "any argument reads back in a shell, from one line" reads_back '["a b", "x\ny\t", "", "it'"'"'s", "$HOME", "back\\slash", b"\xff\x1b[1m", "\u00e4\u202e", "~", "(cut)"]'
snoop $exec_json --quote always -- /bin/true a
check "all arguments are quoted when asked for" counts 1 "args == \"'/bin/true' 'a'\""

snoop $exec_json -- "$cases" long 20000
check "what is too long is cut, and says so" counts 1 'args == "true " + "x" * 16379 + " (cut) (+1 argument) (+3626 bytes)" and args_left == 2'

cold=$(on_disk "$build/tests")/cold-$$
snoop $exec_json -- "$cases" unfaulted "$cold"
check "a name in a page that was never touched is there" counts 1 "args == \"'from a cold page' warm\""
snoop $exec_json -- "$cases" thread
check "a thread that becomes a program is seen" counts 1 "args == \"true 'of a thread'\""

snoop $exec_json --failed -- "$cases" fail 100
check "200 failures are 200 rows" counts 200 'error == "ENOENT" and path == "/nonexistent/program"'
check "with their arguments and who tried" counts 200 "error and args == \"no 'such thing'\" and comm == \"exec_cases\""
check "and those that did not fail have no error" counts 1 'error is None and comm == "exec_cases"'
snoop $exec_json -- "$cases" fail 10
check "failures are not shown unasked" counts 1 True
snoop $exec_json --failed -- "$cases" unreadable "$cold"
check "a failure's arguments are told as far as they can be read" counts 1 'error in ("ENOENT", "EFAULT") and args in ["warm %s \x27warm again\x27 (unreadable)" % a for a in ("(unreadable)", "\x27from a cold page\x27")]'
snoop $exec_json --failed -- "$cases" thread
check "a program and its failures are told once" counts 1 "args == \"true 'of a thread'\""
rm -f "$cold"

snoop $exit_json -- "$cases" exec $many
check "$((many + 1)) processes ended are as many rows" counts $((many + 1)) 'code == 0 and signal is None and core is False'

# Which thread gives a process its code is the kernel's choice: what the parent was told is right.
snoop $exit_json -o "$tap_dir/json" -- sh -c '"$0" threads 100 >"$1"' "$cases" "$tap_dir/told"
check "a process of eight threads that end at once ends once" counts 101 'comm == "exec_cases"'
check "with the code that its parent was told" counts "$(cat "$tap_dir/told")" 'code == 7'
snoop $exit_json -o "$tap_dir/json" -- sh -c '"$0" leader >"$1"' "$cases" "$tap_dir/told"
check "a process lives as long as its last thread" counts 2 "code in (0, $(cat "$tap_dir/told")) and 300000000 <= age and comm == 'exec_cases'"
snoop $exit_json -- sh -c 'sh -c "exit 3"; sh -c "kill -9 \$\$"; (sleep 0.3; :)'
check "a code is told" counts 1 'code == 3 and signal is None'
check "a signal is told" counts 1 'signal == "SIGKILL" and code is None'
check "an age is told" counts 1 'comm == "sleep" and 300000000 <= age < 60000000000'
snoop $exit_json -- sh -c 'cd "$0"; ulimit -c unlimited; sh -c "kill -SEGV \$\$"' "$tap_dir"
check "a crash is told" counts 1 'signal == "SIGSEGV"'

"$weir" execsnoop --duration 200ms --comm nosuchprogram >"$tap_dir/said" 2>&1
check "a true zero says that there was nothing" holds "$tap_dir/said" "(no events)"
check "a group that is not there is an error" status 2 "$weir" execsnoop --duration 1s --cgroup no/such/group
check "a user that is not there is an error" status 2 "$weir" execsnoop --duration 1s --user nosuchuser
if command -v setpriv >/dev/null; then
	setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups \
		"$weir" execsnoop --duration 200ms >"$tap_dir/said" 2>&1
	check "without the right to load programs it says so" holds "$tap_dir/said" "CAP_BPF"
else
	skip "without the right to load programs it says so" "setpriv is not installed"
fi
finish
