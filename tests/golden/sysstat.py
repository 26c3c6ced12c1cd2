# SPDX-License-Identifier: BSD-2-Clause
"""Holds weir's rows against what a peer printed of the same two samples, to the last digit.

Usage: sysstat.py iostat|mpstat|vmstat|dev|edev|tcp|etcp PEER-OUTPUT WEIR-ROWS [KEY...]
Rows of these KEYs are not compared: there, the peer is known to be wrong, and the test says how.

Each column is a function of a weir row. None is "not known": there the peer prints 0.
"""
import json
import sys


def rate(name, per=1):
    return lambda row: None if row[name] is None else row[name] / per / row["seconds"]


def share(name):
    return lambda row: None if row[name] is None else row[name] * 100


def scaled(name, by):
    return lambda row: None if row[name] is None else row[name] / by


def level(name, per=1):
    return lambda row: None if row[name] is None else row[name] // per


def disk_op(letter, name):
    return {
        letter + "/s": rate(name + "s"),
        letter + "kB/s": rate(name + "_bytes", 1024),
        letter + "rqm/s": rate(name + "_merges"),
        letter + "rqm": share(name + "_merged"),
        letter + "_await": scaled(name + "_wait", 1e6),
        letter + "areq-sz": scaled(name + "_size", 1024),
    }


IOSTAT = {
    **disk_op("r", "read"), **disk_op("w", "write"), **disk_op("d", "discard"),
    "f/s": rate("flushes"), "f_await": scaled("flush_wait", 1e6),
    "aqu-sz": scaled("queue", 1), "util": share("util_raw"),
}
MPSTAT = {column: share(name) for column, name in {
    "usr": "user", "nice": "nice", "sys": "system", "iowait": "iowait", "irq": "irq", "soft": "softirq",
    "steal": "steal", "guest": "guest", "gnice": "guest_nice", "idle": "idle"}.items()}
VMSTAT = {
    "r": level("running"), "b": level("blocked"), "swpd": level("swapped", 1024),
    "free": level("free", 1024), "buff": level("buffers", 1024), "cache": level("cache", 1024),
    "si": rate("swap_in", 1024), "so": rate("swap_out", 1024), "bi": rate("page_in", 1024),
    "bo": rate("page_out", 1024), "in": rate("interrupts"), "cs": rate("switches"),
    "us": share("user"), "sy": share("system"), "id": share("idle"), "wa": share("iowait"),
    "st": share("steal"), "gu": share("guest"),
}
DEV = {
    "rxpck/s": rate("rx_packets"), "txpck/s": rate("tx_packets"), "rxkB/s": rate("rx_bytes", 1024),
    "txkB/s": rate("tx_bytes", 1024), "rxcmp/s": rate("rx_compressed"),
    "txcmp/s": rate("tx_compressed"), "rxmcst/s": rate("multicast"), "%ifutil": share("util"),
}
EDEV = {
    "rxerr/s": rate("rx_errors"), "txerr/s": rate("tx_errors"), "coll/s": rate("collisions"),
    "rxdrop/s": rate("rx_dropped"), "txdrop/s": rate("tx_dropped"), "txcarr/s": rate("tx_carrier"),
    "rxfram/s": rate("rx_frame"), "rxfifo/s": rate("rx_fifo"), "txfifo/s": rate("tx_fifo"),
}
TCP = {
    "active/s": rate("active_opens"), "passive/s": rate("passive_opens"),
    "iseg/s": rate("in_segments"), "oseg/s": rate("out_segments"),
}
ETCP = {
    "atmptf/s": rate("failed_attempts"), "estres/s": rate("resets"), "retrans/s": rate("retransmits"),
    "isegerr/s": rate("in_errors"), "orsts/s": rate("out_resets"),
}


def of_json(path, list_name, key):
    """The last report of sysstat's JSON: rows by key, values as printed."""
    with open(path) as peer:
        host = json.load(peer, parse_float=str, parse_int=str)["sysstat"]["hosts"][0]
    return {row[key]: row for row in host["statistics"][-1][list_name]}


def of_text(path, head_word, key):
    """The first table with that word in its head: rows by key."""
    rows, head = {}, None
    with open(path) as peer:
        for line in peer:
            words = line.split()
            if head_word in words:
                head = words
            elif not words or words[0] == "Average:":
                head = None
            elif head:
                row = dict(zip(head, words))
                rows[row.get(key, "")] = row
    return rows


PEERS = {
    # columns, how to read the peer, its key, weir's key, decimals
    "iostat": (IOSTAT, lambda p: of_json(p, "disk", "disk_device"), "disk", 2),
    "mpstat": (MPSTAT, lambda p: of_json(p, "cpu-load", "cpu"), "cpu", 2),
    "vmstat": (VMSTAT, lambda p: of_text(p, "swpd", "none"), None, 0),
    "dev": (DEV, lambda p: of_text(p, "rxpck/s", "IFACE"), "interface", 2),
    "edev": (EDEV, lambda p: of_text(p, "rxerr/s", "IFACE"), "interface", 2),
    "tcp": (TCP, lambda p: of_text(p, "active/s", "none"), None, 2),
    "etcp": (ETCP, lambda p: of_text(p, "atmptf/s", "none"), None, 2),
}


def shown(value, decimals):
    if value is None:
        value = 0
    # procps computes in whole numbers, and rounds halves up.
    return f"{value:.{decimals}f}" if decimals else str(int(value + 0.5))


def differences(columns, decimals, printed, row):
    for column, of_row in columns.items():
        if column not in printed:
            yield f"{column}: the peer has no such column"
            continue
        value = of_row(row)
        ours = shown(value, decimals)
        if ours != printed[column]:
            yield f"{column}: peer {printed[column]}, weir {ours}"


def main():
    kind, peer_path, weir_path, *but = sys.argv[1:]
    columns, read, key, decimals = PEERS[kind]
    peer = read(peer_path)
    with open(weir_path) as rows:
        ours = {row[key] if key else "": row for row in map(json.loads, rows) if row.get("note") != "gone"}
    wrong = [f"rows: peer {sorted(peer)}, weir {sorted(ours)}"] if set(peer) != set(ours) else []
    compared = 0
    for name in sorted(set(peer) & set(ours) - set(but)):
        compared += len(columns)
        wrong += [f"{name} {text}" for text in differences(columns, decimals, peer[name], ours[name])]
    if wrong or not compared:
        sys.exit("\n".join(wrong) or "nothing to compare")
    print(f"{compared} figures are the same")


main()
