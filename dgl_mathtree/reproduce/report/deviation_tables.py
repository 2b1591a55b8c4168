"""Rows that lie far from the paper's figures, and what brings them nearer."""

from __future__ import annotations

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.document import Row, Table
from dgl_mathtree.reproduce.report.measures import accuracy_on_test, percent
from dgl_mathtree.reproduce.report.printed_figures import printed
from dgl_mathtree.reproduce.report.results import Result, Results, cell_of
from dgl_mathtree.reproduce.report.verification_tables import FAR, far_rows, points_text, untrained_rows
from dgl_mathtree.reproduce.studies import DEVIATIONS, LIKE, PRINTED

AS_IN_THE_TABLE = "the row itself"
AS_PRINTED = "the protocol as printed"
READINGS = {"second-order-tree-rnn": ("second-order-tree-rnn-pure", "without the added first-order term")}
"""Models that compute a row as the paper prints it, and what they leave out."""
Tried = list[tuple[str, list[Result]]]


def deviations_table(results: Results) -> Table:
    """Every row that is far from the paper's figure and was run in other ways, with these."""
    rows: list[Row] = []
    for model in far_rows(results):
        theirs = printed(model, "test")
        assert theirs is not None
        tried = _tried(results, model)
        for words, runs in tried if len(tried) > 1 else []:
            test = cell_of(runs, accuracy_on_test)
            entries = [cell_of(runs, percent(part, "accuracy")) for part in ("train", "validation")]
            above = "" if test.value is None else f"{test.value - theirs.value:+.1f}"
            rows.append((model, [words, *entries, test, theirs, above, str(len({run.seed for run in runs}))]))
    columns = ["model", "how", "train", "validation", "test", "the paper's test", "test - the paper's", "seeds"]
    note = (
        f"Accuracy in percent of rows more than {FAR:g} points from the paper's. The row itself has the settings that "
        "a search chose. With one seed, differences below two points decide little."
    )
    return Table(DEVIATIONS, "Rows far from the paper's, and what was tried", note, columns, rows, printed=[6])


def deviations_text(results: Results) -> str:
    """Which far rows come near the paper's figures when run in another way, as sentences; empty if none was."""
    near, far = [], []
    for model in far_rows(results):
        theirs = printed(model, "test")
        assert theirs is not None
        others = {words: cell_of(runs, accuracy_on_test).value for words, runs in _tried(results, model)[1:]}
        if model in untrained_rows(results):
            others.pop(AS_PRINTED, None)
        gaps = {words: value - theirs.value for words, value in others.items() if value is not None}
        nearest = min(gaps, key=lambda words: abs(gaps[words]), default="")
        if nearest and abs(gaps[nearest]) <= FAR:
            near.append(f"{model} {points_text(gaps[nearest])} ({nearest})")
        elif gaps:
            far.append(f"{model} (at best {points_text(gaps[nearest])}, {nearest})")
    said = f"Run in another way, within {FAR:g} points of the paper's: {'; '.join(near)}." if near else ""
    return f"{said} Not within these in any other way: {'; '.join(far)}.".strip() if far else said


def _tried(results: Results, model: str) -> Tried:
    """The runs of a row, and of everything else that was tried with it."""
    row = results.of(LIKE, model)
    found: Tried = [(f"{AS_IN_THE_TABLE}: {_words(row[0])}", row), (AS_PRINTED, results.of(PRINTED, model))]
    if model in READINGS:
        name, words = READINGS[model]
        found.append((words, results.of(LIKE, name)))
    for runs in results.settings(DEVIATIONS, model).values():
        groups: dict[str, list[Result]] = {}
        for run in runs:
            groups.setdefault(_words(run), []).append(run)
        found += groups.items()
    return [(words, runs) for words, runs in found if runs]


def _words(run: Result) -> str:
    """What a run has, in words."""
    config, own = run.config["config"], MODELS[run.model]
    scale = config.get("scale") or own.scale
    words = [
        f"hidden {run.setting.hidden}, dropout {run.setting.dropout:g}, learning rate {config.get('lr') or own.lr:g}"
    ]
    words += [f"embeddings of standard deviation {scale:g}"] if scale != own.scale else []
    words += ["operands not swapped"] if config.get("augment") == "none" else []
    words += [f"{option} {value}" for option, value in (config.get("options") or {}).items()]
    return ", ".join(words)
