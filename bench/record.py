#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What weir record costs beside perf record, and weir convert beside perf script.

usage: record.py BUILD [ROUNDS]

Records everybody for SECONDS (10) while both CPUs are busy, at 99 and 997 Hz, by each tool in turn,
and draws a graph of what perf recorded. CPU is user and system time of the tool with all its
threads, start and end included."""
import os
import statistics
import subprocess
import sys
import tempfile

SECONDS = int(os.environ.get("SECONDS_EACH", "10"))


def cost(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("%s: status %d: %s" % (command, status, said))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, said


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
            rows = []
            for _ in range(rounds):
                perf = cost(["perf", "record", "-q", "-e", "cpu-clock", "-F", rate, "-g", "-a", "-o", data["perf"],
                             "--", "sleep", str(SECONDS)])
                own = cost([weir, "record", "--event", "cpu-clock", "--frequency", rate, "--duration",
                            "%ds" % SECONDS, "-o", data["weir"]])
                rows.append((own[0] / perf[0], own[1] / perf[1], own[0], perf[0]))
                taken, lost = samples(weir, data["weir"])
                print("%4s Hz: weir %.0f ms, %d KiB, %d samples, %d losses; perf %.0f ms, %d KiB, %d samples" %
                      (rate, own[0] * 1e3, own[1], taken, lost, perf[0] * 1e3, perf[1],
                       samples(weir, data["perf"])[0]), flush=True)
            print("%4s Hz: of perf record's CPU %.2f, of its memory %.2f" %
                  (rate, statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows)))
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
