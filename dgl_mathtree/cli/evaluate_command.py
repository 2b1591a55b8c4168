"""`mathtree evaluate`: how good a trained model is, on data of a recipe or on a collection such as `textbook`."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgl_mathtree.cli.command_table import CommandError, Commands, add_command, add_old_name
from dgl_mathtree.cli.output_arguments import FileToWrite
from dgl_mathtree.data.splits import ALL, PART_CHOICES, TEST
from dgl_mathtree.tables import text_table
from dgl_mathtree.training.config import Config

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLUMNS = ("accuracy", "precision", "recall", "auc", "calibration_error")
COLLECTION_COLUMNS = ("accuracy", "recall", "specificity", "auc", "calibration_error", "readable")


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "evaluate",
        _run_evaluate,
        "Evaluate a trained model on some data.",
        "mathtree evaluate shipped paper --part test",
        epilog="A collection, textbook or a .tsv file of label, kind and equation, is evaluated by subject, kind of "
        "error and near misses too. The headline leaves out equations that have a twin in the run's training data, if "
        "that is available, or among the laws that training data is made of; the tables have all of them, and both "
        "apart.",
    )
    command.add_argument("run_folder", metavar="RUN", help="a run folder, or the word shipped")
    command.add_argument("data", metavar="DATA", help="a data folder, recipe name, or collection")
    command.add_argument("--part", choices=PART_CHOICES, default="test", help="which part (default %(default)s)")
    add_old_name(command, "--split", "--part")
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.add_argument(
        "--scores", action=FileToWrite, metavar="FILE.jsonl", help="write every equation's id and logit"
    )
    command.add_argument(
        "--errors", action="store_true", help="of a collection, list the equations it gets wrong, by cause"
    )
    command.add_argument("--device", default=Config.device, metavar="D", help="cpu, cuda or mps (default %(default)s)")


def _run_evaluate(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.collections import find_collection

    collection = find_collection(options.data)
    if options.errors and collection is None:
        raise CommandError(f"--errors lists equations of a collection; {options.data} is not one")
    return _evaluate_data(options) if collection is None else _evaluate_collection(options, collection)


def _evaluate_data(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.dataset import EquationDataset
    from dgl_mathtree.inference.collection_metrics import headline_evaluation
    from dgl_mathtree.inference.metrics import evaluation, metrics
    from dgl_mathtree.language import VocabularyError
    from dgl_mathtree.training import load
    from dgl_mathtree.training.seen_in_training import law_twins, training_twins

    trained = load(options.run_folder, options.device)
    data = EquationDataset(options.data, options.part)
    try:
        logits = trained.score_forest(data.forest)
    except VocabularyError as error:
        raise CommandError(f"{options.run_folder} cannot read {options.data}: {error}") from None
    label, depth, kind = data.label.numpy(), data.depth.numpy(), data.kind
    equations = [data.equation(k) for k in range(len(data))]

    def of(chosen: NDArray[np.bool_]) -> dict[str, Any]:
        return metrics(logits[chosen], label[chosen]) if chosen.any() else {**dict.fromkeys(COLUMNS), "count": 0}

    twins = training_twins(options.run_folder, equations)
    result = {"model": trained.model, "split": options.part} | evaluation(logits, label, depth, kind)
    result |= headline_evaluation(of, len(label), twins, law_twins(equations))
    print(json.dumps(result) if options.json else evaluation_page(result))
    _write_scores(options.scores, data.ids, logits.tolist())
    return 0


def _evaluate_collection(options: argparse.Namespace, file: Path) -> int:
    from dgl_mathtree.data.collections import read_collection
    from dgl_mathtree.inference.collection_errors import collection_errors
    from dgl_mathtree.inference.collection_metrics import collection_evaluation, entry_scores
    from dgl_mathtree.training import load
    from dgl_mathtree.training.seen_in_training import law_twins, training_sides, training_twins

    if options.part not in (TEST, ALL):
        raise CommandError(f"{options.data} has no part {options.part}: all of it is for testing")
    trained = load(options.run_folder, options.device)
    entries = read_collection(file)
    logits = entry_scores(trained, entries)
    equations = [entry.equation for entry in entries]
    twins = training_twins(options.run_folder, equations, file)
    sides = training_sides(options.run_folder, equations)
    result = {"model": trained.model, "split": options.part, "data": options.data}
    result |= collection_evaluation(logits, entries, twins, sides, law_twins(equations))
    result["errors"] = collection_errors(logits, entries)
    print(json.dumps(result) if options.json else collection_page(result))
    if options.errors and not options.json:
        print(errors_page(result["errors"]))
    ids = [str(number) for number in range(1, len(entries) + 1)]
    _write_scores(options.scores, ids, [None if logit != logit else logit for logit in logits.tolist()])
    return 0


def _write_scores(file: str | None, ids: Sequence[str], logits: Sequence[float | None]) -> None:
    from dgl_mathtree.files import write_atomically

    if file:
        lines = (json.dumps({"id": id, "logit": logit}) for id, logit in zip(ids, logits, strict=True))
        write_atomically(Path(file), "".join(f"{line}\n" for line in lines))


def evaluation_page(result: dict[str, Any]) -> str:
    """An evaluation as a table for people."""
    rows = {**result["by_depth"], "all": result["overall"]}
    lines = [f"{result['model']} on {result['split']}", headline(result, COLUMNS[:3])]
    lines.append(_measures("depth", COLUMNS, COLUMNS, rows, 7, 19))
    if result.get("by_kind"):
        kinds = (f"{kind} {row['accuracy']:.3f} of {row['count']}" for kind, row in result["by_kind"].items())
        lines.append(f"incorrect equations rejected: {', '.join(kinds)}")
    return "\n".join(lines)


def collection_page(result: Mapping[str, Any]) -> str:
    """An evaluation on a collection as tables for people."""
    lines = [f"{result['model']} on {result['data']}", headline(result, COLLECTION_COLUMNS[:3])]
    twins = {f"{name} a twin": row for name, row in (result["twins"] or {}).items()}
    twins |= {f"{name} a law": row for name, row in (result["laws"] or {}).items()}
    twins |= {f"{name} side{'s' * (name == 'both')} seen": row for name, row in (result["sides"] or {}).items()}
    depths = {f"depth {depth}": row for depth, row in result["by_depth"].items()}
    headings = [column.partition("_")[0] for column in COLLECTION_COLUMNS]
    rows = {**result["by_kind"], **depths, **twins, "all": result["overall"]}
    lines.append(_measures("", headings, COLLECTION_COLUMNS, rows, 18, 13))
    errors = (f"{kind} {row['accuracy']:.3f} of {row['count']}" for kind, row in result["by_error"].items())
    lines.append(f"incorrect equations rejected: {', '.join(errors)}")
    pairs = result["pairs"]
    for name, text in (
        ("all", "a true equation and its near miss"),
        ("one_variable", "those that differ in a variable"),
    ):
        row = pairs[name]
        share = "-" if row["both_right"] is None else f"{row['both_right']:.3f}"
        lines.append(f"both classified correctly, {text}: {share} of {row['count']}")
    if result["twins"] is None:
        lines.append("the training data is not available: duplicates in it are not counted")
    elif result["sides"] is None:
        lines.append("the training data is not available: sides that occur in it are not counted")
    return "\n".join(lines)


def errors_page(errors: Sequence[Mapping[str, Any]]) -> str:
    """The equations that were classified incorrectly, below what makes them difficult."""
    lines = []
    for cause, count in Counter(row["cause"] for row in errors).most_common():
        lines.append(f"{cause}: {count}")
        for row in errors:
            if row["cause"] == cause:
                share = "-" if row["probability"] is None else f"{row['probability']:.1%}"
                lines.append(f"  {'true ' if row['label'] else 'false'} {share:>6}  {row['equation']}")
    return "\n".join(lines) or "no equation is classified incorrectly"


def headline(result: Mapping[str, Any], columns: Sequence[str]) -> str:
    """The figures without equations that were seen in training or are laws, in one line."""
    row = result["headline"]
    shares = ", ".join(f"{column} {'-' if row[column] is None else format(row[column], '.3f')}" for column in columns)
    where = " or ".join({"training": "in the training data", "laws": "among the laws"}[name] for name in row["known"])
    return f"without {row['left_out']:,} equations that have a twin {where}: {shares} of {row['count']:,}"


def _measures(
    first: str, heads: Sequence[str], columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]], *widths: int
) -> str:
    """A table of counts and shares, a row for each group."""
    cells = [[name, row["count"], *(row[column] for column in columns)] for name, row in rows.items()]
    return text_table([first, "count", *heads], cells, [widths[0], 8, *[widths[1]] * len(columns)])
