"""Commands on data: `generate`, `data`, `audit`, `trace`, `export` and `import-original`."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from dgl_mathtree.cli.command_table import Commands, add_command, add_old_name
from dgl_mathtree.cli.output_arguments import FolderToWrite, PlainFileToWrite
from dgl_mathtree.data.audit import VERDICTS, Audit, audit
from dgl_mathtree.data.data_files import DataError, find_row, read_card, read_rows
from dgl_mathtree.data.provenance import DerivationError, describe, from_json, replay
from dgl_mathtree.data.recipe import load_recipe, recipe_names
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.data.splits import ALL, PART_CHOICES, SPLITS
from dgl_mathtree.progress_bars import bar
from dgl_mathtree.tables import text_table

FRESH_SEED = 1000
"""The points of an audit, unless another seed is given: none of those that labels were made with."""
SHOWN = 20


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    _add_generate(commands)
    _add_data(commands)
    _add_audit(commands)
    _add_trace(commands)
    _add_export(commands)
    _add_import_original(commands)


def _add_generate(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "generate",
        _run_generate,
        "Generate a data set from a recipe.",
        "mathtree generate data/paper --recipe paper --seed 0",
        epilog=f"Recipes: {', '.join(recipe_names())}, or a TOML file. Splits: {', '.join(SPLITS)}. You can stop it at "
        "any time: what is finished is kept in OUT.blocks until the data is complete, and the same command resumes.",
    )
    command.add_argument("out", action=FolderToWrite, metavar="OUT", help="the new folder")
    command.add_argument("--recipe", default="paper", metavar="NAME|FILE", help="the recipe (default paper)")
    command.add_argument("--seed", type=int, default=0, help="seed (default 0)")
    command.add_argument("--split", default="paper", metavar="NAME", help="the split (default paper)")
    where = command.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes (default 1); the data is the same"
    )
    where.add_argument("--ray", metavar="ADDRESS", help="a Ray cluster, or `local`; the data is the same")
    command.add_argument("--scale", type=float, default=1.0, metavar="K", help="factor on the sizes, from depth 3 on")
    command.add_argument(
        "--evidence", action="store_true", help="write evidence.jsonl too: what each label rests on, in ball arithmetic"
    )


def _add_data(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(commands, "data", _run_data, "Print the card of some data.", "mathtree data paper")
    command.add_argument("data", metavar="DATA", help="a data folder, or a recipe whose data comes with the project")
    command.add_argument("--json", action="store_true", help="print the card as JSON")


def _add_audit(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "audit",
        _run_audit,
        "Check every label of some data again, at new points.",
        "mathtree audit paper --seed 7",
    )
    command.add_argument("data", metavar="DATA", help="a data folder or recipe name")
    command.add_argument("--seed", type=int, default=FRESH_SEED, help=f"seed of the points (default {FRESH_SEED})")
    command.add_argument(
        "--certify",
        action="store_true",
        help="in ball arithmetic: a proof or 30 digits for what is correct, a proven difference for what is not",
    )
    command.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes (default 1); the result is the same"
    )
    command.add_argument("--json", action="store_true", help="print the result as JSON")


def _add_trace(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "trace",
        _run_trace,
        "Replay how an equation was derived.",
        "mathtree trace paper paper-000042",
    )
    command.add_argument("data", metavar="DATA", help="a data folder or recipe name")
    command.add_argument("id", metavar="ID", help="the equation's id")


def _add_export(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "export",
        _run_export,
        "Write data as DGL binary graphs.",
        "mathtree export paper test.bin --part test",
        epilog="dgl.load_graphs reads them, and load().of_graph(dgl.batch(graphs)) verifies them. Each node has its "
        "word in ndata['text']; the JSON file beside it lists the words by their numbers.",
    )
    command.add_argument("data", metavar="DATA", help="a data folder or recipe name")
    command.add_argument("out", action=PlainFileToWrite, metavar="OUT.bin", help="the file to write")
    command.add_argument("--part", choices=PART_CHOICES, default=ALL, help="one part only (default %(default)s)")
    add_old_name(command, "--split", "--part")
    command.add_argument("--shared", action="store_true", help="one graph for all, identical subtrees once")


def _add_import_original(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "import-original",
        _run_import,
        "Read data of the original project (recursiveMemNet) and label it by the oracle.",
        "mathtree import-original 40k_test_blank_0.json --out original",
    )
    command.add_argument("files", metavar="FILE", nargs="+", help="its JSON files, for verification or completion")
    command.add_argument("--out", required=True, action=FolderToWrite, metavar="DATA", help="the new folder")


def _check_seed(seed: int) -> int:
    if seed < 0:
        raise RecipeError(f"--seed must not be negative, not {seed}")
    return seed


def _run_generate(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.data_writer import make_data
    from dgl_mathtree.data.generate import total_size

    recipe = load_recipe(options.recipe)
    if options.scale != 1:
        recipe = recipe.scaled(options.scale)
    seed = _check_seed(options.seed)
    workers = options.workers
    if options.ray:
        from dgl_mathtree.data.ray_map import on_cluster

        workers = on_cluster(options.ray)
    with bar(total=total_size(recipe), unit=" equations") as shown:
        card = make_data(options.out, recipe, seed, options.split, workers, shown.update)
    parts = ", ".join(f"{part['count']} {name}" for name, part in card["splits"].items())
    print(f"{card['count']} equations in {options.out}: {parts}")
    if options.evidence:
        from dgl_mathtree.data.evidence import write_evidence
        from dgl_mathtree.proof.prove import find_proof

        counts = write_evidence(options.out, seed, find_proof)
        print("labels rest on " + ", ".join(f"{kind}: {count}" for kind, count in sorted(counts.items())))
    return 0


def _run_data(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.card_page import card_page

    card = read_card(options.data)
    print(
        json.dumps(card, indent=1, ensure_ascii=False) if options.json else card_page(card),
        end="\n" if options.json else "",
    )
    return 0


def _run_audit(options: argparse.Namespace) -> int:
    from dgl_mathtree.proof.prove import find_proof

    prove = find_proof if options.certify else None
    rows = list(read_rows(options.data))
    with bar(total=len(rows), unit=" equations") as shown:
        result = audit(rows, _check_seed(options.seed), options.certify, prove, options.workers, shown.update)
    if options.json:
        print(json.dumps(_audit_facts(result, options.seed)))
        return 0
    for row, verdict in result.disagreements[:SHOWN]:
        claim = "correct" if row.label else "incorrect"
        print(f"{row.id}: labelled {claim}, judged {verdict}: {row.equation}")
    if len(result.disagreements) > SHOWN:
        print(f"... and {len(result.disagreements) - SHOWN} more (all of them with --json)")
    table = [
        [depth, "  correct" if label else "  incorrect", *(verdicts[verdict] for verdict in VERDICTS)]
        for (depth, label), verdicts in sorted(result.by_depth.items())
    ]
    print(text_table(["depth", "  label", *VERDICTS], table, [5, -11, *[11] * len(VERDICTS)]))
    print(
        f"{result.count} equations at seed {options.seed}: {result.wrong_positives} labelled correct are not judged "
        f"true, {result.doubtful_negatives} labelled incorrect are not judged false"
    )
    if options.certify:
        print(f"{result.count - result.unproven} verdicts are certified in ball arithmetic, {result.unproven} are not")
        with_conditions = f" ({result.conditional} with conditions)" if result.conditional else ""
        print(
            f"{result.proved} labels are proved{with_conditions}, {result.witnessed} have a point at which the sides "
            f"are proven to differ, {len(result.tested)} rest on points that were tested"
        )
    return 0


def _audit_facts(result: Audit, seed: int) -> dict[str, Any]:
    return {
        "count": result.count,
        "seed": seed,
        "wrong_positives": result.wrong_positives,
        "doubtful_negatives": result.doubtful_negatives,
        "unproven": result.unproven,
        "proved": result.proved,
        "conditional": result.conditional,
        "witnessed": result.witnessed,
        "tested": [{"id": row.id, "equation": row.equation, "label": row.label} for row in result.tested],
        "disagreements": [
            {"id": row.id, "equation": row.equation, "label": row.label, "verdict": verdict}
            for row, verdict in result.disagreements
        ],
        "by_depth": [
            {"depth": depth, "label": label, **{verdict: counts[verdict] for verdict in VERDICTS}}
            for (depth, label), counts in sorted(result.by_depth.items())
        ],
    }


def _run_trace(options: argparse.Namespace) -> int:
    row = find_row(options.data, options.id)
    if not row.derivation:
        raise DerivationError(f"{row.id} has no derivation: it was not generated here")
    steps = from_json(row.derivation)
    equation = None
    for number, (step, equation) in enumerate(zip(steps, replay(steps), strict=True)):
        print(f"{number:>3}  {equation}\n     {describe(step)}")
    if equation != row.parsed():
        raise DerivationError(f"{row.id}: the derivation ends at {equation}, but {row.equation} is stored")
    print(f"{row.id}: {'correct' if row.label else 'incorrect'}, depth {row.depth}, {row.part}, judged {row.verdict}")
    return 0


def _run_export(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.export import export_graphs

    facts = export_graphs(options.data, options.out, options.part, options.shared)
    graphs = "one graph" if options.shared else f"{facts['count']} graphs"
    print(f"{graphs} of {facts['count']} equations in {options.out}")
    return 0


def _run_import(options: argparse.Namespace) -> int:
    from dgl_mathtree.data.data_writer import write_rows
    from dgl_mathtree.data.original import read_original
    from dgl_mathtree.inference.blanks import FILE, has_blanks, original_blanks, write_blanks

    skipped: Counter[str] = Counter()
    rows = list(read_original(options.files, skipped))
    if not rows:
        raise DataError("no equation could be read" + _reasons(skipped))
    about = {
        "name": "original",
        "description": "Equations of the original project with their published labels, and our verdicts beside them.",
        "source": ", ".join(options.files),
        "skipped": dict(skipped),
    }
    write_rows(options.out, rows, about)
    if has_blanks(options.files):
        write_blanks(Path(options.out) / FILE, original_blanks(options.files))
    print(f"{len(rows)} equations in {options.out}{_reasons(skipped)}")
    correct = [row for row in rows if row.label]
    cells = []
    for depth in sorted({row.depth for row in correct}):
        verdicts = Counter(row.verdict for row in correct if row.depth == depth)
        cells.append([depth, sum(verdicts.values()), *(verdicts[verdict] for verdict in VERDICTS)])
    print(text_table(["depth", "correct", *VERDICTS], cells, [5, 9, *[11] * len(VERDICTS)]))
    return 0


def _reasons(skipped: Counter[str]) -> str:
    return "".join(f"; {count} skipped: {reason}" for reason, count in sorted(skipped.items()))
