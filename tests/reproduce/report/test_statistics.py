from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dgl_mathtree.reproduce.report.statistics import (
    FAILS,
    HOLDS,
    OPEN,
    Estimate,
    kendall,
    mcnemar,
    p_text,
    paired,
    pooled,
    spearman,
    welch,
    wilson,
)

A = np.array([81.2, 82.9, 80.4, 83.3, 82.0])
B = np.array([80.1, 81.0, 80.9, 81.2, 80.3])


def test_a_paired_difference_is_that_of_scipy() -> None:
    found = paired(list(A - B))
    expected = stats.ttest_rel(A, B)
    interval = expected.confidence_interval(0.95)
    assert found is not None and found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    assert found.value == pytest.approx((A - B).mean())
    assert found.effect == pytest.approx((A - B).mean() / (A - B).std(ddof=1))
    assert found.count == 5


def test_a_difference_of_models_is_that_of_scipy() -> None:
    found = welch([(1.0, A), (-1.0, B[:4])])
    expected = stats.ttest_ind(A, B[:4], equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert found is not None and found.p == pytest.approx(expected.pvalue) and found.count == 4
    assert (found.low, found.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    # Hedges' g: in mean deviations, less what few runs make too much of it.
    deviation = math.sqrt((A.var(ddof=1) + B[:4].var(ddof=1)) / 2)
    assert found.effect == pytest.approx(found.value / deviation * (1 - 3 / (4 * 7 - 1)))


def test_intervals_for_several_claims_hold_at_once() -> None:
    better = A + 0.5
    one, many = (welch([(1.0, better), (-1.0, B)], claims) for claims in (1, 10))
    expected = stats.ttest_ind(better, B, equal_var=False)
    assert one is not None and many is not None
    assert many.low == pytest.approx(expected.confidence_interval(0.995).low)
    assert many.p == pytest.approx(min(1, 10 * expected.pvalue))
    assert (one.verdict, many.verdict) == (HOLDS, OPEN)
    assert one.needed is None and many.needed is not None


def test_a_false_claim_holds_in_few_of_many_trials() -> None:
    """Of five claims at once that are all false, one or more is called decided in about 5% of trials."""
    draws = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        runs = draws.normal(80, [0.5, 1, 2, 1, 0.5, 1], size=(5, 6)).T
        found = [welch([(1.0, runs[k]), (-1.0, runs[5])], claims=5) for k in range(5)]
        wrong += any(one is not None and one.verdict != OPEN for one in found)
    assert wrong <= 400 * 0.08


def test_the_seeds_that_would_decide_a_claim() -> None:
    """With as many seeds, four of five trials decide it."""
    draws = np.random.default_rng(1)
    values = [np.array([80.0, 81.0, 82.0]), np.array([79.2, 80.2, 81.2])]
    found = welch([(1.0, values[0]), (-1.0, values[1])], claims=3)
    assert found is not None and found.needed is not None and 20 < found.needed < 60
    trials = [
        welch([(sign, draws.normal(v.mean(), 1, found.needed)) for sign, v in zip((1, -1), values, strict=True)], 3)
        for _ in range(400)
    ]
    share = sum(one is not None and one.verdict == HOLDS for one in trials) / 400
    assert 0.72 < share < 0.88
    same = welch([(1.0, [80.0, 81.0]), (-1.0, [80.0, 81.0])])
    assert same is not None and same.needed == 1001  # no number would


def test_models_with_too_few_runs_have_no_interval() -> None:
    assert welch([]) is None and welch([(1.0, [80.0]), (-1.0, [])]) is None
    for groups in ([(1.0, [82.0]), (-1.0, [80.0, 81.0])], [(1.0, [82.0, 82.0]), (-1.0, [80.0, 80.0])]):
        found = welch(groups)
        assert found is not None and found.low is None and found.needed is None and found.verdict == OPEN


def test_too_little_for_an_interval() -> None:
    assert paired([]) is None
    for differences in ([2.0], [2.0, 2.0, 2.0], [0.1 + 0.2, 0.3]):
        found = paired(differences)
        assert found is not None and found.low is None and found.p is None
        assert found.verdict == OPEN
        assert found.interval == ""


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.1, 2.0, HOLDS), (-2.0, -0.1, FAILS), (-1.0, 1.0, OPEN), (0.0, 1.0, OPEN)]
)
def test_a_claim_is_open_while_the_interval_covers_zero(low: float, high: float, verdict: str) -> None:
    assert Estimate((low + high) / 2, low, high, 0.5, 3).verdict == verdict


def test_pairs_are_pooled_seed_by_seed() -> None:
    first = ({0: 3.0, 1: 5.0, 2: 4.0}, {0: 1.0, 1: 1.0, 2: 1.0})
    second = ({0: 1.0, 1: 2.0, 3: 9.0}, {0: 1.0, 1: 1.0, 3: 1.0})
    found, used = pooled([first, second])
    assert found == paired([1.0, 2.5]) and used == [0, 1]
    alone = ({7: 1.0}, {7: 0.0})
    assert pooled([first, alone]) == (paired([2.0, 4.0, 3.0]), [0])
    assert pooled([alone]) == (paired([1.0]), [0])
    assert pooled([({0: 1.0}, {1: 1.0})]) == (None, [])


def test_rank_correlations_are_those_of_scipy() -> None:
    ours, theirs = [1.0, 3.0, 2.0, 5.0, 4.0, 6.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    found = spearman(ours, theirs)
    expected = stats.spearmanr(ours, theirs)
    assert found is not None and found.value == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    # Bonett and Wright: the transformed value has the variance (1 + r²/2) / (n - 3).
    reach = 1.959964 * math.sqrt((1 + found.value**2 / 2) / 3)
    assert found.low == pytest.approx(math.tanh(math.atanh(found.value) - reach), abs=1e-6)
    assert kendall(ours, theirs)[0] == pytest.approx(1 - 2 * 2 / 15)
    same = spearman(theirs, theirs)
    assert same is not None and same.verdict == HOLDS and same.value == 1
    assert spearman([1.0, 2.0], [1.0, 2.0]) is None
    # All alike: there is no order to correlate with.
    with pytest.warns(stats.ConstantInputWarning):
        assert spearman([1.0] * 6, theirs) is None


@pytest.mark.parametrize(("right", "count"), [(0, 7), (3, 10), (10, 10), (120, 189)])
def test_the_interval_of_a_share_is_that_of_scipy(right: int, count: int) -> None:
    expected = stats.binomtest(right, count).proportion_ci(0.95, method="wilson")
    assert wilson(right / count, count) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_mcnemar_counts_where_two_differ() -> None:
    a = np.array([True] * 8 + [False] * 2 + [True] * 5)
    b = np.array([False] * 8 + [True] * 2 + [True] * 5)
    assert mcnemar(a, b) == pytest.approx(stats.binomtest(8, 10).pvalue)
    assert mcnemar(a, a) is None


def test_p_is_never_shown_as_zero() -> None:
    assert [p_text(p) for p in (None, 0.0, 0.0004, 0.05)] == ["", "< 0.001", "< 0.001", "0.050"]
