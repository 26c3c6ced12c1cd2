#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A pprof profile as sorted folded text: a second opinion on what weir reads and writes, from the
profile itself, or from what `go tool pprof -raw` says of it.
Usage: pprof_text.py [--blank] PROFILE [VALUE-TYPE] | pprof_text.py [--blank] --raw RAW-TEXT"""
import collections
import gzip
import re
import sys


def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            length = varint()
            yield key >> 3, data[at:at + length]
            at += length
            assert at <= len(data)


def numbers(value):
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):
        number = shift = 0
        while True:
            byte = value[at]
            at += 1
            number |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        out.append(number)
    return out


def decode(path, wanted):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    strings, types, samples, default = [], [], [], 0
    parts = {3: {}, 4: {}, 5: {}}
    for field, value in fields(data):
        if field == 6:
            strings.append(value.decode("utf-8", "surrogateescape"))
        elif field == 1:
            types.append(dict(fields(value)))
        elif field == 2:
            samples.append(list(fields(value)))
        elif field in parts:
            part = list(fields(value))
            parts[field].setdefault(dict(part).get(1, 0), part)
        elif field == 14:
            default = value
    names = [strings[t.get(1, 0)] for t in types]
    which = len(names) - 1
    if wanted:
        which = names.index(wanted)
    elif default and strings[default] in names:
        which = names.index(strings[default])

    def function(line):
        got = dict(parts[5].get(dict(line).get(1, 0), []))
        return strings[got.get(2, 0)] or strings[got.get(3, 0)]

    def location(id):
        part = parts[4][id]
        mapping = dict(parts[3].get(dict(part).get(2, 0), []))
        lines = [function(list(fields(v))) for f, v in part if f == 4] or [""]
        path = strings[mapping.get(5, 0)]
        short = path.rsplit("/", 1)[-1] if path.startswith("/") else path
        unknown = short if short.startswith("[") else "[%s]" % (short or "unknown")
        return [line or unknown for line in lines]

    for sample in samples:
        values = [n for f, v in sample if f == 2 for n in numbers(v)]
        stack = [name for f, v in sample if f == 1 for n in numbers(v) for name in location(n)]
        comm = [strings[dict(fields(v)).get(2, 0)] for f, v in sample
                if f == 3 and strings[dict(fields(v)).get(1, 0)] == "comm"]
        yield comm + stack[::-1], values[which]


def raw(path):
    part, locations, samples, types = "", {}, [], 0
    for line in open(path, errors="surrogateescape"):
        line = line.rstrip("\n")
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
        elif part == "Samples:" and not types:
            types = len(line.split())
        elif part == "Samples:" and re.match(r" *-?\d.*: ", line):
            values, ids = line.split(":", 1)
            samples.append((int(values.split()[-1]), [int(i) for i in ids.split()]))
        elif part == "Locations" and re.match(r" *\d+: 0x", line):
            id, rest = line.split(":", 1)
            id = int(id)
            locations[id] = [rest]
        elif part == "Locations":
            locations[id].append(line)
    # " 0x1234 M=1 name file:line:column s=12"
    for value, ids in samples:
        stack = []
        for id in ids:
            for line in locations[id]:
                name = re.sub(r"^ *0x[0-9a-f]+ *(M=\d+)? *", "", line).strip()
                stack.append(re.sub(r" [^ ]*:\d+(:\d+)? s=\d+.*$", "", name))
        yield stack[::-1], value


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if "--raw" in sys.argv:
        stacks = raw(words[0])
    else:
        stacks = decode(words[0], words[1] if len(words) > 1 else "")
    blank = "--blank" in sys.argv

    def name(text):
        """As folded text can hold it; with --blank, one name for all that have none."""
        if blank and (not text or re.match(r"\[.*\]$|:0 s=0$", text)):
            return "?"
        text = re.sub(r"_\[[kij]\]$", "", text).replace(";", ":")
        return re.sub(r"[\n\r]", lambda c: "\\x%02x" % ord(c[0]), text)

    sums = collections.Counter()
    for stack, value in stacks:
        if value:
            sums[";".join(map(name, stack))] += value
    out = sys.stdout.buffer
    for stack in sorted(sums, key=lambda s: s.encode("utf-8", "surrogateescape")):
        out.write(("%s %d\n" % (stack, sums[stack])).encode("utf-8", "surrogateescape"))


main()
