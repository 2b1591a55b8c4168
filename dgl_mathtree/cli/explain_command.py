"""`mathtree explain`: why a network says what it says of an equation, as a page or as JSON."""

from __future__ import annotations

import argparse
import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from dgl_mathtree.cli.command_table import CommandError, Commands, add_command
from dgl_mathtree.cli.output_arguments import FileToWrite
from dgl_mathtree.language import VocabularyError, infix, parse_question

if TYPE_CHECKING:
    from dgl_mathtree.web.explain import Completion, Explanation

PAGE = "explain.html"


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "explain",
        _run_explain,
        "Explain a network's answer for an equation.",
        'mathtree explain "sin(x + y) = sin(x) + sin(y)" --open',
        epilog="The page shows both verdicts with the oracle's witness, a plot of both sides, the two trees with the "
        "network's state at every node, and the subexpressions that the network considers equal. For an equation with "
        "a blank (?), it shows the ranking of candidates.",
    )
    command.add_argument("equation", metavar="EQ", help="an equation, plain text or LaTeX, optionally with a blank")
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")
    command.add_argument("--out", action=FileToWrite, metavar="FILE", help=f"where to write the page (default {PAGE})")
    command.add_argument("--open", action="store_true", help="open the page in a browser")
    command.add_argument(
        "--json", action="store_true", help="print the explanation as JSON; write a page only with --out"
    )


def _run_explain(options: argparse.Namespace) -> int:
    from dgl_mathtree.training import load
    from dgl_mathtree.web.explain import explain
    from dgl_mathtree.web.explain.explain_page import write_page

    equation = parse_question(options.equation)
    wanted = options.open or not options.json
    out = FileToWrite.checked(PAGE, "the page") if options.out is None and wanted else options.out
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
    from dgl_mathtree.web.explain import Completion

    if isinstance(found, Completion):
        best = found.fillings[0] if found.fillings else None
        return "nothing fills the blank" if best is None else f"{infix(best.expression)} ({best.probability:.1%})"
    answer, judgement = found.answer, found.judgement
    said = f"{answer.verdict} ({answer.probability:.1%}), oracle {judgement.verdict}"
    return said if judgement.witness is None else f"{said}, {judgement.witness}"
