"""What was found: three sentences and a table to be read first, and more sentences behind them."""

from __future__ import annotations

from collections.abc import Mapping

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.claim_tables import in_words
from dgl_mathtree.reproduce.report.claims import BEST, CLAIMS, claims_by_verdict
from dgl_mathtree.reproduce.report.document import Findings, Row, Table, without_empty_columns
from dgl_mathtree.reproduce.report.measures import accuracy_on_test, filled, on_true_labels, parameters
from dgl_mathtree.reproduce.report.printed_figures import DOUBTFUL, GAINS, VERIFICATION, printed
from dgl_mathtree.reproduce.report.results import SEARCH, Cell, Results, Value, search_of
from dgl_mathtree.reproduce.report.semantic_tables import gain_of_meaning
from dgl_mathtree.reproduce.report.settings_tables import searched_on, unlike_the_paper
from dgl_mathtree.reproduce.report.statistics import FAILS, HOLDS, OPEN
from dgl_mathtree.reproduce.report.verification_tables import (
    FAR,
    LEARNED,
    far_rows,
    points_above,
    points_text,
    untrained_rows,
)
from dgl_mathtree.reproduce.studies import LIKE, PRINTED, ROWS, TABLED

NOTHING: Mapping[str, int] = {}


def findings(results: Results, left: Mapping[str, int] = NOTHING) -> Findings:
    """What the paper found, what is found on data like its own, and what changes when labels are true.

    Parameters
    ----------
    left : mapping
        By study how many runs are planned and not finished.
    """
    return Findings(
        [
            ("What the paper found", _paper()),
            ("On data like the paper's", _like(results, left)),
            ("When labels are true", _true(results, left)),
        ]
    )


def details(results: Results) -> Findings:
    """What the claims come to in numbers, every one computed from the runs or printed in the paper."""
    rnns = CLAIMS["second-order"].parts[0][0]
    return Findings(
        [
            (
                f"{BEST} over tree-smu",
                f"{GAINS['verification']:+.2f} points in the paper; {in_words(results, 'abstract')}.",
            ),
            (
                "Completion",
                "; ".join(
                    f"Top-{top} of the proposed models over the better of tree-lstm and tree-smu, "
                    f"{GAINS[f'top{top}']:+.2f} points in the paper: {in_words(results, f'completion-top{top}')}"
                    for top in (1, 5)
                )
                + ".",
            ),
            (
                "Second order over first",
                f"Without a stack: {in_words(results, 'second-order', rnns)}. "
                f"With a stack: {in_words(results, 'second-order+stack')}.",
            ),
            (
                "A stack, and convergence",
                f"Gain of a stack: {in_words(results, 'stack')}. "
                f"Epochs that the proposed models save against the tree-LSTM: {in_words(results, 'convergence')}. "
                f"Their lead on validation over the first epochs: {in_words(results, 'early')}. Less loss with depth "
                f"than their partners: {in_words(results, 'depth')}.",
            ),
            ("The protocol as printed", _protocol(results)),
            ("Meaning", _meaning(results)),
        ]
    )


def _paper() -> str:
    best = printed(BEST, "test")
    assert best is not None
    return (
        f"On its own equations, whose labels nobody checked, {BEST} is best with {best.value:g}% on test, "
        f"{GAINS['verification']:g} points above tree-smu; second order and a stack each help, need fewer epochs, and "
        f"fill blanks better, by {GAINS['top1']:g} points at Top-1 and {GAINS['top5']:g} at Top-5."
    )


def _best_of(results: Results, data: str, value: Value) -> tuple[str, Cell] | None:
    """The model with the largest mean, and its number."""
    cells = [(model, results.cell(data, model, value)) for model in results.models(data)]
    found = [(cell.value, model, cell) for model, cell in cells if cell.value is not None]
    return max(found, key=lambda each: each[0])[1:] if found else None


def _unfinished(results: Results, left: Mapping[str, int], data: str) -> str:
    """That runs on some data are missing, in words."""
    own = search_of(data)
    search = own if left.get(own) or results.models(own) else SEARCH
    count, searching = left.get(data, 0), left.get(search, 0)
    if searching:
        return f"Settings are still being searched ({searching} runs of {search} are left), so this will change."
    return f"{count} planned runs are not finished, so this may change." if count else ""


def _like(results: Results, left: Mapping[str, int]) -> str:
    best = _best_of(results, LIKE, accuracy_on_test)
    if best is None:
        return f"Whether the paper's figures are reached {OPEN}: there are no finished runs on {LIKE} yet."
    model, cell = best
    theirs = printed(model, "test")
    text = f"The best row is {model} with {cell.text}%" + (f" ({theirs.value:g} in the paper)" if theirs else "")
    rows = [name for name in VERIFICATION if points_above(results, name) is not None and not MODELS[name].is_baseline]
    far = far_rows(results)
    if rows:
        text += f"; {len(rows) - len(far)} of {len(rows)} networks lie within {FAR:g} points of the paper's"
        text += f", not so {', '.join(f'{name} ({points_text(found)})' for name, found in far.items())}" if far else ""
    return _sentences(f"{text}.", _verdicts(results, LIKE), _unfinished(results, left, LIKE))


def _true(results: Results, left: Mapping[str, int]) -> str:
    best = _best_of(results, ROWS, accuracy_on_test)
    said = _lost(results)
    if best is not None:
        model, cell = best
        text = f"Trained on checked labels ({ROWS}), the best row is {model} with {cell.text}%"
        filling = _best_of(results, ROWS, filled("top1_oracle"))
        text += f"; {filling[0]} fills the most blanks, {filling[1].text}% at the first try" if filling else ""
        said = _sentences(said, f"{text}.", _verdicts(results, ROWS), _unfinished(results, left, ROWS))
    return said or f"What true labels change {OPEN}: there are no finished runs on {ROWS}."


def _sentences(*texts: str) -> str:
    """Those that say something, one after the other."""
    return " ".join(text for text in texts if text)


def _lost(results: Results) -> str:
    """What networks that are trained on data like the paper's lose on true labels, as a sentence."""
    pairs = [
        (own, true)
        for model in results.models(LIKE)
        if not MODELS[model].is_baseline
        and (own := results.cell(LIKE, model, accuracy_on_test).value) is not None
        and (true := results.cell(LIKE, model, on_true_labels).value) is not None
    ]
    if not pairs:
        return ""
    own, true = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    return (
        f"On true labels the same networks are right on {true:.1f}%, the mean of {len(pairs)} rows, instead of "
        f"{own:.1f}%."
    )


def _verdicts(results: Results, data: str) -> str:
    """The claims by verdict, as a sentence."""
    found = claims_by_verdict(results, data)
    said = [f"{', '.join(claims)}: {verdict}" for verdict, claims in found.items() if claims]
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _protocol(results: Results) -> str:
    models = results.models(PRINTED)
    if not models:
        return f"Whether the rows train with the protocol that the paper prints {OPEN}: no finished runs try it."
    failed = untrained_rows(results)
    best = _best_of(results, PRINTED, accuracy_on_test)
    text = f"{len(models) - len(failed)} of {len(models)} rows with runs train with the protocol that the paper prints"
    text += f", more than {LEARNED:g} points above the majority class on validation"
    text += f"; {', '.join(failed)} do not" if failed else ""
    return f"{text}. The best is {best[0]} with {best[1].text}% on test." if best else f"{text}."


def _meaning(results: Results) -> str:
    found = gain_of_meaning(results)
    if found is None:
        return f"What training with meaning adds at equal data {OPEN}: no finished runs compare it."
    verb = {HOLDS: "makes models better", FAILS: "makes models worse"}.get(found.verdict)
    if verb is None:
        return f"Whether training with meaning at equal data helps, {found.words('points')}: {OPEN}."
    return f"At equal data, training with meaning {verb}: {found.words('points')}."


def summary_table(results: Results) -> Table:
    """The table that a reader sees first: the paper's figure and ours side by side for every row."""
    rows: list[Row] = []
    for model in (name for name in TABLED if results.of(LIKE, name) or results.of(ROWS, name)):
        size, found = _size(results, model), points_above(results, model)
        rows.append(
            (
                model,
                [
                    Cell(size.value, None, size.runs, 0),
                    printed(model, "test") or "",
                    results.cell(LIKE, model, accuracy_on_test),
                    "" if found is None else f"{found:+.1f}",
                    results.cell(LIKE, model, on_true_labels),
                    results.cell(ROWS, model, accuracy_on_test),
                    results.cell(ROWS, model, filled("top1_oracle")),
                    "/".join(str(len(results.of(data, model))) for data in (LIKE, ROWS)),
                ],
            )
        )
    columns = ["row", "parameters", "the paper's test accuracy", "like for like", "difference", "on true labels"]
    columns += ["checked labels", "completion Top-1", "seeds"]
    table = Table("summary", "All rows", _note(results), columns, rows, printed=[2], ranked=[2, 3, 5, 6, 7])
    return without_empty_columns(table)


def _size(results: Results, model: str) -> Cell:
    """The number of trained parameters, of the runs like for like where there are some."""
    return results.cell(LIKE if results.of(LIKE, model) else ROWS, model, parameters, 0)


def _note(results: Results) -> str:
    runs = [run for model in results.models(LIKE) for run in results.of(LIKE, model)]
    data = LIKE if runs else ROWS
    runs = runs or [run for model in results.models(ROWS) for run in results.of(ROWS, model)]
    note = (
        "Percent, mean ± standard deviation over seeds; the best of a column is marked. All are trained on equations "
        f"of depths 1-7 and tested on depths 8-13. Like for like: trained and tested on {LIKE}, data made and labelled "
        "as the paper's was; difference: to the paper's own figure in the marked column; on true labels: the same "
        f"networks on test equations whose labels are checked. Checked labels: trained and tested on {ROWS}, where "
        f"completion is measured too. Seeds: like for like / checked labels. {unlike_the_paper(runs)} "
        f"{searched_on(results, data)}"
    ).strip()
    second, first = (_size(results, model).value for model in ("second-order-tree-rnn", "tree-rnn"))
    if second and first:
        note += (
            f" second-order-tree-rnn has a first-order term added, which the paper's has not, and {second:,.0f} "
            f"parameters against {first:,.0f} of tree-rnn."
        )
    return note + "".join(f" {model}, in the paper: {why}." for model, why in DOUBTFUL.items())
