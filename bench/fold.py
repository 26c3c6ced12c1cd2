#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What it costs to fold `perf script` text, beside stackcollapse-perf.pl and inferno-collapse-perf.

usage: fold.py BUILD... [ROUNDS]
STACKCOLLAPSE names stackcollapse-perf.pl, INFERNO inferno-collapse-perf; those that are not given
are left out. SCRIPT names a text to fold; without it, one of SIZE MB (100) is made: stacks of 18 frames
on average, a third of them new ones, with names and addresses as long as usual.
Every round runs all of them in turn; ratios are taken within a round. MB are 10^6 bytes.
"""
import os
import random
import statistics
import sys
import tempfile
import time

SIZE = int(os.environ.get("SIZE", "100"))
NAMES = ["alloc", "parse", "read", "write", "eval", "hash", "sort", "find", "emit", "lock", "walk"]


def frame(rng, number):
    """The one line of a frame's number: of a few thousand, the first ones are met most often."""
    rng.seed(number)
    name = "_".join(rng.choice(NAMES) for _ in range(rng.randint(2, 5)))
    if number % 5 == 0:
        return f"\tffffffff81{number * 64:06x} {name}+0x{number % 97:x} ([kernel.kallsyms])\n"
    return f"\t    {0x5500000000 + number * 48:12x} {name}+0x{number % 97:x} (/usr/lib/lib{number % 23}.so.1)\n"


def make(path):
    """Stacks stand on one of 400 ways into a program; two thirds are of 2000 that come again."""
    rng = random.Random(1)
    lines = [frame(rng, n) for n in range(6000)]
    rng.seed(2)

    def frames(count):
        return "".join(lines[min(int(rng.expovariate(1 / 700)), 5999)] for _ in range(count))

    ways = [frames(rng.randint(4, 14)) for _ in range(400)]

    def stack():
        return frames(rng.randint(2, 16)) + ways[min(int(rng.expovariate(1 / 60)), 399)]

    common = [stack() for _ in range(2000)]
    with open(path, "w") as out:
        n = written = 0
        while written < SIZE * 1e6:
            text = stack() if n % 3 == 0 else common[rng.randrange(2000)]
            written += out.write(f"worker{n % 9} {2000 + n % 9}/{2100 + n % 40} [{n % 4:03}] "
                                 f"{100 + n / 997:.6f}:     1003009 cpu-clock:pppH: \n{text}\n")
            n += 1


def run(command, output):
    """CPU seconds, wall seconds and peak MiB of a command that writes to `output`."""
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)}: ended with {status}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024


def total(path):
    """The sum of all weights, which no tool may lose."""
    with open(path, errors="replace") as lines:
        return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


def tools(builds, script):
    found = {}
    for build in builds:
        for threads in (1, 2):
            found[f"{build}, {threads} thread{'s' * (threads > 1)}"] = [
                f"{build}/weir", "convert", script, "--threads", str(threads), "--format", "folded"]
    if os.environ.get("INFERNO"):
        found["inferno -n 1"] = [os.environ["INFERNO"], "-n", "1", script]
        found["inferno -n 2"] = [os.environ["INFERNO"], "-n", "2", script]
    if os.environ.get("STACKCOLLAPSE"):
        found["stackcollapse-perf.pl"] = ["perl", os.environ["STACKCOLLAPSE"], script]
    return found


def report(commands, figures, size):
    peer = list(commands)[-1]
    print(f"{size:.0f} MB; ratios to {peer}")
    print("| tool | MB per CPU second | CPU s | wall s | peak MiB | of its CPU |")
    print("|---|---|---|---|---|---|")
    for name in commands:
        cpu, wall, peak = zip(*figures[name])
        ratio = statistics.median(c / p[0] for c, p in zip(cpu, figures[peer]))
        print(f"| {name} | {size / min(cpu):.0f} | {statistics.median(cpu):.2f} [{min(cpu):.2f}-"
              f"{max(cpu):.2f}] | {statistics.median(wall):.2f} | {max(peak):.0f} | {ratio:.3f} |")


def main():
    arguments = sys.argv[1:]
    rounds = int(arguments.pop()) if len(arguments) > 1 and arguments[-1].isdigit() else 3
    with tempfile.TemporaryDirectory() as folder:
        script, output = os.environ.get("SCRIPT"), f"{folder}/folded"
        if not script:
            script = f"{folder}/script"
            make(script)
        commands = tools(arguments or ["build"], script)
        figures = {name: [] for name in commands}
        totals = {}
        for _ in range(rounds):
            for name, command in commands.items():
                figures[name].append(run(command, output))
                totals[name] = total(output)
        if len(set(totals.values())) > 1:
            print("weights in all differ:", totals)
        report(commands, figures, os.path.getsize(script) / 1e6)


if __name__ == "__main__":
    main()
