from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.cli.equation_arguments import FIRST, given_equations
from dgl_mathtree.oracle.oracle import CHUNK, CHUNK_SIZE

COMMAND = [sys.executable, "-m", "dgl_mathtree"]


class Endless:
    """Standard input without end that counts the lines that were taken from it."""

    def __init__(self, line: str) -> None:
        self.line, self.taken = line, 0

    def __iter__(self) -> Iterator[str]:
        for self.taken in count(1):
            yield self.line


def chunks(line: str, wanted: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], int]:
    """The lengths of the first chunks of endless input, and how many lines were read for them."""
    stream = Endless(line)
    monkeypatch.setattr(sys, "stdin", stream)
    given = given_equations(argparse.Namespace(equations=[], file="-"))
    return [len(chunk) for chunk in islice(given, wanted)], stream.taken


def test_a_file_is_read_as_it_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, taken = chunks("x = x\n", 9, monkeypatch)
    assert sizes == [FIRST * 2**k for k in range(6)] + [CHUNK] * 3
    assert sum(sizes) <= taken <= sum(sizes) + 1


def test_long_lines_come_in_smaller_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"{' + '.join(['x'] * 2000)} = x\n"
    sizes, taken = chunks(line, 4, monkeypatch)
    assert max(sizes) <= CHUNK_SIZE // len(line) + 1 < FIRST
    assert taken <= sum(sizes) + 1


def test_first_answers_do_not_wait_for_the_end_of_the_input() -> None:
    with subprocess.Popen(
        [*COMMAND, "oracle", "--file", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"x = x\n" * FIRST + b"x = y\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], 120)
        answered = process.stdout.readline() if ready else b""
        process.stdin.close()
        rest = process.stdout.read().splitlines()
    assert answered.startswith(b"true")
    assert [line.split()[0] for line in rest] == [b"true"] * (FIRST - 1) + [b"false"]


@pytest.mark.parametrize("command", ["oracle", "verify"])
def test_answers_stand_in_the_order_of_the_lines(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "equations.txt"
    lines = [f"x + {k} = {k} + x" for k in range(300)]
    lines[70], lines[150], lines[200] = "x + = 1", "", "x + 200 = x"
    file.write_text("\n".join(lines), encoding="utf-8")
    assert main([command, "--json", "--file", str(file)]) == 2
    out, errors = capsys.readouterr()
    (error,) = errors.splitlines()
    assert error.startswith(f"mathtree: {file}: line 71, column 5: ")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["equation"] for row in rows] == [line for k, line in enumerate(lines) if k not in (70, 150)]
    said = [row["verdict" if command == "oracle" else "oracle"] for row in rows]
    assert said == ["false" if k == 198 else "true" for k in range(298)]


def test_a_terminal_shows_how_far_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "equations.txt"
    file.write_text("x = x\nx + = 3\n" * 100, encoding="utf-8")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))  # lines and columns
    with subprocess.Popen([*COMMAND, "oracle", "--file", str(file)], stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        assert process.stdout
        shown = b"".join(iter(lambda: _read(ours), b"")).decode()
        answers = process.stdout.read().splitlines()
    os.close(ours)
    assert len(answers) == 100 and all(line.startswith(b"true") for line in answers)
    assert "0/200" in shown and "lines" in shown
    errors = [line for line in shown.replace("\r", "\n").splitlines() if line.startswith("mathtree:")]
    assert [line.partition(": line ")[2].partition(",")[0] for line in errors] == [str(2 * k) for k in range(1, 101)]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""
