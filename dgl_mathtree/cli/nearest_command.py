"""`mathtree nearest`: semantic search for formulas."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dgl_mathtree.cli.command_table import BAD_INPUT, CommandError, Commands, add_command
from dgl_mathtree.cli.equation_arguments import described
from dgl_mathtree.language import Equation, Expr, ParseError, VocabularyError, parse_equation, parse_expression

if TYPE_CHECKING:
    from dgl_mathtree.inference.trained_verifier import TrainedVerifier


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "nearest",
        _run_nearest,
        "Find the expressions whose vectors are most similar to that of a given one.",
        'mathtree nearest "2 sin(x) cos(x)" --top 5',
        epilog="Without --in, the sides of the known identities are searched: all axioms and laws of the project.",
    )
    command.add_argument("expression", metavar="EXPR", help="an expression, plain text or LaTeX")
    command.add_argument("--in", dest="file", metavar="FILE", help="search a file: an expression or equation a line")
    command.add_argument("--top", type=int, default=5, metavar="K", help="how many to show (default %(default)s)")
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")
    command.add_argument("--json", action="store_true", help="print as JSON")


def _run_nearest(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.known_expressions import known_expressions
    from dgl_mathtree.inference.nearest import in_letters_of, nearest
    from dgl_mathtree.training import load

    if options.top < 1:
        raise CommandError(f"--top must be at least 1, not {options.top}")
    expression = parse_expression(options.expression)
    given = None if options.file is None else list(_read(options.file))
    trained = load(options.model)
    if trained.network.as_network is None:
        raise CommandError(f"{options.model} gives expressions no vectors: it is a {trained.model}")
    among = in_letters_of(expression, known_expressions()) if given is None else [e for e in given if e is not None]
    names = trained.renaming_for(Equation(expression, expression), among)
    if unknown := _unknown(trained, expression, names):
        raise CommandError(f"{options.model} cannot read {options.expression}: it does not know {unknown}")
    code = BAD_INPUT if given is not None and None in given else 0
    readable = []
    for each in among:
        if not (unknown := _unknown(trained, each, names)):
            readable.append(each)
        elif given is not None:
            code = BAD_INPUT
            print(f"mathtree: {options.file}: {each}: the model does not know {unknown}", file=sys.stderr)
    try:
        rows = [neighbour.to_json() for neighbour in nearest(trained, expression, readable, options.top)]
    except VocabularyError as error:  # more variables in all than the model has names for
        raise CommandError(f"{options.model} cannot read {options.file or options.expression}: {error}") from None
    if options.json:
        print(json.dumps(rows, ensure_ascii=False))
        return code
    for row in rows:
        print(f"{row['cosine']:>7.3f}  oracle {row['oracle']:<9}  {row['expression']}")
    return code


def _unknown(trained: TrainedVerifier, expression: Expr, names: dict[str, str]) -> str | None:
    """The first word that the model cannot read."""
    words = (names.get(word, word) for word in expression.words)
    return next((word for word in words if not trained.network.knows(word)), None)


def _read(name: str) -> Iterator[Expr | None]:
    """The expressions of a file, both sides of its equations; None for a line that is neither, which is reported."""
    try:
        lines = Path(name).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            if "=" in line:
                equation = parse_equation(line)
                yield from (equation.left, equation.right)
            else:
                yield parse_expression(line)
        except ParseError as error:
            yield None
            print(f"mathtree: {described(error, name, number)}", file=sys.stderr)
