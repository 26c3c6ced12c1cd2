#!/usr/bin/env python3
"""What it costs from exec until a tool is attached and waiting, beside its peer in each round.

usage: startup.py BUILD... [ROUNDS]     as root; several builds are compared with each other

Attached = the tool's main thread sleeps in epoll_wait, poll, select, pause or nanosleep, and holds a
BPF program, where the tool is known to attach such, or else has used no CPU for 50 ms: no message
of the tool is needed. (Who traces what others do is seldom without work for 50 ms.) CPU is the
process's own clock in the kernel: user and system, all threads, those that have ended too, and
the few 0.1 ms which the launcher's half of fork and exec takes. Memory is the peak of the process
(VmHWM).

Other load on the machine makes the same work cost more, by cold caches and slower clocks. So all
tools run in turn, and the ratio to the peer is taken in each round and then its median: it stands
still when the milliseconds do not. The least of all rounds is the closest to a quiet machine.
"""
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

# The x86-64 numbers of the calls above.
WAITS = {"7", "23", "34", "35", "130", "230", "232", "270", "271", "281"}
# Tools that attach BPF programs, and their peers, of libbpf-tools.
TRACERS = {"biolatency": "biolatency", "runqlat": "runqlat", "execsnoop": "execsnoop",
           "tcplife": "tcplife", "offcpu": "offcputime", "opensnoop": "opensnoop"}
# Peers find tracepoints in a tracefs, which may not be mounted: some 2 ms, in the figures of all.
TRACEFS = ["unshare", "-m", "sh", "-c",
           'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$0" "$@"']
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


def watch(tool, bpf):
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


def measure(argv, bpf):
    tool = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    try:
        return watch(tool, bpf)
    finally:
        if tool.poll() is None:
            tool.send_signal(signal.SIGINT)
        tool.wait()


def find_tools(builds):
    """name: (command, attaches BPF programs, name of its peer)"""
    tools = {}
    for build in builds:
        tail = " (%s)" % build if len(builds) > 1 else ""
        weir = os.path.join(build, "weir")
        for name, peer in TRACERS.items():
            tools["weir " + name + tail] = ([weir, name], True, peer)
        tools["weir mpstat" + tail] = ([weir, "mpstat"], False, "mpstat")
        tools["weir flame" + tail] = ([weir, "flame", "-o", "/dev/null"], False, "perf record")
    peers = {
        **{peer: ([peer], True) for peer in TRACERS.values()},
        "mpstat": (["mpstat", "1"], False),
        "perf record": (["perf", "record", "-a", "-g", "-F", "99", "-o", "/dev/null"], False),
    }
    for name, (argv, bpf) in peers.items():
        if shutil.which(argv[0]):
            tools[name] = ((TRACEFS if bpf else []) + argv, bpf, None)
    # The floor: what fork, exec and the C library cost on this machine.
    tools["sleep"] = (["sleep", "60"], False, None)
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
    if not args:
        sys.exit(__doc__)
    tools = find_tools(args)
    results = {name: [] for name in tools}
    for _ in range(rounds):
        for name, (argv, bpf, _) in tools.items():
            results[name].append(measure(argv, bpf))
            time.sleep(0.3)
    show(results, tools)


main()
