"""Train a verifier for a few epochs, compare it with baselines and the oracle, and let it judge equations.

python examples/verify.py
python examples/verify.py "sin(2x) = 2 sin(x) cos(x)" --model tree-lstm --epochs 3
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dgl_mathtree
from dgl_mathtree import (
    Equation,
    EquationDataset,
    InputError,
    Oracle,
    TrainedVerifier,
    VocabularyError,
    parse_equation,
)
from dgl_mathtree.data import DataError
from dgl_mathtree.inference import evaluation, score, verification_facts
from dgl_mathtree.nn import MODELS, BagOfOperators, make_model
from dgl_mathtree.training import Bar, Config, train

EQUATIONS = [
    "sin(x)^2 + cos(x)^2 = 1",
    "sin(2x) = 2 sin(x) cos(x)",
    "tan(x + y) = (tan(x) + tan(y)) / (1 - tan(x) tan(y))",
    "sin(x + y) = sin(x) + sin(y)",
    "cos(x)^2 = 1 + sin(x)^2",
    "(x + y)^2 = x^2 + 2 x y + y^2",
    "1/x + 1/y = (x + y)/(x y)",
    "log(x y) = log(x) + log(y)",
    "log(x + y) = log(x) + log(y)",
    "cosh(x)^2 - sinh(x)^2 = 1",
    "sinh(2x) = 2 sinh(x)",
    "asin(x) + acos(x) = pi/2",
    # Two equations that the paper prints as correct: each holds on one branch only.
    r"2^{-1} + \Big(-\frac{1}{2} \times \big (-1 \times \sqrt{1 + (-1 \times \sin^2(\sqrt{4} \times (\pi"
    r" + (x \times -1))))} \big) \Big) + \cos^{\sqrt{4}}(x) = 1",
    r"\big(\cos(y^1 + x) + z\big)^w = \big(\cos(x) \times \cos(0 + y) + \big(-1 \times \sqrt{1 + -1 \times"
    r" \cos^{2}(y + 2\pi)}\; \big) \times \sin(x) + z \big)^w",
]
SEMANTIC = {"objective": "semantic", "head": "cosine", "schedule": "one-cycle", "batch_size": 100, "dropout": 0.0}
"""How a recursive model is trained here: with the values of all subexpressions beside the labels."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("equations", nargs="*", metavar="EQ", help="equations to judge (default: a set of its own)")
    parser.add_argument("--model", default="m-tree-lstm", help="a name that `mathtree models` lists")
    parser.add_argument("--epochs", type=int, default=4, help="maximum number of epochs (default 4)")
    parser.add_argument("--data", default="paper", help="a data folder or recipe name (default paper)")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda or mps")
    parser.add_argument("--out", help="where to keep the run (default: nowhere)")
    options = parser.parse_args(arguments)
    try:
        equations = [parse_equation(text) for text in options.equations or EQUATIONS]
        how = SEMANTIC if options.model in MODELS and MODELS[options.model].is_cell else {}
        given = {name: getattr(options, name) for name in ("data", "model", "epochs", "device")}
        config = Config.of(given | how)
        with tempfile.TemporaryDirectory() as spare:
            out = Path(options.out or spare) / ("" if options.out else "run")
            print(f"Training {config.model} on {config.data}")
            train(config, out, progress=Bar(epochs_shown=True))
            fresh = dgl_mathtree.load(out, options.device)
        show_accuracy(fresh, options.data)
        judge(equations, [fresh, dgl_mathtree.load()])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def baseline(name: str, train_data: EquationDataset, test: EquationDataset) -> NDArray[np.float64]:
    """Scores of a baseline that is fitted to the training equations."""
    model = make_model(name, 1, train_data.vocabulary)
    assert isinstance(model, BagOfOperators)
    model.fit(train_data.forest, train_data.label)
    return score(model, test.forest)


def show_accuracy(fresh: TrainedVerifier, data: str) -> None:
    """Accuracy, precision and recall on the test equations by depth, beside the baselines and the oracle."""
    train_data = EquationDataset(data, "train")
    try:
        test = EquationDataset(data, "test")
    except DataError as error:
        print(f"\nNothing to measure on: {error}")
        return
    verdicts = Oracle(seed=1000, complex_plane=False).judge(test.equation(k) for k in range(len(test)))
    scores = {
        fresh.model: fresh.score_forest(test.forest),
        "majority": baseline("majority", train_data, test),
        "bag of operators": baseline("bag-of-operators", train_data, test),
        "oracle": np.array([1.0 if judgement.verdict == "true" else -1.0 for judgement in verdicts]),
    }
    print("\nTest equations: accuracy, precision and recall in percent")
    print(f"{'depth':>5}{'count':>7}" + "".join(f"{name:>22}" for name in scores))
    tables = [evaluation(logits, test.label.numpy(), test.depth.numpy()) for logits in scores.values()]
    for depth in (*tables[0]["by_depth"], "all"):
        rows = [table["overall"] if depth == "all" else table["by_depth"][depth] for table in tables]
        cells = (" ".join(f"{100 * row[name]:5.1f}" for name in ("accuracy", "precision", "recall")) for row in rows)
        print(f"{depth:>5}{rows[0]['count']:>7}" + "".join(f"{cell:>22}" for cell in cells))


def judge(equations: list[Equation], models: list[TrainedVerifier]) -> None:
    """What is known of equations by proof or by a point, and what each model says beside it."""
    names = ["fresh", "shipped"]
    print(f"\n{'answer':<20}" + "".join(f"{name:<18}" for name in names) + "equation")
    for equation, row in zip(equations, verification_facts(models[-1], equations), strict=True):
        known, _, reason = str(row["says"]).partition(": ")
        said = [f"{known:<18}"]
        for model in models:
            try:
                (answer,) = model.verify([equation])
                said.append(f"{answer.verdict} {answer.probability:.0%}")
            except VocabularyError:
                said.append("unknown words")
        print("  ".join(f"{text:<16}" for text in said) + f"  {equation}" + (f"  ({reason})" if reason else ""))


if __name__ == "__main__":
    sys.exit(main())
