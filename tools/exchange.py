"""Measure two networks on each other's data: python tools/exchange.py ORIGINAL DATA RUN > results/exchange.json

ORIGINAL is a folder with `tree-lstm-50.checkpoint` and completion files of the original project, DATA data of the
recipe `original`, and RUN a `tree-lstm` that was trained on it. Both networks classify the published equations, which
are all labelled correct and of depth 8, and the test equations of DATA and of `paper`, by depth. What a network cannot
read it rejects.
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

SHOWN = ("accuracy", "recall", "auc", "count")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("original", "data", "run"):
        parser.add_argument(name, metavar=name.upper())
    options = parser.parse_args()
    try:
        print(json.dumps(exchange(Path(options.original), options.data, options.run), indent=1))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def exchange(original: Path, data: str, run: str) -> dict[str, Any]:
    """How both networks classify all equations."""
    skipped: Counter[str] = Counter()
    equations = {
        "published": list(read_original(sorted(original.glob("*_blank_*.json")), skipped)),
        "original": list(read_rows(data, "test")),
        "paper": list(read_rows("paper", "test")),
    }
    with tempfile.TemporaryDirectory() as folder:
        import_checkpoint(original / "tree-lstm-50.checkpoint", f"{folder}/imported")
        theirs = load(f"{folder}/imported")
    config = read_facts(Path(run)).config
    ours = f"ours, at most {config.epochs} epochs, seed {config.seed}"
    return {
        "networks": [
            {"name": name, "on": {key: by_depth(trained, rows) for key, rows in equations.items()}}
            for name, trained in (("the original project's", theirs), (ours, load(run)))
        ]
    }


def by_depth(trained: TrainedVerifier, rows: Sequence[Row]) -> dict[str, Any]:
    """How a network classifies labelled equations: all of them, and those of each depth."""
    depths = sorted({row.depth for row in rows})
    each = {str(depth): measured(trained, [row for row in rows if row.depth == depth]) for depth in depths}
    return measured(trained, rows) | {"by_depth": each}


def measured(trained: TrainedVerifier, rows: Sequence[Row]) -> dict[str, Any]:
    """How a network classifies labelled equations; `specificity` is the share of the incorrect ones it rejects."""
    read = [(row.parsed(), int(row.label or 0)) for row in rows]
    known = np.array([_reads(trained, equation) for equation, _ in read])
    logits = np.full(len(read), -1e9)
    logits[known] = trained.scores(equation for (equation, _), reads in zip(read, known, strict=True) if reads)
    labels = np.array([label for _, label in read])
    found = metrics(logits, labels)
    rejected = (logits[labels == 0] < 0).mean() if (labels == 0).any() else None
    return {name: found[name] for name in SHOWN} | {"specificity": rejected, "unread": int((~known).sum())}


def _reads(trained: TrainedVerifier, equation: Equation) -> bool:
    try:
        trained.renamed(equation)
    except VocabularyError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
