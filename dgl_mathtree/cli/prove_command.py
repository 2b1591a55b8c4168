"""`mathtree prove`: derivations of equations, checked line by line."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from dgl_mathtree.cli.command_table import BAD_INPUT, CommandError, Commands, add_command
from dgl_mathtree.cli.equation_arguments import add_equation_arguments, given_equations
from dgl_mathtree.progress_bars import above_bars

if TYPE_CHECKING:
    from dgl_mathtree.proof import NoProof, Proof


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "prove",
        _run_prove,
        "Prove equations by named laws, or say why they are not proved.",
        'mathtree prove "tan(x) + cot(x) = sec(x)*csc(x)"',
        epilog="The oracle is asked first: what is false has a point at which the sides differ. A proof holds for all "
        "real values at which both sides are defined and the conditions that are printed hold; it was accepted by a "
        "checker that does not know how it was found. The exit code is 0 whatever the answers are.",
    )
    add_equation_arguments(command)
    command.add_argument("--json", action="store_true", help="print one JSON object a line")
    command.add_argument(
        "--steps",
        choices=("search", "normal"),
        help="use named laws only, or the normal form only (default: laws, then the normal form)",
    )
    command.add_argument(
        "--without", metavar="LAW", action="append", default=[], help="a law that may not be used, such as sum/sin"
    )
    command.add_argument("--limit", metavar="S", type=float, help="end the search for laws after this many seconds")


def _run_prove(options: argparse.Namespace) -> int:
    from dgl_mathtree.proof.derivation import proof_json
    from dgl_mathtree.proof.laws import law
    from dgl_mathtree.proof.prove import prove

    if options.limit is not None and not 0 < options.limit < float("inf"):
        raise CommandError(f"--limit must be a positive number of seconds, not {options.limit}")
    for name in options.without:
        law(name)
    code, first = 0, True
    for chunk in given_equations(options):
        for equation in chunk:
            if equation is None:
                code = BAD_INPUT
                continue
            answer = prove(equation, options.steps, tuple(options.without), options.limit)
            with above_bars():
                if not (options.json or first):
                    print()
                print(json.dumps(proof_json(answer), ensure_ascii=False) if options.json else _shown(answer))
                sys.stdout.flush()
            first = False
    return code


def _shown(answer: Proof | NoProof) -> str:
    seconds = f"{answer.seconds:.2f} s"
    if answer.proved:
        return f"{answer}\nproved by {answer.method} in {seconds}"  # type: ignore[union-attr]
    return f"{answer}\nnot proved ({seconds})"
