from __future__ import annotations

from pathlib import Path

from dgl_mathtree.reproduce.report.completion_tables import completion_tables
from dgl_mathtree.reproduce.report.results import Cell, Results, collect
from tests.reproduce.report.made_up import COUNTS, make_run


def test_few_blanks_are_shown_with_their_interval(tmp_path: Path) -> None:
    make_run(tmp_path, "paper", "tree-lstm", 0, top1=0.4)
    make_run(tmp_path, "paper", "tree-rnn", 0)
    overall, depths, *others = completion_tables(Results(collect(tmp_path)))
    assert [name for name, _ in overall.rows] == ["tree-lstm"]
    assert depths.columns[1:] == [f"depth {depth} (n\u00a0=\u00a0{count})" for depth, count in COUNTS.items()]
    ((_, entries),) = depths.rows
    assert all(isinstance(entry, Cell) and entry.text == "40.0" for entry in entries[:4])
    assert entries[4] == "40.0 [17, 69]"  # Wilson's for 4 of 10
    assert [table.name for table in others] == ["completion_original-overall", "completion_original-depths"]
