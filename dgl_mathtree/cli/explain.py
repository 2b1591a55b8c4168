"""`mathtree explain`: why a network says what it says of an equation, as a page or as JSON."""

from __future__ import annotations

import argparse
import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from dgl_mathtree.cli.command import CommandError, Commands, add_command
from dgl_mathtree.cli.outputs import file_to_write
from dgl_mathtree.cli.reading import described
from dgl_mathtree.expressions import ParseError, VocabularyError, infix, parse_question

if TYPE_CHECKING:
    from dgl_mathtree.explain import Completion, Explanation

PAGE = "explain.html"


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "explain",
        _run_explain,
        "Show why a network says what it says of an equation.",
        'mathtree explain "sin(x + y) = sin(x) + sin(y)" --open',
        epilog="The page holds both verdicts with the oracle's witness, a plot of both sides, the two trees with the "
        "network's state at every node, and the subexpressions that the network takes for equal. Of an equation with a "
        "blank (?), the ranking of what may fill it.",
    )
    command.add_argument("equation", metavar="EQ", help="an equation, plain text or LaTeX, with a blank if wanted")
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")
    command.add_argument(
        "--out", type=file_to_write("--out"), metavar="FILE", help=f"where to write the page (default {PAGE})"
    )
    command.add_argument("--open", action="store_true", help="open the page in a browser")
    command.add_argument(
        "--json", action="store_true", help="print the facts as JSON; no page unless --out asks for it"
    )


def _run_explain(options: argparse.Namespace) -> int:
    from dgl_mathtree.explain import explain
    from dgl_mathtree.explain.page import write_page
    from dgl_mathtree.training import load

    try:
        equation = parse_question(options.equation)
    except ParseError as error:
        raise CommandError(described(error)) from None
    wanted = options.open or not options.json
    out = file_to_write("the page")(PAGE) if options.out is None and wanted else options.out
    trained = load(options.model)
    try:
        found = explain(equation, trained)
    except VocabularyError as error:
        raise CommandError(f"{options.model} cannot read {infix(equation)}: {error}") from None
    if out is not None:
        write_page(out, found)
    if options.json:
        print(json.dumps(found.to_json(), ensure_ascii=False, allow_nan=False))
    else:
        print(f"{summary(found)}\nwritten to {out}")
    if options.open and out is not None and not webbrowser.open(Path(out).resolve().as_uri()):
        raise CommandError(f"no browser could be opened: the page is {out}")
    return 0


def summary(found: Explanation | Completion) -> str:
    """What was found, in a few words."""
    from dgl_mathtree.explain import Completion

    if isinstance(found, Completion):
        best = found.fillings[0] if found.fillings else None
        return "nothing fills the blank" if best is None else f"{infix(best.expression)} ({best.probability:.1%})"
    answer, judgement = found.answer, found.judgement
    said = f"{answer.verdict} ({answer.probability:.1%}), oracle {judgement.verdict}"
    return said if judgement.witness is None else f"{said}, {judgement.witness}"
