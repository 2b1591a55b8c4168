"""How are two formulas related? Logical inference (Bowman et al. 2015) with any cell.

    python examples/logic.py [--cell m-tree-lstm+stack] [--epochs 8] [--published FOLDER]

Trained on formulas of up to 6 operators, tested on 7 to 12. Pairs are generated, unless the published files are given.
"""

from __future__ import annotations

import argparse

import torch

from dgl_mathtree.data import generate_logic, logic_data, read_logic
from dgl_mathtree.nn import MODELS, PairClassifier, make_cell
from dgl_mathtree.training import Bar, fit


def main() -> float:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [name for name, model in MODELS.items() if model.is_cell]
    parser.add_argument("--cell", default="m-tree-lstm+stack", choices=names)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=5000, help="to generate for each number of operators")
    parser.add_argument("--published", metavar="FOLDER", help="the published files")
    options = parser.parse_args()
    if options.published:
        pairs, tests = read_logic(options.published, "train", range(7)), read_logic(options.published, "test")
    else:
        pairs = generate_logic(dict.fromkeys(range(7), options.pairs))
        tests = generate_logic(dict.fromkeys(range(7, 13), 500), seed=1)
    torch.manual_seed(0)
    cell = make_cell(options.cell, size=64, types=3, dropout=0.1)  # and, or, not
    model = PairClassifier(cell, classes=7, symbols=6, scale=1.0, hidden=75, activation="relu")
    data = {"train": logic_data(pairs), "test": logic_data(tests)}
    metrics = fit(model, data, epochs=options.epochs, schedule="one-cycle", progress=Bar(True, "pairs"))
    for operators, part in metrics["test"]["by_group"].items():
        print(f"{operators:>2} operators: {100 * part['accuracy']:.1f}% of {part['count']}")
    return float(metrics["test"]["overall"]["accuracy"])


if __name__ == "__main__":
    main()
