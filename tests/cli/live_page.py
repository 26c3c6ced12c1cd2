# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command on a terminal of its own until it has drawn three pages, and prints what the screen then
shows. Usage: live_page.py ROWS COLUMNS interrupt|kill COMMAND... Fails when the screen scrolled, a line was
wider than it, the terminal's settings or modes were changed, or the command ended otherwise than it was
told to."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios

rows, columns, end, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
leader, follower = pty.openpty()
fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
settings = termios.tcgetattr(follower)
environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
environment["TERM"] = "xterm"
weir = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=subprocess.DEVNULL, env=environment)

seen = b""
told = False
while True:
    ready, _, _ = select.select([leader], [], [], 0.2)
    if ready:
        seen += os.read(leader, 65536)
    elif weir.poll() is not None:
        break
    if seen.count(b"\033[H") >= 3 and not told:
        weir.send_signal(signal.SIGINT if end == "interrupt" else signal.SIGKILL)
        told = True
want = 0 if end == "interrupt" else -signal.SIGKILL
if not told or weir.wait() != want:
    sys.exit(f"{seen.count(b'[H')} pages, then it ended with {weir.poll()}")
if termios.tcgetattr(follower) != settings:
    sys.exit("the terminal's settings are not as before")
if re.search(rb"\033\[\?", seen) or seen.count(b"\033[1m") != seen.count(b"\033[0m"):
    sys.exit("a mode of the terminal is left set")

# What a terminal makes of it.
screen = [""] * rows
row = column = 0
for piece in re.findall(r"\033\[[0-9;]*[A-Za-z]|[^\033]", seen.decode()):
    if piece == "\033[H":
        row = column = 0
    elif piece == "\033[2J":
        screen = [""] * rows
    elif piece == "\033[K":
        screen[row] = screen[row][:column]
    elif piece == "\033[J":
        screen[row:] = [screen[row][:column]] + [""] * (rows - row - 1)
    elif piece == "\n":
        row += 1
        if row == rows:
            sys.exit("the screen scrolled")
    elif piece == "\r":
        column = 0
    elif piece[0] != "\033":
        screen[row] = screen[row][:column].ljust(column) + piece + screen[row][column + 1:]
        column += 1
        if column > columns:
            sys.exit(f"a line is wider than the screen: {screen[row]}")
print("\n".join(screen).rstrip("\n"))
