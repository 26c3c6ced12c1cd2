#!/usr/bin/env python3
"""What an event costs in a tool's BPF programs, beside its peer's, under the same load.

usage: perevent.py BUILD [TOOL...] [ROUNDS]     as root; PEERS=DIR: where the peers are, else $PATH

The kernel measures each run of a BPF program (kernel.bpf_stats_enabled, put back at the end),
with some 25 to 50 ns of its own in each. Tools run in turn, never at once. An event's cost is the
run time of all of a tool's programs, divided by the events that the tool saw: the runs of its
busiest program, by the runs that one event takes. So it does not matter what else happens on the
machine. The ratio to the peer is taken in each round and then its median.

To add a tool: a row of TOOLS, and a load if there is none like it.
"""
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

STATS = "/proc/sys/kernel/bpf_stats_enabled"


def load_exec():
    for _ in range(1500):
        os.waitpid(os.posix_spawn("/bin/true", ["/bin/true"], {}), 0)


def load_fail():
    for _ in range(20000):
        try:
            os.execv("/nonexistent/program", ["program", "argument"])
        except OSError:
            pass


def load_open():
    for _ in range(100000):
        os.close(os.open("/dev/null", os.O_RDONLY))


def load_read():
    fd = os.open(os.path.abspath(__file__), os.O_RDONLY)
    for _ in range(100000):
        os.pread(fd, 512, 0)
    os.close(fd)


def load_tcp():
    with socket.create_server(("127.0.0.1", 0), backlog=16) as server:
        for _ in range(5000):
            with socket.create_connection(server.getsockname()):
                server.accept()[0].close()


def load_switches():
    subprocess.run(["perf", "bench", "sched", "messaging", "-g", "2", "-l", "1000"], check=True,
                   capture_output=True)


# Peers want tracefs, which need not be mounted, and shall not be mounted for the whole machine.
PEER = ["unshare", "--mount", "sh", "-c",
        '[ -d /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing; exec "$@"',
        "sh"]

# name: (weir's arguments, the peer's command, the load, runs of the busiest program that one event
# takes: in weir, in the peer). Tools that weir does not have yet, or peers that are not
# installed, are left out.
TOOLS = {
    "execsnoop": (["execsnoop"], ["execsnoop"], load_exec, 1, 1),
    "execsnoop failed": (["execsnoop", "--failed"], ["execsnoop", "-x"], load_fail, 1, 1),
    "exitsnoop": (["exitsnoop"], ["exitsnoop"], load_exec, 1, 1),
    "fsdist": (["fsdist"], ["fsdist", "-t", "ext4"], load_read, 1, 1),
    "fsslower": (["fsslower"], ["fsslower", "-t", "ext4"], load_read, 1, 1),
    "offcpu": (["offcpu"], ["offcputime"], load_switches, 1, 1),
    "offcpu --waker": (["offcpu", "--waker"], ["offcputime"], load_switches, 1, 1),
    "opensnoop": (["opensnoop"], ["opensnoop"], load_open, 1, 1),
    "tcplife": (["tcplife"], ["tcplife"], load_tcp, 8, 8),
}


def programs(pid):
    """id: (run time ns, runs) of the BPF programs that a process holds."""
    held = set()
    for fd in os.listdir("/proc/%d/fdinfo" % pid):
        try:
            for line in open("/proc/%d/fdinfo/%s" % (pid, fd)):
                if line.startswith("prog_id:"):
                    held.add(int(line.split()[1]))
        except OSError:
            pass
    shown = subprocess.run(["bpftool", "-j", "prog", "show"], check=True, capture_output=True)
    return {p["id"]: (p.get("run_time_ns", 0), p.get("run_cnt", 0))
            for p in json.loads(shown.stdout) if p["id"] in held}


def start(argv):
    """The tool, once its programs stand still in number; None if it ended."""
    tool = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    found, since = {}, time.monotonic()
    while tool.poll() is None and (not found or time.monotonic() - since < 0.5):
        now = programs(tool.pid)
        if now.keys() != found.keys():
            found, since = now, time.monotonic()
        if not found and time.monotonic() - since > 10:
            break
        time.sleep(0.05)
    if tool.poll() is None and found:
        return tool
    stop(tool)
    return None


def stop(tool):
    if tool.poll() is None:
        tool.send_signal(signal.SIGINT)
    tool.wait()


def measure(argv, load, runs_per_event):
    """(ns per event, events), or None when the tool does not run here."""
    tool = start(argv)
    if not tool:
        return None
    try:
        before = programs(tool.pid)
        load()
        after = programs(tool.pid)
    finally:
        stop(tool)
    spent = [(after[i][0] - before[i][0], after[i][1] - before[i][1]) for i in before]
    events = max(runs for _, runs in spent) / runs_per_event
    return (sum(ns for ns, _ in spent) / events, events) if events else None


def compare(name, build, rounds):
    weir, peer, load, weir_runs, peer_runs = TOOLS[name]
    path = shutil.which(peer[0], path=os.environ.get("PEERS") or os.environ["PATH"])
    pairs = []
    for _ in range(rounds):
        ours = measure([os.path.join(build, "weir")] + weir, load, weir_runs)
        theirs = measure(PEER + [path] + peer[1:], load, peer_runs) if path else None
        pairs.append((ours, theirs))
    ours = [a[0] for a, _ in pairs if a]
    theirs = [b[0] for _, b in pairs if b]
    ratios = [a[0] / b[0] for a, b in pairs if a and b]
    show = lambda values, form: form % statistics.median(values) if values else "-"
    print("%-18s %12s %12s %8s %10s" % (
        name, show(ours, "%.0f"), show(theirs, "%.0f"), show(ratios, "%.2f"),
        show([a[1] for a, _ in pairs if a], "%.0f")), flush=True)


def main():
    args = sys.argv[1:]
    rounds = int(args.pop()) if args and args[-1].isdigit() else 3
    if not args or [name for name in args[1:] if name not in TOOLS]:
        sys.exit(__doc__ + "\nTools: " + ", ".join(TOOLS))
    was = open(STATS).read()
    try:
        open(STATS, "w").write("1\n")
        print("%-18s %12s %12s %8s %10s" % ("tool", "weir, ns", "peer, ns", "ratio", "events"))
        for name in args[1:] or TOOLS:
            compare(name, args[0], rounds)
    finally:
        open(STATS, "w").write(was)


main()
