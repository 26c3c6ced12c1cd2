#!/usr/bin/env python3
"""Prints each struct of an abidw record with its size and its members' offsets, in bytes."""
import sys
import xml.etree.ElementTree as tree

for struct in sorted(tree.parse(sys.argv[1]).iter("class-decl"), key=lambda s: s.get("name")):
    name = struct.get("name")
    if not name.startswith("weir_") or struct.get("is-declaration-only") == "yes":
        continue
    print("struct %s: %d bytes" % (name, int(struct.get("size-in-bits")) // 8))
    for member in struct.iter("data-member"):
        for variable in member.iter("var-decl"):
            print("%6d %s" % (int(member.get("layout-offset-in-bits")) // 8, variable.get("name")))
