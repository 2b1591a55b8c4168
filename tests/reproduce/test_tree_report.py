from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dgl_mathtree.reproduce.studies import LSTMS
from dgl_mathtree.reproduce.tree_report import accuracy_at, mean_over, tree_figure, tree_page, write_tree_report
from dgl_mathtree.reproduce.tree_studies import LEAVES, LISTOPS, LOGIC, TYPES


def run_of(model: str, way: str, seed: int, plus: float = 0.0) -> dict[str, Any]:
    groups = {str(k): {"accuracy": 0.9 - 0.01 * k + plus + 0.001 * seed, "count": 10 * (k + 1)} for k in range(13)}
    facts = {"parameters": 1234, "epochs": 5, "best_epoch": 4, "seconds": 1.0, "validation": 0.9}
    about = {"model": model, "seed": seed, "way": way, "data": "generated", "items": 100, "study": "logic"}
    return about | facts | {"test": groups}


RUNS = [
    run_of(model, way, seed, 0.05 * ("stack" in model))
    for model in LSTMS
    for way in (TYPES, LEAVES)
    for seed in range(3)
]
RUNS += [run_of("tree-rnn", TYPES, 0)]


def test_measures() -> None:
    run = run_of("tree-lstm", TYPES, 0)
    assert accuracy_at([12])(run) == pytest.approx(78.0)
    assert accuracy_at([0, 1])(run) == pytest.approx((10 * 90 + 20 * 89) / 30)
    assert mean_over([7, 8])(run) == pytest.approx((83 + 82) / 2)


def test_the_page_has_all_rows_and_marks_what_is_quoted() -> None:
    page = tree_page(LOGIC, RUNS)
    lines = [line for line in page.splitlines() if line.startswith("| `tree-lstm` | types of nodes")]
    assert lines[0].split(" | ")[-2:] == ["78.1 ± 0.1", "3 |"]
    (alone,) = [line for line in page.splitlines() if line.startswith("| `tree-rnn` | types of nodes | 1,234 |")]
    assert "±" not in alone and alone.endswith(" 78.0 | 1 |")
    assert (
        page.count("(quoted)") == 4
        and "| Ordered Memory (quoted) | tokens |  |  | 98 | 97 | 96 | 94 | 93 | 92 |  |" in page
    )
    assert (
        "`m-tree-lstm+stack` is better than `m-tree-lstm` | types of nodes | +5.00 [+4.50, +5.50] (holds) | +5.00"
        in page
    )
    assert "`mi-tree-lstm` is better than `tree-lstm` | leaves | +0.00" in page


def test_a_page_says_what_is_missing() -> None:
    assert "With one seed" not in tree_page(LOGIC, RUNS)
    page = tree_page(LOGIC, [run_of("tree-lstm", TYPES, 0), run_of("m-tree-lstm", TYPES, 0)])
    assert "Finished runs: 2; the standard budget has 3 of every row, operators read in 2 ways. With one seed" in page


def test_the_figure_shows_lines_of_ours_and_of_others() -> None:
    svg = tree_figure(LOGIC, RUNS)
    for name in (*LSTMS, "Tree-LSTM (quoted)", "Ordered Memory (quoted)", "operators as leaves"):
        assert f">{name}<" in svg
    assert "tree-rnn" not in svg.replace("second-order-tree-rnn", "")
    assert tree_figure(LISTOPS, [run for run in RUNS if run["model"] == "tree-rnn"]) == ""


def test_without_runs_nothing_is_written(tmp_path: Path) -> None:
    assert write_tree_report(tmp_path, "logic") == []
    assert list(tmp_path.iterdir()) == []


def test_files_are_made_from_finished_runs(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "logic" / "tree-lstm" / "types-seed-0"
    folder.mkdir(parents=True)
    run = run_of("tree-lstm", TYPES, 0)
    metrics = {name: run[name] for name in ("parameters", "epochs", "best_epoch", "seconds")}
    metrics |= {"cell": "tree-lstm", "validation": {"overall": {"accuracy": 0.9}}, "test": {"by_group": run["test"]}}
    about = {name: run[name] for name in ("data", "study", "way", "items")}
    for name, entries in (("metrics", metrics), ("machine", about), ("config", {"config": {"seed": 0}})):
        (folder / f"{name}.json").write_text(json.dumps(entries))
    files = write_tree_report(tmp_path, "logic")
    assert [file.name for file in files] == ["logic.json", "logic.md", "logic.svg"]
    (found,) = json.loads(files[0].read_text())["runs"]
    assert found["test"] == run["test"] and found["model"] == "tree-lstm"
