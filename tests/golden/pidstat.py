#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds weir's rows against what `pidstat -h -H -u -d -r -s -w` printed of the same two samples.

usage: pidstat.py PIDSTAT-OUTPUT WEIR-ROWS [PID[:COLUMN]...]; of these the peer is known to be wrong.
"""
import json
import sys


def rate(name, per=1):
    return lambda row: f"{row[name] / per / row['seconds']:.2f}"


def share(name):
    return lambda row: f"{row[name] / 1e9 / row['seconds'] * 100:.2f}"


COLUMNS = {
    "UID": lambda row: str(row["uid"]),
    "%usr": share("user"), "%system": share("system"), "%guest": share("guest"),
    "%wait": share("wait"), "%CPU": share("run"), "CPU": lambda row: str(row["cpu"]),
    "minflt/s": rate("minor"), "majflt/s": rate("major"),
    "VSZ": lambda row: str(row["vsz"] // 1024), "RSS": lambda row: str(row["rss"] // 1024),
    "StkSize": lambda row: str(row["stack"] // 1024),
    "%MEM": lambda row: f"{row['mem'] * 100:.2f}",
    "kB_rd/s": rate("read", 1024), "kB_wr/s": rate("written", 1024),
    "kB_ccwr/s": rate("cancelled", 1024),
    "cswch/s": rate("voluntary"), "nvcswch/s": rate("involuntary"),
    "iodelay": lambda row: str(row["iowait"] // 10**7),
}


def printed(path):
    head, rows = [], {}
    for line in open(path):
        words = line.split()
        if words[:1] == ["#"]:
            head = words[1:]
        elif head and len(words) >= len(head):  # a name may hold an end of a line
            row = dict(zip(head, words))
            rows[int(row["PID"])] = row
    return rows


def main():
    peer = printed(sys.argv[1])
    ours = {row["pid"]: row for row in map(json.loads, open(sys.argv[2])) if row["kind"] == "process"}
    known = set(sys.argv[3:])
    wrong = [] if set(peer) == set(ours) else [f"processes: {sorted(peer)} and {sorted(ours)}"]
    compared = 0
    for pid in sorted(pid for pid in set(peer) & set(ours) if str(pid) not in known):
        for column, value in COLUMNS.items():
            if column == "iodelay" and ours[pid]["iowait"] is None:
                continue
            differs = value(ours[pid]) != peer[pid][column]
            compared += 1
            if differs != (f"{pid}:{column}" in known):
                wrong.append(f"{pid} {column}: pidstat {peer[pid][column]}, weir {value(ours[pid])}")
    if wrong or compared < 50:
        sys.exit("\n".join(wrong) or "nothing to compare")


main()
