#!/usr/bin/env python3
"""Prints C that holds headers to a frozen version: structs by an abidw record, constants by its headers.

usage: asserts.py RECORD FOLDER-OF-FROZEN-HEADERS
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

# They have neither a size nor items of a given size, so they may not grow.
FIXED = """weir_text weir_name weir_names_ref weir_histogram_ref weir_stack_ref weir_rows_ref weir_texts
weir_service weir_value weir_tree_look weir_note weir_note_section weir_unwind_frame
weir_histogram""".split()
# An enum's, and what is defined as a number. The minor version is what grows.
CONSTANT = re.compile(r"^(?:\t|#define )(?!WEIR_ABI_MINOR)(WEIR_\w+)(?: =)?\s+([0-9][0-9a-fx]*u?(?: << \d+)?)\b", re.M)


def structs(record):
    """Name, bytes, and (member, offset) of each."""
    for struct in sorted(tree.parse(record).iter("class-decl"), key=lambda s: s.get("name")):
        if not struct.get("name").startswith("weir_") or struct.get("is-declaration-only") == "yes":
            continue
        members = [(variable.get("name"), int(member.get("layout-offset-in-bits")) // 8)
                   for member in struct.iter("data-member") for variable in member.iter("var-decl")]
        yield struct.get("name"), int(struct.get("size-in-bits")) // 8, members


def headers(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*.h"))


def main():
    folder = pathlib.Path(sys.argv[2])
    print("/* SPDX-License-Identifier: BSD-2-Clause */")
    print("/* Made by asserts.py when the ABI was frozen: whatever comes, this must compile. */")
    for header in headers(folder):
        print("#include <%s>" % header)
    print("\n#if __SIZEOF_POINTER__ == 8\n")
    for name, size, members in structs(sys.argv[1]):
        relation = "==" if name in FIXED else ">="
        print('_Static_assert(sizeof(struct %s) %s %d, "%s");' % (name, relation, size, name))
        for member, offset in members:
            if member:
                print('_Static_assert(offsetof(struct %s, %s) == %d, "%s.%s");'
                      % (name, member, offset, name, member))
    print("\n#endif\n")
    for header in headers(folder):
        for constant in CONSTANT.finditer((folder / header).read_text()):
            print('_Static_assert(%s == (%s), "%s");'
                  % (constant[1], constant[2], constant[1]))


main()
