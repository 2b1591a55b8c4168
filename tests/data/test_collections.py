from __future__ import annotations

from pathlib import Path

import pytest

from dgl_mathtree.data.collections import find_collection, read_collection
from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.oracle import judge


def test_the_textbook_is_read_whole() -> None:
    file = find_collection("textbook")
    assert file is not None
    entries = read_collection(file)
    assert len(entries) >= 761
    assert all(entry.equation is not None for entry in entries)
    assert not any(entry.error for entry in entries if entry.label == 1)
    assert {"sign", "variable"} <= {entry.error for entry in entries}
    assert {"trig", "algebra", "log-exp"} <= {entry.subject for entry in entries}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fresh.tsv", "development.tsv"])
def test_the_oracle_confirms_the_labels_of_fresh_equations(name: str) -> None:
    fresh = find_collection("fresh")
    assert fresh is not None
    entries = read_collection(fresh.with_name(name))
    verdicts = [judge(entry.equation).verdict for entry in entries if entry.equation is not None]
    assert len(verdicts) == len(entries) > 400
    confirmed = {1: {"true"}, 0: {"false", "branch"}}
    assert not [
        (entry.text, verdict)
        for entry, verdict in zip(entries, verdicts, strict=True)
        if verdict not in confirmed[entry.label]
    ]


@pytest.mark.parametrize("line", ["true\ttrig", "maybe\ttrig\tx = x", "true trig x = x"])
def test_a_line_without_three_columns(line: str, tmp_path: Path) -> None:
    file = tmp_path / "c.tsv"
    file.write_text(f"true\ttrig\tx = x\n{line}\n")
    with pytest.raises(DataError, match=r"c\.tsv: line 2: expected true or false, a kind and an equation"):
        read_collection(file)


def test_files_that_hold_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*missing"):
        read_collection(tmp_path / "missing.tsv")
    (tmp_path / "c.tsv").write_text("\n")
    with pytest.raises(DataError, match="has no equations"):
        read_collection(tmp_path / "c.tsv")
