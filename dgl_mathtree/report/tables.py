"""The report's tables: the paper's, and those beyond it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dgl_mathtree.report.paper import (
    ABLATION,
    ABLATION_NOTE,
    CONVERGENCE,
    DOUBTFUL,
    MEASURES,
    PARTS,
    Printed,
    printed,
)
from dgl_mathtree.report.results import Cell, Result, Results
from dgl_mathtree.training.studies import FURTHER, PARTNERS

Entry = Cell | Printed | str


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: of its place in the page.
        title: what it is.
        note: what to know to read it.
        columns: their heads, that of the row names first.
        rows: for each row its name and its entries.
        printed: columns with figures of the paper's, not ours.
    """

    name: str
    title: str
    note: str
    columns: list[str]
    rows: list[tuple[str, list[Entry]]]
    printed: list[int] = field(default_factory=list)


def percent(part: str, name: str) -> Callable[[Result], float | None]:
    """A metric of a part, in percent."""

    def value(run: Result) -> float | None:
        found = run.metrics.get(part, {}).get("overall", {}).get(name)
        return None if found is None else 100 * float(found)

    return value


def tables(results: Results) -> list[Table]:
    """All tables that there are runs for."""
    made = [
        _rows(results),
        *(_part(results, part) for part in PARTS),
        _ablation(results),
        _convergence(results),
        _completion(results),
        _further(results),
    ]
    return [table for table in made if table.rows]


def _rows(results: Results) -> Table:
    rows: list[tuple[str, list[Entry]]] = []
    for model in results.models():
        entries: list[Entry] = [
            results.cell("paper", model, lambda run: run.metrics["parameters"], 0),
            results.cell("paper", model, percent("test", "accuracy")),
            printed(model, "test") or "",
            results.cell("paper", model, _seconds, 1),
            str(len(results.of("paper", model))),
        ]
        rows.append((model, entries))
    columns = ["model", "parameters", "test accuracy", "the paper's test accuracy", "seconds an epoch", "seeds"]
    note = "Percent, mean ± standard deviation over seeds. Train and validation are of depths 1-7, test of depths 8-13."
    return Table("verification", "Verification", note, columns, rows, printed=[3])


def _part(results: Results, part: str) -> Table:
    rows: list[tuple[str, list[Entry]]] = []
    for model in results.models():
        ours: list[Entry] = [results.cell("paper", model, percent(part, measure)) for measure in MEASURES]
        rows.append((model, [*ours, *(printed(model, part, measure) or "" for measure in MEASURES)]))
    columns = ["model", *MEASURES, *(f"the paper's {measure}" for measure in MEASURES)]
    note = "Percent. The paper's are of its own data." + "".join(f" {k}: {v}." for k, v in DOUBTFUL.items())
    return Table(part, f"Accuracy, precision and recall on {part}", note, columns, rows, printed=[4, 5, 6])


def _seconds(run: Result) -> float:
    return float(np.median([line["seconds"] for line in run.history]))


def _ablation(results: Results) -> Table:
    rows: list[tuple[str, list[Entry]]] = []
    for model, partner in PARTNERS.items():
        if not (results.of("paper", model) and results.of("paper", partner)):
            continue
        test = percent("test", "accuracy")
        ours, theirs = results.cell("paper", model, test), results.cell("paper", partner, test)
        assert ours.value is not None and theirs.value is not None
        runs = (*ours.runs, *theirs.runs)
        difference = Cell(ours.value - theirs.value, None, runs, 2)
        tests = [_paired(results, model, partner), _mcnemar(results, model, partner)]
        shown = [*ABLATION.get(model, ("", ""))]
        rows.append((model, [partner, ours, theirs, difference, *tests, *shown]))
    columns = ["higher order", "first order", "test accuracy", "of the first order", "difference"]
    columns += ["p, paired over seeds (t-test)", "p, McNemar on the test equations (first seed)"]
    columns += ["the paper's", "the paper's of the first order"]
    note = "Percent. A small p says that a difference as large would be rare if the two were equally good. "
    return Table("ablation", "With and without higher order", note + ABLATION_NOTE, columns, rows, printed=[7, 8])


def _paired(results: Results, model: str, partner: str) -> Entry:
    """The t-test on the differences of runs with the same seed."""
    from scipy.stats import ttest_rel

    mine = {run.seed: run for run in results.of("paper", model)}
    theirs = {run.seed: run for run in results.of("paper", partner)}
    seeds = sorted(mine.keys() & theirs.keys())
    if len(seeds) < 2:
        return "needs two seeds"
    value = percent("test", "accuracy")
    pairs = np.array([(value(mine[seed]), value(theirs[seed])) for seed in seeds], dtype=np.float64)
    if np.ptp(pairs[:, 0] - pairs[:, 1]) == 0:
        return "the same difference for all seeds"
    found = float(ttest_rel(pairs[:, 0], pairs[:, 1]).pvalue)
    return Cell(found, None, tuple(run for seed in seeds for run in (mine[seed], theirs[seed])), 4)


def _mcnemar(results: Results, model: str, partner: str) -> Entry:
    """The exact test on the equations that one of the two judged rightly and the other did not."""
    from scipy.stats import binomtest

    mine, theirs = results.of("paper", model)[0], results.of("paper", partner)[0]
    a, b = mine.right(), theirs.right()
    better, worse = int((a & ~b).sum()), int((~a & b).sum())
    if better + worse == 0:
        return "no difference"
    return Cell(float(binomtest(better, better + worse).pvalue), None, (mine, theirs), 4)


def _convergence(results: Results) -> Table:
    rows: list[tuple[str, list[Entry]]] = []
    for model in results.models():
        if len(results.of("paper", model)[0].history) < 2:
            continue
        entries: list[Entry] = [
            results.cell("paper", model, lambda run: run.metrics["best_epoch"]),
            results.cell("paper", model, lambda run: run.metrics["epochs"]),
            results.cell("paper", model, percent("validation", "accuracy")),
            results.cell("paper", model, lambda run: run.metrics["seconds"], 0),
            *CONVERGENCE.get(model, ("", "")),
        ]
        rows.append((model, entries))
    columns = ["model", "epochs to the best", "epochs in all", "validation accuracy then", "seconds of training"]
    columns += ["the paper's epochs to the best", "the paper's validation accuracy then"]
    note = "The epoch with the best accuracy on validation."
    return Table("convergence", "Convergence", note, columns, rows, printed=[5, 6])


def _completion(results: Results) -> Table:
    kinds = [f"top{top}_{kind}" for kind in ("class", "collapse", "oracle") for top in (1, 5)]
    rows: list[tuple[str, list[Entry]]] = []
    for model in results.models():
        cells: list[Entry] = [results.cell("paper", model, filled(kind)) for kind in kinds]
        if any(isinstance(cell, Cell) and cell.value is not None for cell in cells):
            rows.append((model, cells))
    columns = ["model", *(f"Top-{kind[3]} {kind[5:]}" for kind in kinds)]
    note = (
        "Percent of blanks in correct test equations; candidates are all expressions of depth 0 and 1. class: the "
        "first rank of any candidate equal to what was there; collapse: the same among classes; oracle: any class "
        "that makes the equation true, where some do and some do not."
    )
    return Table("completion", "Completion", note, columns, rows)


def filled(kind: str) -> Callable[[Result], float | None]:
    """A share of the blanks, in percent."""

    def value(run: Result) -> float | None:
        found = run.analysis.get("completion", {}).get("overall", {}).get(kind)
        return None if found is None else 100 * float(found)

    return value


def _on_true_labels(run: Result) -> float | None:
    found = run.analysis.get("also", {}).get("paper")
    return None if found is None else 100 * float(found["overall"]["accuracy"])


def _further(results: Results) -> Table:
    names = [name for name in FURTHER if results.models(name)]
    models = [model for model in results.models() if any(results.of(name, model) for name in names)]
    rows: list[tuple[str, list[Entry]]] = []
    for model in models:
        test = percent("test", "accuracy")
        entries: list[Entry] = [results.cell("paper", model, test)]
        entries += [results.cell(name, model, test) for name in names]
        entries.append(results.cell("legacy", model, _on_true_labels))
        rows.append((model, entries))
    columns = ["model", "paper", *(f"{name}, its own test" for name in names), "legacy, tested on true labels"]
    note = (
        "Test accuracy in percent. hard has incorrect equations that are near misses; grouped and held-out-axioms "
        "keep relatives, or what follows from some axioms, out of training; legacy has the original procedure's "
        "labels, which nobody checked."
    )
    return Table("further", "Beyond the paper", note, columns, rows)
