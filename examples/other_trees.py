"""A cell on trees of one's own: nested Boolean formulas, made on the spot.

    python examples/other_trees.py [--cell tree-lstm] [--epochs 6]

A formula such as ``(T and not (F or T)) xor T`` is a nested tuple with four node types (and, or, xor, not) and two
kinds of leaves. `TreeClassifier` learns its value, and is tested on formulas deeper than those it saw.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

import torch

from dgl_mathtree.data import TreeDataset
from dgl_mathtree.nn import MODELS, TreeClassifier, make_cell
from dgl_mathtree.training import Bar, fit

OPERATORS = {"and": 2, "or": 2, "xor": 2, "not": 1}


def formula(rng: random.Random, depth: int) -> Any:
    """A random formula: a truth value, or an operator and its arguments."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice("FT")
    name = rng.choice(list(OPERATORS))
    return (name, *(formula(rng, depth - 1) for _ in range(OPERATORS[name])))


def value(tree: Any) -> bool:
    if isinstance(tree, str):
        return tree == "T"
    arguments = [value(argument) for argument in tree[1:]]
    results = {"and": all(arguments), "or": any(arguments), "xor": sum(arguments) == 1, "not": not arguments[0]}
    return results[tree[0]]


def formulas(rng: random.Random, count: int, depth: int) -> TreeDataset:
    """Formulas of up to a depth, labelled with their values."""
    trees = [formula(rng, rng.randint(1, depth)) for _ in range(count)]
    return TreeDataset(trees, [int(value(tree)) for tree in trees], operators=list(OPERATORS), vocabulary=["F", "T"])


def main() -> float:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [name for name, model in MODELS.items() if model.is_cell]
    parser.add_argument("--cell", default="tree-lstm", choices=names)
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    rng = random.Random(0)
    data = {"train": formulas(rng, 10_000, depth=5), "test": formulas(rng, 500, depth=8)}
    torch.manual_seed(0)
    cell = make_cell(options.cell, size=16, types=len(OPERATORS))
    model = TreeClassifier(cell, classes=2, symbols=2, scale=1.0)
    progress = Bar(epochs_shown=True, items="formulas")
    metrics = fit(model, data, epochs=options.epochs, schedule="one-cycle", progress=progress)
    for part, depth in (("validation", 5), ("test", 8)):
        accuracy = float(metrics[part]["overall"]["accuracy"])
        print(f"formulas of depth up to {depth}: {100 * accuracy:.1f}% right")
    return accuracy


if __name__ == "__main__":
    main()
