# SPDX-License-Identifier: BSD-2-Clause
"""Compares the samples that weir reads from a recording with those that perf printed of it.

usage: perf_data.py [--calls|--unwound] [--comm=NAME] WEIR PIPELINE RECORDING PRINTED [EVENT...]    (files may be .gz)

PRINTED is of `perf script --ns -F comm,pid,tid,time,ip,dso` and further fields: a header for each
sample, the frames behind it or below it. What perf did not print is not compared, nor are events
other than those named, where some are: perf makes up samples of hardware traces. With
--calls, stacks are those of the processor's last branches: the innermost user frame, which perf takes to
be where the latest call led (and without one, what lies behind the sample), is not compared. With
--unwound, user stacks are those of copies: of callers, perf prints where the call is; where the copy ends,
one frame more, which is none."""
import gzip
import re
import subprocess
import sys

HEADER = re.compile(r"^\s*(\S.*?)\s+(-?\d+)/(-?\d+)\s+(?:\[(-?\d+)\]\s+)?(\d+)\.(\d{9}):\s+"
                    r"(?:(\d+)\s+)?(\S.*?):(?=\s|$)\s*(\S.*)?$")
# Names that perf makes up of the attribute alone.
MADE_UP = {"cycles:ppH": "cycles", "instructions:ppH": "instructions", "branches:ppH": "branches",
           "probe_untitled1:main": "tracepoint:0x531"}
FRAME = re.compile(r"^\s*([0-9a-f]+) (?:\[unknown\] )?\((.*)\)$")


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="surrogateescape") as file:
        return file.read().splitlines()


def printed(path):
    """(comm, pid, tid, cpu, ns, period, event, [(address, object)...]), None where not printed."""
    samples = []
    for line in lines(path):
        frame = FRAME.match(line)
        if frame and samples and line[0].isspace() and not HEADER.match(line):
            samples[-1][7].append((int(frame[1], 16), frame[2]))
            continue
        if not line.strip():
            continue
        header = HEADER.match(line)
        if line.startswith(" instruction trace error"):
            continue
        if not header:
            sys.exit("not understood: %r" % line)
        comm, pid, tid, cpu, seconds, ns, period, event, rest = header.groups()
        samples.append((comm, int(pid), int(tid), cpu and int(cpu), int(seconds) * 10**9 + int(ns),
                        period and int(period), event, []))
        frame = FRAME.match(rest or "")
        if frame:
            samples[-1][7].append((int(frame[1], 16), frame[2]))
    return samples


def read(weir, pipeline, path, *options):
    run = subprocess.run([weir, "run", pipeline, path, *options],
                         capture_output=True, text=True, errors="surrogateescape")
    if run.returncode == 2 and "none of" in run.stderr:
        return []
    if run.returncode:
        sys.exit("exit status %d: %s" % (run.returncode, run.stderr))
    samples = []
    for line in run.stdout.splitlines():
        comm, pid, tid, cpu, time, weight, event, *frames = line.split("\t")
        stack = []
        for frame in frames:
            address, offset, flags, _, object = frame.split(" ", 4)
            stack.append((int(address, 16), int(offset, 16), flags, object))
        samples.append((comm, int(pid), int(tid), int(cpu), int(time), int(weight), event, stack))
    return samples


def same_object(perf, weir):
    perf = re.sub(r" \(deleted\)$", "", perf)
    if perf == weir or perf == "[unknown]":
        return True
    if weir == "[kernel]" or perf.startswith("[guest"):
        return perf.startswith("[kernel") or perf.startswith("[guest")
    name = re.sub(r"\.ko.*", "", perf.rsplit("/", 1)[-1].strip("[]")).replace("-", "_")
    return weir == "[%s]" % name


def same_calls(perf, weir):
    at = len([frame for frame in weir if "k" in frame[2]])
    return same_stack(perf[:at], weir[:at], []) and same_stack(perf[at + 1:], weir[at + 1:], [])


def same_stack(perf, weir, unknown):
    """weir cuts a stack where its walk had left all mappings, and marks it; at 0 it has ended. While a
    program becomes another, its registers point into the old one, whose mappings perf keeps: counted
    in unknown."""
    if not perf:
        return True
    for (address, object), (own, offset, _, own_object) in zip(perf, weir):
        if not own_object and offset == 0 and object.startswith("/"):
            unknown.append(perf)
            return True
        # Of user code in a call chain, perf prints where it is in its file.
        if address not in (own, offset) or not same_object(object, own_object):
            return False
    if len(perf) == len(weir):
        return True
    rest = perf[len(weir):]
    if rest and rest[0] == (0, "[unknown]"):
        return True
    return bool(rest) and rest[0][1] == "[unknown]" and (not weir or "t" in weir[-1][2])


def same_unwound(perf, weir):
    """perf looks one byte before what a signal interrupted, too, which is no return address."""
    if perf and perf[-1] == (2**64 - 1, "[unknown]") and weir and "t" in weir[-1][2]:
        perf = perf[:-1]
    return len(perf) == len(weir) and all(
        same_object(object, own_object) and address in (own, offset, own - 1, offset - 1)
        for (address, object), (own, offset, _, own_object) in zip(perf, weir))


def main():
    options = [option for option in sys.argv[1:] if option.startswith("--")]
    weir, pipeline, recording, text, *events = sys.argv[1 + len(options):]
    only = [option for option in options if option not in ("--calls", "--unwound")]
    only += ["--unwind", "dwarf"] if "--unwound" in options else []
    expected = [sample for sample in printed(text) if not events or sample[6] in events]
    found = []
    for event in dict.fromkeys(sample[6] for sample in expected):
        own = read(weir, pipeline, recording, "--event", event, *only)
        if not own and event in MADE_UP:
            own = read(weir, pipeline, recording, "--event", MADE_UP[event], *only)
        found += [sample[:6] + (event,) + sample[7:] for sample in own]
    # Of samples of one moment, neither tells which comes first.
    order = lambda sample: (sample[4], sample[6], sample[2], sample[7] and sample[7][0][0] or 0)
    expected.sort(key=order)
    found.sort(key=order)
    if len(expected) != len(found):
        sys.exit("perf has %d samples, weir %d" % (len(expected), len(found)))
    frames, unknown = 0, []
    for perf, own in zip(expected, found):
        head = all(a is None or a == b for a, b in zip(perf[:7], own[:7]))
        if "--unwound" in options:
            same = head = head and (same_unwound(perf[7], own[7]) or unknown.append((perf, own)) or True)
        else:
            same = same_calls(perf[7], own[7]) if "--calls" in options else same_stack(perf[7], own[7], unknown)
        if not head or not same:
            sys.exit("perf: %s\nweir: %s" % (perf, own))
        frames += len(perf[7])
    if len(unknown) > len(found) / 100:
        sys.exit("%d of %d samples are of unknown code:\n%s" % (len(unknown), len(found), unknown[:3]))
    print("%d samples, %d frames" % (len(found), frames))


main()
