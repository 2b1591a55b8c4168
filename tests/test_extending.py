"""The worked examples of docs/extending.md, followed to the letter in a copy of the sources."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.markdown import ROOT, edited, sections

EXAMPLES = {heading: blocks for heading, blocks in sections(ROOT / "docs" / "extending.md").items() if blocks}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    without = shutil.ignore_patterns("__pycache__")
    for folder in ("dgl_mathtree", "datasets"):
        shutil.copytree(ROOT / folder, tmp_path / "checkout" / folder, ignore=without)
    return tmp_path / "checkout"


def test_there_are_the_five_examples() -> None:
    assert [heading.split()[-1] for heading in EXAMPLES] == ["cell", "operator", "axiom", "recipe", "objective"]


@pytest.mark.slow
@pytest.mark.parametrize("heading", EXAMPLES)
def test_worked_example(heading: str, checkout: Path) -> None:
    program, commands = "", []
    for file, kind, content in EXAMPLES[heading]:
        if file is None and kind == "python":
            assert "assert " in content
            program += content
        elif file is None and kind == "console":
            commands += re.findall(r"^\$ \.venv/bin/mathtree (.*)\n((?:[^$].*\n)*)", content, flags=re.MULTILINE)
        elif file is not None:
            place = checkout / file
            place.write_text(edited(place.read_text("utf-8"), content) if kind == "diff" else content, "utf-8")
    assert program or commands
    for arguments, output in commands:
        assert run(checkout, "-m", "dgl_mathtree", *shlex.split(arguments)).endswith(output)
    if program:
        run(checkout, "-c", program)


def run(checkout: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
