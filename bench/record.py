#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What weir record costs beside perf record, and weir convert beside perf script.

usage: record.py BUILD [ROUNDS]

Records everybody for SECONDS (10) while both CPUs are busy, at 99 and 997 Hz, by each tool in turn,
and draws a graph of what perf recorded. CPU is user and system time of the tool with all its
threads, start and end included. What the samples themselves cost is in the CPU time of those who are
interrupted: of a work that is always the same, beside the same work without a recorder."""
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = int(os.environ.get("SECONDS_EACH", "10"))


def work():
    """CPU seconds of it."""
    process = subprocess.Popen([sys.executable, "-c", "for i in range(6000000): pass"])
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime


def watch(pid, peaks):
    """Most memory of a process, KiB: what wait4() tells has this program's own in it."""
    try:
        while True:
            with open("/proc/%d/status" % pid) as status:
                peaks.extend(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
            time.sleep(0.02)
    except OSError:
        return


def cost(command, meanwhile=None):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    peaks = [0]
    threading.Thread(target=watch, args=(process.pid, peaks)).start()
    if meanwhile is not None:
        time.sleep(2)  # it has begun
        meanwhile.append(work())
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("%s: status %d: %s" % (command, status, said))
    return usage.ru_utime + usage.ru_stime, peaks[-1], said


def samples(weir, path):
    run = subprocess.run([weir, "convert", path, "--weight", "samples", "--format", "folded", "-o", "-"],
                         capture_output=True, text=True, errors="replace")
    return sum(int(line.rsplit(" ", 1)[1]) for line in run.stdout.splitlines()), run.stderr.count("lost ")


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    weir, folder = os.path.join(build, "weir"), tempfile.mkdtemp()
    loads = [subprocess.Popen([os.path.join(build, "tests", "calltree"), "100000"], stdout=subprocess.DEVNULL)
             for _ in range(os.cpu_count())]
    data = {tool: os.path.join(folder, tool + ".data") for tool in ("weir", "perf")}
    try:
        for rate in ("99", "997"):
            rows, slowed = [], []
            for _ in range(rounds):
                works = [work()]
                # perf of Linux 6.1 ends by a fault where somebody else asks for build-ids and it does not.
                perf = cost(["perf", "record", "-q", "--buildid-mmap", "-e", "cpu-clock", "-F", rate, "-g", "-a",
                             "-o", data["perf"], "--", "sleep", str(SECONDS)], works)
                own = cost([weir, "record", "--event", "cpu-clock", "--frequency", rate, "--duration",
                            "%ds" % SECONDS, "-o", data["weir"]], works)
                slowed.append((works[2] / works[0], works[1] / works[0]))
                rows.append((own[0] / perf[0], own[1] / perf[1], own[0], perf[0]))
                taken, lost = samples(weir, data["weir"])
                print("%4s Hz: weir %.0f ms, %d KiB, %d samples, %d losses; perf %.0f ms, %d KiB, %d samples" %
                      (rate, own[0] * 1e3, own[1], taken, lost, perf[0] * 1e3, perf[1],
                       samples(weir, data["perf"])[0]), flush=True)
            print("%4s Hz: of perf record's CPU %.2f, of its memory %.2f" %
                  (rate, statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows)))
            print("%4s Hz: a work's CPU time, of what it is without: weir %.3f, perf %.3f" %
                  (rate, *(statistics.median(pair[i] for pair in slowed) for i in range(2))))
    finally:
        for load in loads:
            load.kill()
    ratios = []
    for _ in range(rounds):
        script = cost(["perf", "script", "-i", data["perf"]])[0]
        own = cost([weir, "convert", data["perf"], "-o", os.path.join(folder, "x.svg")])[0]
        ratios.append(own / script)
    print("recording of %.1f MB to SVG: %.3f of perf script alone" %
          (os.path.getsize(data["perf"]) / 1e6, statistics.median(ratios)))
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)


main()
