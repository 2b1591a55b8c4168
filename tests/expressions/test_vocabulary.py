from __future__ import annotations

import math

import numpy as np
import pytest

from dgl_mathtree.expressions import vocabulary
from dgl_mathtree.expressions.numerics import Ball
from dgl_mathtree.expressions.vocabulary import OPERATORS, VocabularyError


def test_there_are_25_unary_and_4_binary_operators() -> None:
    arities = [op.arity for op in OPERATORS.values()]
    assert arities.count(1) == 25
    assert arities.count(2) == 4
    assert len(arities) == 29
    assert all(name == op.name for name, op in OPERATORS.items())


def test_codes_are_fixed() -> None:
    """Data is told apart by these numbers: a new operator takes a new one."""
    names = (
        "Equality sin cos tan csc sec cot asin acos atan acsc asec acot sinh cosh tanh csch sech coth "
        "asinh acosh atanh acsch asech acoth exp Add Mul Pow log"
    ).split()
    assert [vocabulary.CODES[name] for name in names] == list(range(1, 31))
    assert len(set(vocabulary.CODES.values())) == len(vocabulary.CODES)
    assert max(vocabulary.CODES.values()) < 1000


def test_what_operators_say_of_themselves_is_true() -> None:
    points = np.array([-2.3, -1.2, -0.7, -0.4, 0.4, 0.7, 1.2, 2.3])
    zero = np.zeros_like(points)
    with np.errstate(all="ignore"):
        for op in OPERATORS.values():
            if op.arity == 2:
                swapped = [op.evaluate(Ball(a, zero), Ball(b, zero)).value for a, b in ((points, 1.7), (1.7, points))]
                assert op.commutative == np.allclose(*swapped, equal_nan=True), op.name
                continue
            there = op.evaluate(Ball(points, zero)).value
            back = op.evaluate(Ball(-points, zero)).value
            both = np.isfinite(there) & np.isfinite(back)
            assert (op.parity == "odd") == (both.any() and np.allclose(there[both], -back[both])), op.name
            assert (op.parity == "even") == (both.any() and np.allclose(there[both], back[both])), op.name
            if op.inverse:
                assert OPERATORS[op.inverse].inverse == op.name
                outer, inner = sorted((op.name, op.inverse), key=len)
                value = OPERATORS[inner].evaluate(Ball(points, zero))
                again = OPERATORS[outer].evaluate(value).value
                known = np.isfinite(again)
                assert known.any() and np.allclose(again[known], points[known]), op.name
            if op.cofunction:
                other = OPERATORS[op.cofunction].evaluate(Ball(np.pi / 2 - points, zero)).value
                assert np.allclose(there, other), op.name


@pytest.mark.parametrize("word", ["x", "x1", "x_1", "x_n", "theta", "theta_2", "var_0", "A", "f"])
def test_variables(word: str) -> None:
    assert vocabulary.is_variable(word)
    assert vocabulary.check_leaf(word) == word


@pytest.mark.parametrize("word", ["e", "pi", "i", "I", "var", "xy", "speed", "sin", "Add", "1x", "x_", "", "x y", "é"])
def test_words_that_are_no_variables(word: str) -> None:
    assert not vocabulary.is_variable(word)


@pytest.mark.parametrize("word", ["0", "7", "-1", "1/2", "-22/7", "0.7", "-0.5", "1.0", "12345678901234567890"])
def test_numbers(word: str) -> None:
    assert vocabulary.is_number(word)


@pytest.mark.parametrize(
    "word", ["-0", "007", "2/4", "1/1", "0/3", "1/-2", "0.70", ".5", "1.", "1e5", "-0.0", "+1", "٣"]
)
def test_numbers_that_are_not_in_canonical_form(word: str) -> None:
    assert not vocabulary.is_number(word)
    with pytest.raises(VocabularyError, match="not a leaf"):
        vocabulary.check_leaf(word)


@pytest.mark.parametrize(
    ("typed", "word"), [("007", "7"), ("0", "0"), (".50", "0.5"), ("3.00", "3.0"), ("00.10", "0.1")]
)
def test_number_words(typed: str, word: str) -> None:
    assert vocabulary.number_word(typed) == word
    assert vocabulary.is_number(word)


def test_negation() -> None:
    assert vocabulary.negated("3") == "-3"
    assert vocabulary.negated("-1/2") == "1/2"
    assert vocabulary.negated("0") == "0"


def test_leaf_values_come_with_a_bound() -> None:
    assert vocabulary.leaf_ball("1/2") == (0.5, 0.0)
    assert vocabulary.leaf_ball("-3") == (-3.0, 0.0)
    value, error = vocabulary.leaf_ball("2/5")
    assert value == 0.4
    assert 0 < error < 1e-15
    assert vocabulary.leaf_ball("pi")[0] == math.pi
    assert vocabulary.leaf_ball("1" + "0" * 400)[0] == math.inf
    assert vocabulary.leaf_ball("9" * 500 + "/" + "1" + "0" * 10)[0] == math.inf


@pytest.mark.parametrize(("name", "meant"), [("sine", "sin"), ("Sin", "sin"), ("tanget", "tan"), ("arcsine", "arcsin")])
def test_suggestions(name: str, meant: str) -> None:
    assert vocabulary.suggest(name) == meant


def test_nothing_is_suggested_for_a_name_like_no_other() -> None:
    assert vocabulary.suggest("qqqqqq") is None
