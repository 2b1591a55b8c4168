from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import clear_drafts, is_draft, new_file, new_folder, parse_json, read_json, read_toml
from dgl_mathtree.files import write_atomically as write


@pytest.fixture
def ended() -> int:
    """The id of a process that is no longer there."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    def interrupted() -> None:
        with new_folder(tmp_path / "out") as draft:
            (draft / "file").write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="exists"), new_folder(tmp_path / "taken"):
        pass
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot write"), new_folder(tmp_path / "file" / "below"):
        pass


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write(file, "one\n")

    def interrupted() -> None:
        with new_file(file) as draft:
            draft.write_text("half", encoding="utf-8")
            assert is_draft(draft)
            assert is_draft(draft, "file")
            assert not is_draft(draft, "other")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text(encoding="utf-8") == "one\n"
    assert os.listdir(tmp_path) == ["file"]
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        write(tmp_path / "none" / "file", "two")
    link = tmp_path / "link"
    link.symlink_to(file)
    write(link, b"three\n")
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == "three\n"


def test_drafts_of_killed_processes_are_cleared_by_the_next_writer(tmp_path: Path, ended: int) -> None:
    (tmp_path / f".file.partial-{ended}").write_text("half", encoding="utf-8")
    (tmp_path / f".other.partial-{ended}").mkdir()
    (tmp_path / f".other.partial-{ended}" / "inside").write_text("half", encoding="utf-8")
    kept = [f".file.partial-{os.getppid()}", ".file.partial-", ".file.partial-x", f"file.partial-{ended}"]
    for name in kept:
        (tmp_path / name).write_text("somebody's", encoding="utf-8")
    write(tmp_path / "file", "whole")
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, "file", f".other.partial-{ended}"])
    clear_drafts(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, "file"])
    clear_drafts(tmp_path / "none")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "line 1, column 2"),
        ("9" * 5000, "a number is too long"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' * 100_000, "nested too deeply"),
    ],
)
def test_json_that_cannot_be_read_is_one_line(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"file.json is not JSON: .*{reason}") as caught:
        read_json(tmp_path / "file.json")
    assert "\n" not in str(caught.value)
    with pytest.raises(json.JSONDecodeError):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = ", "is not a TOML file: Invalid value"),
        ("a = " + "9" * 5000, "a number is too long"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    ],
)
def test_toml_that_cannot_be_read_is_one_line(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=reason) as caught:
        read_toml(tmp_path / "file.toml")
    assert "\n" not in str(caught.value)


def test_files_that_are_no_texts(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"{\xff}")
    for read in (read_json, read_toml):
        with pytest.raises(InputError, match="byte 1 is not UTF-8"):
            read(tmp_path / "file")
        with pytest.raises(InputError, match=r"cannot read .*: No such file"):
            read(tmp_path / "none")
