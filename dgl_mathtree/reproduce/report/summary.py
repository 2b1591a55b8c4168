"""What was found: five sentences and a table."""

from __future__ import annotations

from dgl_mathtree.reproduce.report.claims import best_row, in_words, order
from dgl_mathtree.reproduce.report.document import Findings, Row, Table
from dgl_mathtree.reproduce.report.measures import accuracy_on_test, at_depth, filled, on_true_labels, parameters
from dgl_mathtree.reproduce.report.printed_figures import DOUBTFUL, VERIFICATION, printed
from dgl_mathtree.reproduce.report.results import Cell, Results, Value
from dgl_mathtree.reproduce.report.semantic_tables import gain_of_meaning
from dgl_mathtree.reproduce.report.statistics import FAILS, HOLDS, OPEN

DEEPEST = "13"


def findings(results: Results) -> Findings:
    """Five sentences, every number of which is computed from the runs or printed in the paper."""
    return Findings(
        [
            ("On checked labels", _best(results)),
            ("Like for like", _like_for_like(results)),
            (
                "Second order over first",
                f"Without a stack: {in_words(results, 'second-order')}. "
                f"With a stack: {in_words(results, 'second-order+stack')}.",
            ),
            (
                "A stack, and convergence",
                f"Gain of a stack: {in_words(results, 'stack')}. "
                f"Epochs that the proposed cells save against the tree-LSTM: {in_words(results, 'convergence')}. Their "
                f"lead on validation over the first epochs: {in_words(results, 'early')}.",
            ),
            ("Meaning", _meaning(results)),
        ]
    )


def _best_of(results: Results, data: str, value: Value) -> tuple[str, Cell] | None:
    """The model with the largest mean, and its number."""
    cells = [(model, results.cell(data, model, value)) for model in results.models(data)]
    found = [(cell.value, model, cell) for model, cell in cells if cell.value is not None]
    return max(found, key=lambda each: each[0])[1:] if found else None


def _best(results: Results) -> str:
    best = _best_of(results, "paper", accuracy_on_test)
    if best is None:
        return f"Which row is best {OPEN}: there are no finished runs on paper."
    model, cell = best
    deep = results.cell("paper", model, at_depth(DEEPEST))
    text = f"The best row is {model} with {cell.text}% of the test equations right"
    text += f", {deep.text}% at depth {DEEPEST}" if deep.value is not None else ""
    filling = _best_of(results, "paper", filled("top1_oracle"))
    if filling is None:
        return f"{text}."
    return f"{text}; {filling[0]} fills the most blanks, {filling[1].text}% at the first try."


def _like_for_like(results: Results) -> str:
    best = _best_of(results, "legacy", accuracy_on_test)
    if best is None:
        return f"Whether the paper's figures are reached {OPEN}: there are no finished runs on legacy."
    model, cell = best
    theirs, true = printed(model, "test"), results.cell("legacy", model, on_true_labels)
    beside = [f"{theirs.value:g} in the paper"] if theirs else []
    beside += [f"{true.text} on true labels"] if true.value is not None else []
    text = f"With labels that nobody checked, as in the paper, the best row is {model} with {cell.text}%"
    text += f" ({'; '.join(beside)})" if beside else ""
    gaps = [
        ours - VERIFICATION[name]["test"]["accuracy"].value
        for name in VERIFICATION
        if (ours := results.cell("legacy", name, accuracy_on_test).value) is not None
    ]
    if gaps:
        mean = sum(gaps) / len(gaps)
        side = "above" if mean >= 0 else "below"
        text += f"; {len(gaps)} rows lie on average {abs(mean):.1f} points {side} the paper's"
    found, trees = order(results, "legacy")[0], order(results, "legacy", trees_only=True)[0]
    text += f", and their order correlates with its order: {found.value:+.2f} {found.interval}" if found else ""
    text += f", recursive rows alone {trees.value:+.2f} {trees.interval}" if trees else ""
    gain, rival = best_row(results, "legacy")
    if gain is not None:
        text += f"; that m-tree-lstm+stack is best ({gain.words('points')} against {rival}): {gain.verdict}"
    return f"{text}."


def _meaning(results: Results) -> str:
    found = gain_of_meaning(results)
    if found is None:
        return f"What training with meaning adds at equal data {OPEN}: no finished runs compare it."
    verb = {HOLDS: "makes models better", FAILS: "makes models worse"}.get(found.verdict)
    if verb is None:
        return f"Whether training with meaning at equal data helps, {found.words('points')}: {OPEN}."
    return f"At equal data, training with meaning {verb}: {found.words('points')}."


def summary_table(results: Results) -> Table:
    """The table that a reader sees first."""
    rows: list[Row] = []
    for model in results.models():
        size = results.cell("paper", model, parameters, 0)
        rows.append(
            (
                model,
                [
                    Cell(size.value, None, size.runs, 0),
                    results.cell("paper", model, accuracy_on_test),
                    results.cell("paper", model, at_depth(DEEPEST)),
                    printed(model, "test") or "",
                    results.cell("legacy", model, accuracy_on_test),
                    results.cell("paper", model, filled("top1_oracle")),
                    str(len(results.of("paper", model))),
                ],
            )
        )
    columns = ["row", "parameters", "test accuracy", f"at depth {DEEPEST}", "paper's test accuracy"]
    columns += ["like for like", "completion Top-1", "seeds"]
    note = (
        "Percent, mean ± standard deviation over seeds; the best of a column is marked. Trained on equations of depths "
        "1-7 with checked labels, tested on depths 8-13. Like for like: trained and tested on labels that nobody "
        "checked, beside the paper's own figures in the marked column."
    )
    note += "".join(f" {model}, in the paper: {why}." for model, why in DOUBTFUL.items())
    return Table("summary", "All rows", note, columns, rows, printed=[4], ranked=[2, 3, 4, 5, 6])
