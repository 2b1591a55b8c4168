from __future__ import annotations

import re
from pathlib import Path

import pytest

from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.report.statistics import OPEN
from dgl_mathtree.reproduce.report.summary import findings, summary_table
from tests.reproduce.report.made_up import make_run


def test_sentences_about_nothing_decide_nothing() -> None:
    lines = findings(Results([])).lines
    assert len(lines) == 5
    assert all(OPEN in line for _, line in lines)
    assert not any(re.search(r"\d", line) for _, line in lines)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    for seed in range(3):
        make_run(tmp_path, "paper", "tree-lstm", seed, 0.6 + 0.01 * seed, top1=0.3)
        make_run(tmp_path, "paper", "m-tree-lstm", seed, 0.8 - 0.01 * seed, top1=0.2)
        make_run(tmp_path, "legacy", "tree-lstm", seed, 0.868, on_true=0.6)
        for objective, gain in (("verification", 0.0), ("semantic", 0.1 + 0.01 * seed)):
            make_run(tmp_path, "paper-ablation", "tree-lstm", seed, 0.6 + gain, hidden=30, objective=objective)
    return Results(collect(tmp_path))


def test_sentences_have_the_numbers_of_the_runs(results: Results) -> None:
    best, legacy, second, stack, meaning = (line for _, line in findings(results).lines)
    cell = results.cell("paper", "m-tree-lstm", lambda run: 100 * run.metrics["test"]["overall"]["accuracy"])
    assert f"The best row is m-tree-lstm with {cell.text}% of the test equations right" in best
    assert "tree-lstm fills the most blanks, 30.0 ± 0.0% at the first try" in best
    assert "the best row is tree-lstm with 86.8 ± 0.0% (86.8 in the paper; 60.0 ± 0.0 on true labels)" in legacy
    assert "1 rows lie on average 0.0 points above the paper's" in legacy
    assert re.search(r"on checked labels, \+1\d\.\d points \(95% interval \+\d.*\), 1 of 3 pairs: holds\. With", second)
    assert second.endswith(f"With a stack: {OPEN}, for want of runs.")
    assert stack.startswith(f"Gain of a stack: {OPEN}")
    assert "training with meaning makes models better: +1" in meaning


def test_the_first_table(results: Results) -> None:
    table = summary_table(results)
    assert len(table.columns) == 8
    assert [name for name, _ in table.rows] == ["tree-lstm", "m-tree-lstm"]
    # m-tree-lstm is best on test and at depth 13 and in the paper; tree-lstm fills more blanks.
    assert table.best() == {(1, 2), (1, 3), (1, 4), (0, 6)}
