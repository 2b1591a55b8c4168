from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy import stats

from dgl_mathtree.reproduce.report.claim_tables import claims_table, in_words, limited
from dgl_mathtree.reproduce.report.claims import CLAIMS, NUMBER, best_row, claims_by_verdict, estimate, order
from dgl_mathtree.reproduce.report.document import Entry
from dgl_mathtree.reproduce.report.measures import accuracy_on_test
from dgl_mathtree.reproduce.report.printed_figures import VERIFICATION
from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.report.statistics import FAILS, HOLDS, OPEN, welch
from tests.reproduce.report.made_up import make_run

NOISE = (0.0, 0.02, -0.02, 0.01)


def make_rows(out: Path, **accuracies: float) -> Results:
    """Four seeds of some models (stack for +stack, _ for -), each with a noise of its own."""
    for number, (name, accuracy) in enumerate(accuracies.items()):
        model = name.replace("_stack", "+stack").replace("_", "-")
        for seed, noise in enumerate(NOISE):
            make_run(out, "original", model, seed, accuracy + noise * (1 + number / 3), best_epoch=2 + number)
    return Results(collect(out))


def test_a_claim_compares_independent_runs(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.7, m_tree_lstm=0.8)
    found, used = estimate(results, "original", CLAIMS["second-order"])
    assert [CLAIMS["second-order"].pairs[k][0] for k in used] == ["m-tree-lstm"]
    first, second = (
        [accuracy_on_test(run) for run in results.of("original", model)] for model in results.models("original")
    )
    expected = stats.ttest_ind(second, first, equal_var=False)
    assert found is not None and found.count == 4
    assert found.p == pytest.approx(min(1, NUMBER * expected.pvalue))
    interval = expected.confidence_interval(1 - 0.05 / NUMBER)  # simultaneous for all claims
    assert (found.low, found.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    assert found.verdict == HOLDS


def test_the_mean_over_pairs_counts_a_common_partner_once(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.7, m_tree_lstm=0.8, mi_tree_lstm=0.9)
    found, used = estimate(results, "original", CLAIMS["second-order"])
    first, m, mi = (
        [accuracy_on_test(run) for run in results.of("original", model)] for model in results.models("original")
    )
    assert found is not None and used == [1, 2]
    expected = welch([(0.5, m), (0.5, mi), (-1.0, first)], NUMBER)  # type: ignore[list-item]
    assert expected is not None
    assert (found.value, found.low) == (pytest.approx(expected.value), pytest.approx(expected.low))


def test_verdicts(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.8, m_tree_lstm=0.6, tree_lstm_stack=0.8)
    assert verdicts(results)["– m-tree-lstm against tree-lstm"] == FAILS
    assert estimate(results, "original", CLAIMS["second-order"])[0].verdict == FAILS  # type: ignore[union-attr]
    assert estimate(results, "original", CLAIMS["stack"])[0].verdict == OPEN  # type: ignore[union-attr]
    assert estimate(results, "paper", CLAIMS["stack"]) == (None, [])


def test_claims_by_verdict(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.8, m_tree_lstm=0.6, tree_lstm_stack=0.8)
    found = claims_by_verdict(results, "original")
    assert found[FAILS] == ["second order over first", "an early lead (our measure)"]
    assert found[OPEN] == ["a gain by a stack", "fewer epochs", "stability over depth"]
    assert not any(claims_by_verdict(results, "paper").values())


def test_fewer_epochs_are_a_gain(tmp_path: Path) -> None:
    for seed, (slow, quick) in enumerate([(15, 3), (15, 2), (14, 2)]):
        make_run(tmp_path, "original", "tree-lstm", seed, best_epoch=slow)
        make_run(tmp_path, "original", "m-tree-lstm", seed, best_epoch=quick)
    found, _ = estimate(Results(collect(tmp_path)), "original", CLAIMS["convergence"])
    assert found is not None and found.value == pytest.approx(37 / 3)
    assert found.verdict == HOLDS


def test_a_lead_over_the_first_epochs(tmp_path: Path) -> None:
    # Validation rises by three points an epoch to its best and falls after it, for five epochs.
    for seed, late in enumerate([0, 0, 1]):
        make_run(tmp_path, "original", "tree-lstm", seed, validation=0.8, best_epoch=4 + late)
        make_run(tmp_path, "original", "m-tree-lstm", seed, validation=0.8, best_epoch=3)
    short = tmp_path / "runs" / "original" / "m-tree-lstm" / "hidden-50-dropout-0.1-seed-0" / "history.jsonl"
    short.write_text("".join(short.read_text().splitlines(keepends=True)[:2]))
    results = Results(collect(tmp_path))
    found, used = estimate(results, "original", CLAIMS["early"])
    assert used == [1] and found is not None
    # All have two epochs: 74 and 77% against 71 and 74% twice, and against 68 and 71%.
    assert found.value == pytest.approx((3 + 3 + 6) / 3) and found.verdict == OPEN
    assert "The proposed models are ahead of the tree-LSTM over the first epochs: our measure of the same" in " ".join(
        name for name, _ in claims_table(results, "original", "").rows
    )


def test_the_paper_s_figures_of_a_claim() -> None:
    printed = {name: [claim.printed(pair) for pair in claim.pairs] for name, claim in CLAIMS.items()}
    assert printed["abstract"] == [pytest.approx(1.53)]
    assert printed["second-order"] == [pytest.approx(86.05 - 81.82), pytest.approx(2.66), pytest.approx(3.21)]
    assert printed["stack"] == [None, pytest.approx(1.79), pytest.approx(0.45)]
    assert printed["convergence"] == [37, 33, None, 44, 40]
    assert printed["early"] == printed["depth"] == [None] * 5
    assert [CLAIMS[f"completion-top{top}"].printed_mean for top in (1, 5)] == [2.22, 2.96]
    ((_, five),) = CLAIMS["abstract"].parts
    gains = [CLAIMS["abstract"].printed(pair) for pair in five]
    assert sum(gains) / 5 == pytest.approx(0.168)  # type: ignore[arg-type]


def test_completion_is_compared_with_the_better_of_two(tmp_path: Path) -> None:
    for seed in range(3):
        for model, top1 in (("tree-lstm", 0.2), ("tree-smu", 0.3), ("m-tree-lstm", 0.5), ("mi-tree-lstm", 0.4)):
            make_run(tmp_path, "paper", model, seed, top1=top1 + 0.001 * seed)
    results = Results(collect(tmp_path))
    found, used = estimate(results, "paper", CLAIMS["completion-top1"])
    assert found is not None and found.value == pytest.approx(15) and len(used) == 2
    rows = dict(reversed(claims_table(results, "paper", "").rows))  # the pairs of Top-1, not those of Top-5
    text = "The proposed models fill blanks better at Top-1 than the better of tree-lstm and tree-smu"
    entries = rows[f"{text} (points, mean of 2 of 5 pairs)"]
    assert entries[0] == HOLDS and entries[-1] == "+2.22"
    assert rows["– mi-tree-lstm against the better of both"][1] == "+10.00"
    assert "on checked labels, +15.0 points" in in_words(results, "completion-top1")


def test_no_claim_is_made_of_a_comparison_that_is_not_there(tmp_path: Path) -> None:
    for seed in range(3):
        for model in ("tree-lstm", "m-tree-lstm"):  # no tree-smu to be better than
            make_run(tmp_path, "paper", model, seed, top1=0.5 if model == "m-tree-lstm" else 0.2)
    results = Results(collect(tmp_path))
    for name in ("completion-top1", "abstract", "stack"):
        assert estimate(results, "paper", CLAIMS[name]) == (None, [])
        assert in_words(results, name) == f"{OPEN}, for want of runs"
    assert not any("fill blanks better" in name for name, _ in claims_table(results, "paper", "").rows)


def verdicts(results: Results) -> dict[str, Entry]:
    """By the name of a row of the table; where several claims have the same pair, that of the first."""
    return {name: entries[0] for name, entries in reversed(claims_table(results, "original", "").rows)}


def test_the_gain_without_each_pair(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.7, m_tree_lstm=0.72, tree_rnn=0.4, second_order_tree_rnn=0.9)
    rows = verdicts(results)
    assert rows["– second-order-tree-rnn against tree-rnn"] == HOLDS
    # Of a mean without a pair that has no runs nothing is said.
    assert "– without second-order-tree-rnn against tree-rnn" not in rows
    for seed, noise in enumerate(NOISE):
        make_run(tmp_path, "original", "mi-tree-lstm", seed, 0.71 + noise)
    results = Results(collect(tmp_path))
    rows = verdicts(results)
    words = "without second-order-tree-rnn against tree-rnn"
    assert rows[f"– {words}"] == OPEN and rows["– without mi-tree-lstm against tree-lstm"] == HOLDS
    said = in_words(results, "second-order", words)
    assert f"holds ({words} +1." in said and said.count("cannot be decided (it would take") == 1


def test_seeds_that_would_decide(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.7, m_tree_lstm=0.72)
    (entries,) = (e for name, e in claims_table(results, "original", "").rows if name.startswith("Second order"))
    found, _ = estimate(results, "original", CLAIMS["second-order"])
    assert found is not None and found.needed is not None and found.needed > 4
    assert entries[0] == OPEN and entries[6] == str(found.needed)


def test_stability_over_depth(tmp_path: Path) -> None:
    """A line through the accuracies by depth, in points a level."""
    for seed in range(3):
        for model, fall in (("tree-lstm", 0.03), ("m-tree-lstm", 0.01)):
            file = make_run(tmp_path, "original", model, seed) / "metrics.json"
            metrics = json.loads(file.read_text())
            for depth, row in metrics["test"]["by_depth"].items():
                row["accuracy"] = 0.9 - (fall + 0.0001 * seed) * (int(depth) - 8)
            file.write_text(json.dumps(metrics))
    found, used = estimate(Results(collect(tmp_path)), "original", CLAIMS["depth"])
    assert found is not None and found.value == pytest.approx(2) and found.verdict == HOLDS and used == [1]


def test_the_order_of_the_rows(tmp_path: Path) -> None:
    models = ["rnn", "lstm", "tree-rnn", "tree-lstm", "tree-smu", "m-tree-lstm+stack"]
    for rank, model in enumerate(models):
        make_run(tmp_path, "original", model, accuracy=0.5 + 0.05 * rank)
    results = Results(collect(tmp_path))
    found, tau = order(results, "original")
    assert found is not None and found.value == pytest.approx(1) and found.count == 6
    assert tau.startswith("Kendall's tau +1.00")
    assert [VERIFICATION[m]["test"]["accuracy"].value for m in models] == sorted(
        VERIFICATION[m]["test"]["accuracy"].value for m in models
    )
    assert order(results, "original", trees_only=True) == (None, "")  # too few
    gain, rival = best_row(results, "original")
    assert rival == "tree-smu" and gain is not None and gain.verdict == OPEN


def test_the_best_row_is_corrected_for_what_it_is_chosen_from(tmp_path: Path) -> None:
    results = make_rows(tmp_path, tree_lstm=0.6, tree_smu=0.7, m_tree_lstm_stack=0.8)
    gain, rival = best_row(results, "original")
    values = [[accuracy_on_test(run) for run in results.of("original", name)] for name in ("m-tree-lstm+stack", rival)]
    assert rival == "tree-smu"
    assert gain == welch([(1.0, values[0]), (-1.0, values[1])], 2 * NUMBER)  # type: ignore[list-item]


def test_runs_that_were_cut_short_are_counted(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "original", "tree-lstm")
    assert limited(Results(collect(tmp_path)), "original") == ""
    config = folder / "config.json"
    config.write_text(config.read_text().replace('"epochs": 9', '"epochs": 5'))
    assert limited(Results(collect(tmp_path)), "original").startswith("1 of 1 runs on original were still training")
