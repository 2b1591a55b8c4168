"""Fill blanks: those in equations given on the command line, or in a handful of well-known ones; then measure.

python examples/complete.py
python examples/complete.py "cos(?) = sin(x)" --top 3
python examples/complete.py --blanks 500
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import dgl_mathtree
from dgl_mathtree import InputError, TrainedVerifier, infix
from dgl_mathtree.inference import completion_metrics, default_candidates, make_blanks, rank_blanks

EQUATIONS = ["tan(x) = sin(x) * ?", "cos(-1*x) = ?", "x + ? = x", "sin(x)^2 + cos(x)^? = 1", "sin(x + ?) = cos(x)"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("equations", nargs="*", metavar="EQ", help="equations with a blank, ?")
    parser.add_argument("--model", default="shipped", help="a run folder (default: the shipped model)")
    parser.add_argument("--top", type=int, default=3, help="fillings to show (default 3)")
    parser.add_argument(
        "--blanks", type=int, default=200, help="blanks of `paper` to measure on, 0 for none (default 200)"
    )
    options = parser.parse_args(arguments)
    try:
        model = dgl_mathtree.load(options.model)
        for text in options.equations or EQUATIONS:
            show(model, text, options.top)
        if options.blanks > 0:
            measure(model, options.blanks)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def show(model: TrainedVerifier, text: str, top: int) -> None:
    """The best fillings of one blank."""
    print(text)
    for filling in model.complete(text, top=top):
        print(f"  {filling.probability:6.1%}  oracle {filling.oracle:<9}  {infix(filling.expression)}")


def measure(model: TrainedVerifier, count: int) -> None:
    """Accuracy on blanks in correct test equations of `paper`."""
    blanks = make_blanks("paper")
    chosen = np.random.default_rng(0).choice(len(blanks), min(count, len(blanks)), replace=False)
    candidates = default_candidates(model.network.vocabulary, model.network.operators)
    found = completion_metrics(rank_blanks(model.network, [blanks[k] for k in chosen], candidates))
    print(f"\n{found['count']} blanks in test equations of depth 8 to 13, {len(candidates)} candidates")
    for kind, meaning in (("collapse", "the class that was there"), ("oracle", "any class that makes it true")):
        tops = ", ".join(f"Top-{top} {found[f'top{top}_{kind}']:.1%}" for top in (1, 5, 10))
        print(f"  {meaning}: {tops}")


if __name__ == "__main__":
    sys.exit(main())
