"""Laws and templates: every one holds, for the letters and for what is put in their place."""

import random

from dgl_mathtree.data.discovery.law_instances import instance, laws
from dgl_mathtree.data.discovery.templates import template
from dgl_mathtree.language import Equation
from dgl_mathtree.language.build import Pair, equation_words
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.oracle import Oracle

ORACLE = Oracle(5, complex_plane=False)


LAST_CODE = 30
"""Of the operators that the laws were made with; a later one need not be among them."""


def _verdicts(pairs: list[Pair]) -> list[str]:
    return [judgement.verdict for judgement in ORACLE.judge(Equation._trusted(equation_words(*pair)) for pair in pairs)]


def test_every_law_holds() -> None:
    pairs = [pair for _, pair in laws()]
    wrong = [
        str(Equation._trusted(equation_words(*pair)))
        for pair, verdict in zip(pairs, _verdicts(pairs), strict=True)
        if verdict != "true"
    ]
    assert not wrong


def test_laws_use_every_operator() -> None:
    words = {word for _, pair in laws() for word in equation_words(*pair)}
    assert words >= {op.name for op in OPERATORS.values() if op.code <= LAST_CODE}


def test_no_law_stands_twice() -> None:
    pairs = [pair for _, pair in laws()]
    assert len(set(pairs)) == len(pairs)


def test_instances_are_not_false() -> None:
    rng = random.Random(1)
    verdicts = _verdicts([instance(rng.choice(laws())[1], rng) for _ in range(600)])
    assert verdicts.count("false") == 0
    assert verdicts.count("true") > 400


def test_templates_hold_where_they_are_defined() -> None:
    rng = random.Random(2)
    made = [found for _ in range(700) if (found := template(rng)) is not None]
    verdicts = _verdicts([pair for _, pair in made])
    assert set(verdicts) <= {"true", "undefined"}
    assert verdicts.count("true") > 0.9 * len(verdicts)
    assert len({name for name, _ in made}) >= 12
