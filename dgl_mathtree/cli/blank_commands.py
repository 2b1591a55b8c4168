"""Commands on blanks: `complete`, `blanks`, `candidates` and `evaluate-completion`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgl_mathtree.cli.command_table import CommandError, Commands, add_command, add_old_name
from dgl_mathtree.cli.output_arguments import FileToWrite
from dgl_mathtree.data.splits import PART_CHOICES
from dgl_mathtree.language import VocabularyError, infix, parse_blank
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.progress_bars import bar
from dgl_mathtree.tables import text_table

if TYPE_CHECKING:
    from dgl_mathtree.inference.blanks import Blank
    from dgl_mathtree.inference.trained_verifier import TrainedVerifier


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    _add_complete(commands)
    _add_blanks(commands)
    _add_candidates(commands)
    _add_evaluation(commands)


def _add_complete(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "complete",
        _run_complete,
        "Fill the blank in an equation.",
        'mathtree complete "sin(x)^2 + ? = 1"',
        epilog="The blank is ?, _ or \\square. Candidates are the solutions of the equation for the blank, simplified, "
        "and expressions built from the equation: its subexpressions, variables and numbers, its functions and related "
        "ones of these, and their sums, products, powers and multiples. Those that make the equation true by the "
        "oracle come first, of equal ones the simplest only; the network orders the rest. --depth or --candidates "
        "chooses other candidates.",
    )
    command.add_argument("equation", metavar="EQ", help="an equation with one blank")
    command.add_argument("--top", type=int, default=5, metavar="K", help="show the K best (default %(default)s)")
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")
    command.add_argument("--candidates", metavar="FILE", help="a file of candidates, as mathtree candidates writes it")
    command.add_argument("--depth", type=int, metavar="N", help="try all expressions up to this depth")
    command.add_argument(
        "--network-only", action="store_true", help="order by the network's score alone, true or not: for research"
    )
    command.add_argument("--json", action="store_true", help="print a list as JSON")


def _add_blanks(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "blanks",
        _run_blanks,
        "Make a blank in every correct equation of some data.",
        "mathtree blanks paper --out blanks.jsonl",
    )
    command.add_argument("data", metavar="DATA", help="a data folder or recipe name")
    command.add_argument("--out", required=True, action=FileToWrite, metavar="FILE", help="the file to write")
    command.add_argument(
        "--depth", type=int, default=1, metavar="K", help="maximum depth of a blank (default %(default)s)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the choice (default %(default)s)")
    command.add_argument("--part", choices=PART_CHOICES, default="test", help="which part (default %(default)s)")
    add_old_name(command, "--split", "--part")


def _add_candidates(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "candidates",
        _run_candidates,
        "Enumerate expressions to fill blanks with, in classes of equal value.",
        "mathtree candidates --data paper --depth 1 --out candidates.json",
    )
    command.add_argument("--out", required=True, action=FileToWrite, metavar="FILE", help="the file to write")
    command.add_argument("--data", default="paper", metavar="DATA", help="take leaves and operators from it")
    command.add_argument("--leaves", metavar="LIST", help="instead of the data's, such as x,y,1,2,pi")
    command.add_argument("--operators", metavar="LIST", help="instead of the data's, such as sin,cos,Add,Mul,Pow")
    command.add_argument("--depth", type=int, default=1, metavar="N", help="maximum depth (default %(default)s)")


def _add_evaluation(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "evaluate-completion",
        _run_evaluate,
        "Evaluate how well a trained model fills blanks.",
        "mathtree evaluate-completion shipped blanks.jsonl",
        epilog="BLANKS is a file of blanks, a completion file of the original project, or a data folder with blanks. "
        "The network alone ranks the candidates. With --answers, blanks are filled with the oracle, as mathtree "
        "complete fills them, and the result is how often a true filling comes first.",
    )
    command.add_argument("run_folder", metavar="RUN", help="a run folder, or the word shipped")
    command.add_argument("blanks", metavar="BLANKS", help="a file of blanks")
    command.add_argument(
        "--candidates", metavar="FILE", help="a file of candidates (default: depth 1 over the model's words)"
    )
    command.add_argument("--answers", action="store_true", help="measure what mathtree complete answers instead")
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.add_argument("--ranks", action=FileToWrite, metavar="FILE.jsonl", help="write the ranks of every blank")


def _run_complete(options: argparse.Namespace) -> int:
    from dgl_mathtree.inference.candidates import read_candidates
    from dgl_mathtree.training import load

    if options.top < 1:
        raise CommandError(f"--top must be at least 1, not {options.top}")
    blank = parse_blank(options.equation)
    trained = load(options.model)
    candidates = None if options.candidates is None else read_candidates(options.candidates)
    try:
        found = trained.complete(blank, candidates, options.top, options.depth, options.network_only)
    except VocabularyError as error:
        raise CommandError(f"{options.model} cannot complete {infix(blank)}: {error}") from None
    if options.json:
        print(json.dumps([filling.to_json() for filling in found], ensure_ascii=False))
        return 0
    for filling in found:
        row = filling.to_json()
        print(f"{row['filling']:<16}  {filling.answer:<9}  network {row['probability']:>6.1%}  {row['equation']}")
    return 0


def _run_blanks(options: argparse.Namespace) -> int:
    from dgl_mathtree.inference.blanks import make_blanks, write_blanks

    if options.seed < 0:
        raise CommandError(f"--seed must not be negative, not {options.seed}")
    blanks = make_blanks(options.data, options.depth, options.seed, options.part)
    write_blanks(options.out, blanks)
    print(f"{len(blanks)} blanks in {options.out}")
    return 0


def _run_candidates(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.data_files import operators_of, read_card
    from dgl_mathtree.inference.candidates import default_candidates, write_candidates
    from dgl_mathtree.language.vocabulary import check_leaf

    card = read_card(options.data) if options.leaves is None or options.operators is None else {}
    leaves = card["symbols"] if options.leaves is None else [word.strip() for word in options.leaves.split(",")]
    if options.operators is None:
        operators = operators_of(card)
    else:
        operators = [word.strip() for word in options.operators.split(",")]
    for name in operators:
        if name not in OPERATOR_NAMES:
            raise CommandError(f"unknown operator {name!r}; expected one of {', '.join(OPERATOR_NAMES)}")
    try:
        leaves = [check_leaf(word) for word in leaves]
    except VocabularyError as error:
        raise CommandError(str(error)) from None
    if not leaves:
        raise CommandError(f"{options.data} has no leaves to make candidates of: name some with --leaves")
    candidates = default_candidates(leaves, operators, options.depth)
    write_candidates(options.out, candidates)
    print(f"{len(candidates)} candidates in {int(candidates.classes.max()) + 1} classes in {options.out}")
    return 0


def _run_evaluate(options: argparse.Namespace) -> int:
    from dgl_mathtree.files import write_atomically
    from dgl_mathtree.inference.blanks import read_blanks
    from dgl_mathtree.inference.candidates import read_candidates
    from dgl_mathtree.inference.fill_blanks import fill_blanks
    from dgl_mathtree.inference.rank import completion_evaluation
    from dgl_mathtree.training import load

    trained = load(options.run_folder)
    blanks = read_blanks(options.blanks)
    if options.answers:
        return _evaluate_answers(options, trained, blanks)
    given = None if options.candidates is None else read_candidates(options.candidates)
    with bar(total=len(blanks), unit=" blanks") as shown:
        ranks, candidates = fill_blanks(trained, blanks, given, shown.update)
    if not any(r.read for r in ranks):
        words, operators = ", ".join(trained.network.vocabulary), ", ".join(trained.network.operators)
        known = f"it knows the leaves {words} and the operators {operators}"
        raise CommandError(f"{options.run_folder} cannot read any blank of {options.blanks}: {known}")
    result = {"model": trained.model, "candidates": len(candidates)} | completion_evaluation(ranks)
    print(json.dumps(result) if options.json else completion_page(result))
    if options.ranks:
        write_atomically(Path(options.ranks), "".join(json.dumps(r.to_json()) + "\n" for r in ranks))
    return 0


def _evaluate_answers(options: argparse.Namespace, trained: TrainedVerifier, blanks: Sequence[Blank]) -> int:
    from dgl_mathtree.files import write_atomically
    from dgl_mathtree.inference.answer_metrics import answer_evaluation, answered

    if options.candidates is not None:
        raise CommandError("--answers measures what mathtree complete builds itself: it takes no --candidates")
    with bar(total=len(blanks), unit=" blanks") as shown:
        rows = answered(trained, blanks, shown.update)
    result = {"model": trained.model} | answer_evaluation(rows)
    print(json.dumps(result) if options.json else answers_page(result))
    if options.ranks:
        write_atomically(Path(options.ranks), "".join(json.dumps(asdict(row)) + "\n" for row in rows))
    return 0


def answers_page(result: dict[str, Any]) -> str:
    """How blanks are answered, as a table for people."""
    columns = ("top1", "top5", "proved", "simple")
    rows = {**result["by_kind"], "all": result["overall"]}
    cells = [[name, row["count"], *(row[column] for column in columns)] for name, row in rows.items()]
    heading = f"blanks as mathtree complete answers them, ordered by {result['model']}"
    return f"{heading}\n{text_table(['kind', 'count', *columns], cells, [12, 7, *[9] * len(columns)])}"


def completion_page(result: dict[str, Any]) -> str:
    """An evaluation as a table for people."""
    columns = [f"top{top}_{kind}" for kind in ("raw", "class", "collapse", "oracle") for top in (1, 5)]
    lines = [f"{result['model']}, {result['candidates']} candidates"]
    rows = {**result["by_depth"], "all": result["overall"], "truly filled": result["truly_filled"]}
    cells = [
        [name, row["count"], *(None if row[c] is None else f"{row[c]:.3f}" for c in columns)]
        for name, row in rows.items()
    ]
    lines.append(text_table(["depth", "count", *columns], cells, [12, 7, *[14] * len(columns)]))
    whole = result["overall"]
    lines.append(
        f"oracle columns: {whole['decided']} blanks, without {whole['every_candidate_right']} that no candidate makes "
        f"wrong and {whole['no_candidate_right']} that none makes right; {whole['unlisted']} fillings are no "
        f"candidates, {whole['unequalled']} of them equal to none; {whole['unread']} equations have words that the "
        f"model does not know, and rank last"
    )
    return "\n".join(lines)
