"""Substitution, rearrangement and rewriting keep equations true."""

import random

import pytest

from dgl_mathtree.data.discovery.law_instances import laws
from dgl_mathtree.data.discovery.transform import REARRANGEMENTS, rearranged, rewritten, substituted
from dgl_mathtree.language import Equation
from dgl_mathtree.language.build import Pair, equation_words, read
from dgl_mathtree.oracle import Oracle


def _none_false(pairs: list[Pair]) -> bool:
    equations = [Equation._trusted(equation_words(*pair)) for pair in pairs]
    verdicts = [judgement.verdict for judgement in Oracle(2, complex_plane=False).judge(equations)]
    return "false" not in verdicts and verdicts.count("true") > len(verdicts) / 2


def test_substitution_keeps_the_truth() -> None:
    rng = random.Random(0)
    made = [substituted(rng.choice(laws())[1], rng) for _ in range(300)]
    assert _none_false([pair for pair in made if pair is not None])


@pytest.mark.parametrize("name", REARRANGEMENTS)
def test_rearrangement_keeps_the_truth(name: str) -> None:
    rng = random.Random(name)
    made = []
    for _ in range(60):
        (a, b), other = rng.choice(laws())[1], rng.choice(laws())[1]
        if (pair := REARRANGEMENTS[name][1](a, b, rng, other)) is not None:
            made.append(pair)
    assert made and _none_false(made)


def test_every_rearrangement_is_drawn() -> None:
    rng = random.Random(4)
    drawn = [rearranged(rng.choice(laws())[1], rng.choice(laws())[1], rng) for _ in range(2000)]
    assert {found[0] for found in drawn if found is not None} == set(REARRANGEMENTS)


def test_rewriting_replaces_a_part_by_its_equal() -> None:
    pair = read("sin(x)^2 + cos(x)^2"), "1"
    members = {read("sin(x)"): [read("tan(x)*cos(x)")]}
    found = {rewritten(pair, members, random.Random(seed)) for seed in range(20)}
    assert ("1", read("(tan(x)*cos(x))^2 + cos(x)^2")) in found
    assert found <= {("1", read("(tan(x)*cos(x))^2 + cos(x)^2")), None}
