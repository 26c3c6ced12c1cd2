#!/usr/bin/env python3
"""What it costs from exec until a tool is attached and waiting, beside a peer, in the same rounds.

usage: startup.py BUILD [ROUNDS]     as root

Attached = the first moment at which the tool's main thread sleeps in epoll_wait, poll, select or
nanosleep and still does 20 ms later; no message of the tool is needed. CPU is what the kernel
charged to all its threads until then (schedstat), memory the peak of the process (VmHWM).
Attaching within a second of the last detach waits for the kernel without using CPU, so the
figures are CPU and memory, not wall time.
"""
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

WAITS = {"7", "23", "35", "230", "232", "270", "271", "281"}  # x86-64 numbers of the calls above


def cpu_ns(pid):
    """CPU of all threads of a process so far."""
    return sum(int(open("/proc/%d/task/%s/schedstat" % (pid, t)).read().split()[0])
               for t in os.listdir("/proc/%d/task" % pid))


def waits(pid):
    try:
        return open("/proc/%d/syscall" % pid).read().split()[0] in WAITS
    except OSError:
        return False


def status_kib(pid, key):
    for line in open("/proc/%d/status" % pid):
        if line.startswith(key + ":"):
            return int(line.split()[1])
    return 0


def measure(argv):
    """(CPU ms until attached, peak RSS KiB, RSS KiB), or None when the tool ended."""
    tool = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    since = None
    try:
        while tool.poll() is None:
            if not waits(tool.pid):
                since = None
            elif since is None:
                since, cpu = time.monotonic(), cpu_ns(tool.pid)
            elif time.monotonic() - since > 0.02:
                return cpu / 1e6, status_kib(tool.pid, "VmHWM"), status_kib(tool.pid, "VmRSS")
            time.sleep(0.001)
        return None
    finally:
        if tool.poll() is None:
            tool.send_signal(signal.SIGINT)
        tool.wait()


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    weir = os.path.join(build, "weir")
    tools = {
        "weir biolatency": [weir, "biolatency"],
        "weir mpstat": [weir, "mpstat"],
        "weir flame": [weir, "flame", "-o", "/dev/null"],
    }
    for name in ("biolatency", "mpstat"):
        path = shutil.which(name)
        if path:
            tools["peer " + name] = [path] + (["1"] if name == "mpstat" else [])
    if shutil.which("perf"):
        tools["peer perf record"] = ["perf", "record", "-a", "-g", "-F", "99", "-o", "/dev/null"]

    results = {name: [] for name in tools}
    for _ in range(rounds):
        for name, argv in tools.items():
            result = measure(argv)
            if result:
                results[name].append(result)
            time.sleep(2)
    print("%-20s %24s %12s %12s" % ("tool", "CPU ms until attached", "peak KiB", "RSS KiB"))
    for name, rows in results.items():
        if not rows:
            print("%-20s does not run here" % name)
            continue
        cpu = [r[0] for r in rows]
        print("%-20s %8.2f [%5.2f to %5.2f] %12d %12d" % (
            name, statistics.median(cpu), min(cpu), max(cpu),
            statistics.median(r[1] for r in rows), statistics.median(r[2] for r in rows)))


main()
