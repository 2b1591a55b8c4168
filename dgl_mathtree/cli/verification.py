"""`mathtree verify`: a trained network's answer, and the oracle's beside it."""

from __future__ import annotations

import argparse
import json
import sys

from dgl_mathtree.cli.command import BAD_INPUT, Commands, add_command
from dgl_mathtree.cli.reading import add_equation_arguments, given_equations
from dgl_mathtree.expressions import Equation, Oracle, VocabularyError, infix
from dgl_mathtree.training.config import Config


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "verify",
        _run_verify,
        "Ask a trained network whether equations hold.",
        'mathtree verify "sin(2x) = 2 sin(x) cos(x)"',
        epilog="The network guesses from what it learnt; the oracle's verdict beside it is all but certain. Variables "
        "are renamed to those of the model. Where the two disagree, the line ends with that word.",
    )
    add_equation_arguments(command)
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")
    command.add_argument("--json", action="store_true", help="print one JSON object a line")
    command.add_argument("--device", default=Config.device, metavar="D", help="cpu or cuda (default %(default)s)")


def _run_verify(options: argparse.Namespace) -> int:
    from dgl_mathtree.tasks.answers import agree
    from dgl_mathtree.training import load

    trained = None
    oracle, code = Oracle(complex_plane=False), 0
    for chunk in given_equations(options):
        trained = trained or load(options.model, options.device)
        equations = [equation for equation in chunk if equation is not None]
        code = BAD_INPUT if len(equations) < len(chunk) else code
        known = []
        for equation in equations:
            try:
                trained.renamed(equation)
                known.append(equation)
            except VocabularyError as error:
                code = BAD_INPUT
                print(f"mathtree: {infix(equation)}: {error}", file=sys.stderr)
        answers = {answer.equation: answer for answer in trained.verify(known)}
        for equation, judgement in zip(equations, oracle.judge(equations), strict=True):
            answer = answers.get(equation)
            facts = {
                "equation": infix(equation),
                "depth": equation.depth,
                "probability": None if answer is None else round(answer.probability, 6),
                "verdict": None if answer is None else answer.verdict,
                "oracle": judgement.verdict,
                "model": trained.name,
                "agree": None if answer is None else agree(answer.verdict, judgement.verdict),
            }
            print(json.dumps(facts, ensure_ascii=False) if options.json else _line(equation, facts))
    return code


def _line(equation: Equation, facts: dict[str, object]) -> str:
    verdict, probability = facts["verdict"], facts["probability"]
    said = "unknown           " if verdict is None else f"{verdict:<9}  {probability:>6.1%} "
    mark = "  disagree" if facts["agree"] is False else ""
    return f"{said}  oracle {facts['oracle']:<9}  {infix(equation)}{mark}"
