#!/usr/bin/env python3
"""What it costs to draw a flame graph of folded stacks, beside its peers in each round.

usage: svg.py BUILD... [ROUNDS]     several builds are compared with each other

Peers: inferno-flamegraph where INFERNO names the program, flamegraph.pl where FLAMEGRAPH does. The
input is made here: STACKS (1,000,000) different stacks, sorted, of some 15 frames each, which share
their trunks as those of a real profile do. CPU is user and system time of the whole process, memory
its peak, as the kernel accounts them. All run in turn, and the ratio to the first peer, or to the
first build where there is none, is taken in each round and then its median: other load on the machine
makes the same work cost more, for all of them.
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile

STACKS = int(os.environ.get("STACKS", "1000000"))


def make_stacks(path):
    """A walk through a tree whose functions call one of twelve others, which depend on the caller."""
    rand = random.Random(7)
    words = "read write parse hash sort find alloc free lock wait send recv page node list map".split()
    names = ["%s_%s_%s" % (a, b, c) for a in words for b in words for c in words]
    seen, stack = set(), ["app"]
    while len(seen) < STACKS:
        stack = stack[:max(1, int(rand.triangular(1, len(stack) + 1, len(stack) * 0.8)))]
        for _ in range(rand.randrange(8, 24) - len(stack) if len(stack) < 8 else rand.randrange(1, 6)):
            stack.append(names[(hash_of(stack[-1]) + len(stack) * 17 + rand.randrange(12) * 131) % len(names)])
        if len(stack) > 60:
            stack = stack[:20]
        seen.add(";".join(stack))
    with open(path, "w") as out:
        for stack in sorted(seen):
            out.write("%s %d\n" % (stack, 1 + int(rand.paretovariate(1.2)) % 5000))


def hash_of(name):
    return sum(map(ord, name)) * 31


def cost(command, out):
    """(CPU seconds, peak KiB) of a process."""
    with open(out, "wb") as stdout:
        child = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit("%s: status %d" % (command[0], status))
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def tools(builds, path, out):
    found = {}
    if os.environ.get("INFERNO"):
        found["inferno-flamegraph"] = [os.environ["INFERNO"], path]
    if os.environ.get("FLAMEGRAPH"):
        found["flamegraph.pl"] = [os.environ["FLAMEGRAPH"], path]
    for build in builds:
        found["weir convert (%s)" % build] = [build + "/weir", "convert", path, "--format", "svg", "-o", out]
    return found


def main():
    words = sys.argv[1:] or ["build"]
    rounds = int(words.pop()) if words[-1].isdigit() else 5
    with tempfile.TemporaryDirectory() as folder:
        path, out = folder + "/in.folded", folder + "/out.svg"
        make_stacks(path)
        commands = tools(words or ["build"], path, out)
        costs = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                costs[name].append(cost(command, folder + "/stdout"))
        first = next(iter(costs))
        print("%d stacks, %.0f MB, %d rounds" % (STACKS, os.path.getsize(path) / 1e6, rounds))
        for name, all_costs in costs.items():
            cpu = [c for c, _ in all_costs]
            ratio = statistics.median(a / b for (a, _), (b, _) in zip(all_costs, costs[first]))
            print("%-32s CPU least %.2f s, median %.2f s; %.2f of %s; peak %.0f MB" % (
                name, min(cpu), statistics.median(cpu), ratio, first,
                max(rss for _, rss in all_costs) / 1000))


main()
