#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a sample of all processes, and one of all that a verdict asks for, costs, beside sysstat's
pidstat, with thousands that sleep.

usage: perprocess.py BUILD... [ROUNDS]        PROCESSES=5000 in the environment sets their number,
TOOLS=bpf,proc,verdict which ones of weir are run.
Each tool takes samples once a second. Its CPU time by sample is that of a long run less that of a
short one, divided by the samples between, so that the start is not in it; peak memory is the long
run's. Every round runs all of them in turn; ratios are taken within a round.
"""
import os
import statistics
import subprocess
import sys

SHORT, LONG = 2, 8
PROCESSES = int(os.environ.get("PROCESSES", "5000"))
TOOLS = os.environ.get("TOOLS", "bpf,proc,verdict").split(",")

SLEEPERS = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None)
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        while True:
            signal.pause()
print("ready", flush=True)
signal.pause()
"""


def run(command):
    """CPU milliseconds and peak KiB of a command."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (1, 2):
            os.dup2(null, fd)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)}: ended with {status}")
    return (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss


def per_sample(command):
    """`command` of a number of samples: milliseconds by sample, peak KiB."""
    short, _ = run(command(SHORT))
    long, peak = run(command(LONG))
    return (long - short) / (LONG - SHORT), peak


def weir(build, way):
    return lambda n: [f"{build}/weir", "pidstat", "--show", "cpu,disk,memory", "--way", way,
                      "--interval", "1s", "--count", str(n), "--format", "json"]


def verdict(build):
    return lambda n: [f"{build}/weir", "verdict", "--interval", "1s", "--duration", f"{n}s"]


def main():
    arguments = sys.argv[1:]
    rounds = int(arguments.pop()) if len(arguments) > 1 and arguments[-1].isdigit() else 3
    tools = {"pidstat -d -r -u": lambda n: ["pidstat", "-d", "-r", "-u", "1", str(n)]}
    for build in arguments or ["build"]:
        ways = {"bpf": weir(build, "bpf"), "proc": weir(build, "proc"), "verdict": verdict(build)}
        tools.update((f"{build} {tool}", ways[tool]) for tool in TOOLS)
    sleepers = subprocess.Popen([sys.executable, "-c", SLEEPERS, str(PROCESSES)],
                                stdout=subprocess.PIPE, text=True)
    try:
        sleepers.stdout.readline()
        results = {name: [] for name in tools}
        for _ in range(rounds):
            for name, command in tools.items():
                results[name].append(per_sample(command))
    finally:
        sleepers.kill()
        sleepers.wait()
    peers = [ms for ms, _ in results["pidstat -d -r -u"]]
    print(f"{PROCESSES} processes that sleep, {rounds} rounds; CPU ms by sample")
    for name, figures in results.items():
        ms = [figure[0] for figure in figures]
        ratio = statistics.median(a / b for a, b in zip(ms, peers))
        print(f"{name:28} {statistics.median(ms):8.2f} ({min(ms):.2f} to {max(ms):.2f})"
              f"  of pidstat's {ratio:.3f}  peak {max(f[1] for f in figures)} KiB")


if __name__ == "__main__":
    main()
