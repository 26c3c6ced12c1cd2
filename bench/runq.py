#!/usr/bin/env python3
"""What a tool's BPF programs cost for each switch and wakeup, beside libbpf-tools' runqlat.

usage: runq.py BUILD... [ROUNDS]     as root

The kernel measures each run of a BPF program (kernel.bpf_stats_enabled, put back at the end), with
some 50 ns of its own in each run: a program that does nothing shows that much. Tools run in turn,
never at once, under the same load: `perf bench sched messaging`, where one thread in two is woken
for each switch. A wakeup, of all programs that see it, and a switch are one operation; the ratio
to the peer is taken in each round and then its median.
"""
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

LOAD = ["perf", "bench", "sched", "messaging", "-g", "2", "-l", "1000"]
WAIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wait.yaml")
STATS = "/proc/sys/kernel/bpf_stats_enabled"


def own_programs(pid):
    """id: (name, run time ns, runs) of the BPF programs that a process holds."""
    ids = set()
    try:
        for fd in os.listdir("/proc/%d/fdinfo" % pid):
            text = open("/proc/%d/fdinfo/%s" % (pid, fd)).read()
            ids.update(int(i) for i in re.findall(r"^prog_id:\s*(\d+)", text, re.M))
    except OSError:
        return {}
    shown = subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True).stdout
    return {p["id"]: (p["name"], p.get("run_time_ns", 0), p.get("run_cnt", 0))
            for p in json.loads(shown or "[]") if p["id"] in ids}


def attached(tool):
    """True once the number of its programs stands still."""
    count, since = 0, time.monotonic()
    while tool.poll() is None:
        time.sleep(0.2)
        now = len(own_programs(tool.pid))
        if now != count:
            count, since = now, time.monotonic()
        elif count and time.monotonic() - since > 0.5:
            return True
    return False


def measure(argv):
    """{"switch": ns, "wakeup": ns} for one run of the program, or None."""
    tool = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    try:
        if not attached(tool):
            return None
        first = own_programs(tool.pid)
        subprocess.run(LOAD, check=True, capture_output=True)
        last = own_programs(tool.pid)
    finally:
        if tool.poll() is None:
            tool.send_signal(signal.SIGINT)
        tool.wait()
    result = {}
    for program, (name, ns, runs) in last.items():
        ns, runs = ns - first[program][1], runs - first[program][2]
        if runs > 1000:
            key = "switch" if "switch" in name else "wakeup"
            result[key] = result.get(key, 0) + ns / runs
    return result if "switch" in result else None


def report(results):
    peers = results.get("runqlat", [])
    print("%-36s %18s %18s %8s" % ("tool", "ns per wakeup", "ns per switch", "of peer"))
    for name, rounds in results.items():
        done = [r for r in rounds if r]
        if not done:
            print("%-36s does not run here" % name)
            continue
        cells = []
        for key in ("wakeup", "switch"):
            values = [r.get(key, 0) for r in done]
            cells.append("%.0f [%.0f to %.0f]" % (statistics.median(values), min(values),
                                                  max(values)))
        ratios = [sum(a.values()) / sum(b.values()) for a, b in zip(rounds, peers) if a and b]
        print("%-36s %18s %18s %8s" % (name, cells[0], cells[1],
              "%.2f" % statistics.median(ratios) if ratios else ""))


def main():
    args = sys.argv[1:]
    rounds = int(args.pop()) if len(args) > 1 and args[-1].isdigit() else 5
    if not args:
        sys.exit(__doc__)
    tools = {}
    for build in args:
        weir = os.path.join(build, "weir")
        for by in ("none", "cpu", "pid", "cgroup"):
            tools["weir runqlat --by %s (%s)" % (by, build)] = [weir, "runqlat", "--by", by]
        tools["weir runqslower (%s)" % build] = [weir, "runqslower"]
        tools["weir sched (%s)" % build] = [weir, "sched"]
        tools["weir cpu.wait (%s)" % build] = [weir, "run", WAIT]
    for name, argv in (("runqlat", ["runqlat"]), ("runqlat -P", ["runqlat", "-P"]),
                       ("runqslower", ["runqslower", "10000"]), ("offcputime", ["offcputime"])):
        if shutil.which(argv[0]):
            tools[name] = argv
    results = {name: [] for name in tools}
    stats = open(STATS).read()
    try:
        open(STATS, "w").write("1")
        for _ in range(rounds):
            for name, argv in tools.items():
                results[name].append(measure(argv))
    finally:
        open(STATS, "w").write(stats)
    report(results)


main()
