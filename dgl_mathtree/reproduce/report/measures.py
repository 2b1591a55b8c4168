"""What tables and figures read from a run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dgl_mathtree.reproduce.report.results import Result, Value

BLANKS = {"completion": "our blanks", "completion_original": "the original's blanks"}
"""Kinds of blanks that completion is measured on, by their key in the analysis of a run."""
FEW = 20
"""A share of fewer equations is not shown without its interval."""


def percent(part: str, name: str) -> Value:
    """A metric of a part, in percent."""

    def value(run: Result) -> float | None:
        found = run.metrics.get(part, {}).get("overall", {}).get(name)
        return None if found is None else 100 * float(found)

    return value


accuracy_on_test = percent("test", "accuracy")
"""On the test part of the run's own data."""


def at_depth(depth: str) -> Value:
    """Accuracy on the test equations of one depth, in percent."""

    def value(run: Result) -> float | None:
        found = run.metrics["test"]["by_depth"].get(depth)
        return None if found is None else 100 * float(found["accuracy"])

    return value


def slope_over_depth(run: Result) -> float | None:
    """How accuracy changes with every level of depth, in points: the slope of a line through the test depths, each with
    the weight of its equations. None of fewer than two depths."""
    rows = [
        (int(depth), 100 * float(row["accuracy"]), float(row.get("count") or 1))
        for depth, row in run.metrics["test"]["by_depth"].items()
    ]
    if len(rows) < 2:
        return None
    depths, accuracies, counts = np.array(sorted(rows)).T
    return float(np.polyfit(depths, accuracies, 1, w=np.sqrt(counts))[0])


def filled(kind: str, blanks: str = "completion") -> Value:
    """A share of the blanks, in percent."""

    def value(run: Result) -> float | None:
        found = (run.analysis.get(blanks) or {}).get("overall", {}).get(kind)
        return None if found is None else 100 * float(found)

    return value


def on_true_labels(run: Result) -> float | None:
    """Accuracy on the test equations of `paper`, for a run on other data, in percent."""
    found = (run.analysis.get("also") or {}).get("paper")
    return None if found is None else 100 * float(found["overall"]["accuracy"])


def parameters(run: Result) -> float:
    """How many numbers are trained."""
    return float(run.metrics["parameters"])


def best_epoch(run: Result) -> float | None:
    """Epochs to the best accuracy on validation; None for what is fitted at once."""
    return float(run.metrics["best_epoch"]) if len(run.history) > 1 else None


def epochs_to_near_best(run: Result) -> float | None:
    """Epochs until validation is first within one point of its best; None for what is fitted at once."""
    reached = [float(line["validation_accuracy"]) for line in run.history]
    near = [line["epoch"] for line, value in zip(run.history, reached, strict=True) if value >= max(reached) - 0.01]
    return float(near[0]) if len(reached) > 1 else None


def early_validation(runs: Iterable[Result]) -> Value:
    """Accuracy on validation, mean over as many first epochs as all of some runs have, in percent.

    Neither a limit of epochs nor a level to be reached decides it.
    """
    first = min((len(run.history) for run in runs if len(run.history) > 1), default=0)

    def value(run: Result) -> float | None:
        reached = [float(line["validation_accuracy"]) for line in run.history[:first]]
        return 100 * float(np.mean(reached)) if len(run.history) > 1 and reached else None

    return value


def seconds_an_epoch(run: Result) -> float:
    """The median over the epochs."""
    return float(np.median([line["seconds"] for line in run.history]))
