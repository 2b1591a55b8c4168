"""The README: short, and its tour runs as printed."""

from __future__ import annotations

from tests.markdown import ROOT, console_examples, python_sessions

README = ROOT / "README.md"


def test_it_fits_on_a_few_screens() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 160


def test_it_has_examples_to_run() -> None:
    assert len(console_examples(README)) >= 3
    assert python_sessions(README).count(">>> ") >= 5
