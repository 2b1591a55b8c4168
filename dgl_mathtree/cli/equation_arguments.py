"""Equations as they are given to commands: as arguments, or in a file, one a line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from dgl_mathtree.cli.command_table import CommandError
from dgl_mathtree.language import Equation, ParseError, parse_equation
from dgl_mathtree.oracle.oracle import chunks
from dgl_mathtree.progress_bars import above_bars, bar

FIRST = 64
"""Lines of a file that are answered together at first: the first answers do not wait for many others."""
BLOCK = 1 << 20
"""Bytes that are read together where lines are only counted."""


class InputLine(NamedTuple):
    """An equation as given, and where it stood: in a file and line, or among the arguments."""

    text: str
    source: str | None
    number: int


def add_equation_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments that `given_equations` reads."""
    command.add_argument("equations", metavar="EQ", nargs="*", help="an equation, plain text or LaTeX")
    command.add_argument("--file", metavar="FILE", help="read equations from a file, one a line; - is standard input")


def given_equations(options: argparse.Namespace, first: int | None = None) -> Iterator[list[Equation | None]]:
    """The equations in chunks, None for one that cannot be read, which is reported on standard error.

    A file is read as its equations are asked for, so that it may be of any length; a bar shows how far it is read.

    Parameters
    ----------
    first : int, optional
        Lines of a file that are answered together at first, `FIRST` by default.
    """
    if not options.equations and options.file is None:
        raise CommandError("no equation given: give one, or --file FILE")
    for chunk in chunks((InputLine(text, None, k) for k, text in enumerate(options.equations, start=1)), _length):
        yield _parsed(chunk)
    if options.file is not None:
        yield from _read_file(options.file, first or FIRST)


def _read_file(name: str, first: int) -> Iterator[list[Equation | None]]:
    with bar(total=_count_lines(name), unit=" lines", leave=False) as shown:
        for chunk in chunks(_lines_of(name), _length, first):
            yield _parsed(chunk)
            shown.update(chunk[-1].number - shown.n)


def _count_lines(name: str) -> int | None:
    """How many lines a file has; None where it cannot be read twice, or not at all."""
    try:
        if name == "-" or not Path(name).is_file():
            return None
        with Path(name).open("rb") as stream:
            return sum(block.count(b"\n") for block in iter(lambda: stream.read(BLOCK), b""))
    except OSError:
        return None


def _lines_of(name: str) -> Iterator[InputLine]:
    """The lines of a file that hold anything."""
    if name == "-":
        yield from _numbered(sys.stdin, "standard input")
        return
    try:
        with Path(name).open(encoding="utf-8-sig", errors="replace") as stream:
            yield from _numbered(stream, name)
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from None


def _numbered(stream: TextIO, source: str) -> Iterator[InputLine]:
    for number, line in enumerate(stream, start=1):
        if line.strip():
            yield InputLine(line.rstrip("\r\n"), source, number)


def _length(line: InputLine) -> int:
    return len(line.text)


def _parsed(lines: Iterable[InputLine]) -> list[Equation | None]:
    equations: list[Equation | None] = []
    for line in lines:
        try:
            equations.append(parse_equation(line.text))
        except ParseError as error:
            equations.append(None)
            with above_bars():
                print(f"mathtree: {described(error, line.source, line.number)}", file=sys.stderr)
    return equations


def described(error: ParseError, source: str | None = None, line: int = 1) -> str:
    """One line for an equation from a file; the text and a caret too for one that was typed."""
    if source is not None:
        return f"{source}: line {line}, column {error.column}: {error.reason}"
    where = f"argument {line}, " if line > 1 else ""
    return f"{where}line {error.line}, column {error.column}: {error.reason}\n{error.excerpt()}"
