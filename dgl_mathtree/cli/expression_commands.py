"""`mathtree parse` and `mathtree oracle`."""

from __future__ import annotations

import argparse
import json
import sys

from dgl_mathtree.cli.command_table import BAD_INPUT, CommandError, Commands, add_command
from dgl_mathtree.cli.equation_arguments import add_equation_arguments, given_equations
from dgl_mathtree.language import Equation, infix, latex, outline, parse
from dgl_mathtree.language.tree_facts import tree_facts
from dgl_mathtree.oracle import Judgement, Oracle
from dgl_mathtree.oracle.judgements import with_proofs
from dgl_mathtree.oracle.witnesses import simplified_all
from dgl_mathtree.progress_bars import above_bars


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "parse",
        _run_parse,
        "Read an equation (or an expression) and print it.",
        'mathtree parse "2 sin(x) cos(x) = sin(2x)" --tree',
    )
    command.add_argument("equation", metavar="EQ", help="what to read: plain text or LaTeX; a blank is ?")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--latex", action="store_true", help="print LaTeX")
    form.add_argument("--tree", action="store_true", help="print the tree, a node a line")
    form.add_argument("--json", action="store_true", help="print everything about it as JSON")

    command = add_command(
        commands,
        "oracle",
        _run_oracle,
        "Decide whether equations hold: by evaluation at many points, and by proof.",
        'mathtree oracle "sin(x)^2 + cos(x)^2 = 1" "sqrt(x^2) = x"',
        epilog="Verdicts: true (proved, or equal at every tested point at which both sides are real and finite, 12 or "
        "more: then the number of points is printed, which is strong evidence, not a proof), false (different "
        "almost everywhere; the point that is shown is proven unless the line says otherwise), branch (equal in some "
        "part of the domain, different elsewhere), undefined (real and finite at fewer than 12 points that were "
        "tried), undecided (not settled within a fixed number of operations). The complex verdict takes principal "
        "branches.",
    )
    add_equation_arguments(command)
    command.add_argument("--json", action="store_true", help="print one JSON object a line")
    command.add_argument("--seed", type=int, default=0, help="seed of the points (default 0)")
    command.add_argument(
        "--certify", action="store_true", help="check every decisive point in ball arithmetic, not only doubtful ones"
    )
    command.add_argument(
        "--quick",
        action="store_true",
        help="test fixed points only, without proofs: for large files, hundreds of times as fast",
    )


def _run_parse(options: argparse.Namespace) -> int:
    tree = parse(options.equation, blanks=True)
    if options.latex:
        print(latex(tree))
    elif options.tree:
        for line in outline(tree):
            print(line)
    elif options.json:
        print(json.dumps(tree_facts(tree), ensure_ascii=False))
    else:
        print(infix(tree))
    return 0


def _run_oracle(options: argparse.Namespace) -> int:
    from dgl_mathtree.proof.prove import find_proof

    if options.seed < 0:
        raise CommandError(f"--seed must not be negative, not {options.seed}")
    oracle, code = Oracle(options.seed, certify=options.certify, thorough=not options.quick), 0
    for chunk in given_equations(options):
        equations = [equation for equation in chunk if equation is not None]
        code = BAD_INPUT if len(equations) < len(chunk) else code
        judgements = simplified_all(equations, oracle.judge(equations))
        judgements = with_proofs(equations, judgements, None if options.quick else find_proof)
        with above_bars():
            for answer in zip(equations, judgements, strict=True):
                print(_verdict_json(*answer) if options.json else _verdict_line(*answer))
            sys.stdout.flush()
    return code


def _verdict_json(equation: Equation, judgement: Judgement) -> str:
    return json.dumps({"equation": infix(equation), "depth": equation.depth, **judgement.to_json()})


def _verdict_line(equation: Equation, judgement: Judgement) -> str:
    points = f"equal at {judgement.equal} of {judgement.defined} defined points; "
    parts = [f"{judgement.stated:<9}", infix(equation)]
    if judgement.witness is not None:
        parts.append(f"differs {judgement.witness}" if judgement.agreement else str(judgement.witness))
    if judgement.agreement is not None:
        parts.append(f"equal {judgement.agreement}")
        if judgement.looked is not None:
            low, high = judgement.looked
            points = f"{points[:-2]} from {low:g} to {high:g}; "
    if judgement.verdict == "true":  # its points stand beside the verdict, unless it is proved
        points = ""
    return "  ".join([*parts, f"({points}complex: {judgement.complex_verdict})"])
