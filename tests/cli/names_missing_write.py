# SPDX-License-Identifier: BSD-2-Clause
"""Writes recordings of which some frames have no names, for names_missing.sh.

usage: names_missing_write.py FOLDER BUILD_ID    of the program /opt/demo"""
import os
import sys

from perf_data_write import CONTEXT_USER, Recording

START, GONE, MADE = 0x400000, 0x800000, 0xc00000


def write(folder, name, recording):
    with open(os.path.join(folder, name + ".data"), "wb") as file:
        file.write(recording.bytes())


def recording(comm):
    one = Recording()
    one.comm(100, 7, 7, comm)
    return one


def files(folder, build_id):
    """Three of four samples in one file, one in another that is not there."""
    one = recording("worker")
    one.mmap2(150, 7, START, 0x100000, 0, "/opt/demo", build_id)
    one.mmap2(150, 7, GONE, 0x100000, 0, "/opt/gone", bytes(20))
    for i, address in enumerate((START, START, GONE, START)):
        one.sample(200 + i, 7, 7, [CONTEXT_USER, address + 0x10])
    write(folder, "files", one)
    other = recording("worker")
    other.mmap2(150, 7, START, 0x100000, 0, "/opt/demo", bytes(range(20)))
    other.sample(200, 7, 7, [CONTEXT_USER, START + 0x10])
    write(folder, "changed", other)
    unproven = recording("worker")
    unproven.mmap(150, 7, START, 0x100000, 0, "/opt/demo")
    unproven.sample(200, 7, 7, [CONTEXT_USER, START + 0x10])
    write(folder, "unproven", unproven)


def made(folder, comm):
    """Code that was made at run time: three of four frames."""
    one = recording(comm)
    one.mmap(150, 7, MADE, 0x1000, MADE, "//anon")
    one.mmap(150, 7, GONE, 0x1000, 0, "/opt/gone")
    one.sample(200, 7, 7, [CONTEXT_USER, MADE + 1, MADE + 2, MADE + 3, GONE + 1])
    write(folder, comm, one)


def main():
    folder, build_id = sys.argv[1], bytes.fromhex(sys.argv[2])
    files(folder, build_id)
    for comm in ("java", "node", "python3", "other"):
        made(folder, comm)


main()
