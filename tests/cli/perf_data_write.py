# SPDX-License-Identifier: BSD-2-Clause
"""Writes small perf.data recordings whose samples are known, one for each case of perf_data.sh.

usage: perf_data_write.py FOLDER PROGRAM FUNCTION

PROGRAM has a build-id and a function of that name. NAME.data is a recording, NAME.expected what
sink test.raw shows of it (without an expected file, the test looks at messages)."""
import ctypes
import os
import re
import struct
import subprocess
import sys

IP, TID, TIME, READ, CHAIN, ID, CPU, PERIOD, RAW, BRANCHES, IDENTIFIER = (
    1 << bit for bit in (0, 1, 2, 4, 5, 6, 7, 8, 10, 11, 16))
KERNEL, USER = 1, 2
CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_DEFERRED = 2**64 - 128, 2**64 - 512, 2**64 - 640
SAMPLE_ID_ALL = 18  # bit of the attribute's flags
MMAP, COMM, EXIT, FORK, SAMPLE, MMAP2, DEFERRED = 1, 3, 4, 7, 9, 10, 22
ATTR, TRACING, ROUND, AUXTRACE, UPDATE, FEATURE, PACKED, PACKED2 = 64, 66, 68, 71, 78, 80, 81, 83
TYPE = IP | TID | TIME | CHAIN | CPU | PERIOD


def packed(data):
    """A zstd frame."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


class Event:
    def __init__(self, name="cycles", type=0, config=0, sample_type=TYPE, ids=(), read_format=0,
                 size=136, period=1000, branch_type=0):
        self.__dict__.update(locals())


class Recording:
    def __init__(self, order="<", events=(Event(),), pipe=False, trailer=True):
        self.order, self.events, self.pipe, self.trailer = order, events, pipe, trailer
        self.records = []

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def text(self, text, pad=8):
        raw = text.encode() + b"\0"
        return raw + bytes(-len(raw) % pad)

    def record(self, type, body=b"", misc=0):
        return self.pack("IHH", type, misc, 8 + len(body)) + body

    def add(self, *args, **more):
        self.records.append(self.record(*args, **more))

    def attr(self, event):
        bits = 1 << SAMPLE_ID_ALL if self.trailer else 0
        flags = bytearray(bits.to_bytes(8, "little"))
        if self.order == ">":  # each byte's bits begin at the other end
            flags = bytes(int("{:08b}".format(byte)[::-1], 2) for byte in flags)
        raw = self.pack("IIQQQQ", event.type, event.size, event.config, event.period,
                        event.sample_type, event.read_format) + bytes(flags) + bytes(24)
        raw += self.pack("Q", event.branch_type)
        return (raw + bytes(event.size))[:event.size]

    def trail(self, pid, tid, time, event=0):
        if not self.trailer:
            return b""
        event = self.events[event]
        out = b""
        for bit, value in ((TID, self.pack("II", pid, tid)), (TIME, self.pack("Q", time)),
                           (ID, self.pack("Q", event.ids[0] if event.ids else 0)),
                           (CPU, self.pack("II", 0, 0)),
                           (IDENTIFIER, self.pack("Q", event.ids[0] if event.ids else 0))):
            out += value if event.sample_type & bit else b""
        return out

    def comm(self, time, pid, tid, name, exec=False):
        self.add(COMM, self.pack("II", pid, tid) + self.text(name) + self.trail(pid, tid, time),
                 misc=1 << 13 if exec else 0)

    def fork(self, time, pid, ppid, tid, ptid):
        self.add(FORK, self.pack("IIIIQ", pid, ppid, tid, ptid, time) + self.trail(pid, tid, time))

    def mmap(self, time, pid, start, length, offset, path, misc=USER):
        self.add(MMAP, self.pack("IIQQQ", pid, pid, start, length, offset) + self.text(path) +
                 self.trail(pid, pid, time), misc=misc)

    def mmap2(self, time, pid, start, length, offset, path, build_id):
        self.identified(time, pid, start, length, offset, path, bytes([len(build_id), 0, 0, 0]) +
                        build_id.ljust(20, b"\0"))

    def identified(self, time, pid, start, length, offset, path, identity):
        self.add(MMAP2, self.pack("IIQQQ", pid, pid, start, length, offset) + identity +
                 self.pack("II", 5, 2) + self.text(path) + self.trail(pid, pid, time),
                 misc=USER | 1 << 14)

    def sample(self, time, pid, tid, chain, cpu=0, period=10, event=0, misc=USER, read=b"",
               raw=b"", branches=b""):
        event = self.events[event]
        out = b""
        for bit, value in ((IDENTIFIER, self.pack("Q", event.ids[0] if event.ids else 0)),
                           (IP, self.pack("Q", chain[-1])), (TID, self.pack("II", pid, tid)),
                           (TIME, self.pack("Q", time)),
                           (ID, self.pack("Q", event.ids[0] if event.ids else 0)),
                           (CPU, self.pack("II", cpu, 0)), (PERIOD, self.pack("Q", period)),
                           (READ, read), (CHAIN, self.pack("Q%dQ" % len(chain), len(chain), *chain)),
                           (RAW, raw), (BRANCHES, branches)):
            out += value if event.sample_type & bit else b""
        self.add(SAMPLE, out, misc=misc)

    def round(self):
        self.add(ROUND)

    def feature_text(self, text):
        raw = text.encode() + b"\0"
        raw += bytes(-len(raw) % 64)
        return self.pack("I", len(raw)) + raw

    def event_desc(self):
        out = self.pack("II", len(self.events), self.events[0].size)
        for event in self.events:
            out += self.attr(event) + self.pack("I", len(event.ids)) + self.feature_text(event.name)
            out += self.pack("%dQ" % len(event.ids), *event.ids)
        return out

    def build_ids(self, entries):
        """(path, id, misc)"""
        out = b""
        for path, build_id, misc in entries:
            out += self.record(67, self.pack("i", -1) + build_id.ljust(20, b"\0") +
                               bytes([len(build_id), 0, 0, 0]) + self.text(path, 64),
                               misc=misc | 1 << 15)
        return out

    def bytes(self, features=None):
        features = {12: self.event_desc(), **(features or {})}
        if self.pipe:
            head = b"".join(self.record(ATTR, self.attr(event) + self.pack("%dQ" % len(event.ids), *event.ids))
                            for event in self.events)
            head += b"".join(self.record(FEATURE, self.pack("Q", bit) + raw)
                             for bit, raw in sorted(features.items()))
            return self.pack("QQ", 0x32454c4946524550, 16) + head + b"".join(self.records)
        return self.file(features)

    def file(self, features):
        size = max(event.size for event in self.events) + 16
        ids_at = 104
        ids = b"".join(self.pack("%dQ" % len(event.ids), *event.ids) for event in self.events)
        attrs_at, attrs, place = ids_at + len(ids), b"", ids_at
        for event in self.events:
            attrs += self.attr(event).ljust(size - 16, b"\xff") + self.pack("QQ", place, 8 * len(event.ids))
            place += 8 * len(event.ids)
        data_at, data = attrs_at + len(attrs), b"".join(self.records)
        bits = [0] * 4
        table, sections = b"", b""
        at = data_at + len(data) + 16 * len(features)
        for bit, raw in sorted(features.items()):
            bits[bit // 64] |= 1 << bit % 64
            table += self.pack("QQ", at + len(sections), len(raw))
            sections += raw
        return (self.pack("QQQ6Q4Q", 0x32454c4946524550, 104, size, attrs_at, len(attrs), data_at,
                          len(data), 0, 0, *bits) + ids + attrs + data + table + sections)


class Folder:
    def __init__(self, path):
        self.path = path

    def write(self, name, data, lines=None):
        with open(os.path.join(self.path, name + ".data"), "wb") as file:
            file.write(data)
        if lines is not None:
            with open(os.path.join(self.path, name + ".expected"), "w") as file:
                file.write("".join("\t".join(str(part) for part in line) + "\n" for line in lines))


def usual(recording):
    """One process that names itself, maps a file, and is sampled three times, out of order."""
    recording.comm(100, 7, 7, "worker")
    recording.mmap(110, 7, 0x1000, 0x2000, 0x500, "/no/such/file")
    recording.sample(300, 7, 8, [CONTEXT_USER, 0x1010, 0x1204], cpu=1)
    recording.sample(200, 7, 7, [CONTEXT_KERNEL, 0xffffffff81000010, CONTEXT_USER, 0x1008])
    recording.round()
    recording.sample(250, 7, 7, [CONTEXT_USER, 0x1020, 0x9999], cpu=1, period=12)
    recording.round()
    return recording


def frame(address, flags, object="", offset=0, symbol="-"):
    return "%x %x %s %s %s" % (address, offset, flags, symbol, object)


USUAL = [
    ["worker", 7, 7, 0, 200, 10, "cycles", frame(0xffffffff81000010, "k", "[kernel]"),
     frame(0x1008, "u", "/no/such/file", 0x508)],
    ["worker", 7, 7, 1, 250, 12, "cycles", frame(0x1020, "ut", "/no/such/file", 0x520)],
    [":8", 7, 8, 1, 300, 10, "cycles", frame(0x1010, "u", "/no/such/file", 0x510),
     frame(0x1204, "uc", "/no/such/file", 0x704)],
]


def forms(out):
    for name, order in (("little", "<"), ("big", ">")):
        for pipe in (False, True):
            out.write("%s_%s" % (name, "pipe" if pipe else "file"),
                      usual(Recording(order, pipe=pipe)).bytes(), USUAL)
        for size in (64, 72, 128, 264):
            out.write("%s_attr_%d" % (name, size),
                      usual(Recording(order, [Event(size=size)])).bytes(), USUAL)
    first = usual(Recording()).bytes()
    out.write("version_1", b"PERFFILE" + first[8:], USUAL)
    # Records that nobody knows, and those that are followed by something else.
    for pipe in (False, True):
        more = Recording(pipe=pipe)
        more.add(99, b"\xff" * 24)
        more.records.append(more.record(AUXTRACE, more.pack("QQQQ", 24, 0, 0, 0)) + b"\x09" * 24)
        more.records.append(more.record(TRACING, more.pack("I", 11)) + b"\x09" * 16)
        more.add(40000, b"\xff" * 8)
        out.write("unknown_records_%s" % ("pipe" if pipe else "file"), usual(more).bytes(), USUAL)


def packings(out):
    for name, type in (("packed", PACKED), ("packed_again", PACKED2)):
        for pipe in (False, True):
            whole = usual(Recording(pipe=pipe))
            stream = packed(b"".join(whole.records))
            parts = [stream[at:at + 53] for at in range(0, len(stream), 53)]
            assert len(parts) > 2
            whole.records = []
            for part in parts:
                body = part if type == PACKED else whole.pack("Q", len(part)) + part + bytes(-len(part) % 8)
                whole.add(type, body)
            out.write("%s_%s" % (name, "pipe" if pipe else "file"), whole.bytes(), USUAL)


def events(out):
    for name, mark in (("identifier", IDENTIFIER), ("id", ID)):
        both = Recording(events=[Event("first", sample_type=TYPE | mark, ids=(11, 12)),
                                 Event("second", config=1, sample_type=TYPE | mark, ids=(21,))])
        usual(both)
        both.sample(400, 7, 7, [CONTEXT_USER, 0x1000], event=1)
        lines = [line[:6] + ["first"] + line[7:] for line in USUAL]
        out.write("events_by_" + name, both.bytes(), lines)
        out.write("second_event_by_" + name, both.bytes(),
                  [["worker", 7, 7, 0, 400, 10, "second", frame(0x1000, "u", "/no/such/file", 0x500)]])
    for name, form, read in (("single", 1 | 2 | 4 | 16, "QQQQQ"), ("group", 1 | 2 | 4 | 8 | 16, "Q" * 9)):
        group = Recording(events=[Event(sample_type=TYPE | READ, read_format=form)])
        value = group.pack(read, *([2] * len(read)))
        group.comm(100, 7, 7, "worker")
        group.sample(200, 7, 7, [CONTEXT_USER, 0x1000], read=value)
        out.write("read_" + name, group.bytes(),
                  [["worker", 7, 7, 0, 200, 10, "cycles", frame(0x1000, "u")]])


def processes(out):
    """What is mapped where, over time: the records of one round in any order."""
    one = Recording()
    one.sample(150, 7, 7, [CONTEXT_USER, 0x1100])
    one.sample(250, 7, 7, [CONTEXT_USER, 0x1100])
    one.sample(260, 7, 7, [CONTEXT_USER, 0x1f00])
    one.sample(350, 9, 9, [CONTEXT_USER, 0x1100])
    one.sample(405, 9, 9, [CONTEXT_USER, 0x1100])
    one.sample(450, 9, 9, [CONTEXT_USER, 0x1100])
    one.sample(455, 9, 9, [CONTEXT_USER, 0x2100])
    one.sample(460, 7, 7, [CONTEXT_USER, 0x1100])
    one.comm(100, 7, 7, "first")
    one.mmap(110, 7, 0x1000, 0x1000, 0, "/old")
    one.mmap(111, 7, 0x2000, 0x1000, 0, "/gone by exec")
    one.mmap(200, 7, 0x1080, 0x100, 0x40, "/new")
    one.fork(300, 9, 7, 9, 7)
    one.comm(400, 9, 9, "second", exec=True)
    one.mmap(410, 9, 0x1000, 0x1000, 0, "/third")
    lines = []
    for time, pid, comm, address, path, offset in (
            (150, 7, "first", 0x1100, "/old", 0x100), (250, 7, "first", 0x1100, "/new", 0xc0),
            (260, 7, "first", 0x1f00, "/old", 0xf00), (350, 9, "first", 0x1100, "/new", 0xc0),
            (405, 9, "second", 0x1100, "/new", 0xc0), (450, 9, "second", 0x1100, "/third", 0x100),
            (455, 9, "second", 0x2100, "", 0), (460, 7, "first", 0x1100, "/new", 0xc0)):
        lines.append([comm, pid, pid, 0, time, 10, "cycles", frame(address, "u", path, offset)])
    out.write("processes", one.bytes(), lines)


def deferred(out):
    """User parts that come later: of two samples at once, of none, of one whose record is broken."""
    for order in ("<", ">"):
        one = Recording(order)
        one.comm(100, 7, 7, "worker")
        one.mmap(110, 7, 0x1000, 0x2000, 0x500, "/no/such/file")
        kernel = [CONTEXT_KERNEL, 0xffffffff81000010]
        for time, cookie in ((200, 77), (210, 77), (220, 78), (230, 79)):
            one.sample(time, 7, 7, kernel + [CONTEXT_DEFERRED, cookie], misc=KERNEL)
        for time, cookie, count in ((240, 77, 3), (250, 79, 2**61), (260, 80, 3)):
            one.add(DEFERRED, one.pack("QQQQQ", cookie, count, CONTEXT_USER, 0x1010, 0x1204) +
                    one.trail(7, 7, time))
        first = frame(kernel[1], "k", "[kernel]")
        user = [frame(0x1010, "u", "/no/such/file", 0x510), frame(0x1204, "uc", "/no/such/file", 0x704)]
        out.write("deferred_" + ("little" if order == "<" else "big"), one.bytes(),
                  [["worker", 7, 7, 0, time, 10, "cycles", first] + (user if time < 220 else [])
                   for time in (200, 210, 220, 230)])


def calls(out):
    """Stacks of the processor's last branches: where they are calls, behind what frame pointers gave."""
    CALLS, INDEX = 1 << 11, 1 << 17
    chain = [CONTEXT_KERNEL, 0xffffffff81000010, CONTEXT_USER, 0x1010, 0x1500]
    for name, branch_type in (("calls", CALLS), ("calls_with_index", CALLS | INDEX), ("jumps", 0)):
        one = Recording(events=[Event(sample_type=TYPE | RAW | BRANCHES, branch_type=branch_type)])
        one.comm(100, 7, 7, "worker")
        one.mmap(110, 7, 0x1000, 0x2000, 0x500, "/no/such/file")
        index = one.pack("Q", 5) if branch_type & INDEX else b""
        raw = one.pack("I", 12) + b"\xff" * 12
        for time, own, pairs in ((200, chain, [(0x1204, 0x1000), (0x1308, 0x1200)]), (210, chain, []),
                                 (220, chain[:3], [(0x1204, 0x1000)])):
            branches = one.pack("Q", len(pairs)) + index
            branches += b"".join(one.pack("QQQ", start, end, 0) for start, end in pairs)
            one.sample(time, 7, 7, own, misc=KERNEL, raw=raw, branches=branches)
        found = lambda address, flags: frame(address, flags, "/no/such/file", address - 0xb00)
        kernel, leaf, caller = frame(chain[1], "k", "[kernel]"), found(0x1010, "u"), found(0x1500, "uc")
        called = [found(0x1204, "u"), found(0x1308, "u")]
        whole = [leaf] + called if branch_type else [leaf, caller]
        bare = [found(0x1000, "u"), called[0]] if branch_type else []
        out.write(name, one.bytes(), [["worker", 7, 7, 0, time, 10, "cycles", kernel] + stack for time, stack in
                                      ((200, whole), (210, [leaf, caller]), (220, bare))])


def broken(out):
    whole = usual(Recording()).bytes()
    begin = whole.index(Recording().pack("II", 7, 7) + b"worker") - 8
    short = Recording()
    usual(short)
    short.records.insert(5, struct.pack("<IHH", 9, 0, 4))
    out.write("impossible", short.bytes(), [USUAL[0], USUAL[2]])
    for at in range(0, len(whole), 7):
        out.write("cut_%d" % at, whole[:at])
    odd = usual(Recording())
    odd.add(SAMPLE, odd.pack("QIIQIIQQ", 1, 7, 7, 500, 0, 0, 1, 2**60))
    out.write("chain_too_long", odd.bytes(), USUAL)
    unfinished = bytearray(whole)
    unfinished[48:56] = bytes(8)
    records = len(b"".join(usual(Recording()).records))
    out.write("unfinished", bytes(unfinished[:begin + records]),
              [line for line in USUAL])


def place(program, function):
    """Where the function lies in the code of the program; where that is mapped, its size, offset."""
    headers = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True).stdout
    offset, address, size = next((int(o, 16), int(a, 16), int(s, 16)) for o, a, s in re.findall(
        r"LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E", headers))
    symbols = subprocess.run(["nm", program], capture_output=True, text=True).stdout
    at = int(re.search(r"(\w+) [Tt] %s\n" % function, symbols)[1], 16) - address + 4
    return at, 0x7f0000000000, size, offset


def names(out, program, function):
    """The function of a file, by its build-id; and what is named wrong by nobody."""
    at, start, size, offset = place(program, function)
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout
    build_id = bytes.fromhex(re.search(r"Build ID: (\w+)", notes)[1])
    wrong = bytes(byte ^ 1 for byte in build_id)
    for name, mapped, told, path, symbol in (
            ("named", build_id, None, program, function),
            ("named_deleted", build_id, None, program + " (deleted)", function),
            ("named_by_feature", None, build_id, program, function),
            ("other_file", wrong, None, program, "-"),
            ("other_file_by_feature", None, wrong, program, "-"),
            ("unproven", None, None, program, "-")):
        one = Recording()
        one.comm(100, 7, 7, "worker")
        if mapped:
            one.mmap2(110, 7, start, size, offset, path, mapped)
        else:
            one.mmap(110, 7, start, size, offset, path)
        one.sample(200, 7, 7, [CONTEXT_USER, start + at])
        features = {2: one.build_ids([(path, told, USER)])} if told else {}
        out.write(name, one.bytes(features), [
            ["worker", 7, 7, 0, 200, 10, "cycles",
             frame(start + at, "u", program, offset + at, symbol)]])


def inodes(out, program, function):
    """An inode that is marked as a build-id, as a kernel may do; the file is older than this."""
    status = os.stat(program)
    at, start, size, offset = place(program, function)
    one = Recording()
    one.comm(100, 7, 7, "worker")
    one.identified(110, 7, start, size, offset, program,
                   one.pack("IIQQ", os.major(status.st_dev), os.minor(status.st_dev),
                            status.st_ino, 0))
    one.sample(200, 7, 7, [CONTEXT_USER, start + at])
    for name, host, symbol in (("inode", os.uname().nodename, function),
                               ("inode_elsewhere", "elsewhere", "-")):
        out.write(name, one.bytes({3: one.feature_text(host)}),
                  [["worker", 7, 7, 0, 200, 10, "cycles",
                    frame(start + at, "u", program, offset + at, symbol)]])


def kernels(out):
    release, host = os.uname().release, os.uname().nodename
    notes = open("/sys/kernel/notes", "rb").read()
    own = re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", notes, re.S)
    own = own[1] if own else bytes(20)
    with open("/proc/kallsyms") as file:
        lines = [line.split() for line in file]
    text = min(int(line[0], 16) for line in lines if line[1] in "tTwW" and len(line) == 3)
    target = next(line for line in lines if line[2] == "vfs_read")
    ip = int(target[0], 16) + 2
    for name, id, named, moved in (("kernel_here", own, release, 0), ("kernel_moved", own, release, 4096),
                                   ("kernel_other", bytes(20), release, 0),
                                   ("kernel_other_release", own, release + "-x", 0)):
        one = Recording()
        one.mmap(0, 2**32 - 1, text + moved, 2**64 - 1 - text - moved, text + moved,
                 "[kernel.kallsyms]_text", misc=KERNEL)
        one.comm(100, 7, 7, "worker")
        one.sample(200, 7, 7, [CONTEXT_KERNEL, ip], misc=KERNEL)
        symbol = "vfs_read" if name == "kernel_here" and text else "-"
        out.write(name, one.bytes({2: one.build_ids([("[kernel.kallsyms]", id, KERNEL)]),
                                   3: one.feature_text(host), 4: one.feature_text(named)}),
                  [["worker", 7, 7, 0, 200, 10, "cycles",
                    frame(ip, "k", "[kernel]", ip - text - moved, symbol)]])


def main():
    folder, program, function = sys.argv[1:]
    out = Folder(folder)
    forms(out)
    packings(out)
    events(out)
    processes(out)
    deferred(out)
    calls(out)
    broken(out)
    names(out, program, function)
    inodes(out, program, function)
    kernels(out)


if __name__ == "__main__":
    main()
