"""The paper's claims, one by one: what it says, what is found here, and whether that decides it.

What is compared and how was settled before the runs on data like the paper's were made. Runs of different models are
not pairs, even with the same seed: weights of other shapes are drawn from it, so that it makes nothing alike. So
models are compared by independent runs of each, without the assumption that they vary alike (Welch), and intervals are
simultaneous for all claims on the same data (Bonferroni), so that an interval still says what its verdict does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.measures import (
    accuracy_on_test,
    best_epoch,
    early_validation,
    filled,
    slope_over_depth,
)
from dgl_mathtree.reproduce.report.printed_figures import ABLATION, CONVERGENCE, GAINS, VERIFICATION, printed
from dgl_mathtree.reproduce.report.results import Result, Results, Value
from dgl_mathtree.reproduce.report.statistics import FAILS, HOLDS, OPEN, Estimate, kendall, p_text, spearman, welch
from dgl_mathtree.reproduce.studies import PARTNERS

Pair = tuple[str, str]
Measure = Callable[[Sequence[Result]], Value]


@dataclass(frozen=True)
class Claim:
    """That one row of each pair is better than the other, on average over the pairs.

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
    printed_mean : float, optional
        The mean difference, where the paper prints that alone.
    unit : str
        Of the differences.
    rivals : tuple of str
        Where given, the worse model of every pair is the one of these that is best here.
    parts : tuple
        Other pairs that are looked at beside the claim, each with words for them.
    """

    name: str
    words: str
    text: str
    pairs: tuple[Pair, ...]
    measure: Measure
    printed: Callable[[Pair], float | None]
    printed_mean: float | None = None
    unit: str = "points"
    rivals: tuple[str, ...] = ()
    parts: tuple[tuple[str, tuple[Pair, ...]], ...] = ()

    @property
    def models(self) -> list[str]:
        """All that are compared."""
        return [*dict.fromkeys([*(model for pair in self.pairs for model in pair), *self.rivals])]


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


def _not_printed(_: Pair) -> float | None:
    return None


def _accuracy(_: Sequence[Result]) -> Value:
    return accuracy_on_test


def _epochs_saved(_: Sequence[Result]) -> Value:
    return lambda run: None if (found := best_epoch(run)) is None else -found


def _slope(_: Sequence[Result]) -> Value:
    return slope_over_depth


def _filled(kind: str) -> Measure:
    def measure(runs: Sequence[Result]) -> Value:
        """On our blanks if the runs have filled those, and else on the original project's."""
        ours = any(run.analysis.get("completion") for run in runs)
        return filled(kind, "completion" if ours else "completion_original")

    return measure


BEST = "m-tree-lstm+stack"
"""The paper's best row."""
AGAINST_LSTM = tuple((name, "tree-lstm") for name in PARTNERS)
"""The proposed models, each against the tree-LSTM."""
AGAINST_SMU = tuple((name, "tree-smu") for name in PARTNERS)
EARLIER = ("tree-lstm", "tree-smu")
"""The best models before the proposed ones."""
WITHOUT_STACK = tuple(pair for pair in PARTNERS.items() if "+stack" not in pair[0])


def _without_each(pairs: tuple[Pair, ...]) -> tuple[tuple[str, tuple[Pair, ...]], ...]:
    return tuple((f"without {pair[0]} against {pair[1]}", tuple(p for p in pairs if p != pair)) for pair in pairs)


def _completion(top: int) -> Claim:
    return Claim(
        f"completion-top{top}",
        f"completion Top-{top}",
        f"The proposed models fill blanks better at Top-{top} than the better of tree-lstm and tree-smu",
        AGAINST_LSTM,
        _filled(f"top{top}_oracle"),
        _not_printed,
        GAINS[f"top{top}"],
        rivals=EARLIER,
        parts=(("without second-order-tree-rnn", AGAINST_LSTM[1:]),),
    )


CLAIMS: dict[str, Claim] = {
    claim.name: claim
    for claim in (
        Claim(
            "abstract",
            f"{BEST} over tree-smu",
            f"{BEST} is better than tree-smu, the best before it",
            ((BEST, "tree-smu"),),
            _accuracy,
            _printed_gain,
            parts=(("mean of the five proposed models against tree-smu", AGAINST_SMU),),
        ),
        _completion(1),
        _completion(5),
        Claim(
            "second-order",
            "second order over first",
            "Second order is better than first, without a stack",
            WITHOUT_STACK,
            _accuracy,
            _printed_gain,
            parts=_without_each(WITHOUT_STACK),
        ),
        Claim(
            "second-order+stack",
            "the same with a stack",
            "Second order is better than first, with a stack",
            tuple(pair for pair in PARTNERS.items() if "+stack" in pair[0]),
            _accuracy,
            _printed_gain,
        ),
        Claim(
            "stack",
            "a gain by a stack",
            "A stack makes a tree-LSTM better",
            tuple((f"{name}+stack", name) for name in ("tree-lstm", "m-tree-lstm", "mi-tree-lstm")),
            _accuracy,
            _printed_gain,
        ),
        Claim(
            "convergence",
            "fewer epochs",
            "The proposed models converge in fewer epochs than the tree-LSTM",
            AGAINST_LSTM,
            _epochs_saved,
            _printed_epochs,
            unit="epochs",
        ),
        Claim(
            "early",
            "an early lead (our measure)",
            "The proposed models are ahead of the tree-LSTM over the first epochs: our measure of the same",
            AGAINST_LSTM,
            early_validation,
            _not_printed,
        ),
        Claim(
            "depth",
            "stability over depth",
            "The proposed models lose less with every level of depth than their partners of first order",
            tuple(PARTNERS.items()),
            _slope,
            _not_printed,
            unit="points a level",
        ),
    )
}
NUMBER = len(CLAIMS) + 2
"""Claims that are judged together on the same data: these, the order of the rows, and the best row."""


def by_seed(runs: Sequence[Result], value: Value) -> dict[int, float]:
    """A value of each run that has it, by seed."""
    return {run.seed: found for run in runs if (found := value(run)) is not None}


def estimate(
    results: Results, data: str, claim: Claim, pairs: Sequence[Pair] = ()
) -> tuple[Estimate | None, list[int]]:
    """The mean gain over the pairs of a claim, or other ones, and the numbers of those that there are runs for.

    Pairs with a model that has a single run are left out where others have more: its variance would not be known.
    """
    value = claim.measure([run for model in claim.models for run in results.of(data, model)])
    known = {model: [*by_seed(results.of(data, model), value).values()] for model in MODELS}
    compared = [*(pairs or claim.pairs)]
    if claim.rivals:
        if not all(known[rival] for rival in claim.rivals):
            return None, []
        rival = max(claim.rivals, key=lambda model: sum(known[model]) / len(known[model]))
        compared = [(better, rival) for better, _ in compared]
    runs = [min(len(known[better]), len(known[worse])) for better, worse in compared]
    fewest = 2 if max(runs) > 1 else 1
    used = [number for number, count in enumerate(runs) if count >= fewest]
    weights: dict[str, float] = {}
    for number in used:
        for model, sign in zip(compared[number], (1, -1), strict=True):
            weights[model] = weights.get(model, 0.0) + sign / len(used)
    return welch([(weight, known[model]) for model, weight in weights.items()], NUMBER), used


def order(results: Results, data: str, trees_only: bool = False) -> tuple[Estimate | None, str]:
    """The rank correlation of our test accuracies with the paper's, and Kendall's in words."""
    models = [model for model in VERIFICATION if results.of(data, model)]
    if trees_only:
        models = [model for model in models if MODELS[model].is_cell]
    ours = [results.cell(data, model, accuracy_on_test).value or 0.0 for model in models]
    theirs = [VERIFICATION[model]["test"]["accuracy"].value for model in models]
    found = spearman(ours, theirs, NUMBER)
    if found is None:
        return None, ""
    tau, p = kendall(ours, theirs)
    return found, f"Kendall's tau {tau:+.2f}, p {p_text(p)}"


def best_row(results: Results, data: str) -> tuple[Estimate | None, str]:
    """The gain of the paper's best row over the best other one of its rows here, and the name of that.

    The other one is chosen by looking at the results, so the interval is corrected for the number of rows, too.
    """
    others = [
        (found, model)
        for model in VERIFICATION
        if model != BEST and (found := results.cell(data, model, accuracy_on_test).value) is not None
    ]
    if not (others and results.of(data, BEST)):
        return None, ""
    rival = max(others)[1]
    values = [[*by_seed(results.of(data, model), accuracy_on_test).values()] for model in (BEST, rival)]
    return welch([(1.0, values[0]), (-1.0, values[1])], NUMBER * len(others)), rival


def claims_by_verdict(results: Results, data: str) -> dict[str, list[str]]:
    """The claims in words by what some data says of them; those that there are no runs for are left out."""
    found: dict[str, list[str]] = {HOLDS: [], FAILS: [], OPEN: []}
    for words, whole in (
        ("the order of the rows", order(results, data)[0]),
        (f"{BEST} as the best", best_row(results, data)[0]),
        *((claim.words, estimate(results, data, claim)[0]) for claim in CLAIMS.values()),
    ):
        if whole is not None:
            found[whole.verdict].append(words)
    return found
