# SPDX-License-Identifier: BSD-2-Clause
"""Compares the samples that weir reads from a profile of before profile.proto with what pprof says of it.

usage: pprof_legacy.py WEIR PIPELINE PROFILE TEXT

TEXT is pprof's: the values of each sample and its locations, which have addresses, or the names of Java.
All values that a profile has are compared, address by address, with their mappings."""
import collections
import re
import subprocess
import sys


def told(path):
    """The types, the samples (values, location ids), and the locations."""
    types, samples, locations, mappings, part = [], [], {}, {}, ""
    for line in open(path):
        line = line.rstrip("\n")
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
        elif part == "Samples:" and not types:
            types = [word.split("/")[0] for word in line.split()]
        elif part == "Samples:" and re.match(r" *\d+.*:", line) and "[" not in line:
            values, ids = line.split(":")
            samples.append(([int(v) for v in values.split()], [int(i) for i in ids.split()]))
        elif part == "Locations":
            id, address, mapping, name = re.match(r" *(\d+): (0x\w+) (?:M=(\d+) )?(.*)", line).groups()
            name = re.sub(r":(\d+):0 s=0$", r":\1", name) if name else ""
            locations[int(id)] = (int(address, 16), mapping and int(mapping), name)
        elif part == "Mappings" and line:
            id, path = re.match(r"(\d+): \S+ (\S*)", line).groups()
            mappings[int(id)] = path
    return types, samples, locations, mappings


def name_of(frame):
    """A frame of test.raw: address, offset, flags, symbol and object."""
    address, _, _, rest = frame.split(" ", 3)
    return int(address, 16), rest


def main():
    weir, pipeline, profile, text = sys.argv[1:]
    types, samples, locations, mappings = told(text)
    compared = 0
    for at, type in enumerate(types):
        expected, found = collections.Counter(), collections.Counter()
        for values, ids in samples:
            stack = []
            for id in ids:
                address, mapping, name = locations[id]
                name = re.sub(r" [^ ]*:\d+$", "", name) if name else ""
                stack.append((address, name or mappings.get(mapping, "")))
            expected[tuple(stack)] += values[at]
        run = subprocess.run([weir, "run", pipeline, profile, "--event", type], capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        if "cannot be read" in run.stderr:
            sys.exit(run.stderr)
        for line in run.stdout.splitlines():
            _, _, _, _, _, weight, event, *frames = line.split("\t")
            stack = []
            for address, rest in map(name_of, frames):
                symbol, object = rest.rsplit(" ", 1)
                stack.append((address, symbol if address == 0 else object))
            found[tuple(stack)] += int(weight)
        expected = {stack: value for stack, value in expected.items() if value}
        for stack in expected.keys() | found.keys():
            if expected.get(stack) != found.get(stack):
                sys.exit("%s: pprof %s, weir %s of %s" % (type, expected.get(stack), found.get(stack), stack))
        compared += len(expected)
    print("%d values of %s" % (compared, ", ".join(types)))


main()
