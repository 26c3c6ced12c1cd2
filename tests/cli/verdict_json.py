# SPDX-License-Identifier: BSD-2-Clause
"""Holds the JSON of `weir verdict` against its contract: which members there are, of which types, with
which words. Usage: verdict_json.py FILE. Prints what is wrong, and then exits with 1."""
import json
import sys

TEXT, NUMBER, COUNT = (str,), (int, float), (int,)
MAYBE_TEXT, MAYBE_NUMBER, MAYBE_COUNT = (str, type(None)), (int, float, type(None)), (int, type(None))

RESOURCES = {"cpu", "memory", "disk", "network", "cgroup", "software"}
KINDS = {"saturation", "errors", "limit", "imbalance", "churn"}
STATES = {"ok", "busy", "SATURATED", "ERRORS", "LIMIT", "not checked"}

CONTRACT = {
    "resources": {"resource": TEXT, "instance": MAYBE_TEXT, "utilization": MAYBE_NUMBER,
                  "saturation": MAYBE_NUMBER, "errors": MAYBE_NUMBER, "state": TEXT, "reason": MAYBE_TEXT},
    "findings": {"rank": COUNT, "resource": TEXT, "instance": MAYBE_TEXT, "kind": TEXT, "summary": TEXT,
                 "evidence": {"metric": TEXT, "value": MAYBE_NUMBER, "unit": MAYBE_TEXT},
                 "causes": {"pid": MAYBE_COUNT, "comm": TEXT, "share": MAYBE_NUMBER, "unit": MAYBE_TEXT},
                 "victims": {"pid": MAYBE_COUNT, "comm": TEXT, "wait_s": MAYBE_NUMBER},
                 "next": [TEXT]},
    "not_checked": {"resource": TEXT, "what": TEXT, "reason": TEXT, "text": TEXT,
                    "cure": MAYBE_TEXT},
}
wrong = []


def hold(where, value, want):
    if isinstance(want, tuple):
        if not isinstance(value, want) or isinstance(value, bool):
            wrong.append(f"{where}: {value!r}")
        return
    if not isinstance(value, list):
        wrong.append(f"{where}: no list: {value!r}")
        return
    for i, item in enumerate(value):
        if isinstance(want, list):
            hold(f"{where}[{i}]", item, want[0])
            continue
        for name, kind in want.items():
            if name not in item:
                wrong.append(f"{where}[{i}]: no {name}")
            else:
                hold(f"{where}[{i}].{name}", item[name], kind)


def words(where, rows, name, known):
    wrong.extend(f"{where}: {name} {row[name]!r}" for row in rows if row[name] not in known)


lines = open(sys.argv[1]).read().splitlines()
if len(lines) != 1:
    sys.exit(f"{len(lines)} lines, not one")
verdict = json.loads(lines[0])
for part, want in CONTRACT.items():
    hold(part, verdict.get(part), want)
if not isinstance(verdict.get("lost"), dict):
    wrong.append(f"lost: no object: {verdict.get('lost')!r}")
for what, count in (verdict.get("lost") or {}).items():
    hold(f"lost[{what}]", count, COUNT)
if not wrong:
    words("resources", verdict["resources"], "resource", RESOURCES)
    words("resources", verdict["resources"], "state", STATES)
    words("findings", verdict["findings"], "resource", RESOURCES)
    words("findings", verdict["findings"], "kind", KINDS)
    ranks = [finding["rank"] for finding in verdict["findings"]]
    if ranks != list(range(1, len(ranks) + 1)):
        wrong.append(f"ranks: {ranks}")
    wrong.extend(f"not checked, and no reason: {row}" for row in verdict["resources"]
                 if row["state"] == "not checked" and not row["reason"])
sys.exit("\n".join(wrong) or None)
