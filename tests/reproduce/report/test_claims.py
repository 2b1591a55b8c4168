from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats

from dgl_mathtree.reproduce.report.claims import (
    CLAIMS,
    best_row,
    claims_by_verdict,
    claims_table,
    estimate,
    limited,
    order,
)
from dgl_mathtree.reproduce.report.measures import accuracy_on_test
from dgl_mathtree.reproduce.report.printed_figures import VERIFICATION
from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.report.statistics import FAILS, HOLDS, OPEN
from tests.reproduce.report.made_up import make_run

NOISE = (0.0, 0.02, -0.02, 0.01)


def make_rows(out: Path, **accuracies: float) -> Results:
    """Four seeds of some models (stack for +stack, _ for -), each with a noise of its own."""
    for number, (name, accuracy) in enumerate(accuracies.items()):
        model = name.replace("_stack", "+stack").replace("_", "-")
        for seed, noise in enumerate(NOISE):
            make_run(out, "legacy", model, seed, accuracy + noise * (1 + number / 3), best_epoch=2 + number)
    return Results(collect(out))


def test_a_claim_is_tested_on_seeds(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.7, m_tree_lstm=0.8, mi_tree_lstm=0.9)
    found, used = estimate(results, "legacy", CLAIMS["second-order"])
    assert [CLAIMS["second-order"].pairs[k][0] for k in used] == ["m-tree-lstm", "mi-tree-lstm"]
    rows = [[accuracy_on_test(run) for run in results.of("legacy", model)] for model in results.models("legacy")]
    first, m, mi = rows
    gains = [(a + b) / 2 - c for a, b, c in zip(m, mi, first, strict=True)]  # type: ignore[operator]
    expected = stats.ttest_1samp(gains, 0)
    assert found is not None and found.count == 4
    assert found.value == pytest.approx(sum(gains) / 4) and found.p == pytest.approx(expected.pvalue)
    assert found.low == pytest.approx(expected.confidence_interval(0.95).low)
    assert found.verdict == HOLDS


def test_verdicts(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.8, m_tree_lstm=0.6, tree_lstm_stack=0.8)
    table = claims_table(results, "legacy", "")
    verdicts = {name: entries[0] for name, entries in table.rows}
    assert verdicts["– m-tree-lstm against tree-lstm"] in (FAILS, OPEN)
    assert estimate(results, "legacy", CLAIMS["second-order"])[0].verdict == FAILS  # type: ignore[union-attr]
    assert estimate(results, "legacy", CLAIMS["stack"])[0].verdict == OPEN  # type: ignore[union-attr]
    assert estimate(results, "paper", CLAIMS["stack"]) == (None, [])


def test_claims_by_verdict(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.8, m_tree_lstm=0.6, tree_lstm_stack=0.8)
    found = claims_by_verdict(results, "legacy")
    assert found[FAILS] == ["second order over first without a stack", "a lead over the first epochs (our measure)"]
    assert found[OPEN] == ["a gain by the stack", "fewer epochs to the best"]
    assert not any(claims_by_verdict(results, "paper").values())


def test_fewer_epochs_are_a_gain(tmp_path: Path) -> None:
    for seed, (slow, quick) in enumerate([(5, 3), (5, 2), (4, 2)]):
        make_run(tmp_path, "legacy", "tree-lstm", seed, best_epoch=slow)
        make_run(tmp_path, "legacy", "m-tree-lstm", seed, best_epoch=quick)
    found, _ = estimate(Results(collect(tmp_path)), "legacy", CLAIMS["convergence"])
    assert found is not None and found.value == pytest.approx(7 / 3)
    assert found.verdict == HOLDS


def test_a_lead_over_the_first_epochs(tmp_path: Path) -> None:
    # Validation rises by three points an epoch to its best and falls after it, for five epochs.
    for seed, late in enumerate([0, 0, 1]):
        make_run(tmp_path, "legacy", "tree-lstm", seed, validation=0.8, best_epoch=4 + late)
        make_run(tmp_path, "legacy", "m-tree-lstm", seed, validation=0.8, best_epoch=3)
    short = tmp_path / "runs" / "legacy" / "m-tree-lstm" / "hidden-50-dropout-0.1-seed-0" / "history.jsonl"
    short.write_text("".join(short.read_text().splitlines(keepends=True)[:2]))
    results = Results(collect(tmp_path))
    found, used = estimate(results, "legacy", CLAIMS["early"])
    assert used == [0] and found is not None
    # All have two epochs: 74 and 77% against 71 and 74% twice, and against 68 and 71%.
    assert found.value == pytest.approx((3 + 3 + 6) / 3) and found.verdict == OPEN
    assert "The proposed cells are ahead of the tree-LSTM over the first epochs: our measure of the same" in " ".join(
        name for name, _ in claims_table(results, "legacy", "").rows
    )


def test_the_paper_s_figures_of_a_claim() -> None:
    printed = {name: [claim.printed(pair) for pair in claim.pairs] for name, claim in CLAIMS.items()}
    assert printed["second-order"] == [pytest.approx(86.05 - 81.82), pytest.approx(2.66), pytest.approx(3.21)]
    assert printed["stack"] == [None, pytest.approx(1.79), pytest.approx(0.45)]
    assert printed["convergence"] == [33, None, 44, 40]
    assert printed["early"] == [None] * 4


def test_the_order_of_the_rows(tmp_path: Path) -> None:
    models = ["rnn", "lstm", "tree-rnn", "tree-lstm", "tree-smu", "m-tree-lstm+stack"]
    for rank, model in enumerate(models):
        make_run(tmp_path, "legacy", model, accuracy=0.5 + 0.05 * rank)
    results = Results(collect(tmp_path))
    found, tau = order(results, "legacy")
    assert found is not None and found.value == pytest.approx(1) and found.count == 6
    assert tau.startswith("Kendall's tau +1.00")
    assert [VERIFICATION[m]["test"]["accuracy"].value for m in models] == sorted(
        VERIFICATION[m]["test"]["accuracy"].value for m in models
    )
    assert order(results, "legacy", trees_only=True) == (None, "")  # too few
    gain, rival = best_row(results, "legacy")
    assert rival == "tree-smu" and gain is not None and gain.verdict == OPEN


def test_runs_that_were_cut_short_are_counted(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "legacy", "tree-lstm")
    assert limited(Results(collect(tmp_path)), "legacy") == ""
    config = folder / "config.json"
    config.write_text(config.read_text().replace('"epochs": 9', '"epochs": 5'))
    assert limited(Results(collect(tmp_path)), "legacy").startswith("1 of 1 runs on legacy were still training")
