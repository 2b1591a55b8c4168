"""`mathtree parse` and `mathtree oracle`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from dgl_mathtree.cli.command import BAD_INPUT, CommandError, Commands, add_command
from dgl_mathtree.expressions import (
    Equation,
    Expr,
    Judgement,
    Oracle,
    ParseError,
    infix,
    latex,
    outline,
    parse,
    parse_equation,
)
from dgl_mathtree.expressions.oracle import chunks


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "parse",
        _run_parse,
        "Read an equation (or an expression) and print it.",
        'mathtree parse "2 sin(x) cos(x) = sin(2x)" --tree',
    )
    command.add_argument("equation", metavar="EQ", help="what to read: plain text or LaTeX")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--latex", action="store_true", help="print LaTeX")
    form.add_argument("--tree", action="store_true", help="print the tree, a node a line")
    form.add_argument("--json", action="store_true", help="print all that is known of it as JSON")

    command = add_command(
        commands,
        "oracle",
        _run_oracle,
        "Judge equations by evaluating them at many points.",
        'mathtree oracle "sin(x)^2 + cos(x)^2 = 1" "sqrt(x^2) = x"',
        epilog="Verdicts: true (equal wherever both sides are real and finite), false, branch (equal at some points "
        "only), undefined (real and finite at too few points to say). The complex verdict takes principal branches.",
    )
    command.add_argument("equations", metavar="EQ", nargs="*", help="an equation, plain text or LaTeX")
    command.add_argument("--file", metavar="FILE", help="read equations from a file, one a line; - is standard input")
    command.add_argument("--json", action="store_true", help="print one JSON object a line")
    command.add_argument("--seed", type=int, default=0, help="seed of the points (default 0)")


def _run_parse(options: argparse.Namespace) -> int:
    try:
        tree = parse(options.equation)
    except ParseError as error:
        raise CommandError(_described(error)) from None
    if options.latex:
        print(latex(tree))
    elif options.tree:
        for line in outline(tree):
            print(line)
    elif options.json:
        print(json.dumps(_facts(tree), ensure_ascii=False))
    else:
        print(infix(tree))
    return 0


def _facts(tree: Equation | Expr) -> dict[str, object]:
    kind = "equation" if isinstance(tree, Equation) else "expression"
    return {
        kind: infix(tree),
        "latex": latex(tree),
        "depth": tree.depth,
        "size": tree.size,
        "variables": list(tree.variables),
        "prefix": list(tree.words),
    }


class _Line(NamedTuple):
    """An equation as given, and where it stood: in a file and line, or among the arguments."""

    text: str
    source: str | None
    number: int


def _run_oracle(options: argparse.Namespace) -> int:
    if not options.equations and options.file is None:
        raise CommandError("nothing to judge: give an equation, or --file FILE")
    if options.seed < 0:
        raise CommandError(f"--seed must not be negative, not {options.seed}")
    lines: Iterable[_Line] = (_Line(text, None, k) for k, text in enumerate(options.equations, start=1))
    oracle = Oracle(options.seed)
    code = _judge_lines(oracle, lines, options.json)
    if options.file is not None:
        code = max(code, _judge_lines(oracle, _lines_of(options.file), options.json))
    return code


def _lines_of(name: str) -> Iterator[_Line]:
    """The lines of a file that hold anything."""
    if name == "-":
        yield from _numbered(sys.stdin, "standard input")
        return
    try:
        with Path(name).open(encoding="utf-8-sig", errors="replace") as stream:
            yield from _numbered(stream, name)
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from None


def _numbered(stream: TextIO, source: str) -> Iterator[_Line]:
    for number, line in enumerate(stream, start=1):
        if line.strip():
            yield _Line(line.rstrip("\r\n"), source, number)


def _judge_lines(oracle: Oracle, lines: Iterable[_Line], as_json: bool) -> int:
    """Judge what can be read, report on standard error what cannot, and return the exit code."""
    code = 0
    for chunk in chunks(lines, lambda line: len(line.text)):
        equations = []
        for line in chunk:
            try:
                equations.append(parse_equation(line.text))
            except ParseError as error:
                code = BAD_INPUT
                print(f"mathtree: {_described(error, line.source, line.number)}", file=sys.stderr)
        for equation, judgement in zip(equations, oracle.judge(equations), strict=True):
            print(_verdict_json(equation, judgement) if as_json else _verdict_line(equation, judgement))
    return code


def _described(error: ParseError, source: str | None = None, line: int = 1) -> str:
    """One line for an equation from a file; the text and a caret too for one that was typed."""
    if source is not None:
        return f"{source}: line {line}, column {error.column}: {error.reason}"
    where = f"argument {line}, " if line > 1 else ""
    return f"{where}line {error.line}, column {error.column}: {error.reason}\n{error.excerpt()}"


def _verdict_json(equation: Equation, judgement: Judgement) -> str:
    return json.dumps(
        {
            "equation": infix(equation),
            "depth": equation.depth,
            "verdict": judgement.verdict,
            "complex_verdict": judgement.complex_verdict,
            "defined": judgement.defined,
            "equal": judgement.equal,
        }
    )


def _verdict_line(equation: Equation, judgement: Judgement) -> str:
    points = f"equal at {judgement.equal} of {judgement.defined} defined points"
    return f"{judgement.verdict:<9}  {infix(equation)}  ({points}; complex: {judgement.complex_verdict})"
