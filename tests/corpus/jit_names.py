# SPDX-License-Identifier: BSD-2-Clause
"""Compares how much time folded stacks give to each piece of code that was made at run time.

usage: jit_names.py FOLDED EXPECTED PREFIX...

EXPECTED is what stackcollapse-perf.pl made of what perf printed. A name is compared when it begins with
one of the prefixes there: not all of such code is marked. What stackcollapse cuts off names (a list of
parameters, numbers in brackets, quotes) is left out on both sides."""
import collections
import re
import sys


def plain(frame):
    frame = re.sub(r"_\[[jki]\]$", "", frame)
    return re.sub(r"\(.*\)$", "", frame).replace('"', "").replace("'", "").strip()


def weights(path, prefixes):
    found = collections.Counter()
    for line in open(path, errors="surrogateescape"):
        stack, weight = line.rstrip("\n").rsplit(" ", 1)
        for name in {plain(frame) for frame in stack.split(";")}:
            if name.startswith(prefixes):
                found[name] += int(weight)
    return found


def main():
    folded, expected, *prefixes = sys.argv[1:]
    ours, theirs = weights(folded, tuple(prefixes)), weights(expected, tuple(prefixes))
    for name in sorted(set(ours) | set(theirs)):
        if ours[name] != theirs[name]:
            sys.exit("%s: %d, not %d" % (name, ours[name], theirs[name]))
    if not theirs:
        sys.exit("nothing was compared")
    print("%d names" % len(theirs))


main()
