#!/bin/sh
# weir pidstat on a load that knows itself what it used, by BPF and by /proc: CPU, short-lived children,
# threads that end, faults, switches and bytes read. Usage: processes.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir
children=100

# run WAY: one window around all that the load does; its rows and the load's own figures.
run() {
	rm -f "$tap_dir/in"
	mkfifo "$tap_dir/in"
	before=$(date +%s.%N)
	"$build/tests/process_load" "$tap_dir/file" $children <"$tap_dir/in" >"$tap_dir/truth" &
	load=$!
	exec 9>"$tap_dir/in"
	until_true grep -q ready "$tap_dir/truth"
	after=$(date +%s.%N)
	: >"$tap_dir/err"
	"$weir" pidstat --way "$1" --threads --all --show cpu,disk,memory,switches --interval 1h \
		--format json >"$tap_dir/rows" 2>"$tap_dir/err" &
	watcher=$!
	attached "$tap_dir/err"
	echo >&9
	until_true grep -q cpu "$tap_dir/truth"
	stack=$(awk '/^VmStk/ { print $2 * 1024 }' "/proc/$load/status")
	kill -INT $watcher
	wait $watcher
	exec 9>&-
	wait $load
}

# judge PYTHON: true. truth; me: the load's row; threads, left: those below it; ended: of its children.
program judge <<'P'
import calendar, json, sys, time
folder, pid = sys.argv[1], int(sys.argv[2])
truth = json.loads(open(folder + "/truth").readlines()[-1])
rows = [json.loads(line) for line in open(folder + "/rows")]
me = next((row for row in rows if row["kind"] == "process" and row["pid"] == pid), {})
threads = [row for row in rows if row["kind"] == "thread" and row["pid"] == pid]
left = [row for row in rows if row["kind"] == "ended" and row["pid"] == pid]
ended = [row for row in rows if row["kind"] == "ended" and row["comm"] == truth["name"]]
of_me = [row for row in rows if row["kind"] == "ended" and row["pid"] is None and row["ppid"] == pid]
def near(a, b, ms):
    return abs(a - b) <= ms * 10**6 + 0.01 * b
def moment(text):
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) + float("0" + text[19:-1])
def total(rows, name):
    return sum(row[name] or 0 for row in rows)
if not eval(sys.argv[3]):
    sys.exit("\n".join(["not so: " + sys.argv[3], str(truth), str(me), "threads:",
                        *map(str, threads), "left:", *map(str, left), "children:",
                        *map(str, ended + of_me)]))
P
judge() {
	ask judge "$tap_dir" "$load" "$1"
}

dd if=/dev/urandom of="$tap_dir/file" bs=1M count=4 conv=fsync 2>/dev/null

# A process that does nothing but touch memory, beside what wait4() tells of it. Since Linux 6.15 the
# kernel tells of its end before it frees that.
taken_down() {
	python3 - "$weir" <<'P'
import ctypes, json, os, signal, subprocess, sys
name = "touch-%d" % os.getpid()
weir = subprocess.Popen([sys.argv[1], "pidstat", "--way", "bpf", "--all", "--interval", "1h", "--comm", name,
                         "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
said = b""
while b": attached" not in said:
    more = os.read(weir.stderr.fileno(), 4096)
    if not more:
        sys.exit(said.decode())
    said += more
pid = os.fork()
if pid == 0:
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
    memory = bytearray(128 << 20)
    memory[::4096] = bytes(len(memory) // 4096)
    os._exit(0)
used = os.wait4(pid, 0)[2]
truth = used.ru_utime + used.ru_stime
weir.send_signal(signal.SIGINT)
rows = [json.loads(line) for line in weir.communicate()[0].splitlines()]
told = sum(row["run"] for row in rows if row["kind"] == "ended") / 1e9
print(told, "s told of", truth, rows)
sys.exit(not truth * 2 / 3 < told < truth * 1.02 + 0.01)
P
}

# The kernel's clocks of a running task are up to a timer tick old.
judge_all() {
	check "$1: the process's CPU time, threads that ended included" \
		judge "near(me['run'], truth['cpu'], $2)"
	check "$1: it is user and system time" judge "me['user'] + me['system'] == me['run']"
	check "$1: page faults are those that the process itself was told" \
		judge "0 <= me['minor'] - truth['minor'] <= 50"
	check "$1: bytes read past the page cache, to the byte" \
		judge "me['read'] - truth['bytes'] in (0, 4096)"
	check "$1: the size of its stack" judge "me['stack'] == ${stack:--1} > 0"
	# /proc tells in hundredths of a second.
	check "$1: when it began" judge "$before - 0.02 <= moment(me['started']) <= $after"
	check "$1: $3" judge "$4"
}

if [ "$(id -u)" = 0 ]; then
	run bpf
	# Taking a process down is not in it: the kernel tells of its end before.
	judge_all bpf 10 "CPU of children that lived less than the window" \
		"$children * 2 * 10**6 <= total(ended, 'run') <= truth['children'] + 10**7"
	check "bpf: how many there were" judge "total(ended, 'ended') == $children"
	check "bpf: switches are those that the process itself was told" \
		judge "0 <= me['voluntary'] - truth['voluntary'] <= 50"
	check "bpf: rows of threads and of those that ended add up to the process" \
		judge "all(me[n] == total(threads + left, n) for n in ('run', 'user', 'system', 'wait', 'minor', 'read', 'voluntary'))"
	check "bpf: four threads of 150 ms each ended" \
		judge "[row['ended'] for row in left] == [4] and near(total(left, 'run'), 600 * 10**6, 20)"
	check "nothing was lost" lacks "$tap_dir/err" lost
	check "bpf: CPU time of a process of 128 MiB, of which taking it down is less than a third" \
		taken_down
else
	skip "pidstat by BPF" "needs root"
fi

run proc
judge_all proc 20 "CPU of children, with their parent" \
	"near(total(of_me, 'run'), truth['children'], 40)"
check "proc: rows of threads and of those that ended add up to the process" \
	judge "near(total(threads + left, 'run'), me['run'], 10)"
check "proc: what threads used that ended" judge "near(total(left, 'run'), 600 * 10**6, 40)"

# A shell that is called cron starts another one, and that a program.
ln -s /bin/sh "$tap_dir/cron"
"$tap_dir/cron" -c 'sh -c "sleep 1000; : nightly"; :' &
cron=$!
# child PID: its first child, which is a program of that name in a moment.
child() {
	until_true grep -q . "/proc/$1/task/$1/children"
	read -r pid _ <"/proc/$1/task/$1/children"
	until_true grep -q "($2)" "/proc/$pid/stat"
	echo "$pid"
}
shell=$(child $cron sh)
sleeper=$(child "$shell" sleep)
# job WAY PID: the job that it is told to be of.
job() {
	"$weir" pidstat --way "$1" --pid "$2" --all --show cpu,job --interval 100ms --count 1 --format json \
		2>"$tap_dir/err" |
		python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["job"])'
}
for way in bpf proc; do
	if [ $way = bpf ] && [ "$(id -u)" != 0 ]; then
		skip "bpf: which job of cron a process is of" "needs root"
		continue
	fi
	check "$way: which job of cron a process is of" test "$(job $way "$sleeper")" = "cron job: sleep 1000; : nightly"
	check "$way: cron itself is of none" test "$(job $way "$cron")" = None
done
kill "$sleeper" "$shell" "$cron"
wait "$cron" 2>/dev/null
check "no file was amiss" lacks "$tap_dir/err" lost
finish
