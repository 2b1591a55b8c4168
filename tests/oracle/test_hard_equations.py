"""A collection of hard equations by kind, each with the verdict that follows by reasoning, not by asking the oracle."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from dgl_mathtree.language import parse_equation
from dgl_mathtree.oracle import Oracle

LINES = (Path(__file__).parent / "hard_equations.tsv").read_text(encoding="utf-8").splitlines()[1:]
ROWS = [tuple(line.split("\t")) for line in LINES]
KINDS = sorted({kind for _, kind, _ in ROWS})
EVERY = 8
"""Every eighth equation of a kind is judged in the usual suite."""


def test_there_are_many_of_each_verdict_and_kind() -> None:
    assert len(ROWS) >= 900 and len({text for *_, text in ROWS}) == len(ROWS)
    assert set(Counter(verdict for verdict, *_ in ROWS)) == {"true", "false", "branch", "undefined"}
    assert min(Counter(kind for _, kind, _ in ROWS).values()) >= 20


def wrong(kind: str, every: int) -> list[str]:
    oracle = Oracle(complex_plane=False, thorough=True)
    rows = [(verdict, text) for verdict, some, text in ROWS if some == kind][::every]
    judged = oracle.judge(parse_equation(text) for _, text in rows)
    for judgement in judged:
        assert (judgement.witness is not None) == (judgement.verdict in ("false", "branch"))
        assert (judgement.tested is not None) == (judgement.verdict == "true")
    return [f"{text}: {j.verdict}" for (verdict, text), j in zip(rows, judged, strict=True) if j.verdict != verdict]


@pytest.mark.parametrize("kind", KINDS)
def test_verdicts(kind: str) -> None:
    assert not wrong(kind, EVERY)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_verdicts(kind: str) -> None:
    assert not wrong(kind, 1)
