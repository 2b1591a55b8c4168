"""`mathtree verify`: what is known of equations by proof, by a point, or by the network."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from dgl_mathtree.cli.command_table import BAD_INPUT, CommandError, Commands, add_command
from dgl_mathtree.cli.equation_arguments import add_equation_arguments, given_equations
from dgl_mathtree.language.tree_facts import Facts
from dgl_mathtree.oracle.oracle import CHUNK
from dgl_mathtree.progress_bars import above_bars
from dgl_mathtree.training.config import Config

MOST_FORMS = 64
WIDTH = 18
"""Columns of the answer."""


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "verify",
        _run_verify,
        "Verify equations: by proof, by a point where the sides differ, or else by a trained network.",
        'mathtree verify "sin(2x) = 2 sin(x) cos(x)"',
        epilog="The first column is the answer. proved: the independent checker accepted a proof. refuted: the sides "
        "certainly differ at the point that is printed. holds at N points: they agree at every tested point, which is "
        "not a proof. branch: they agree at some points and differ at others. undefined: both sides are defined at "
        "fewer than 12 real points.\n\nWhere none of these is known, the network's verdict is the answer. Each line "
        "ends with the network's own verdict and the probability that it gives the equation; `disagree` means that "
        "this verdict is wrong. Variables are renamed to those that the model knows.",
    )
    add_equation_arguments(command)
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")
    command.add_argument("--json", action="store_true", help="print one JSON object a line")
    command.add_argument(
        "--quick", action="store_true", help="let the oracle test fixed points only, without proofs: for large files"
    )
    command.add_argument(
        "--network-only", action="store_true", help="ask the network alone, without oracle and prover: for research"
    )
    command.add_argument(
        "--screen",
        action="store_true",
        help="examine the equations of a file, in blocks of 4,000, in the order of the network's probability: those "
        "that it finds improbable are examined closely only if fixed points do not refute them; print how much work "
        "that saved",
    )
    command.add_argument(
        "--forms",
        type=int,
        default=1,
        metavar="N",
        help="score the N shortest forms of each equation with terms on the other side, and take the mean of the best "
        "three: up to N times the network's work (default %(default)s: the equation as given)",
    )
    command.add_argument("--device", default=Config.device, metavar="D", help="cpu, cuda or mps (default %(default)s)")
    command.add_argument(
        "--driver", default=Config.driver, metavar="NAME", help="auto, native, levels or dgl (default %(default)s)"
    )


def _run_verify(options: argparse.Namespace) -> int:
    from dgl_mathtree.inference.combined_verdicts import Screening, verification_facts
    from dgl_mathtree.training import load

    _check_options(options)
    screening = Screening() if options.screen else None
    trained, code = None, 0
    for chunk in given_equations(options, CHUNK if options.screen else None):
        trained = trained or load(options.model, options.device, options.driver)
        equations = [equation for equation in chunk if equation is not None]
        code = BAD_INPUT if len(equations) < len(chunk) else code
        rows = verification_facts(trained, equations, not options.quick, options.network_only, options.forms, screening)
        unread = [row for row in rows if row["unread"] is not None]
        code = BAD_INPUT if unread else code
        with above_bars():
            for row in unread:
                print(f"mathtree: {row['equation']}: {row['unread']}", file=sys.stderr)
            for row in rows:
                print(json.dumps(row, ensure_ascii=False) if options.json else line(row))
            sys.stdout.flush()
    if screening is not None:
        print(screening, file=sys.stderr)
    return code


def _check_options(options: argparse.Namespace) -> None:
    if not 1 <= options.forms <= MOST_FORMS:
        raise CommandError(f"--forms must be between 1 and {MOST_FORMS}, not {options.forms}")
    for name in ("quick", "network_only"):
        if options.screen and getattr(options, name):
            reason = "it chooses which equations are looked at closely"
            raise CommandError(f"--screen and --{name.replace('_', '-')} exclude each other: {reason}")


def line(row: Facts) -> str:
    """A row of `verification_facts` for people: the answer, the equation, its reason, and the network's verdict."""
    said: Any = row["says"]
    network = "network: cannot read it"
    if row["verdict"] is not None:
        network = f"network: {row['verdict']} {row['probability']:.1%}"
    if row["answer"] in ("network", "undecided"):
        note = "" if row["answer"] == "network" else "  (neither proved nor refuted)"
        return f"{network.removeprefix('network: '):<{WIDTH}}  {row['equation']}{note}"
    answer, _, reason = said.partition(": ")
    mark = "  disagree" if row["agree"] is False else ""
    return "  ".join(filter(None, [f"{answer:<{WIDTH}}", str(row["equation"]), reason, network])) + mark
