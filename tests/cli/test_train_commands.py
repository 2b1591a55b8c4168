from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.cli.train_commands import FIELDS
from dgl_mathtree.schema import documentation
from dgl_mathtree.training.config import Config


def test_help_says_the_defaults_of_the_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    said = documentation(Config)
    for name, entry in FIELDS.items():
        default = entry.default
        text = (
            (": the model's" if default is None else f" {default:g}") if not isinstance(default, str) else f" {default}"
        )
        ending = "" if name == "model" or default == "" else f" (default{text})"
        assert f"--{name.replace('_', '-')} " in shown and f" {said[name].replace('`', '')}{ending}" in shown


def test_every_entry_of_the_configuration_is_documented() -> None:
    assert documentation(Config).keys() == {each.name for each in dataclasses.fields(Config)}


def test_the_defaults_come_without_torch() -> None:
    check = "import sys, dgl_mathtree.cli.train_commands; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], timeout=60).returncode == 0


@pytest.mark.parametrize("text", ["margin", "=3"])
def test_settings_need_a_name_and_a_value(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    for flag in ("--set", "--objective-set"):
        assert main(["train", "paper", "--model", "tree-rnn", "--out", "nowhere", flag, text]) == 2
        assert capsys.readouterr().err == f"mathtree: {flag} needs name=value, not {text!r}\n"


def test_unknown_names_of_the_registries(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "paper", "--model", "tree-rnn", "--out", "nowhere"]
    assert main([*command, "--objective", "peace"]) == 2
    assert "unknown objective 'peace'; expected one of" in capsys.readouterr().err
    assert main([*command, "--schedule", "slow"]) == 2
    assert "schedule must be one of halving, one-cycle, not 'slow'" in capsys.readouterr().err


def test_an_option_that_is_no_json_to_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for value in ("9" * 5000, "[" * 100_000):
        assert (
            main(["train", "paper", "--model", "tree-rnn", "--out", str(tmp_path / "run"), "--set", f"x={value}"]) == 2
        )
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "paper", "--model", "tree-rnn", "--out", "run", "--config", ""],
        ["complete", "x = ?", "--candidates", ""],
    ],
)
def test_an_empty_name_of_a_file_is_not_the_default(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert "cannot read" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
