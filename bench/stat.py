#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What counting costs: `weir stat` beside `perf stat`, in turn, of a command that does nothing and of a
process that is busy. Wall and CPU time of the tool, its command's among it; and how much the busy
process gets done meanwhile. Usage: stat.py BUILD [ROUNDS]"""
import os
import statistics
import subprocess
import sys
import time

EVENTS = "task-clock,context-switches,cpu-migrations,page-faults"
BUSY = """
import sys
n = 0
while True:
    n += 1
    if n % 100000 == 0:
        open(sys.argv[1], "w").write(str(n))
"""


def run(argv):
    """Wall and CPU milliseconds."""
    started = time.monotonic()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(argv, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    if status:
        sys.exit(f"{' '.join(argv)}: status {status}")
    return wall * 1e3, (used.ru_utime + used.ru_stime) * 1e3


def compare(title, ours, theirs, rounds):
    """In turn, so that what else the machine does hits both."""
    pairs = [(run(ours), run(theirs)) for _ in range(rounds)]
    for i, what in enumerate(("wall", "CPU")):
        us, them = ([pair[side][i] for pair in pairs] for side in (0, 1))
        ratio = statistics.median(a / b for a, b in zip(us, them) if b)
        print(f"{title:32} {what:4}  weir {statistics.median(us):7.2f} ms (least {min(us):6.2f})  "
              f"perf {statistics.median(them):7.2f} ms (least {min(them):6.2f})  ratio {ratio:.2f}")


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
    weir = [build + "/weir", "stat", "--quiet"]
    compare("-- true", weir + ["--", "true"], ["perf", "stat", "--", "true"], rounds)
    compare("-- true, four events", weir + ["--events", EVENTS, "--", "true"],
            ["perf", "stat", "-e", EVENTS, "--", "true"], rounds)
    switches = EVENTS + ",sched:sched_switch"
    compare("-- true, with a tracepoint", weir + ["--events", switches, "--", "true"],
            ["perf", "stat", "-e", switches, "--", "true"], rounds)
    # Of the same command, alone: the floor.
    compare("true, uncounted", ["true"], ["true"], rounds)
    busy = subprocess.Popen([sys.executable, "-c", BUSY, os.devnull])
    pid = str(busy.pid)
    try:
        compare("a busy process, 300 ms", weir + ["--pid", pid, "--duration", "300ms"],
                ["perf", "stat", "-p", pid, "--timeout", "300"], max(rounds // 4, 5))
    finally:
        busy.kill()
        busy.wait()


main()
