"""The paper's claims, one by one: what it says, what is found here, and whether that decides it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.document import PAIR, Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import accuracy_on_test, best_epoch, early_validation
from dgl_mathtree.reproduce.report.printed_figures import (
    ABLATION,
    ABLATION_NOTE,
    CONVERGENCE,
    VERIFICATION,
    Printed,
    printed,
)
from dgl_mathtree.reproduce.report.results import Cell, Result, Results, Value
from dgl_mathtree.reproduce.report.statistics import (
    FAILS,
    HOLDS,
    OPEN,
    Estimate,
    kendall,
    mcnemar,
    p_text,
    pooled,
    spearman,
)
from dgl_mathtree.reproduce.studies import PARTNERS

Pair = tuple[str, str]
Measure = Callable[[Sequence[Result]], Value]


@dataclass(frozen=True)
class Claim:
    """That one row of each pair is better than the other.

    Attributes
    ----------
    name : str
        A short one.
    words : str
        What is claimed, as in a list.
    text : str
        What is claimed, as a sentence.
    pairs : tuple of pairs of str
        The better model and the worse.
    measure : callable
        From all runs of the pairs, what is compared, larger being better.
    printed : callable
        The difference that the paper prints for a pair, if it does.
    unit : str
        Of the differences.
    """

    name: str
    words: str
    text: str
    pairs: tuple[Pair, ...]
    measure: Measure
    printed: Callable[[Pair], float | None]
    unit: str = "points"


def _printed_gain(pair: Pair) -> float | None:
    """The ablation's where there is one, and else the difference of the rows."""
    if pair[0] in ABLATION and PARTNERS.get(pair[0]) == pair[1]:
        better, worse = ABLATION[pair[0]]
        return better.value - worse.value
    found = printed(pair[0], "test"), printed(pair[1], "test")
    return None if found[0] is None or found[1] is None else found[0].value - found[1].value


def _printed_epochs(pair: Pair) -> float | None:
    if not (pair[0] in CONVERGENCE and pair[1] in CONVERGENCE):
        return None
    return CONVERGENCE[pair[1]][0].value - CONVERGENCE[pair[0]][0].value


def _accuracy(_: Sequence[Result]) -> Value:
    return accuracy_on_test


def _epochs_saved(_: Sequence[Result]) -> Value:
    return lambda run: None if (found := best_epoch(run)) is None else -found


CELLS = tuple((name, "tree-lstm") for name in PARTNERS if name != "second-order-tree-rnn")
"""The proposed LSTM cells, each against the tree-LSTM."""
CLAIMS: dict[str, Claim] = {
    claim.name: claim
    for claim in (
        Claim(
            "second-order",
            "second order over first without a stack",
            "Second order is better than first, without a stack",
            tuple(pair for pair in PARTNERS.items() if "+stack" not in pair[0]),
            _accuracy,
            _printed_gain,
        ),
        Claim(
            "second-order+stack",
            "second order over first with a stack",
            "Second order is better than first, with a stack",
            tuple(pair for pair in PARTNERS.items() if "+stack" in pair[0]),
            _accuracy,
            _printed_gain,
        ),
        Claim(
            "stack",
            "a gain by the stack",
            "A stack makes a tree-LSTM better",
            tuple((f"{name}+stack", name) for name in ("tree-lstm", "m-tree-lstm", "mi-tree-lstm")),
            _accuracy,
            _printed_gain,
        ),
        Claim(
            "convergence",
            "fewer epochs to the best",
            "The proposed cells converge in fewer epochs than the tree-LSTM",
            CELLS,
            _epochs_saved,
            _printed_epochs,
            unit="epochs",
        ),
        Claim(
            "early",
            "a lead over the first epochs (our measure)",
            "The proposed cells are ahead of the tree-LSTM over the first epochs: our measure of the same",
            CELLS,
            early_validation,
            lambda _: None,
        ),
    )
}


def by_seed(runs: Sequence[Result], value: Value) -> dict[int, float]:
    """A value of each run that has it, by seed."""
    return {run.seed: found for run in runs if (found := value(run)) is not None}


def estimate(
    results: Results, data: str, claim: Claim, pairs: Sequence[Pair] = ()
) -> tuple[Estimate | None, list[int]]:
    """The mean gain over the pairs of a claim, or some of them, and the numbers of those that there are runs for."""
    models = dict.fromkeys(model for pair in claim.pairs for model in pair)
    value = claim.measure([run for model in models for run in results.of(data, model)])
    return pooled(
        (by_seed(results.of(data, better), value), by_seed(results.of(data, worse), value))
        for better, worse in pairs or claim.pairs
    )


def order(results: Results, data: str, trees_only: bool = False) -> tuple[Estimate | None, str]:
    """The rank correlation of our test accuracies with the paper's, and Kendall's in words."""
    models = [model for model in VERIFICATION if results.of(data, model)]
    if trees_only:
        models = [model for model in models if MODELS[model].is_cell]
    ours = [results.cell(data, model, accuracy_on_test).value or 0.0 for model in models]
    theirs = [VERIFICATION[model]["test"]["accuracy"].value for model in models]
    found = spearman(ours, theirs)
    if found is None:
        return None, ""
    tau, p = kendall(ours, theirs)
    return found, f"Kendall's tau {tau:+.2f}, p {p_text(p)}"


def best_row(results: Results, data: str) -> tuple[Estimate | None, str]:
    """The gain of the paper's best row over the best other row of ours, and the name of that."""
    best = max(VERIFICATION, key=lambda model: VERIFICATION[model]["test"]["accuracy"].value)
    others = [
        (found, model)
        for model in results.models(data)
        if model != best and (found := results.cell(data, model, accuracy_on_test).value) is not None
    ]
    if not (others and results.of(data, best)):
        return None, ""
    rival = max(others)[1]
    claim = Claim("best", "", "", ((best, rival),), _accuracy, _printed_gain)
    return estimate(results, data, claim)[0], rival


def claims_table(results: Results, data: str, title: str) -> Table:
    """All claims on one set of data, each with its pairs."""
    rows: list[Row] = []
    for trees_only, words in ((False, "all rows"), (True, "recursive rows alone")):
        found, tau = order(results, data, trees_only)
        if found is not None:
            entries = _entries(found, "", f"{found.count} rows")
            rows.append((f"The order of the rows: Spearman's correlation, {words} ({tau})", entries))
    found, rival = best_row(results, data)
    if found is not None:
        rows.append((f"m-tree-lstm+stack is the best row (here against {rival})", _entries(found, "")))
    for claim in CLAIMS.values():
        whole, used = estimate(results, data, claim)
        if whole is None:
            continue
        theirs = [gain for number in used if (gain := claim.printed(claim.pairs[number])) is not None]
        mean = f"{statistics.mean(theirs):+.2f}" if theirs else ""
        pairs = f"mean of {len(used)} pairs" if len(used) > 1 else "one pair"
        rows.append((f"{claim.text} ({claim.unit}, {pairs})", _entries(whole, mean)))
        for pair in claim.pairs:
            one, _ = estimate(results, data, claim, [pair])
            if one is not None:
                gain = claim.printed(pair)
                shown = "" if gain is None else f"{gain:+.2f}"
                rows.append((f"{PAIR}{pair[0]} against {pair[1]}", _entries(one, shown)))
    columns = ["claim", "verdict", "here", "95% interval", "p", "effect (Cohen's d)", "seeds", "the paper's"]
    note = (
        "Differences of runs with the same seed, in points of accuracy or in epochs; interval and p are those of "
        "Student's t over seeds, not corrected for the number of claims. A claim holds if the interval lies above 0, "
        "does not hold if it lies below, and cannot be decided while it covers 0 or there is one seed. Accuracy is "
        "that on test; over the first epochs, as many as all of these runs have, it is that on validation, and every "
        "model has the learning rate that was chosen for it."
    )
    return Table(f"claims-{data}", title, note, columns, rows, printed=[7])


def _entries(found: Estimate, theirs: str, count: str = "") -> list[Entry]:
    effect = "" if found.effect is None else f"{found.effect:+.2f}"
    interval = found.interval or ("one seed" if found.count == 1 else "the same for all seeds")
    return [found.verdict, f"{found.value:+.2f}", interval, p_text(found.p), effect, count or str(found.count), theirs]


def limited(results: Results, data: str) -> str:
    """How many runs were stopped by the limit of epochs before they had converged, in words."""
    runs = [run for model in results.models(data) for run in results.of(data, model) if len(run.history) > 1]
    cut = [run for run in runs if run.metrics["epochs"] == run.config["config"].get("epochs")]
    if not cut:
        return ""
    return (
        f"{len(cut)} of {len(runs)} runs on {data} were still training at their limit of epochs: with more, their best "
        "could come later, and differences of epochs to the best could be larger or smaller."
    )


def ablation_table(results: Results, data: str = "paper") -> Table:
    """Each proposed model beside its partner of first order."""
    rows: list[Row] = []
    for model, partner in PARTNERS.items():
        mine, theirs = results.of(data, model), results.of(data, partner)
        if not (mine and theirs):
            continue
        found = mcnemar(mine[0].right(), theirs[0].right())
        shown: tuple[Entry, Entry] = ABLATION.get(model, (_test(model), _test(partner)))
        cells = [results.cell(data, name, accuracy_on_test) for name in (model, partner)]
        p: Entry = "no difference" if found is None else Cell(found, None, (mine[0], theirs[0]), 4)
        rows.append((model, [partner, *cells, p, *shown]))
    columns = ["higher order", "first order", "test accuracy", "of the first order"]
    columns += ["p, McNemar on the test equations (first seed)", "the paper's", "the paper's of the first order"]
    note = (
        f"Percent. {ABLATION_NOTE} McNemar's test asks whether two networks differ on these equations, not whether two "
        "models differ from seed to seed, as the claims above do."
    )
    title = f"With and without higher order, on {data}"
    return Table(f"ablation-{data}", title, note, columns, rows, printed=[5, 6])


def _test(model: str) -> Printed | str:
    return printed(model, "test") or ""


def claims_by_verdict(results: Results, data: str) -> dict[str, list[str]]:
    """The claims in words by what some data says of them; those that there are no runs for are left out."""
    found: dict[str, list[str]] = {HOLDS: [], FAILS: [], OPEN: []}
    for words, whole in (
        ("an order of the rows like the paper's", order(results, data)[0]),
        ("m-tree-lstm+stack as the best row", best_row(results, data)[0]),
        *((claim.words, estimate(results, data, claim)[0]) for claim in CLAIMS.values()),
    ):
        if whole is not None:
            found[whole.verdict].append(words)
    return found


def in_words(results: Results, name: str) -> str:
    """What a claim comes to on `legacy`, and on `paper`."""
    claim, parts = CLAIMS[name], []
    for data, words in (("legacy", "on labels like the paper's"), ("paper", "on checked labels")):
        found, used = estimate(results, data, claim)
        if found is not None:
            some = "" if len(used) == len(claim.pairs) else f", {len(used)} of {len(claim.pairs)} pairs"
            parts.append(f"{words}, {found.words(claim.unit)}{some}: {found.verdict}")
    return "; ".join(parts) or OPEN + ", for want of runs"
