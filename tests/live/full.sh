#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What each tracing tool says when a table of its BPF programs is full: what could not be followed is
# told as lost, in its number and with what helps, and what is shown and what is lost are together
# what there was. Tables are made small from outside, see kernel_fault.c. Usage: full.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir load=$build/tests/storm_load

if [ "$(id -u)" != 0 ]; then
	skip "full tables of tracing tools" "needs root"
	finish
fi
loop=
cleanup() {
	[ -z "$loop" ] || losetup -d "$loop"
	rm -rf "$tap_dir"
}
trap cleanup EXIT

cat >"$tap_dir/wait.yaml" <<'Y'
# Where does the time of these threads go?
weir: 1
params:
  comm: {type: string, default: ""}
sources:
  time:
    plugin: cpu.wait
    comm: ${comm}
    interval: 0
sinks:
  out:
    plugin: ${format}
    inputs: [time]
Y
# A name that nothing else has, 15 bytes at most.
me=full-$$
cp "$load" "$tap_dir/$me"
dd if=/dev/zero of="$tap_dir/image" bs=1M count=2 2>/dev/null
loop=$(losetup -f --show "$tap_dir/image" 2>/dev/null)
port=$((20000 + $$ % 10000))

# So many connections stand while as many others come and go, all on one port. It is done when no end of
# any of them is alive: the last segments may come later than close() returns.
connect_all() {
	python3 - "$1" $port <<'P'
import socket, sys, time
number, port = map(int, sys.argv[1:])
def alive():
    ends = [line.split()[1:4] for line in open("/proc/net/tcp")][1:]
    return any(":%04X" % port in near + far and state != "06" for near, far, state in ends)
server = socket.create_server(("127.0.0.1", port), backlog=number)
def connect():
    return socket.create_connection(("127.0.0.1", port))
near = [connect() for _ in range(number)]
far = [server.accept()[0] for _ in range(number)]
for _ in range(number):
    with connect():
        server.accept()[0].close()
for one in near + far + [server]:
    one.close()
while alive():
    time.sleep(0.05)
print(2 * number)
P
}

# 12 processes whose numbers end alike, of which a set of a table of threads has room for 8. Each sleeps
# so often; how often the kernel gave them a CPU.
crowd() {
	python3 - "$1" "$me" <<'P'
import ctypes, os, random, sys, time
number, name = int(sys.argv[1]), sys.argv[2].encode()
libc = ctypes.CDLL(None, use_errno=True)
STRIDE, PEOPLE, CLONE3 = 2048, 12, 435
def child():
    libc.prctl(15, name, 0, 0, 0)
    turns = lambda: int(open("/proc/self/schedstat").read().split()[2])
    before = turns()
    for _ in range(number):
        time.sleep(0.0005)
    os.write(out, b"%8d\n" % (turns() - before))
    # Until all have ended: whoever does makes room.
    os.read(end[0], 1)
    os._exit(0)
def start(pid):
    wanted = (ctypes.c_int * 1)(pid)
    # flags, three addresses, SIGCHLD, stack, its size, tls, set_tid, its size, cgroup
    clone = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17, 0, 0, 0, ctypes.addressof(wanted), 1, 0)
    got = libc.syscall(CLONE3, clone, ctypes.sizeof(clone))
    if got == 0:
        child()
    return got > 0
(told, out), end = os.pipe(), os.pipe()
for _ in range(1000):
    first = random.randrange(400, STRIDE)
    numbers = [first + i * STRIDE for i in range(PEOPLE)]
    if not any(os.path.exists("/proc/%d" % pid) for pid in numbers):
        break
if sum(map(start, numbers)) < PEOPLE:
    sys.exit("processes cannot be given numbers here: " + os.strerror(ctypes.get_errno()))
print(sum(int(os.read(told, 9)) for _ in numbers))
os.write(end[1], b"." * PEOPLE)
for _ in numbers:
    os.wait()
P
}

# One exec waits for a lease on its file, and keeps the only place, while so many others fail.
exec_all() {
	cp /bin/true "$tap_dir/leased"
	python3 - "$1" "$me" "$tap_dir/leased" <<'P'
import ctypes, fcntl, os, signal, sys, time
number, name, leased = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3]
def child(path, times):
    pid = os.fork()
    if pid:
        return pid
    ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
    for _ in range(times):
        try:
            os.execv(path, [path])
        except OSError:
            pass
    os._exit(0)
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = os.open(leased, os.O_RDONLY | os.O_CLOEXEC)
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
waits = child(leased, 1)
end = time.monotonic() + 30
while not open("/proc/%d/wchan" % waits).read().endswith("lease") and time.monotonic() < end:
    time.sleep(0.01)
os.waitpid(child("/nonexistent/program", number), 0)
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
os.waitpid(waits, 0)
print(number)
P
}

work() {
	case $1 in
	connect_all) connect_all "$2" ;;
	crowd) crowd "$2" ;;
	exec_all) exec_all "$2" ;;
	*) "$tap_dir/$me" "$me" "$@" ;;
	esac
}

# full SHRINK WORK TOOL...: below the tool, one of whose tables is small. $truth.
full() {
	fault=$1 task=$2
	shift 2
	# Sanitizers want to be the first that is preloaded.
	[ -z "$fault" ] || set -- env "WEIR_TEST_FAULT=shrink:$fault" \
		LD_PRELOAD="$build/tests/kernel_fault.so" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" "$@"
	: >"$tap_dir/err"
	"$@" --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	watcher=$!
	attached "$tap_dir/err" || return
	# shellcheck disable=SC2086 # a list of words
	truth=$(work $task)
	kill -INT $watcher
	wait $watcher
}

# The table of connections is the whole machine's, of which others may have some, but not so many.
others=50

# told PYTHON: something was lost for the reason that $reason is, a regular expression, and this holds of
# `lost`, `unseen`, `truth`, `rows`, `counts` (waits) and `ends` (rows of sockets of the port).
told() {
	python3 - "$tap_dir" "$truth" $port "$reason" "$1" <<'P'
import json, re, sys
folder, truth, port, reason, expression = sys.argv[1], *map(int, sys.argv[2:4]), *sys.argv[4:]
said = open(folder + "/err").read()
rows = [json.loads(line) for line in open(folder + "/json")]
lost = re.search(r"lost (\d+) rows: " + reason, said)
lost = lost and int(lost[1])
# What the kernel did not show, of some of which it shows the other half.
unseen = sum(map(int, re.findall(r"lost (\d+) rows: .* was not seen", said)))
counts = sum(row["wait"]["count"] for row in rows if isinstance(row.get("wait"), dict))
ends = sum(port in (row.get("lport"), row.get("rport")) for row in rows)
print("lost", lost, "of", truth, "and", len(rows), "rows,", ends, "of the port", rows[:2], said)
sys.exit(lost is None or not eval(expression))
P
}

# A row per tool: arguments | its small table | what happens meanwhile | why it is lost and what helps,
# a regular expression | how many are.
while IFS='|' read -r tool small task reason expression; do
	[ -n "$tool" ] || continue
	if [ -z "$loop" ] && [ "${task%% *}" = read ]; then
		skip "a full table of $tool" "no loop device is to be had here"
		continue
	fi
	# shellcheck disable=SC2086 # lists of words
	full "$small" "$task" "$weir" $tool
	check "${tool%% *} with a full table tells what it lost, and the cure" told "$expression"
done <<T
opensnoop --latency --comm $me|1:opening|open 400|call not timed: too many at a time \(cure: choose fewer: --pid|lost == sum(row["latency"] is None for row in rows) > 0 and len(rows) >= truth
fsdist --op read --interval 0 --comm $me|1:calls|file 400 $tap_dir/image|call not timed: too many threads were in one \(cure: watch fewer: --op|lost >= truth and not rows
runqlat --interval 0 --comm $me|1:waiting|switch 2000|wait not timed: too many threads were waiting \(cure: watch fewer: --pid|lost >= 0.9 * truth and counts <= 0.1 * truth and unseen <= truth / 50
biolatency --interval 0 --disk ${loop##*/}|1:flights|read 400 $loop|request not followed: too many in flight \(cure: watch one disk: --disk|lost >= truth and not rows and unseen <= truth / 50
biosnoop --disk ${loop##*/}|1:flights|read 400 $loop|request not followed: too many in flight \(cure: watch one disk: --disk|lost >= truth and not rows and unseen <= truth / 50
execsnoop --failed --comm $me|1:calls|exec_all 400|exec not followed, so its failure would not be seen: too many at a time \(cure: |lost == truth and not [row for row in rows if row["error"]]
sched --top 1000 --interval 0 --comm $me||crowd 200|switch of a thread not counted: too many threads \(cure: watch fewer: --pid|lost >= 4 * 200 and abs(lost + sum(row["switches"] for row in rows) - truth) < 0.05 * truth
run $tap_dir/wait.yaml --comm $me||crowd 200|event of a thread that is not counted: too many threads \(cure: watch fewer: --pid|lost >= 4 * 200 and sum(row["switches"] >= 200 for row in rows) == 8
tcplife --connections 64||connect_all 100|connection not followed: too many at a time \(cure: a larger --connections|ends >= truth / 2 and lost >= truth / 2 and 0 <= ends + lost - 2 * truth < $others
T

full 1:waiting "connect_all 20" "$weir" tcpaccept --lport "$port"
check "tcpaccept shows accepts whose wait found no room" python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
print(rows)
sys.exit(len(rows) != 40 or not 19 <= sum(row["wait"] is None for row in rows) < 40)' "$tap_dir/json"
check "and says how many" python3 -c '
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
said = open(sys.argv[2]).read()
print(said, rows)
told = re.findall("too many connections wait to be accepted: the wait of ([0-9]+) is not known", said)
unknown = sum(row["wait"] is None for row in rows)
sys.exit(not 0 <= sum(map(int, told)) - unknown < int(sys.argv[3]))' "$tap_dir/json" "$tap_dir/err" $others
finish
