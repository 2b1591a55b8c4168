"""Equations as they are given to commands: as arguments, or in a file, one a line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from dgl_mathtree.cli.command import CommandError
from dgl_mathtree.expressions import Equation, ParseError, parse_equation
from dgl_mathtree.expressions.oracle import chunks


class Line(NamedTuple):
    """An equation as given, and where it stood: in a file and line, or among the arguments."""

    text: str
    source: str | None
    number: int


def add_equation_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments that `given_equations` reads."""
    command.add_argument("equations", metavar="EQ", nargs="*", help="an equation, plain text or LaTeX")
    command.add_argument("--file", metavar="FILE", help="read equations from a file, one a line; - is standard input")


def given_equations(options: argparse.Namespace) -> Iterator[list[Equation | None]]:
    """The equations in chunks, None for one that cannot be read, which is reported on standard error."""
    if not options.equations and options.file is None:
        raise CommandError("nothing to judge: give an equation, or --file FILE")
    yield from _read(Line(text, None, k) for k, text in enumerate(options.equations, start=1))
    if options.file is not None:
        yield from _read(_lines_of(options.file))


def _read(lines: Iterable[Line]) -> Iterator[list[Equation | None]]:
    for chunk in chunks(lines, lambda line: len(line.text)):
        equations: list[Equation | None] = []
        for line in chunk:
            try:
                equations.append(parse_equation(line.text))
            except ParseError as error:
                equations.append(None)
                print(f"mathtree: {described(error, line.source, line.number)}", file=sys.stderr)
        yield equations


def _lines_of(name: str) -> Iterator[Line]:
    """The lines of a file that hold anything."""
    if name == "-":
        yield from _numbered(sys.stdin, "standard input")
        return
    try:
        with Path(name).open(encoding="utf-8-sig", errors="replace") as stream:
            yield from _numbered(stream, name)
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from None


def _numbered(stream: TextIO, source: str) -> Iterator[Line]:
    for number, line in enumerate(stream, start=1):
        if line.strip():
            yield Line(line.rstrip("\r\n"), source, number)


def described(error: ParseError, source: str | None = None, line: int = 1) -> str:
    """One line for an equation from a file; the text and a caret too for one that was typed."""
    if source is not None:
        return f"{source}: line {line}, column {error.column}: {error.reason}"
    where = f"argument {line}, " if line > 1 else ""
    return f"{where}line {error.line}, column {error.column}: {error.reason}\n{error.excerpt()}"
