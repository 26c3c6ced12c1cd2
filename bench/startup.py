#!/usr/bin/env python3
"""What it costs from exec until a tool is attached and waiting, beside its peer in each round.

usage: startup.py BUILD... [TOOL...] [ROUNDS]     as root; several builds are compared with each other

Attached = it says so, as weir's tracing tools do. Of others: the main thread sleeps in epoll_wait,
poll, select, pause or nanosleep, and holds a BPF program, where the tool is known to attach such, or
else has used no CPU for 50 ms. (Who traces what others do is seldom without work for 50 ms.) CPU is
the process's own clock in the kernel: user and system, all threads, those that have ended too, and
the few 0.1 ms which the launcher's half of fork and exec takes. Memory is the peak of the process
(VmHWM).

Other load on the machine makes the same work cost more, by cold caches and slower clocks. So all
tools run in turn, and the ratio to the peer is taken in each round and then its median: it stands
still when the milliseconds do not. The least of all rounds is the closest to a quiet machine.
"""
import os
import select
import shutil
import signal
import statistics
import subprocess
import sys
import time

# The x86-64 numbers of the calls above.
WAITS = {"7", "23", "34", "35", "130", "230", "232", "270", "271", "281"}
# Tools that attach BPF programs, and their peers, of libbpf-tools; some have none, and some of the
# peers run on kernels with kprobes or fentry only.
TRACERS = {"biolatency": "biolatency", "biosnoop": "biosnoop", "biotop": "biotop",
           "cachestat": "cachestat", "execsnoop": "execsnoop", "exitsnoop": "exitsnoop",
           "fsdist": "fsdist -t ext4", "fsslower": "fsslower -t ext4", "offcpu": "offcputime",
           "opensnoop": "opensnoop", "runqlat": "runqlat", "runqslower": "runqslower", "sched": "",
           "tcpaccept": "", "tcpconnect": "tcpconnect", "tcplife": "tcplife", "tcpretrans": "",
           "why %d" % os.getpid(): ""}
# Peers find tracepoints in a tracefs, which may not be mounted: some 2 ms, in the figures of all.
TRACEFS = ["unshare", "-m", "sh", "-c",
           'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$0" "$@"']
PERF = "perf record -a -g -F 99 -o /dev/null"
SAYS, HOLDS, IDLES = range(3)  # how a tool is seen to be attached
QUIET = 0.05  # s without CPU
PATIENCE = 10  # s until a tool counts as one that never waits


def cpu_ms(pid):
    """CPU of a process so far: clock 2 of clock_getcpuclockid()."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e6


def waits(pid):
    return open("/proc/%d/syscall" % pid).read().split()[0] in WAITS


def holds_bpf(pid):
    folder = "/proc/%d/fd/" % pid
    for fd in os.listdir(folder):
        try:
            if "bpf" in os.readlink(folder + fd):
                return True
        except OSError:
            pass  # closed meanwhile
    return False


def status_kib(pid, key):
    for line in open("/proc/%d/status" % pid):
        if line.startswith(key + ":"):
            return int(line.split()[1])
    return 0


def watch_state(tool, bpf):
    """(CPU ms until attached, peak RSS KiB), or None when the tool ended or never waits."""
    cpu, since = -1.0, time.monotonic()
    end = since + PATIENCE
    while tool.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
        try:
            now = cpu_ms(tool.pid)
            if bpf and waits(tool.pid) and holds_bpf(tool.pid):
                return now, status_kib(tool.pid, "VmHWM")
            if now != cpu or not waits(tool.pid):
                cpu, since = now, time.monotonic()
            elif time.monotonic() - since > QUIET and not bpf:
                return cpu, status_kib(tool.pid, "VmHWM")
        except OSError:
            return None  # it ended between two looks
    return None


def watch_words(tool):
    """The same, of a tool that says when it is attached."""
    said = b""
    while b": attached\n" not in said:
        if not select.select([tool.stderr], [], [], PATIENCE)[0]:
            return None
        more = os.read(tool.stderr.fileno(), 4096)
        if not more:
            return None
        said += more
    return cpu_ms(tool.pid), status_kib(tool.pid, "VmHWM")


def measure(argv, kind):
    tool = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE if kind == SAYS else subprocess.DEVNULL)
    try:
        return watch_words(tool) if kind == SAYS else watch_state(tool, kind == HOLDS)
    finally:
        if tool.poll() is None:
            tool.send_signal(signal.SIGINT)
        tool.communicate()


def find_tools(builds, only):
    """name: (command, how it is seen to be attached, name of its peer)"""
    tools = {}
    tracers = {name: peer for name, peer in TRACERS.items() if not only or name.split()[0] in only}
    for build in builds:
        tail = " (%s)" % build if len(builds) > 1 else ""
        weir = os.path.join(build, "weir")
        for name, peer in tracers.items():
            tools["weir " + name + tail] = ([weir] + name.split(), SAYS, peer)
        if not only:
            tools["weir mpstat" + tail] = ([weir, "mpstat"], IDLES, "mpstat 1")
            tools["weir flame" + tail] = ([weir, "flame", "-o", "/dev/null"], SAYS, PERF)
    peers = {peer: HOLDS for peer in tracers.values() if peer}
    if not only:
        peers.update({"mpstat 1": IDLES, PERF: IDLES})
    for name, kind in peers.items():
        argv = name.split()
        if shutil.which(argv[0]):
            tools[name] = ((TRACEFS if kind == HOLDS else []) + argv, kind, None)
    # The floor: what fork, exec and the C library cost on this machine.
    tools["sleep"] = (["sleep", "60"], IDLES, None)
    return tools


def show(results, tools):
    print("%-32s %28s %9s %18s" % ("tool", "CPU ms until attached", "peak KiB",
                                   "of its peer's CPU"))
    for name, rows in results.items():
        done = [r for r in rows if r]
        if not done:
            print("%-32s does not run here" % name)
            continue
        cpu = [r[0] for r in done]
        peer = results.get(tools[name][2], [])
        ratios = [a[0] / b[0] for a, b in zip(rows, peer) if a and b]
        print("%-32s %8.2f [%6.2f to %7.2f] %9d %18s" % (
            name, statistics.median(cpu), min(cpu), max(cpu),
            statistics.median(r[1] for r in done),
            "%.2f" % statistics.median(ratios) if ratios else ""))


def main():
    args = sys.argv[1:]
    rounds = int(args.pop()) if len(args) > 1 and args[-1].isdigit() else 5
    builds = [arg for arg in args if os.access(os.path.join(arg, "weir"), os.X_OK)]
    if not builds:
        sys.exit(__doc__)
    tools = find_tools(builds, [arg for arg in args if arg not in builds])
    results = {name: [] for name in tools}
    for _ in range(rounds):
        for name, (argv, kind, _) in tools.items():
            results[name].append(measure(argv, kind))
            time.sleep(0.3)
    show(results, tools)


main()
