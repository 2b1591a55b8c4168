from __future__ import annotations

import json
from pathlib import Path

from dgl_mathtree.reproduce.report.document import entry_text
from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.report.verification_tables import depths_table, far_text, like_for_like, printed_table
from tests.reproduce.report.made_up import make_run


def test_every_row_has_the_paper_s_figure_beside_ours(tmp_path: Path) -> None:
    for seed in range(2):
        make_run(tmp_path, "original", "tree-lstm", seed, 0.93, on_true=0.6)
    make_run(tmp_path, "printed", "tree-lstm", 0, 0.5, times_lr=10)
    make_run(tmp_path, "printed", "tree-smu", 0, 0.6, times_lr=10)
    results = Results(collect(tmp_path))
    table = like_for_like(results)
    rows = {name: dict(zip(table.columns[1:], map(entry_text, entries), strict=True)) for name, entries in table.rows}
    assert rows["tree-lstm"] == {
        "the paper's test": "86.8 ± 0.6",
        "test": "93.0 ± 0.0",
        "test - the paper's": "+6.2",
        "test, protocol as printed": "49.6",
        "test, true labels": "60.0 ± 0.0",
        "the paper's validation": "93.77 ± 0.02",
        "validation": "101.0 ± 0.0",
        "validation, protocol as printed": "57.6",
        "seeds": "2, as printed 1",
    }
    assert rows["tree-smu"]["test"] == rows["tree-smu"]["test - the paper's"] == ""
    assert "hidden size 50 and dropout 0.1 for every row, one of the paper's 33 settings" in table.note
    assert "Settings that are not the paper's, which are in brackets: learning rate 0.01 (0.1)" in table.note
    assert far_text(results) == (
        "More than 3 points from the paper's test accuracy: tree-lstm +6.2. Rows with runs: 1 of 14."
    )


def test_accuracy_by_depth(tmp_path: Path) -> None:
    file = make_run(tmp_path, "original", "tree-lstm") / "metrics.json"
    metrics = json.loads(file.read_text())
    for depth, row in metrics["test"]["by_depth"].items():
        row["accuracy"] = 1 - 0.02 * int(depth)
    file.write_text(json.dumps(metrics))
    ((name, entries),) = depths_table(Results(collect(tmp_path)), "original").rows
    assert name == "tree-lstm"
    assert [entry_text(entry) for entry in entries] == ["84.0", "82.0", "80.0", "78.0", "76.0", "74.0", "-2.00"]


def test_a_row_that_the_paper_probably_misprints_is_listed_with_that(tmp_path: Path) -> None:
    assert far_text(Results([])) == ""
    make_run(tmp_path, "original", "stack-rnn", 0, 0.55)
    assert "stack-rnn -18.1 (printed the same as the LSTM's on test" in far_text(Results(collect(tmp_path)))


def test_the_protocol_as_printed(tmp_path: Path) -> None:
    make_run(tmp_path, "printed", "tree-lstm", 0, 0.8, times_lr=10, validation=0.9)
    make_run(tmp_path, "printed", "tree-smu", 0, 0.5, times_lr=10, validation=0.57)
    ((_, lstm), (_, smu)) = printed_table(Results(collect(tmp_path))).rows
    assert lstm[0] == smu[0] == ""  # without the majority class it is not known
    make_run(tmp_path, "original", "majority", validation=0.56)
    table = printed_table(Results(collect(tmp_path)))
    assert {name: entries[0] for name, entries in table.rows} == {"tree-lstm": "yes", "tree-smu": "no"}
    assert [entry_text(entry) for entry in table.rows[0][1][4:7]] == ["98.51", "93.77 ± 0.02", "86.8 ± 0.6"]
    assert "Adam from rate 0.1" in table.note


def test_settings_that_a_search_chose_for_the_printed_protocol(tmp_path: Path) -> None:
    for hidden, reached in ((50, 0.7), (30, 0.8)):
        make_run(tmp_path, "printed-search", "tree-lstm", 0, times_lr=10, hidden=hidden, validation=reached)
        make_run(tmp_path, "paper-search", "tree-lstm", 0, times_lr=10, hidden=hidden, validation=1 - reached)
        make_run(tmp_path, "printed", "tree-lstm", 0, times_lr=10, hidden=hidden, validation=0.5)
    make_run(tmp_path, "printed", "tree-smu", 0, times_lr=10)
    results = Results(collect(tmp_path))
    assert [run.setting.hidden for run in results.of("printed", "tree-lstm")] == [30]
    assert "searched on validation" in printed_table(results).note
