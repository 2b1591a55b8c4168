from __future__ import annotations

from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.reproduce.report.comparison import compare_reports
from tests.reproduce.report.made_up import make_run
from tests.reproduce.report.reader import read


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """tree-lstm got better and tree-rnn did not change; each folder has one row of its own."""
    before, after = tmp_path / "before", tmp_path / "after"
    for seed in range(3):
        make_run(before, "paper", "tree-lstm", seed, 0.7 + 0.01 * seed)
        make_run(after, "paper", "tree-lstm", seed, 0.8 + 0.02 * seed)
        for out in (before, after):
            make_run(out, "paper", "tree-rnn", seed, 0.6 + 0.01 * seed)
    make_run(before, "paper", "mi-tree-lstm", 0, 0.5)
    make_run(after, "paper", "tree-lstm", 0, 0.5, objective="semantic", root="cosine")
    return before, after


def test_rows_side_by_side(folders: tuple[Path, Path]) -> None:
    page, text = compare_reports(*folders)
    assert page == folders[1] / "comparison.html"
    heads, *rows = read(page).tables["accuracy"]
    found = {row[0]: dict(zip(heads, row, strict=True)) for row in rows}
    assert list(found) == ["tree-rnn on paper", "tree-lstm on paper"]
    changed = found["tree-lstm on paper"]
    assert changed["after is"] == "better" and changed["seeds"] == "3"
    gains = [round((0.8 + 0.02 * k) * 129) / 1.29 - round((0.7 + 0.01 * k) * 129) / 1.29 for k in range(3)]
    assert changed["difference"] == f"{sum(gains) / 3:+.2f}"
    assert found["tree-rnn on paper"]["after is"] == "the same"
    for words in ("1 rows are better after, 0 worse, 1 the same", "Only before: 1 rows.\n  mi-tree-lstm on paper"):
        assert words in text
    assert "Only after: 1 rows.\n  tree-lstm on paper (semantic with root cosine)" in text


def test_one_seed_decides_nothing(tmp_path: Path) -> None:
    for name, accuracy in (("a", 0.5), ("b", 0.9)):
        make_run(tmp_path / name, "paper", "tree-lstm", 0, accuracy, hidden=30 if name == "a" else 50)
    _, text = compare_reports(tmp_path / "a", tmp_path / "b")
    assert "0 rows are better after, 0 worse, 0 the same, 1 cannot be decided" in text
    assert "hidden 30, dropout 0.1 before, hidden 50, dropout 0.1 after" in text


def test_the_command(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--compare", *map(str, folders)]) == 0
    assert capsys.readouterr().out.endswith(f"\n{folders[1] / 'comparison.html'}\n")


def test_what_cannot_be_compared(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, empty = tmp_path / "other", tmp_path / "empty"
    make_run(other, "hard", "tree-lstm")
    empty.mkdir()
    for folder, words in (
        (tmp_path / "none", "there is no folder"),
        (empty, "has no finished run below runs/"),
        (other, "have no row in common"),
    ):
        assert main(["report", "--compare", str(folders[0]), str(folder)]) == 2
        message = capsys.readouterr().err
        assert words in message and len(message.splitlines()) == 1
    for arguments in (["report"], ["report", "out", "--compare", "a", "b"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
