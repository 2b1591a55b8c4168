from __future__ import annotations

import re
from pathlib import Path

import pytest

from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.report.statistics import OPEN
from dgl_mathtree.reproduce.report.summary import details, findings, summary_table
from tests.reproduce.report.made_up import make_run


def test_sentences_about_nothing_decide_nothing() -> None:
    paper, *ours = (line for _, line in findings(Results([])).lines)
    assert "89.04% on test, 1.53 points above tree-smu" in paper
    assert "2.22 points at Top-1 and 2.96 at Top-5" in paper
    assert len(ours) == 2
    for line in (*ours, *(line for _, line in details(Results([])).lines)):
        assert OPEN in line
        # What the paper prints is all that is known.
        assert not re.search(r"\d", re.sub(r"\+\S+ points in the paper|Top-\d", "", line))


@pytest.fixture
def results(tmp_path: Path) -> Results:
    for seed in range(3):
        make_run(tmp_path, "paper", "tree-lstm", seed, 0.6 + 0.01 * seed, top1=0.3)
        make_run(tmp_path, "paper", "m-tree-lstm", seed, 0.8 - 0.01 * seed, top1=0.2)
        make_run(tmp_path, "original", "tree-lstm", seed, 0.868, on_true=0.6)
        for objective, gain in (("verification", 0.0), ("semantic", 0.1 + 0.01 * seed)):
            make_run(tmp_path, "paper-ablation", "tree-lstm", seed, 0.6 + gain, hidden=30, objective=objective)
    return Results(collect(tmp_path))


def test_sentences_have_the_numbers_of_the_runs(results: Results) -> None:
    _, like, true = (line for _, line in findings(results).lines)
    cell = results.cell("paper", "m-tree-lstm", lambda run: 100 * run.metrics["test"]["overall"]["accuracy"])
    assert f"Trained on checked labels (paper), the best row is m-tree-lstm with {cell.text}%" in true
    assert "tree-lstm fills the most blanks, 30.0 ± 0.0% at the first try" in true
    assert "On true labels the same networks are right on 60.0%, the mean of 1 rows, instead of 86.8%." in true
    assert "econd order over first" in true
    assert like.startswith(
        "The best row is tree-lstm with 86.8 ± 0.0% (86.8 in the paper); 1 of 1 networks lie within 3"
    )


def test_details_have_the_numbers_of_the_runs(results: Results) -> None:
    said = dict(details(results).lines)
    second, stack = said["Second order over first"], said["A stack, and convergence"]
    assert re.search(r"on checked labels, \+1\d\.\d points \(95% interval \+\d.*\), 1 of 3 pairs: holds\. With", second)
    assert second.endswith(f"With a stack: {OPEN}, for want of runs.")
    assert stack.startswith(f"Gain of a stack: {OPEN}")
    assert "training with meaning makes models better: +1" in said["Meaning"]
    assert OPEN in said["The protocol as printed"]


def test_rows_far_from_the_paper_are_named(tmp_path: Path) -> None:
    make_run(tmp_path, "original", "tree-lstm", 0, 0.868)
    make_run(tmp_path, "original", "tree-rnn", 0, 0.7)
    make_run(tmp_path, "original", "m-tree-lstm", 0, 0.95)
    line = findings(Results(collect(tmp_path))).lines[1][1]
    assert "1 of 3 networks lie within 3 points of the paper's, not so tree-rnn (-" in line
    assert "m-tree-lstm (+8.1)" in line and "tree-lstm (+0.0)" not in line


def test_what_is_not_finished_is_said(results: Results) -> None:
    line = findings(results, {"original": 7}).lines[1][1]
    assert line.endswith("7 planned runs are not finished, so this may change.")
    line = findings(results, {"original": 2, "original-search": 80}).lines[1][1]
    assert line.endswith("still being searched (80 runs of original-search are left), so this will change.")
    assert "finished" not in findings(results, {"printed": 3}).lines[1][1]
    # Where a row has no search of its own, it takes the settings of the search on `paper`.
    for number in (1, 2):
        line = findings(results, {"original": 2, "paper-search": 4}).lines[number][1]
        assert line.endswith(
            ". Settings are still being searched (4 runs of paper-search are left), so this will change."
        )
    lines = [line for _, line in findings(results, {"original": 1, "paper": 1}).lines]
    assert not any("  " in line for line in lines)


def test_a_search_of_its_own_is_the_one_that_counts(results: Results, tmp_path: Path) -> None:
    make_run(tmp_path, "original-search", "tree-lstm")
    both = Results(collect(tmp_path))
    assert "searched" not in findings(both, {"paper-search": 4}).lines[1][1]


def test_rows_that_do_not_train_as_printed(tmp_path: Path) -> None:
    make_run(tmp_path, "original", "majority", validation=0.56)
    make_run(tmp_path, "printed", "tree-lstm", accuracy=0.8, validation=0.9)
    make_run(tmp_path, "printed", "m-tree-lstm", accuracy=0.5, validation=0.58)
    said = dict(details(Results(collect(tmp_path))).lines)["The protocol as printed"]
    assert said.startswith("1 of 2 rows with runs train with the protocol that the paper prints")
    assert "; m-tree-lstm do not. The best is tree-lstm with 79.8% on test." in said


def test_the_first_table(results: Results) -> None:
    table = summary_table(results)
    assert len(table.columns) == 9
    assert [name for name, _ in table.rows] == ["tree-lstm", "m-tree-lstm"]
    # m-tree-lstm is best on test and in the paper; tree-lstm fills more blanks.
    assert table.best() == {(1, 2), (1, 6), (0, 7)}
    assert (
        "Settings that are not the paper's, which are in brackets: learning rate 0.01 (0.1), most epochs 9"
        in table.note
    )


def test_columns_without_a_number_are_left_out(tmp_path: Path) -> None:
    make_run(tmp_path, "paper", "tree-lstm", top1=0.3)
    table = summary_table(Results(collect(tmp_path)))
    assert table.columns == [
        *(
            "row",
            "parameters",
            "the paper's test accuracy",
            "checked labels",
            "completion Top-1",
            "seeds",
        )
    ]
    assert table.printed == [2] and table.ranked == [2, 3, 4]
