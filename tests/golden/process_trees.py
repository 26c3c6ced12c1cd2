#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes two trees of /proc of the same processes: process_trees.py FIRST SECOND.

The figures differ in every column and divide by nothing, so that a mistaken column or a rounding shows.
"""
import os
import sys

UPTIME = (50000.13, 50003.40)  # 3.27 s between


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def stat(pid, comm, **n):
    """The line of stat: what is not said is 0."""
    columns = ["0"] * 50
    for place, name in ((4, "ppid"), (10, "minor"), (12, "major"), (14, "user"), (15, "system"),
                        (16, "child_user"), (17, "child_system"), (18, "priority"), (19, "nice"),
                        (20, "threads"), (22, "start"), (23, "vsz"), (24, "rss"), (39, "cpu"),
                        (42, "iowait"), (43, "guest")):
        columns[place - 3] = str(n.get(name, 1 if name == "threads" else 0))
    columns[0] = n.get("state", "S")
    return f"{pid} ({comm}) {' '.join(columns)}\n"


def status(comm, n):
    return (f"Name:\t{comm!r}\nUid:\t{n.get('uid', 0)}\t0\t0\t0\nVmStk:\t{n.get('stack', 0):8} kB\nVmSwap:\t{n.get('swap', 0)} kB\n"
            f"Threads:\t{n.get('threads', 1)}\nvoluntary_ctxt_switches:\t{n.get('voluntary', 0)}\n"
            f"nonvoluntary_ctxt_switches:\t{n.get('involuntary', 0)}\n")


def io(n):
    return (f"rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: {n.get('read', 0)}\n"
            f"write_bytes: {n.get('written', 0)}\n"
            f"cancelled_write_bytes: {n.get('cancelled', 0)}\n")


def smaps(n):
    return ("00400000-00452000 r-xp 00000000 08:02 173521 /usr/bin/plain\nSize:   328 kB\nReferenced: 300 kB\n"
            "7ffc0000-7ffc2000 rw-p 00000000 00:00 0 [stack]\n"
            f"Size: {n.get('stack', 0):14} kB\nRss: 8 kB\nReferenced: {n.get('stack', 0) // 3:8} kB\n")


def task(folder, pid, comm, n):
    write(folder + "/stat", stat(pid, comm, **n))
    write(folder + "/status", status(comm, n))
    write(folder + "/io", io(n))
    write(folder + "/smaps", smaps(n))
    write(folder + "/schedstat", f"{n.get('user', 0) * 10**7} {n.get('wait', 0)} 9\n")


def add(before, **more):
    return {**before, **{name: before.get(name, 0) + n for name, n in more.items()}}


PLAIN = dict(ppid=1, uid=1000, start=77, minor=1003, major=17, user=5000, system=700, guest=40,
             vsz=123456 * 1024, rss=4321, cpu=3, wait=7 * 10**9, read=10**7, written=3 * 10**6,
             cancelled=4096, voluntary=5, involuntary=6, nice=5, priority=25, stack=136,
             iowait=100)
PARENT = dict(ppid=1, start=80, rss=100, vsz=2**20, user=10, system=10, read=5 * 10**6)
CHILD = dict(ppid=200, start=90, rss=50, vsz=2**20, user=300, system=30, read=10**9)
# Both threads of a process: the first one's and all together.
POOL = dict(ppid=1, start=85, rss=999, vsz=2**24, threads=2, user=1000, system=100,
            wait=10**9, voluntary=10, involuntary=20)
WORKER = dict(POOL, user=600, system=60, wait=2 * 10**9, voluntary=100, involuntary=200)

# pid: (comm, first, second); None: it is not there.
PROCESSES = {
    100: ("plain", PLAIN, add(PLAIN, minor=331, major=7, user=137, system=61, guest=11, rss=17,
                              wait=47 * 10**7, read=1234567, written=7654321, cancelled=8191,
                              voluntary=97, involuntary=41, cpu=-2, stack=1204,
                              iowait=23)),
    101: ("idle", dict(PLAIN, start=78), dict(PLAIN, start=78)),
    102: ("a) R 1 (b", PLAIN, add(PLAIN, user=23, system=2, read=512)),
    103: ("two\nlines", PLAIN, add(PLAIN, system=77, written=333)),
    104: ("reused", dict(PLAIN, user=9000), dict(PLAIN, start=4999000, user=31, system=3, guest=0,
                                                 read=700, written=0, cancelled=0)),
    105: ("born", None, dict(PLAIN, start=5000100, user=19, system=5, guest=0)),
    200: ("parent", PARENT, add(PARENT, user=3, child_user=340, child_system=35,
                                read=10**9 + 2 * 10**6)),
    201: ("child", CHILD, None),
    300: ("pool", POOL, add(POOL, user=271, system=31, wait=10**8, voluntary=11, involuntary=13)),
}
WORKERS = (WORKER, add(WORKER, user=150, system=20, wait=9 * 10**8, voluntary=500, involuntary=70))


def main():
    for i, root in enumerate(sys.argv[1:3]):
        proc = root + "/proc"
        write(proc + "/uptime", f"{UPTIME[i]:.2f} 1.00\n")
        write(proc + "/stat", "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 100 0 100 1000 0 0 0 0 0 0\n")
        write(proc + "/meminfo", "MemTotal:        8123456 kB\nMemFree: 1 kB\n")
        write(proc + "/sys/kernel/task_delayacct", "0\n")
        for pid, (comm, *samples) in PROCESSES.items():
            if samples[i]:
                task(f"{proc}/{pid}", pid, comm, samples[i])
                task(f"{proc}/{pid}/task/{pid}", pid, comm, samples[i])
        task(f"{proc}/300/task/301", 301, "worker", WORKERS[i])
        os.makedirs(f"{proc}/400/stat", exist_ok=True)
        os.makedirs(f"{proc}/401", exist_ok=True)


if __name__ == "__main__":
    main()
