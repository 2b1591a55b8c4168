"""Scores of equations by the shipped model: on arrays, and as it would be one equation after the other.

python benchmarks/scoring.py [--repeats N] [--json]

All ways run in one process on one thread, in turn; times are of the processor. The reference renames each equation by
a walk over its words, interns it node by node and scores the forest; ours does both for all equations at once. The
network alone, on a ready forest, is the limit.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from dgl_mathtree import load
from dgl_mathtree.data.collections import find_collection, read_collection
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.inference.metrics import score
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.language.variables import by_appearance, names_from


def renamed(equation: Equation, known: Sequence[str]) -> Equation:
    """An equation with its variables by appearance, the plain way."""
    left, right = equation.left, equation.right
    swapped = Equation(right, left)
    if len(left) == len(right):
        first = min((equation, swapped), key=lambda each: each.canonical_variables().words)
    else:
        first = equation if len(left) < len(right) else swapped
    return equation.rename(dict(zip(first.variables, names_from(known), strict=False)))


def ways(trained: TrainedVerifier, equations: Sequence[Equation]) -> dict[str, Callable[[], Any]]:
    """What is measured."""
    network, known, data = trained.network, trained.variables, Forest.of(equations)
    ready = Forest.of_trees(by_appearance(PrefixTrees.of(equation.words for equation in equations), known).trimmed())
    return {
        "one after the other": lambda: score(network, Forest.of(renamed(each, known) for each in equations)),
        "parsed equations": lambda: trained.scores(equations),
        "a forest": lambda: trained.score_forest(data),
        "network alone": lambda: score(network, ready),
    }


def measure(trained: TrainedVerifier, equations: Sequence[Equation], repeats: int) -> dict[str, dict[str, float]]:
    """Equations a second of each way, and how many times as many as one after the other."""
    chosen = ways(trained, equations)
    best = dict.fromkeys(chosen, float("inf"))
    for _ in range(repeats):
        for name, way in chosen.items():
            start = time.process_time()
            way()
            best[name] = min(best[name], time.process_time() - start)
    slowest = best["one after the other"]
    return {
        name: {"equations_per_second": round(len(equations) / taken), "ratio": round(slowest / taken, 1)}
        for name, taken in best.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="take the fastest of N runs (default 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    torch.set_num_threads(1)
    textbook = find_collection("textbook")
    assert textbook is not None
    paper = EquationDataset("paper", "test")
    sets = {
        "textbook": [entry.equation for entry in read_collection(textbook) if entry.equation is not None],
        "paper, test": [paper.equation(k) for k in range(len(paper))],
    }
    trained = load()
    result = {name: measure(trained, equations, options.repeats) for name, equations in sets.items()}
    if options.json:
        print(json.dumps(result))
        return
    for name, rows in result.items():
        print(f"{name}, {len(sets[name]):,} equations")
        for way, row in rows.items():
            print(f"  {way:<20}{row['equations_per_second']:>9,} a second{row['ratio']:>7.1f} times")


if __name__ == "__main__":
    main()
