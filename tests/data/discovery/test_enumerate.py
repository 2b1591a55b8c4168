"""Enumeration: pairs of a pool are equal in value, unlike in form, and the same every time."""

from dataclasses import replace

import numpy as np
import pytest

from dgl_mathtree.data.discovery.enumerate import Enumeration
from dgl_mathtree.data.discovery.pairing import share_part
from dgl_mathtree.data.discovery.pools import ExpressionPool, all_pools
from dgl_mathtree.language import Equation
from dgl_mathtree.language.build import Pair, equation_words, read, shape, variables
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.oracle import Oracle

LAST_CODE = 30
"""Of the operators that the pools were made with; a later one need not be among them."""


def _small(name: str) -> ExpressionPool:
    return replace(all_pools()[name], representatives=60, sampled=0)


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return Enumeration(_small("trig-basic"), seed=0).pairs(300)


def test_pairs_are_equal_and_not_trivial(pairs: list[Pair]) -> None:
    assert len(pairs) == 300
    verdicts = Oracle(1, complex_plane=False).judge(Equation._trusted(equation_words(*pair)) for pair in pairs)
    assert {judgement.verdict for judgement in verdicts} <= {"true", "branch"}
    assert all(shape(a) != shape(b) for a, b in pairs)
    assert sum(share_part(a, b) for a, b in pairs) < 0.1 * len(pairs)


def test_the_same_seed_finds_the_same(pairs: list[Pair]) -> None:
    assert Enumeration(_small("trig-basic"), seed=0).pairs(300) == pairs


def test_a_pool_in_two_variables_is_mostly_about_two() -> None:
    found = Enumeration(_small("fractions-two"), seed=0).pairs(200)
    assert np.mean([len(variables(a, b)) == 2 for a, b in found]) > 0.7


def test_pools_cover_every_operator() -> None:
    words = {word for pool in all_pools().values() for term in pool.terms() for word in equation_words(term, "0")}
    assert words >= {op.name for op in OPERATORS.values() if op.code <= LAST_CODE}


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ("sin(x) + y", "y + cos(x)", True),
        ("2*x", "x*3", True),
        ("sin(x)", "sin(y)", True),
        ("x - y", "x*y", False),
        ("sin(x)*cos(x)", "sin(2*x)/2", False),
    ],
)
def test_common_parts(a: str, b: str, shared: bool) -> None:
    assert share_part(read(a), read(b)) is shared
