"""Estimates with intervals: paired differences, rank correlations and shares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be decided"
LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% confidence interval.

    Attributes
    ----------
    value : float
        The mean difference, or a correlation.
    low, high : float, optional
        The ends of the interval; None where there is too little for one.
    p : float, optional
        Of a value as far from 0, if the truth were 0.
    effect : float, optional
        The mean difference divided by the deviation of the differences (Cohen's d of pairs).
    count : int
        Of the pairs.
    """

    value: float
    low: float | None
    high: float | None
    p: float | None
    count: int
    effect: float | None = None

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


def spearman(ours: Sequence[float], theirs: Sequence[float]) -> Estimate | None:
    """Spearman's rank correlation; the interval is that of Bonett and Wright (2000). None of fewer than five."""
    from scipy.stats import norm, spearmanr

    if (count := len(ours)) < 5:
        return None
    found = spearmanr(ours, theirs)
    value = float(found.statistic)
    if math.isnan(value):
        return None
    if abs(value) > 1 - 1e-12:
        return Estimate(value, value, value, float(found.pvalue), count)
    reach = float(norm.ppf((1 + LEVEL) / 2)) * math.sqrt((1 + value**2 / 2) / (count - 3))
    low, high = (math.tanh(math.atanh(value) + side * reach) for side in (-1, 1))
    return Estimate(value, low, high, float(found.pvalue), count)


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
