"""`mathtree verify`: a trained network's answer, and the oracle's beside it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from dgl_mathtree.cli.command_table import BAD_INPUT, Commands, add_command
from dgl_mathtree.cli.equation_arguments import add_equation_arguments, given_equations
from dgl_mathtree.language.tree_facts import Facts
from dgl_mathtree.oracle.verdict import stated
from dgl_mathtree.progress_bars import above_bars
from dgl_mathtree.training.config import Config


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "verify",
        _run_verify,
        "Classify equations as correct or incorrect with a trained network.",
        'mathtree verify "sin(2x) = 2 sin(x) cos(x)"',
        epilog="The network's answer is an estimate from what it learnt. The oracle's verdict beside it is computed: "
        "for false and branch there is a point at which the sides differ (see --json); true is proved, or the "
        "sides agree at every tested point, the number of which is printed: that is not a proof. Variables are renamed "
        "to those of the model. Lines where the two differ end with `disagree`: trust the oracle there.",
    )
    add_equation_arguments(command)
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")
    command.add_argument("--json", action="store_true", help="print one JSON object a line")
    command.add_argument(
        "--quick", action="store_true", help="let the oracle test fixed points only, without proofs: for large files"
    )
    command.add_argument("--device", default=Config.device, metavar="D", help="cpu, cuda or mps (default %(default)s)")
    command.add_argument(
        "--driver", default=Config.driver, metavar="NAME", help="auto, native, levels or dgl (default %(default)s)"
    )


def _run_verify(options: argparse.Namespace) -> int:
    from dgl_mathtree.inference.verification_facts import verification_facts
    from dgl_mathtree.training import load

    trained, code = None, 0
    for chunk in given_equations(options):
        trained = trained or load(options.model, options.device, options.driver)
        equations = [equation for equation in chunk if equation is not None]
        code = BAD_INPUT if len(equations) < len(chunk) else code
        rows = verification_facts(trained, equations, thorough=not options.quick)
        unread = [row for row in rows if row["unread"] is not None]
        code = BAD_INPUT if unread else code
        with above_bars():
            for row in unread:
                print(f"mathtree: {row['equation']}: {row['unread']}", file=sys.stderr)
            for row in rows:
                print(json.dumps(row, ensure_ascii=False) if options.json else _line(row))
            sys.stdout.flush()
    return code


def _line(row: Facts) -> str:
    verdict, probability = row["verdict"], row["probability"]
    said = "unknown           " if verdict is None else f"{verdict:<9}  {probability:>6.1%} "
    tested: Any = row["tested"]
    oracle: Any = row["oracle"]
    conditions: Any = row["conditions"]
    points = None if tested is None else tested["points"]
    rests = stated(oracle, row["proof"] is not None, conditions, points)
    mark = "  disagree" if row["agree"] is False else ""
    return f"{said}  oracle {rests:<9}  {row['equation']}{mark}"
