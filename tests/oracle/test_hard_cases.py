"""Equations on which a judge that trusts few points, loose bounds or names goes wrong."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.oracle import Oracle

LINES = (Path(__file__).parent / "hard_cases.txt").read_text(encoding="utf-8").splitlines()
CASES = [tuple(line.split(maxsplit=1)) for line in LINES if line and not line.startswith("#")]
EQUATIONS = [parse_equation(text) for _, text in CASES]
SEVERAL = [(v, e) for (v, _), e in zip(CASES, EQUATIONS, strict=True) if v == "branch" and 2 <= len(e.variables) <= 4]


def test_there_are_many() -> None:
    assert len(CASES) >= 200
    assert len({text for _, text in CASES}) == len(CASES)


@pytest.mark.parametrize(("seed", "certify"), [(0, False), (1, False), (2, True)])
def test_hard_cases(seed: int, certify: bool) -> None:
    judged = Oracle(seed, complex_plane=False, certify=certify).judge(EQUATIONS)
    wrong = [(text, v, j) for (v, text), j in zip(CASES, judged, strict=True) if j.verdict != v]
    assert not wrong
    for judgement in judged:
        assert (judgement.witness is not None) == (judgement.verdict in ("false", "branch"))
        assert (judgement.agreement is not None) == (judgement.verdict == "branch")
        if certify and judgement.witness is not None:
            assert judgement.witness.bits > 53


def test_sides_may_be_swapped() -> None:
    swapped = Oracle(3, complex_plane=False).judge(Equation(e.right, e.left) for e in EQUATIONS)
    assert [j.verdict for j in swapped] == [v for v, _ in CASES]


def test_names_do_not_matter() -> None:
    """Every equation in several variables under renamings that permute them, and to names of every kind."""
    assert len(SEVERAL) >= 10
    oracle = Oracle(complex_plane=False)
    for _, equation in SEVERAL:
        names = equation.variables
        targets = [*permutations(names), *permutations(("q", "alpha", "x_3", "var_7")[: len(names)])][:30]
        renamed = [equation.rename(dict(zip(names, new, strict=True))) for new in targets]
        judged = oracle.judge(renamed)
        assert {(j.verdict, j.defined, j.equal) for j in judged} == {("branch", judged[0].defined, judged[0].equal)}


def test_a_pair_of_signs_under_all_pairs_of_letters() -> None:
    letters = [c for c in "abcdfghjklmnopqrstuvwxyzABCDFGHJ" if c not in "ei"]
    some = [f"(sqrt({a}^2)+{a})*(sqrt({b}^2)-{b}) = 0" for a, b in permutations(letters[:16], 2)]
    judged = Oracle(complex_plane=False).judge(parse_equation(text) for text in some)
    assert {j.verdict for j in judged} == {"branch"}
