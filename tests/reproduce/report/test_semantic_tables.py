from __future__ import annotations

from pathlib import Path

import pytest

from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.report.semantic_tables import gain_of_meaning, meaning_tables
from tests.reproduce.report.made_up import make_run

EQUATION = 100 / 129
"""What one test equation is worth, in points."""


def make_ablation(out: Path, model: str, gains: list[int]) -> None:
    """Runs in which the semantic objective judges so many more equations rightly than the other, seed by seed."""
    for seed, more in enumerate(gains):
        for root in ("dot", "cosine"):
            for objective in ("verification", "semantic"):
                right = 80 + seed + (more if objective == "semantic" else 0) + (2 if root == "cosine" else 0)
                make_run(
                    out, "paper-ablation", model, seed, right / 129, hidden=30, objective=objective, root=root
                )  # fmt: skip


def test_gains_are_paired_over_seeds(tmp_path: Path) -> None:
    make_ablation(tmp_path, "tree-lstm", [3, 4, 5])
    make_ablation(tmp_path, "m-tree-lstm", [5, 6, 7])
    results = Results(collect(tmp_path))
    (table,) = meaning_tables(results)
    assert [name for name, _ in table.rows] == ["tree-lstm", "m-tree-lstm", "mean of all rows"]
    entries = table.rows[0][1]
    assert entries[4:6] == [f"{4 * EQUATION:+.2f} [+1.18, +5.03]", "holds"]
    assert entries[6] == f"{2 * EQUATION:+.2f}"  # the same for all seeds
    found = gain_of_meaning(results)
    assert found is not None and found.value == pytest.approx(5 * EQUATION) and found.count == 3


def test_plain_runs_alone_compare_nothing(tmp_path: Path) -> None:
    make_run(tmp_path, "paper", "tree-lstm")
    results = Results(collect(tmp_path))
    assert meaning_tables(results) == []
    assert gain_of_meaning(results) is None


def test_semantic_runs_among_the_rows_do_not_mix_with_them(tmp_path: Path) -> None:
    make_run(tmp_path, "paper", "tree-lstm", 0, 0.6)
    make_run(tmp_path, "paper", "tree-lstm", 0, 0.9, objective="semantic", root="cosine")
    results = Results(collect(tmp_path))
    assert len(results.of("paper", "tree-lstm")) == 1
    assert results.cell("paper", "tree-lstm", lambda run: float(run.variant == ("verification", "dot"))).value == 1
    assert len(meaning_tables(results)[0].rows) == 1
