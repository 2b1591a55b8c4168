"""The card of the shipped model, in the form that collections of models read: python tools/cards.py

It is made from the files of the run and of its evaluation alone, and so is the page of `paper`'s card.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dgl_mathtree.data.card_page import card_file, front_matter
from dgl_mathtree.data.data_files import read_card
from dgl_mathtree.files import write_atomically

ROOT = Path(__file__).parent.parent
SHIPPED, MEASURED = ROOT / "dgl_mathtree" / "shipped", ROOT / "results" / "shipped"
SETS = {
    "textbook": "textbook equations and near misses, none of them in the training data",
    "fresh": "fresh equations of competitions and advanced textbooks, and near misses",
    "paper-test": "test part of `paper`, deeper than anything from its axioms in training",
    "hard-test": "test part of `hard`",
    "paper-validation": "validation part of `paper`",
}
"""Files of `results/shipped`, and what they measure."""
BODY = """# The shipped model of dgl-mathtree

Says how likely it is that a mathematical equation holds, fills blanks, and gives vectors for expressions: a
recursive network `{model}` with vectors of {hidden} numbers and {parameters:,} parameters, a cell of Mali,
Ororbia, Kifer and Giles (2021), which walks the trees of both sides from the leaves up.

## Use

```python
import dgl_mathtree

model = dgl_mathtree.load()
model.verify(["sin(-x) = -sin(x)", "sin(-x) = sin(x)"])
model.complete("sin(x)^2 + ? = 1")
```

Intended for research on recursive networks, and for quick estimates that the oracle or the prover of the
package then decides. Not intended as a decision by itself: a network is wrong at times, and where it matters
`mathtree oracle` and `mathtree prove` compute.

## Limits

Its accuracy depends on whether it has seen expressions like those of an equation, falls with depth, and it is
overconfident that long unusual equations are false. Equations of real functions in the package's 29 operators
only; no calculus, no inequalities, no words. [docs/shipped.md](../../docs/shipped.md) has accuracies by kind
and depth, calibration, and a list of its errors.

## Training

Data: `{data}` with mistakes that the stage before took for true (`tools/mine.py`), epochs: {epochs} in the last
stage, {minutes:.0f} minutes on one core of a CPU, objective: `{objective}`. Equations are generated and labelled by
the oracle; no data about people is involved.
`config.json` has all settings and `history.jsonl` the curve.

## Evaluation

Percent; `mathtree evaluate shipped DATA --json` measures them.

| data | equations | accuracy | true ones accepted | AUC | calibration error |
|---|---|---|---|---|---|
{rows}

## Citation

`CITATION.cff` of the repository names the package and the paper. MIT licence.
"""


def model_card() -> str:
    """`README.md` of the shipped model."""
    run, metrics = (_read(SHIPPED / name) for name in ("config.json", "metrics.json"))
    measured = {name: _read(MEASURED / f"{name}.json")["overall"] for name in SETS}
    results = [
        {
            "task": {"type": "text-classification", "name": "equation verification"},
            "dataset": {"type": name, "name": SETS[name]},
            "metrics": [{"type": "accuracy", "value": round(part["accuracy"], 4)}],
        }
        for name, part in measured.items()
    ]
    about = {
        "license": "mit",
        "library_name": "dgl-mathtree",
        "tags": ["mathematics", "equation-verification", "recursive-neural-network", "tree-lstm", "dgl"],
        "model-index": [{"name": "shipped", "results": results}],
    }
    config = run["config"]
    body = BODY.format(
        model=config["model"],
        hidden=config["hidden"],
        data=config["data"],
        epochs=config["epochs"],
        objective=config["objective"],
        parameters=metrics["parameters"],
        minutes=metrics["seconds"] / 60,
        rows="\n".join(_row(name, part) for name, part in measured.items()),
    )
    return front_matter(about) + body


def _row(name: str, part: dict[str, Any]) -> str:
    shares = " | ".join(f"{100 * part[key]:.1f}" for key in ("accuracy", "recall"))
    numbers = " | ".join(f"{part[key]:.3f}" for key in ("auc", "calibration_error"))
    return f"| {SETS[name]} | {part['count']:,} | {shares} | {numbers} |"


def cards() -> dict[Path, str]:
    """The files, and what they should hold."""
    paper = ROOT / "datasets" / "paper" / "card.md"
    return {SHIPPED / "README.md": model_card(), paper: card_file(read_card(paper.parent))}


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def main() -> None:
    for file, text in cards().items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            write_atomically(file, text)
            print(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
