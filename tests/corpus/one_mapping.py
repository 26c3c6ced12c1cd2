# SPDX-License-Identifier: BSD-2-Clause
"""Writes a recording in which one program was mapped and one address of it was sampled.

usage: one_mapping.py OUTPUT PATH BUILD_ID START LENGTH OFFSET ADDRESS    (numbers in hexadecimal)"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from perf_data_write import CONTEXT_USER, Recording


def main():
    output, path, build_id, *numbers = sys.argv[1:]
    start, length, offset, address = (int(number, 16) for number in numbers)
    one = Recording()
    one.comm(100, 7, 7, "worker")
    one.mmap2(150, 7, start, length, offset, path, bytes.fromhex(build_id))
    one.sample(200, 7, 7, [CONTEXT_USER, address])
    with open(output, "wb") as file:
        file.write(one.bytes())


main()
