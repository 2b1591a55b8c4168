"""What training with meaning adds at equal data, and what the root does."""

from __future__ import annotations

from collections.abc import Sequence

from dgl_mathtree.reproduce.report.claims import by_seed
from dgl_mathtree.reproduce.report.document import Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import accuracy_on_test
from dgl_mathtree.reproduce.report.results import Results
from dgl_mathtree.reproduce.report.statistics import Estimate, pooled
from dgl_mathtree.reproduce.studies import TABLED

OBJECTIVES = ("verification", "semantic")
HEADS = ("dot", "cosine")
DATA = ("paper-ablation", "paper")
"""Where runs with and without meaning lie beside each other; the first that has both speaks for all."""


def meaning_tables(results: Results) -> list[Table]:
    """A table for each data with runs of more than one objective or root."""
    titles = {
        "paper-ablation": "Meaning and the root, all else equal (paper data)",
        "paper": "Meaning and the root, with the settings of the rows above",
    }
    return [table for data in DATA if (table := _table(results, data, titles[data])).rows]


def _table(results: Results, data: str, title: str) -> Table:
    variants = [(objective, root) for objective in OBJECTIVES for root in HEADS]
    rows: list[Row] = []
    models = [model for model in TABLED if len(_variants(results, data, model)) > 1]
    for model in models:
        cells: list[Entry] = [results.cell(data, model, accuracy_on_test, variant=variant) for variant in variants]
        seeds = [len(results.of(data, model, variant)) for variant in _variants(results, data, model)]
        shown = str(seeds[0]) if len(set(seeds)) == 1 else f"{min(seeds)}-{max(seeds)}"
        rows.append((model, [*cells, *_gains(results, data, [model]), shown]))
    if len(models) > 1:
        rows.append(("mean of all rows", ["", "", "", "", *_gains(results, data, models), ""]))
    columns = ["model", *(f"{objective}, {root}" for objective, root in variants)]
    columns += ["gain of meaning", "verdict", "gain of the cosine root", "seeds"]
    note = (
        "Test accuracy in percent. The objective semantic adds a term for what subexpressions mean, on the same "
        "equations. Gains are paired over seeds, with 95% intervals; that of meaning is the mean over the roots, that "
        "of the root the mean over the objectives."
    )
    return Table(f"meaning-{data}", title, note, columns, rows)


def _variants(results: Results, data: str, model: str) -> list[tuple[str, str]]:
    return [(o, r) for o in OBJECTIVES for r in HEADS if results.of(data, model, (o, r))]


def _gains(results: Results, data: str, models: Sequence[str]) -> list[Entry]:
    """The gain of meaning with its verdict, and that of the root."""
    meaning = _gain(results, data, models, [((OBJECTIVES[1], root), (OBJECTIVES[0], root)) for root in HEADS])
    roots = _gain(results, data, models, [((each, HEADS[1]), (each, HEADS[0])) for each in OBJECTIVES])
    shown = [meaning.text, meaning.verdict] if meaning else ["", ""]
    return [*shown, roots.text if roots else ""]


def _gain(
    results: Results, data: str, models: Sequence[str], pairs: Sequence[tuple[tuple[str, str], tuple[str, str]]]
) -> Estimate | None:
    """The mean gain over models and pairs of variants, a seed being one observation."""
    found, _ = pooled(
        (
            by_seed(results.of(data, model, better), accuracy_on_test),
            by_seed(results.of(data, model, worse), accuracy_on_test),
        )
        for model in models
        for better, worse in pairs
    )
    return found


def gain_of_meaning(results: Results) -> Estimate | None:
    """The gain of the semantic objective, over all models that were trained with and without it."""
    pairs = [((OBJECTIVES[1], root), (OBJECTIVES[0], root)) for root in HEADS]
    for data in DATA:
        if (found := _gain(results, data, TABLED, pairs)) is not None:
            return found
    return None
