# SPDX-License-Identifier: BSD-2-Clause
"""Compares the stacks that weir unwinds with those that perfparser expects, inlined functions included.

usage: perfparser.py WEIR PIPELINE ROOT RECORDING EXPECTED    (files may be .gz)

EXPECTED has, of each sample, a line of who and when, one of the event, and of each frame two lines: where
it is, and its function. Of names without a linkage name, weir knows no scope; parameters and types of
return values are no part of its names. Of several names of one address, each may be taken. What no symbol
covers, perfparser calls by the one before it; a user part that is one frame alone, it leaves out."""
import gzip
import re
import subprocess
import sys


def text_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="surrogateescape") as file:
        return file.read()


def bare(name):
    """Without parameters and type of the return value."""
    kept, depth = "", 0
    for i, letter in enumerate(name):
        if letter == "(" and not depth and not name.startswith("(anonymous", i) and not (
                kept.endswith("operator") and name.startswith("()", i)):
            break
        depth += (letter in "<(") - (letter in ">)")
        kept = "" if letter == " " and not depth else kept + letter
    return kept


def expected_of(path):
    """{ns: [(name or None of the kernel, inlined)...]}"""
    samples = {}
    for block in text_of(path).strip("\n").split("\n\n"):
        lines = block.split("\n")
        if re.match(r"\S.*\t\d+\t\d+\t\d+\.\d{9}$", lines[0]):
            when = lines[0].split("\t")[3].split(".")
            frames = samples.setdefault(int(when[0]) * 10**9 + int(when[1]), [])
            continue
        for line in lines[1::2]:
            inlined = line.endswith("(inlined)")
            name = line.split("\t")[-1].replace("(inlined)", "").strip()
            if name.endswith("[kernel]"):
                frames.append((None, False))
                continue
            binary = re.search(r"^(.*?) ?(\S+) (/\S+)$", name)
            frames.append((bare(binary[1] if binary else name), inlined))
    return samples


def found_of(weir, pipeline, root, recording):
    run = subprocess.run([weir, "run", pipeline, recording, "--root", root, "--inline"],
                         capture_output=True, text=True, errors="surrogateescape")
    if run.returncode:
        sys.exit("exit status %d: %s" % (run.returncode, run.stderr))
    samples = {}
    for line in run.stdout.splitlines():
        header = re.match(r"\S.* (\d+)\.(\d+):\s", line)
        if header:
            frames = samples.setdefault(int(header[1]) * 10**9 + int(header[2].ljust(9, "0")), [])
        elif line.strip():
            name = re.match(r"\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$", line)
            kernel = int(name[1], 16) >> 63
            frames.append((None if kernel else name[2], name[3] == "inlined"))
    return samples


def aliases(root):
    """{name: the addresses of it in the programs below root}"""
    programs = subprocess.run(["find", root, "-type", "f"], capture_output=True, text=True).stdout.split("\n")
    addresses = {}
    for program in filter(None, programs):
        for line in subprocess.run(["nm", "-C", program], capture_output=True, text=True).stdout.split("\n"):
            if len(line.split(None, 2)) == 3:
                address, _, name = line.split(None, 2)
                addresses.setdefault(bare(name), set()).add(address)
    return addresses


def same_name(theirs, ours, known):
    if theirs == ours or theirs is None:
        return theirs == ours
    if ours == "[unknown]":
        return theirs in ("", "_init")
    return theirs.endswith("::" + ours) or bool(known.get(theirs, set()) & known.get(ours, set()))


def same(theirs, ours, known):
    if len(ours) == len(theirs) + 1 and not any(name for name, _ in theirs):
        ours = ours[:-1]
    return len(theirs) == len(ours) and all(
        a[1] == b[1] and same_name(a[0], b[0], known) for a, b in zip(theirs, ours))


def main():
    weir, pipeline, root, recording, text = sys.argv[1:]
    expected, found = expected_of(text), found_of(weir, pipeline, root, recording)
    frames, wrong, known = 0, 0, aliases(root)
    for (when, theirs), ours in zip(sorted(expected.items()), (found[key] for key in sorted(found))):
        frames += len(theirs)
        if not same(theirs, ours, known):
            wrong += 1
            print("%d\n  perfparser %s\n  weir       %s" % (when, theirs, ours))
    if len(expected) != len(found) or wrong:
        sys.exit("%d samples and %d, of which %d differ" % (len(expected), len(found), wrong))
    print("%d samples, %d frames" % (len(found), frames))


main()
