"""Where to write: every command, with every kind of place that cannot be written to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dgl_mathtree.cli import main

FILES = {
    "explain": ["explain", "x = x", "--out"],
    "explain --json": ["explain", "x = x", "--json", "--out"],
    "blanks": ["blanks", "paper", "--out"],
    "candidates": ["candidates", "--leaves", "x", "--operators", "sin", "--out"],
    "evaluate": ["evaluate", "shipped", "textbook", "--scores"],
    "evaluate-completion": ["evaluate-completion", "shipped", "blanks.jsonl", "--ranks"],
    "export": ["export", "paper"],
    "benchmark": ["benchmark", "--quick", "--cells", "tree-rnn", "--out"],
}
FOLDERS = {
    "generate": ["generate"],
    "train": ["train", "paper", "--model", "tree-rnn", "--out"],
    "import-original": ["import-original", "data.json", "--out"],
    "import-checkpoint": ["import-checkpoint", "model.pt", "--out"],
    "reproduce": ["reproduce"],
    "report": ["report"],
}


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a command ends with, before it has computed anything."""
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("mathtree: ") and said.err.count("\n") == 1
    return said.err


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("other")
    (tmp_path / "other").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("text")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.rglob("*"))


@pytest.mark.parametrize("command", FILES)
def test_files(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = names(here)
    for place, why in {
        "": "must name a file to write, not ''",
        "  ": "must name a file to write, not '  '",
        "folder": "must name a file to write, and folder is a folder",
        ".": "is a folder",
        "loop": "cannot write loop: Too many levels of symbolic links",
        "loop/file": "Too many levels of symbolic links",
        "missing/file": "there is no folder",
        "text/file": "cannot write text/file: Not a directory",
        "a" * 300: "File name too long",
    }.items():
        assert why in refused([*FILES[command], place], capsys)
    assert names(here) == before and (here / "text").read_text() == "text"


@pytest.mark.parametrize("command", FOLDERS)
def test_folders(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = names(here)
    for place, why in {
        "": "must name a folder, not ''",
        "loop": "cannot write loop: Too many levels of symbolic links",
        "text": "must name a folder, and text is a file",
        "pipe": "must name a folder, and pipe is a pipe or device",
        "text/folder": "cannot write text/folder: Not a directory",
    }.items():
        assert why in refused([*FOLDERS[command], place], capsys)
    assert names(here) == before


def test_a_pipe_that_nothing_reads(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused([*FILES["candidates"], "pipe"], capsys)
    assert said == "mathtree: cannot write pipe: nothing reads this pipe\n"
    assert "is a pipe or a device" in refused([*FILES["export"], "pipe"], capsys)
    assert (here / "pipe").is_fifo()


def test_the_page_that_was_not_asked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "explain.html").symlink_to("explain.html")
    assert "Too many levels" in refused(["explain", "x = x"], capsys)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "folder").chmod(0o500)
    assert "nothing may be written into" in refused([*FILES["explain"], "folder/page.html"], capsys)


def test_what_is_written_to_a_pipe_arrives(here: Path) -> None:
    command = [sys.executable, "-m", "dgl_mathtree", *FILES["candidates"], "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
    assert '"candidates"' in done.stdout and done.stderr == ""
    (here / "link").symlink_to("new")
    assert main([*FILES["candidates"], "link"]) == 0
    assert (here / "link").is_symlink() and '"candidates"' in (here / "new").read_text()
