# SPDX-License-Identifier: BSD-2-Clause
"""Writes profiles of a program in which addresses have no names: one as profile.proto, with the program's
build-id and one with another, and an old heap profile, which has none.

usage: pprof_addresses.py PROGRAM OUTER INNER FOLDER

Where functions are and which file this is, binutils tell: OUTER called INNER."""
import re
import subprocess
import sys

BASE = 0x700000000000  # where the program was mapped


def told(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def number(field, value):
    return key(field, 0) + varint(value)


def key(field, kind):
    return varint(field << 3 | kind)


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def message(field, body):
    return key(field, 2) + varint(len(body)) + body


def profile(program, build_id, addresses, size):
    strings = ["", "samples", "count", program, build_id]
    out = message(1, number(1, 1) + number(2, 2))
    out += message(2, b"".join(number(1, i + 1) for i in range(len(addresses))) + number(2, 7))
    out += message(3, number(1, 1) + number(2, BASE) + number(3, BASE + size) + number(5, 3) + number(6, 4))
    for i, address in enumerate(addresses):
        out += message(4, number(1, i + 1) + number(2, 1) + number(3, address))
    return out + b"".join(message(6, text.encode()) for text in strings)


def main():
    program, outer, inner, folder = sys.argv[1:]
    at = {name: int(value, 16) for value, name in re.findall(r"^(\w+) [tT] (\w+)$", told("nm", program), re.M)}
    build_id = re.search(r"Build ID: (\w+)", told("readelf", "-nW", program)).group(1)
    offset, vaddr, size = next((int(o, 16), int(v, 16), int(s, 16)) for o, v, s in re.findall(
        r"LOAD\s+(\w+) (\w+) \w+ (\w+) \w+ R E", told("readelf", "-lW", program)))
    # The leaf's own address, and one within its caller.
    addresses = [BASE + at[name] - vaddr + offset + more for name, more in ((inner, 0), (outer, 3))]
    for name, id in (("named", build_id), ("changed", "00" * 20), ("odd", "go.build/id")):
        with open("%s/%s.pb" % (folder, name), "wb") as out:
            out.write(profile(program, id, addresses, offset + size))
    with open(folder + "/named.heap", "w") as out:
        # What stands behind a call is told: pprof takes one off.
        out.write("heap profile: 1: 512 [1: 512] @ heapprofile\n1: 512 [1: 512] @ %s\n\nMAPPED_LIBRARIES:\n"
                  "%x-%x r-xp 00000000 08:02 42    %s\n" % (" ".join("%#x" % (a + 1) for a in addresses),
                                                           BASE, BASE + offset + size, program))


main()
