#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Nobody is accused without a cause: each finding of `weir verdict` on a machine that is left alone is
held against what the kernel counted meanwhile. An idle machine counts nothing, so that nothing may be
found on it; what others do on it may be found, and is true.

usage: accused.py WEIR VERDICTS
"""
import json
import os
import subprocess
import sys
import time


def lines(path):
    try:
        with open(path, errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def table(path, start=0):
    """name -> its first number"""
    rows = (line.split() for line in lines(path)[start:])
    return {row[0].rstrip(":"): int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def pressure(resource):
    return sum(int(line.rsplit("=", 1)[1]) for line in lines(f"/proc/pressure/{resource}")[:1])


def pairs(path):
    """/proc/net/snmp: "Tcp: name ..." above "Tcp: number ..." """
    rows = lines(path)
    return {head.split()[0] + name: int(value) for head, values in zip(rows[::2], rows[1::2])
            for name, value in zip(head.split()[1:], values.split()[1:])}


def network(pid):
    counts = {**pairs(f"/proc/{pid}/net/snmp"), **pairs(f"/proc/{pid}/net/netstat")}
    return sum(counts.get(name, 0) for name in (
        "Tcp:RetransSegs", "TcpExt:ListenOverflows", "TcpExt:ListenDrops", "Udp:RcvbufErrors"))


def networks():
    """namespace -> what was lost in it; "" is the own one"""
    found = {"": network("self")}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = str(os.stat(f"/proc/{pid}/ns/net").st_ino)
            found[name] = found[name] if name in found else network(pid)
        except OSError:
            continue
    return found


def interfaces():
    return {name: sum(map(int, rest.split())) for name, rest in
            (line.strip().split(":", 1) for line in lines("/proc/net/dev")[2:])}


def snapshot():
    ticks = [int(x) for x in lines("/proc/stat")[0].split()[1:9]]
    return {
        "time": time.monotonic(), "idle": ticks[3] + ticks[4], "ticks": sum(ticks), "steal": ticks[7],
        "forks": table("/proc/stat")["processes"], "kills": table("/proc/vmstat").get("oom_kill", 0),
        "pressure": {name: pressure(name) for name in ("cpu", "memory", "io")},
        "networks": networks(), "interfaces": interfaces(),
    }


class Meanwhile:
    """What the kernel counted between two moments."""

    def __init__(self, before, after, log):
        self.before, self.after, self.log = before, after, log
        self.seconds = after["time"] - before["time"]
        ticks = after["ticks"] - before["ticks"]
        self.busy = 1 - (after["idle"] - before["idle"]) / ticks
        self.steal = (after["steal"] - before["steal"]) / ticks

    def more(self, name, key=None):
        before, after = self.before[name], self.after[name]
        if key is None:
            return after - before
        # What came meanwhile began with nothing, and of what has gone nobody knows.
        return after[key] - before.get(key, 0) if key in after else float("inf")

    def stalled(self, resource):
        return self.more("pressure", resource) / 1e6 / self.seconds


def cgroup_was_held_up(path):
    folders = [f"/sys/fs/cgroup{part}{path}" for part in ("", "/unified", "/cpu", "/memory", "/pids")]
    found = [folder for folder in folders if os.path.isdir(folder)]
    files = ("cpu.stat", "memory.events", "memory.oom_control", "pids.events")
    counts = [table(f"{folder}/{file}") for folder in found for file in files]
    held_up = ("nr_throttled", "max", "oom_kill")
    return not found or any(count.get(name) for count in counts for name in held_up)


def is_near_its_limit(pid):
    limits = [line.split()[3] for line in lines(f"/proc/{pid}/limits") if line.startswith("Max open files")]
    try:
        return not limits or len(os.listdir(f"/proc/{pid}/fd")) > 0.8 * float(limits[0])
    except OSError:
        return True


# What must have been counted at the least: less than the rules ask for, as both looked at a machine
# that others use at moments a little apart.
EVIDENCE = {
    ("cpu", "saturation"): lambda m, x: m.busy > 0.7 or m.steal > 0.05,
    ("cpu", "limit"): lambda m, x: m.busy * os.cpu_count() > 0.6,
    ("cpu", "churn"): lambda m, x: m.more("forks") > 50 * m.seconds,
    ("memory", "saturation"): lambda m, x: m.stalled("memory") > 0.05,
    ("memory", "errors"): lambda m, x: m.more("kills") or m.log,
    ("disk", "saturation"): lambda m, x: m.stalled("io") > 0.05,
    ("network", "saturation"): lambda m, x: network_lost(m, x["instance"] or ""),
    ("network", "errors"): lambda m, x: network_lost(m, x["instance"] or "") or m.log,
    ("cgroup", "limit"): lambda m, x: cgroup_was_held_up(x["instance"]),
    ("cgroup", "saturation"): lambda m, x: cgroup_was_held_up(x["instance"]),
    ("cgroup", "errors"): lambda m, x: cgroup_was_held_up(x["instance"]),
    ("software", "limit"): lambda m, x: any(is_near_its_limit(c["pid"]) for c in x["causes"]),
    ("software", "saturation"): lambda m, x: m.busy > 0.1,
}


def network_lost(meanwhile, instance):
    name = "interfaces" if instance in meanwhile.after["interfaces"] else "networks"
    return meanwhile.more(name, instance) > (1e6 if name == "interfaces" else 0)


def verdict(weir):
    """What it found, and what the kernel counted meanwhile."""
    with open("/dev/kmsg", "rb", buffering=0) as log:
        os.set_blocking(log.fileno(), False)
        log.seek(0, os.SEEK_END)
        before = snapshot()
        said = subprocess.run([weir, "verdict", "--duration", "2s", "--format", "json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        after = snapshot()
        try:
            new = log.read(8192)
        except BrokenPipeError:
            new = b"so much that the first of it is gone"
    return json.loads(said.stdout)["findings"], Meanwhile(before, after, new)


def main():
    weir, count = sys.argv[1], int(sys.argv[2])
    wrong, true, idle = [], 0, 0
    for _ in range(count):
        findings, meanwhile = verdict(weir)
        idle += meanwhile.busy < 0.2
        for finding in findings:
            backed = EVIDENCE.get((finding["resource"], finding["kind"]), lambda m, x: m.log)
            if backed(meanwhile, finding):
                true += 1
            else:
                wrong.append(f"CPUs {meanwhile.busy:.0%} busy: {json.dumps(finding)}")
    print(f"{count} verdicts, {idle} of them while CPUs were idle for four fifths; of others' loads, "
          f"{true} findings")
    sys.exit("\n".join(wrong) or 0)


main()
