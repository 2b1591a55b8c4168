from __future__ import annotations

from pathlib import Path

from dgl_mathtree.reproduce.report.results import Results, Setting, collect
from dgl_mathtree.reproduce.report.settings_tables import (
    chosen_table,
    searched_on,
    settings_table,
    unlike_the_paper,
)
from tests.reproduce.report.made_up import make_run


def test_settings_are_compared_on_the_seeds_that_all_were_tried_with(tmp_path: Path) -> None:
    make_run(tmp_path, "paper", "tree-lstm", 0, hidden=30, validation=0.8)
    make_run(tmp_path, "paper", "tree-lstm", 0, hidden=50, validation=0.9)
    make_run(tmp_path, "paper", "tree-lstm", 1, hidden=50, validation=0.1)  # which hidden 30 never had to face
    runs = Results(collect(tmp_path)).of("paper", "tree-lstm")
    assert [(run.setting, run.seed) for run in runs] == [(Setting(50, 0.1), 0), (Setting(50, 0.1), 1)]


def test_a_search_decides_before_anything_else(tmp_path: Path) -> None:
    make_run(tmp_path, "paper-search", "tree-lstm", validation=0.7)
    make_run(tmp_path, "paper-search", "tree-lstm", validation=0.75, times_lr=3.0)
    make_run(tmp_path, "paper", "tree-lstm", validation=0.95)
    make_run(tmp_path, "paper", "tree-lstm", validation=0.9, times_lr=3.0)
    results = Results(collect(tmp_path))
    (run,) = results.of("paper", "tree-lstm")
    assert run.setting == Setting(50, 0.1, 3.0)
    assert run.label == "tree-lstm, seed 0, on paper (hidden 50, dropout 0.1, learning rate × 3)"
    table = settings_table(results)
    ((name, entries),) = table.rows
    assert name == "tree-lstm" and entries[:2] == ["50 / 0.1 / × 3", "50 / 0.1 / × 3"]
    assert table.columns[3:] == ["50 / 0.1", "50 / 0.1 / × 3"]
    assert [getattr(entry, "text", entry) for entry in entries[2:]] == ["70.0", "75.0"]


def test_where_settings_were_searched_is_said(tmp_path: Path) -> None:
    make_run(tmp_path, "original", "tree-lstm")
    assert searched_on(Results(collect(tmp_path)), "original") == ""
    make_run(tmp_path, "paper-search", "tree-lstm")
    results = Results(collect(tmp_path))
    said = "Settings of the rows were searched on the validation part of"
    assert searched_on(results, "paper") == f"{said} paper, in runs of 9 epochs."
    assert searched_on(results, "original") == (
        f"{said} paper, in runs of 9 epochs, and for lack of time not on that of original: the budget full does that, "
        "in runs of 20 epochs."
    )
    make_run(tmp_path, "original-search", "tree-lstm")
    assert searched_on(Results(collect(tmp_path)), "original") == f"{said} original, in runs of 9 epochs."


def test_without_a_search_there_is_no_table_of_it(tmp_path: Path) -> None:
    make_run(tmp_path, "paper", "tree-lstm", hidden=40)
    make_run(tmp_path, "paper", "majority")
    results = Results(collect(tmp_path))
    assert settings_table(results).rows == []
    ((name, entries),) = chosen_table(results).rows
    assert (name, entries[:2]) == ("tree-lstm", ["40", "0.1"])


def test_settings_that_are_not_the_paper_s(tmp_path: Path) -> None:
    config = {"lr": 0.1, "batch_size": 50, "decay": "l2", "weight_decay": 2e-5, "augment": "none", "clip": 0.0}
    make_run(tmp_path, "original", "tree-lstm")
    make_run(tmp_path, "original", "m-tree-lstm")
    make_run(tmp_path, "original", "majority")
    runs = collect(tmp_path)
    for run in runs:
        run.config["config"].update(config | {"epochs": 500, "patience": 1})
    assert unlike_the_paper(runs) == ""
    runs[0].config["config"].update({"lr": 0.002, "decay": "decoupled", "augment": "commute", "clip": 1.0})
    assert unlike_the_paper(runs) == (
        "Settings that are not the paper's, which are in brackets: learning rate 0.002 to 0.1 (0.1), weight decay "
        "AdamW's or L2 (L2), operands swapped at random or not (not), gradients clipped not or at norm 1 (not)."
    )
