from __future__ import annotations

import math

import pytest

from dgl_mathtree.language import vocabulary
from dgl_mathtree.language.vocabulary import VocabularyError


def test_codes_are_fixed() -> None:
    """Data is told apart by these numbers: a new operator takes a new one."""
    names = (
        "Equality sin cos tan csc sec cot asin acos atan acsc asec acot sinh cosh tanh csch sech coth "
        "asinh acosh atanh acsch asech acoth exp Add Mul Pow log"
    ).split()
    assert [vocabulary.CODES[name] for name in names] == list(range(1, 31))
    assert len(set(vocabulary.CODES.values())) == len(vocabulary.CODES)
    assert max(vocabulary.CODES.values()) < 1000


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
