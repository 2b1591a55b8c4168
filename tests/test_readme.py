"""The README's tour, run as printed."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from dgl_mathtree.cli import main

README = Path(__file__).parent.parent / "README.md"


def console_examples() -> list[tuple[str, str]]:
    """Commands of the README's console blocks, each with the output printed below it."""
    blocks = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    pairs = [
        re.split(r"\n", part, maxsplit=1) for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)
    ]
    return [(pair[0], pair[1]) for pair in pairs if pair[0].startswith("mathtree")]


@pytest.mark.parametrize(("command", "output"), console_examples(), ids=lambda text: text[:40])
def test_commands_print_what_the_readme_shows(command: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(shlex.split(command)[1:])
    printed = capsys.readouterr()
    assert printed.out + printed.err == output


def test_the_readme_has_examples_to_run() -> None:
    assert len(console_examples()) >= 3


def test_python_examples() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", str(README), 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 5
    assert results.failed == 0
