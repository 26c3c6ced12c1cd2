#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks a speedscope file against the rules of its format as they are documented, and prints it as
sorted folded text, with each profile's name in front. Usage: speedscope_text.py FILE"""
import collections
import json
import sys

UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")


def need(what, true):
    if not true:
        sys.exit("not a speedscope file: " + what)


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_frame(frame):
    need("a frame has a name", isinstance(frame.get("name"), str))
    need("a frame has name, file, line, col", set(frame) <= {"name", "file", "line", "col"})
    need("a frame's file is a text", isinstance(frame.get("file", ""), str))


def check_profile(profile, frames):
    keys = {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
    need("a sampled profile has " + ", ".join(sorted(keys)), set(profile) == keys)
    need("the type is sampled", profile["type"] == "sampled")
    need("the unit is known", profile["unit"] in UNITS)
    need("samples have weights", len(profile["samples"]) == len(profile["weights"]))
    need("weights are numbers", all(whole(w) and w >= 0 for w in profile["weights"]))
    need("the end is the sum", profile["startValue"] + sum(profile["weights"]) == profile["endValue"])
    for sample in profile["samples"]:
        need("samples are of frames", all(whole(i) and 0 <= i < len(frames) for i in sample))


def main():
    data = json.load(open(sys.argv[1], encoding="utf-8"))
    need("it names its schema",
         data.get("$schema") == "https://www.speedscope.app/file-format-schema.json")
    need("nothing else stands in it", set(data) <= {
        "$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"})
    frames = data["shared"]["frames"]
    need("there are profiles", data["profiles"])
    need("the active one is there", 0 <= data.get("activeProfileIndex", 0) < len(data["profiles"]))
    sums = collections.Counter()
    for frame in frames:
        check_frame(frame)
    for profile in data["profiles"]:
        check_profile(profile, frames)
        root = [] if profile["name"] == "all" else [profile["name"].replace(" ", "_")]
        for sample, weight in zip(profile["samples"], profile["weights"]):
            names = root + [frames[i]["name"] for i in sample]
            sums[";".join(name.replace(";", ":") for name in names)] += weight
    for stack in sorted(sums, key=lambda s: s.encode()):
        sys.stdout.buffer.write(("%s %d\n" % (stack, sums[stack])).encode())


main()
