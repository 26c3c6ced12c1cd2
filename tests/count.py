#!/usr/bin/env python3
"""Adds up the cases of meson's test log, whose tests speak TAP.

usage: count.py TITLE BUILD TOTALS LOG [AGAIN]
           one `meson test` run; appends a line to TOTALS. Measurements that failed, but for crashes
           and what sanitizers find, are not counted but named in the file AGAIN, "SUITE NAME" a
           line, if it is given: they run once more.
       count.py --total TOTALS
           prints "N passed, N failed"; exit status 1 on failures
"""
import json
import os
import re
import sys

LINES_MAX = 60  # shown of each failure
# Suites that measure the real machine, whose other loads and hypervisor may spoil a figure.
MEASURED = ("live", "scenarios", "vm")
# What no other load brings about: it is a failure at once.
FAULT = re.compile(r"Sanitizer:|runtime error:|Segmentation fault|Aborted")
DETAILS = re.compile(r"[^\n]*(\n#[^\n]*)*")
REASON = re.compile(r"^#?\s*(skipped: .*)", re.M)
CASE = re.compile(r"^(not )?ok\b[^#\n]*(#\s*(SKIP|TODO)\b.*)?", re.I | re.M)


def cases(test):
    """(passed, failed, skipped) of one test, and the lines worth reading."""
    passed = failed = skipped = 0
    lines = []
    stdout = test.get("stdout") or ""
    for match in CASE.finditer(stdout):
        if match.group(2):  # cmocka calls a skipped case "not ok"
            skipped += 1
            lines.append(match.group(0))
        elif match.group(1):
            failed += 1
            details = DETAILS.match(stdout, match.end()).group(0).splitlines()
            lines += [match.group(0)] + details[1:LINES_MAX]
        else:
            passed += 1
    if skipped:
        lines += REASON.findall(stdout + (test.get("stderr") or ""))
    if passed + failed + skipped == 0:  # a test of one case, by its exit status
        if test["result"] == "OK":
            return 1, 0, 0, []
        if test["result"] == "SKIP":
            return 0, 0, 1, ["skipped: no reason given"]
    # Meson, too, takes cmocka's skipped cases for failures.
    only_skips = test["result"] == "FAIL" and skipped and test.get("returncode") == 0
    if test["result"] not in ("OK", "SKIP") and failed == 0 and not only_skips:
        failed = 1  # it crashed, ran out of time, or did not finish its plan
        lines.append("%s, exit status %s" % (test["result"], test.get("returncode")))
        lines += stdout.splitlines()[-LINES_MAX:]
    return passed, failed, skipped, lines


def one_run(title, build, totals, log, again=None):
    """Reads the log of the newest run below `build`."""
    repeat = []
    folder = os.path.join(build, "meson-logs")
    logs = [f for f in os.listdir(folder) if f.startswith("testlog") and f.endswith(".json")]
    if not logs:
        print(open(log, errors="replace").read()[-4000:])
        with open(totals, "a") as out:
            out.write("0 1 0 %s\n" % title)
        return
    total = [0, 0, 0]
    for line in open(os.path.join(folder, logs[0]), errors="replace"):
        test = json.loads(line)
        passed, failed, skipped, lines = cases(test)
        suite, _, name = test["name"].partition(":")[2].partition(" / ")  # weir:SUITE+OTHER / NAME
        suite = suite.partition("+")[0]
        said = (test.get("stdout") or "") + (test.get("stderr") or "")
        if failed and again and suite in MEASURED and not FAULT.search(said):
            repeat.append("%s %s\n" % (suite, name))
        else:
            total = [total[0] + passed, total[1] + failed, total[2] + skipped]
        print("%-44s %4d passed %3d failed %3d skipped" % (test["name"][-44:], passed, failed, skipped))
        for text in lines:
            print("    " + text)
        if failed:
            for text in (test.get("stderr") or "").splitlines()[-LINES_MAX:]:
                print("    | " + text)
    if again:
        with open(again, "w") as out:
            out.writelines(repeat)
    with open(totals, "a") as out:
        out.write("%d %d %d %s\n" % (*total, title))


def all_runs(totals):
    """Prints the last line."""
    passed = failed = skipped = repeated = 0
    for line in open(totals):
        p, f, s, title = line.split(" ", 3)
        passed, failed, skipped = passed + int(p), failed + int(f), skipped + int(s)
        repeated += title.startswith("once more: ")
    if repeated:
        print("%d measurements failed at first, as shown above, and were run once more" % repeated)
    if skipped:
        print("%d skipped, each with its reason above" % skipped)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    if sys.argv[1] == "--total":
        sys.exit(all_runs(sys.argv[2]))
    one_run(*sys.argv[1:])
