# SPDX-License-Identifier: BSD-2-Clause
"""Answers the questions of ask.sh, until the test that asks has ended. Usage: answer.py FOLDER"""
import contextlib
import functools
import io
import os
import select
import sys
import traceback


def question(pipe, test):
    """The words of the next one: their number, then they, each with a zero behind it."""
    text = b""
    while True:
        while not select.select([pipe], [], [], 1)[0]:
            if os.getppid() != test:
                sys.exit()
        text += os.read(pipe, 65536)
        number, *words = os.fsdecode(text).split("\0")
        if words and len(words) == int(number) + 1:
            return words[:-1]


@functools.lru_cache(maxsize=None)
def program(path):
    with open(path) as file:
        return compile(file.read(), path, "exec")


def status(path):
    """What Python would end with that has this one program."""
    try:
        exec(program(path), {"__name__": "__main__"})
    except SystemExit as end:
        if not isinstance(end.code, (int, type(None))):
            print(end.code)
            return 1
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main(folder):
    test = os.getppid()
    # For writing, too, so that its end is never reached.
    pipe = os.open(folder + "/question", os.O_RDWR)
    while True:
        sys.argv = question(pipe, test)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = status("%s/%s.py" % (folder, sys.argv[0]))
        with open(folder + "/answer", "w", errors="surrogateescape") as answer:
            answer.write("%d\n%s" % (code, said.getvalue()))


main(sys.argv[1])
