#!/usr/bin/env python3
"""What a tool's BPF programs cost for each I/O, beside its peer's, under the same reads.

usage: perio.py BUILD... [ROUNDS]     as root; makes a loop device on a file in $TMPDIR

The kernel measures each run of a BPF program (kernel.bpf_stats_enabled, put back at the end),
with some 25 ns of its own in each run, so tools with fewer programs per I/O look a little better
than they are. Tools run in turn, never at once; each sees the same direct 4 KiB reads, in batches.
A batch's run time, divided by its reads, is what a read cost; the lower quartile of the batches is
the tool's figure in this round, as other load on the machine only ever adds. The ratio to the peer
is taken in each round, and then its median.
"""
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

READS = 1000  # in a batch
BATCHES = 24
STATS = "/proc/sys/kernel/bpf_stats_enabled"


def programs(pid):
    """(run time ns, runs) of all BPF programs that a process holds, and their number."""
    time_ns, runs, found = 0, 0, set()
    folder = "/proc/%d/fdinfo/" % pid
    for fd in os.listdir(folder):
        try:
            info = dict(line.split(":\t") for line in open(folder + fd) if ":\t" in line)
        except OSError:
            continue  # closed meanwhile
        # A link names its program, too, but not what it cost.
        if "run_time_ns" in info and info["prog_id"] not in found:
            found.add(info["prog_id"])
            time_ns += int(info["run_time_ns"])
            runs += int(info["run_cnt"])
    return time_ns, runs, len(found)


def read(disk):
    subprocess.run(["dd", "if=" + disk, "of=/dev/null", "bs=4k", "count=%d" % READS,
                    "iflag=direct"], check=True, stderr=subprocess.DEVNULL)


def attached(tool):
    """True once the tool holds programs and their number stands still; False if it ended."""
    found, since = 0, time.monotonic()
    while tool.poll() is None:
        time.sleep(0.1)
        now = programs(tool.pid)[2]
        if now != found:
            found, since = now, time.monotonic()
        elif found and time.monotonic() - since > 0.5:
            return True
    return False


def batch(pid, disk):
    """(ns, runs) for one read."""
    first = programs(pid)
    read(disk)
    last = programs(pid)
    return (last[0] - first[0]) / READS, (last[1] - first[1]) / READS


def measure(argv, disk):
    """(ns, runs) for one read, or None if the tool ended."""
    tool = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    try:
        if not attached(tool):
            return None
        costs = sorted(batch(tool.pid, disk) for _ in range(BATCHES))
    finally:
        if tool.poll() is None:
            tool.send_signal(signal.SIGINT)
        tool.wait()
    return costs[len(costs) // 4]


def compare(tools, disk, rounds):
    results = {name: [] for name in tools}
    for _ in range(rounds):
        for name, argv in tools.items():
            results[name].append(measure(argv, disk))
    peer = results.get("biolatency", [])
    print("%-32s %22s %10s %12s" % ("tool", "ns per read", "runs", "of its peer"))
    for name, rows in results.items():
        done = [r for r in rows if r]
        if not done:
            print("%-32s does not run here" % name)
            continue
        ns = [r[0] for r in done]
        ratios = [a[0] / b[0] for a, b in zip(rows, peer) if a and b and b[0]]
        print("%-32s %6.0f [%5.0f to %5.0f] %10.2f %12s" % (
            name, statistics.median(ns), min(ns), max(ns), statistics.median(r[1] for r in done),
            "%.2f" % statistics.median(ratios) if ratios else ""))


def main():
    args = sys.argv[1:]
    rounds = int(args.pop()) if len(args) > 1 and args[-1].isdigit() else 5
    if not args:
        sys.exit(__doc__)
    tools = {"weir biolatency (%s)" % b: [os.path.join(b, "weir"), "biolatency"] for b in args}
    if shutil.which("biolatency"):
        tools["biolatency"] = ["biolatency"]
    stats = open(STATS).read()
    with tempfile.NamedTemporaryFile() as image:
        image.truncate(READS * 4096)
        disk = subprocess.run(["losetup", "-f", "--show", image.name], check=True,
                              capture_output=True, text=True).stdout.strip()
        try:
            open(STATS, "w").write("1")
            compare(tools, disk, rounds)
        finally:
            open(STATS, "w").write(stats)
            subprocess.run(["losetup", "-d", disk], check=True)


main()
