# SPDX-License-Identifier: BSD-2-Clause
"""Whether code has the share of folded stacks that jitter has measured itself, within 3 points.

usage: jit_share.py FOLDED MEASURED NAME OTHER    NAME's share of both is compared"""
import collections
import sys

folded, own, *names = sys.argv[1:]


def share(lines, finds):
    sums = collections.Counter()
    for line in lines:
        key, number = line.rsplit(" ", 1)
        for name in names:
            if finds(key, name):
                sums[name] += float(number)
    return 100 * sums[names[0]] / sum(sums.values())


seen = share(open(folded), lambda key, name: key.endswith(";" + name + "_[j]"))
want = share(open(own), lambda key, name: key == name.split(":")[0])
if abs(seen - want) > 3:
    sys.exit("%s has %.1f %%, not %.1f %%" % (names[0], seen, want))
