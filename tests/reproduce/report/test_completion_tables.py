from __future__ import annotations

from pathlib import Path

from dgl_mathtree.reproduce.report.completion_tables import completion_tables
from dgl_mathtree.reproduce.report.results import Cell, Results, collect
from tests.reproduce.report.made_up import COUNTS, make_run


def test_few_blanks_are_shown_with_their_interval(tmp_path: Path) -> None:
    make_run(tmp_path, "paper", "tree-lstm", 0, top1=0.4)
    make_run(tmp_path, "paper", "tree-rnn", 0)
    *like, overall, depths, fives, _, _, _ = completion_tables(Results(collect(tmp_path)))
    assert not any(table.rows for table in like)
    assert [name for name, _ in overall.rows] == ["tree-lstm"]
    assert depths.columns[1:] == [f"depth {depth} (n\u00a0=\u00a0{count})" for depth, count in COUNTS.items()]
    ((_, entries),) = depths.rows
    assert all(isinstance(entry, Cell) and entry.text == "40.0" for entry in entries[:4])
    assert entries[4] == "40.0 [17, 69]"  # Wilson's for 4 of 10
    assert fives.name == "completion-depths-top5" and fives.columns == depths.columns
    ((_, entries),) = fives.rows
    assert isinstance(entries[0], Cell) and entries[0].value == 100 * 0.4 * 5**0.5


def test_networks_trained_on_data_like_the_paper_s_have_tables_of_their_own(tmp_path: Path) -> None:
    make_run(tmp_path, "original", "tree-lstm", 0, top1=0.4)
    make_run(tmp_path, "paper", "tree-lstm", 0, top1=0.2)
    overall, depths, *_ = completion_tables(Results(collect(tmp_path)))
    assert [overall.name, depths.name] == [
        "original-completion_original-overall",
        "original-completion_original-depths",
    ]
    ((_, entries),) = overall.rows
    assert isinstance(entries[0], Cell) and entries[0].text == "40.0"
