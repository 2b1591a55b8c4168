"""Measure two networks on each other's data: python tools/exchange.py ORIGINAL LEGACY RUN > results/exchange.json

ORIGINAL is a folder with `tree-lstm-50.checkpoint` and completion files of the original project, LEGACY data of the
recipe `legacy`, and RUN a `tree-lstm` that was trained on it. Both networks judge the original's equations, which are
all labelled correct and of depth 8, and the test equations of depth 8 of LEGACY and of `paper`. What a network cannot
read it refuses.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dgl_mathtree.data.data_files import Row, read_rows
from dgl_mathtree.data.original import read_original
from dgl_mathtree.errors import InputError
from dgl_mathtree.inference.metrics import metrics
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, VocabularyError
from dgl_mathtree.training.original_checkpoints import import_checkpoint
from dgl_mathtree.training.run_folder import load, read_facts

DEPTH = 8
SHOWN = ("accuracy", "recall", "auc", "count")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("original", "legacy", "run"):
        parser.add_argument(name, metavar=name.upper())
    options = parser.parse_args()
    try:
        print(json.dumps(exchange(Path(options.original), options.legacy, options.run), indent=1))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def exchange(original: Path, legacy: str, run: str) -> dict[str, Any]:
    """What both networks make of all equations."""
    skipped: Counter[str] = Counter()
    equations = {
        "original": list(read_original(sorted(original.glob("*_blank_*.json")), skipped)),
        "legacy": read_rows(legacy, "test"),
        "paper": read_rows("paper", "test"),
    }
    chosen = {name: [row for row in rows if row.depth == DEPTH] for name, rows in equations.items()}
    with tempfile.TemporaryDirectory() as folder:
        import_checkpoint(original / "tree-lstm-50.checkpoint", f"{folder}/imported")
        theirs = load(f"{folder}/imported")
    config = read_facts(Path(run)).config
    ours = f"ours, {config.epochs} epochs, seed {config.seed}"
    networks = [("the original project's", "original", theirs), (ours, "legacy", load(run))]
    return {
        "depth": DEPTH,
        "networks": [
            {"name": name, "trained_on": data, "on": {key: measured(trained, rows) for key, rows in chosen.items()}}
            for name, data, trained in networks
        ],
    }


def measured(trained: TrainedVerifier, rows: Sequence[Row]) -> dict[str, Any]:
    """How a network judges labelled equations."""
    read = [(row.parsed(), int(row.label or 0)) for row in rows]
    known = np.array([_reads(trained, equation) for equation, _ in read])
    logits = np.full(len(read), -1e9)
    logits[known] = trained.scores(equation for (equation, _), reads in zip(read, known, strict=True) if reads)
    found = metrics(logits, np.array([label for _, label in read]))
    return {name: found[name] for name in SHOWN} | {"unread": int((~known).sum())}


def _reads(trained: TrainedVerifier, equation: Equation) -> bool:
    try:
        trained.renamed(equation)
    except VocabularyError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
