from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dgl_mathtree.data.canonical import canonical_key
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.provenance import from_json, replay
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.training import load
from tools import mine


def _mine(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["mine.py", *arguments])
    return mine.main()


def test_what_is_mined_is_false_new_and_taken_for_true(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _mine(monkeypatch, "shipped", str(data), str(tmp_path / "more"), "--each", "4") == 0
    before, after = list(read_rows(data)), list(read_rows(tmp_path / "more"))
    mined = [row for row in after if row.id.startswith("mined.")]
    assert [row for row in after if row not in mined] == before
    assert mined and f"{len(mined)} of them mined" in capsys.readouterr().out
    assert {row.part for row in mined} == {"train"} and {row.label for row in mined} == {0}
    keys = [canonical_key(row.parsed().words) for row in mined]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {canonical_key(row.parsed().words) for row in before}
    assert (load().scores([row.parsed() for row in mined]) > 0).all()
    judged = Oracle(7).judge([row.parsed() for row in mined])
    assert {judgement.verdict for judgement in judged} <= {"false", "branch"}
    for row in mined:
        *_, last = replay(from_json(row.derivation)) if row.derivation[0][0] != "edit" else (row.parsed(),)
        assert last == row.parsed()


@pytest.mark.slow
def test_a_seed_determines_what_is_mined(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    for name in ("one", "two"):
        assert _mine(monkeypatch, "shipped", str(data), str(tmp_path / name), "--each", "4") == 0
        rows.append(list(read_rows(tmp_path / name)))
    assert rows[0] == rows[1]


def test_a_folder_that_is_there_is_refused(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "notes.txt").write_text("mine")
    assert _mine(monkeypatch, "shipped", str(data), str(tmp_path / "more")) == 2
    assert capsys.readouterr().err.count("more") == 1
