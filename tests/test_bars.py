from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

PROGRAM = """
from dgl_mathtree.progress_bars import bar, in_notebook
assert not in_notebook()
with bar(total=3, unit=" equations") as shown:
    shown.update(3)
"""


def test_a_terminal_shows_a_bar() -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))  # lines and columns
    done = subprocess.run([sys.executable, "-c", PROGRAM], stderr=theirs, stdout=subprocess.PIPE, text=True)
    os.close(theirs)
    text = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == 0 and done.stdout == ""
    assert "3/3" in text and "equations/s" in text


def test_a_file_gets_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
