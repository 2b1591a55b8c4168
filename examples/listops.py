"""Nested lists of digits (ListOps, Nangia and Bowman 2018): nodes with up to five children.

    python examples/listops.py [--cell tree-lstm+stack] [--lists 20000] [--out run]

With --out the run is kept, goes on where it was stopped, and `TreeClassifier.load(out)` loads its model.
"""

from __future__ import annotations

import argparse

import torch

from dgl_mathtree.data import generate_listops, list_value, listops_data
from dgl_mathtree.graphs import batch_trees
from dgl_mathtree.nn import MODELS, TreeClassifier, make_cell
from dgl_mathtree.training import Bar, fit


def main() -> float:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [name for name, model in MODELS.items() if model.is_cell]
    parser.add_argument("--cell", default="tree-lstm+stack", choices=names)
    parser.add_argument("--lists", type=int, default=20_000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--out", metavar="FOLDER", help="the run folder")
    options = parser.parse_args()
    lists = generate_listops(options.lists)
    data = {"train": listops_data(lists), "test": listops_data(generate_listops(2000, seed=1, without=lists))}
    torch.manual_seed(0)
    cell = make_cell(options.cell, size=64, types=4, children=5, dropout=0.1)  # MAX, MIN, MED, SM
    model = TreeClassifier(cell, classes=10, symbols=10, scale=1.0)
    progress = Bar(epochs_shown=True, items="lists")
    metrics = fit(model, data, options.out, epochs=options.epochs, schedule="one-cycle", progress=progress)
    example = ("MAX", 2, ("MIN", 4, 7), 0)
    found = model(batch_trees([(0, 2, (1, 4, 7), 0)])).argmax().item()
    print(f"{example}: {found}, and {list_value(example)} would be right")
    return float(metrics["test"]["overall"]["accuracy"])


if __name__ == "__main__":
    main()
