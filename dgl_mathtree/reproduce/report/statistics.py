"""Estimates with intervals: differences of models and of pairs, rank correlations and shares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be decided"
LEVEL = 0.95
POWER = 0.8
"""How likely a number of seeds is to decide a claim."""
MOST_SEEDS = 1000
"""More seeds than that are not counted."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% confidence interval; of several claims that are judged together, a simultaneous one.

    Attributes
    ----------
    value : float
        The mean difference, or a correlation.
    low, high : float, optional
        The ends of the interval; None where there is too little for one.
    p : float, optional
        Of a value as far from 0, if the truth were 0.
    effect : float, optional
        The size of the difference in standard deviations: over the differences of pairs (Cohen's d), or within models
        (Hedges' g).
    count : int
        Of the pairs, or the fewest runs of a model.
    needed : int, optional
        Seeds of each model that would probably decide a claim that is not decided; None if that is not known.
    """

    value: float
    low: float | None
    high: float | None
    p: float | None
    count: int
    effect: float | None = None
    needed: int | None = None

    @property
    def verdict(self) -> str:
        """Whether a claim that the value is above 0 holds: open while the interval covers 0."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return OPEN
        return HOLDS if self.low > 0 else FAILS

    @property
    def interval(self) -> str:
        return "" if self.low is None else f"[{self.low:+.2f}, {self.high:+.2f}]"

    @property
    def text(self) -> str:
        return f"{self.value:+.2f} {self.interval}".rstrip()

    def words(self, unit: str) -> str:
        """As in a sentence: with the unit, and one digit after the point."""
        ends = "" if self.low is None else f" (95% interval {self.low:+.1f} to {self.high:+.1f})"
        return f"{self.value:+.1f} {unit}{ends}"


def p_text(p: float | None) -> str:
    """A p-value as it is shown.

    Examples
    --------
    >>> p_text(0.0421), p_text(1e-9)
    ('0.042', '< 0.001')
    """
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def paired(differences: Sequence[float]) -> Estimate | None:
    """The mean of differences of pairs, with the interval and the p-value of Student's t.

    Parameters
    ----------
    differences : sequence of float
        (pairs,)

    Returns
    -------
    Estimate or None
        None of no pairs; without an interval of one pair, or where all differences are the same.

    Examples
    --------
    >>> paired([1.0, 2.0, 3.0]).text
    '+2.00 [-0.48, +4.48]'
    """
    from scipy.stats import t

    count = len(differences)
    if not count:
        return None
    values = np.asarray(differences, dtype=np.float64)
    mean = float(values.mean())
    deviation = float(values.std(ddof=1)) if count > 1 else 0.0
    # Differences that are equal but for rounding say nothing of chance.
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        return Estimate(mean, None, None, None, count)
    error = deviation / math.sqrt(count)
    reach = float(t.ppf((1 + LEVEL) / 2, count - 1)) * error
    p = float(2 * t.sf(abs(mean) / error, count - 1))
    return Estimate(mean, mean - reach, mean + reach, p, count, mean / deviation)


def welch(groups: Sequence[tuple[float, Sequence[float]]], claims: int = 1) -> Estimate | None:
    """A sum of means with weights, such as a difference of two models, from independent runs of each.

    Welch's t: the models may differ in their variance and in the number of their runs. The degrees of freedom are those
    of Welch and Satterthwaite.

    Parameters
    ----------
    groups : sequence of tuple
        For each model its weight and the values of its runs.
    claims : int
        How many claims are judged together: the interval is Bonferroni's, and p is multiplied by this number.

    Returns
    -------
    Estimate or None
        None where a model has no run; without an interval where one has a single run, or where no value varies.

    Examples
    --------
    >>> welch([(1.0, [3.0, 4.0, 5.0]), (-1.0, [1.0, 1.5, 2.0])]).text
    '+2.50 [+0.42, +4.58]'
    """
    from scipy.stats import t

    if not groups or not all(len(values) for _, values in groups):
        return None
    counts = np.array([len(values) for _, values in groups])
    mean = float(sum(weight * np.mean(values) for weight, values in groups))
    if counts.min() < 2:
        return Estimate(mean, None, None, None, int(counts.min()))
    variances = np.array([np.var(values, ddof=1) for _, values in groups])
    parts = np.array([weight**2 for weight, _ in groups]) * variances
    # What is equal but for rounding says nothing of chance.
    if math.sqrt(parts.sum()) <= 1e-12 * max(1.0, abs(mean)):
        return Estimate(mean, None, None, None, int(counts.min()))
    error, freedom = _error(parts, counts)
    reach = float(t.ppf(1 - (1 - LEVEL) / (2 * claims), freedom)) * error
    p = min(1.0, claims * float(2 * t.sf(abs(mean) / error, freedom)))
    # Hedges' correction: a deviation from few runs is too small on average.
    effect = mean / math.sqrt(variances.mean()) * (1 - 3 / (4 * float((counts - 1).sum()) - 1))
    decided = abs(mean) > reach
    needed = None if decided else _seeds_to_decide(mean, parts, claims)
    return Estimate(mean, mean - reach, mean + reach, p, int(counts.min()), effect, needed)


def _error(parts: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """The standard error of a sum of means, and its degrees of freedom."""
    shares = parts / counts
    return math.sqrt(shares.sum()), float(shares.sum() ** 2 / (shares**2 / (counts - 1)).sum())


def _seeds_to_decide(mean: float, parts: np.ndarray, claims: int) -> int:
    """The fewest runs of each model that would decide a claim with probability `POWER`, if the difference and the
    variances were those found; one more than `MOST_SEEDS` if it takes more."""
    from scipy.stats import t

    def decides(count: int) -> bool:
        error, freedom = _error(parts, np.full(len(parts), count))
        reach = t.ppf(1 - (1 - LEVEL) / (2 * claims), freedom) + t.ppf(POWER, freedom)
        return bool(reach * error < abs(mean))

    low, high = 1, MOST_SEEDS + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def pooled(pairs: Iterable[tuple[Mapping[int, float], Mapping[int, float]]]) -> tuple[Estimate | None, list[int]]:
    """The mean gain over several pairs of rows, a seed being one observation; and the numbers of these pairs.

    Pairs with a single seed in common are left out where others have more: they would take all other seeds with them.

    Parameters
    ----------
    pairs : iterable of pairs of dict
        A value for each seed, of the better row and of the worse.

    Examples
    --------
    >>> estimate, used = pooled([({0: 1.0, 1: 3.0}, {0: 0.0, 1: 0.0}), ({0: 3.0, 1: 5.0}, {0: 0.0, 1: 0.0})])
    >>> estimate.value, estimate.count, used
    (3.0, 2, [0, 1])
    """
    gains = [{seed: better[seed] - worse[seed] for seed in better.keys() & worse.keys()} for better, worse in pairs]
    most = 2 if any(len(gain) > 1 for gain in gains) else 1
    used = [number for number, gain in enumerate(gains) if len(gain) >= most]
    if not used:
        return None, []
    shared = sorted(set.intersection(*(set(gains[number]) for number in used)))
    return paired([sum(gains[number][seed] for number in used) / len(used) for seed in shared]), used


def spearman(ours: Sequence[float], theirs: Sequence[float], claims: int = 1) -> Estimate | None:
    """Spearman's rank correlation; the interval is that of Bonett and Wright (2000), for `claims` as in `welch`. None
    of fewer than five."""
    from scipy.stats import norm, spearmanr

    if (count := len(ours)) < 5:
        return None
    found = spearmanr(ours, theirs)
    value = float(found.statistic)
    if math.isnan(value):
        return None
    if abs(value) > 1 - 1e-12:
        return Estimate(value, value, value, float(found.pvalue), count)
    reach = float(norm.ppf(1 - (1 - LEVEL) / (2 * claims))) * math.sqrt((1 + value**2 / 2) / (count - 3))
    low, high = (math.tanh(math.atanh(value) + side * reach) for side in (-1, 1))
    return Estimate(value, low, high, min(1.0, claims * float(found.pvalue)), count)


def kendall(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Kendall's rank correlation (tau-b) and its p-value."""
    from scipy.stats import kendalltau

    found = kendalltau(ours, theirs)
    return float(found.statistic), float(found.pvalue)


def mcnemar(better: np.ndarray, worse: np.ndarray) -> float | None:
    """The exact test on what one of two classified correctly and the other did not; None where there is nothing such.

    Parameters
    ----------
    better, worse : np.ndarray
        (equations,) whether each was classified correctly.
    """
    from scipy.stats import binomtest

    won, lost = int((better & ~worse).sum()), int((~better & worse).sum())
    return float(binomtest(won, won + lost).pvalue) if won + lost else None


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95% Wilson interval for a share of this many.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.5, 10)]
    [0.237, 0.763]
    """
    z = 1.959963984540054  # the normal quantile of 0.975
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    reach = z / (1 + z**2 / count) * math.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return max(0.0, middle - reach), min(1.0, middle + reach)
