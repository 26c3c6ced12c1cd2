# SPDX-License-Identifier: BSD-2-Clause
"""Copies an ELF file (64 bits, little-endian) and says of some of its sections, as a stripped file
does, that their bytes lie elsewhere. Usage: without_bits.py IN OUT SECTION..."""
import struct
import sys

SHT_NOBITS = 8
SHDR = struct.Struct("<IIQQQQIIQQ")

source, target, *wanted = sys.argv[1:]
data = bytearray(open(source, "rb").read())
(table,) = struct.unpack_from("<Q", data, 0x28)
size, count, names = struct.unpack_from("<HHH", data, 0x3A)
texts = SHDR.unpack_from(data, table + names * size)[4]
for at in range(table, table + count * size, size):
    name = texts + struct.unpack_from("<I", data, at)[0]
    if data[name:data.index(0, name)].decode() in wanted:
        struct.pack_into("<I", data, at + 4, SHT_NOBITS)
open(target, "wb").write(data)
