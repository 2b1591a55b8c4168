"""The words of an expression: operators and leaves, their names, arities, LaTeX and numeric functions.

A word is a string. `OPERATORS` holds the 25 unary and 4 binary operators (and `EQUALITY` stands at the root of
an equation); every other word is a leaf: a variable (``x``, ``x_1``, ``theta``), a number in canonical form (``3``,
``-1``, ``1/2``, ``0.7``) or a constant (``pi``, ``e``).
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dgl_mathtree.expressions import inverses, numerics
from dgl_mathtree.expressions.numerics import Ball


@dataclass(frozen=True)
class Operator:
    """An operator: its name (also its word), arity, how it is written in plain text and LaTeX, and what it computes."""

    name: str
    arity: int
    symbol: str
    latex: str
    evaluate: Callable[..., Ball]


EQUALITY = "Equality"
BLANK = "?"
"""Stands for a missing expression where an equation is to be completed; no other equation has it."""

_UNARY_LATEX = {
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
    **{name: rf"\{name}" for name in "sin cos tan csc sec cot sinh cosh tanh coth exp".split()},
}
_UNARY = (
    "sin cos tan csc sec cot asin acos atan acsc asec acot "
    "sinh cosh tanh csch sech coth asinh acosh atanh acsch asech acoth exp"
).split()


def _numeric(name: str) -> Callable[..., Ball]:
    function: Callable[..., Ball] = getattr(inverses if name.startswith("a") else numerics, name)
    return function


OPERATORS: dict[str, Operator] = {
    **{
        name: Operator(name, 1, name, _UNARY_LATEX.get(name, rf"\operatorname{{{name}}}"), _numeric(name))
        for name in _UNARY
    },
    "Add": Operator("Add", 2, "+", "+", numerics.add),
    "Mul": Operator("Mul", 2, "*", r"\times", numerics.multiply),
    "Pow": Operator("Pow", 2, "^", "^", numerics.power),
    "log": Operator("log", 2, "log", r"\log", numerics.log),
}

OPERATOR_NAMES = tuple(OPERATORS)
ARITY: dict[str, int] = {EQUALITY: 2, **{name: op.arity for name, op in OPERATORS.items()}}
"""Number of children of every word that has any; leaves are not listed (``ARITY.get(word, 0)``)."""

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e}
CONSTANT_LATEX: dict[str, str] = {"pi": r"\pi", "e": "e", BLANK: r"\square"}

GREEK: dict[str, str] = dict(
    zip(
        "αβγδεζηθικλμνξρστυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi "
        "psi omega".split(),
        strict=True,
    )
)
_GREEK_NAMES = frozenset(GREEK.values())

FUNCTIONS: dict[str, str] = {
    **{name: name for name in _UNARY},
    **{f"arc{name}": f"a{name}" for name in _UNARY[:6]},
    **{f"ar{name}": f"a{name}" for name in _UNARY[12:18]},
    **{f"arc{name}": f"a{name}" for name in _UNARY[12:18]},
    **{"cosec": "csc", "tg": "tan", "ctg": "cot", "log": "log", "ln": "ln", "sqrt": "sqrt"},
}
"""What may be written before an argument, and the operator meant; `ln` and `sqrt` stand for log and Pow."""

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_RATIONAL = re.compile(r"(-?[1-9][0-9]*)/([1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])")
_VARIABLE = re.compile(r"([A-Za-z]|var|[a-z]{2,7})(?:_?[0-9]+|_[A-Za-z])?")
_LONGEST_EXACT = 4000  # digits: Python refuses to convert much longer texts to integers


class VocabularyError(ValueError):
    """A word that is no operator and no leaf."""


def is_variable(word: str) -> bool:
    """Whether the word names a variable: a letter or Greek name, with an index if wanted (x, x1, x_1, theta).

    ``e`` is a constant, and ``i`` and ``I`` are kept from being mistaken for the imaginary unit.
    """
    match = _VARIABLE.fullmatch(word)
    if match is None or word in ("e", "i", "I"):
        return False
    stem = match[1]
    return len(stem) == 1 or stem in _GREEK_NAMES or (stem == "var" and word != stem)


def is_integer(word: str) -> bool:
    return _INTEGER.fullmatch(word) is not None


def is_number(word: str) -> bool:
    """Whether the word is a number in canonical form: an integer, a reduced fraction or a decimal."""
    if _INTEGER.fullmatch(word) or _DECIMAL.fullmatch(word):
        return word != "-0.0"
    match = _RATIONAL.fullmatch(word)
    return match is not None and rational(match[1], match[2]) == word


def is_leaf(word: str) -> bool:
    return word in CONSTANTS or is_number(word) or is_variable(word)


def rational(numerator: str, denominator: str) -> str | None:
    """The word of a fraction of two integer words, or None where it is not one in lowest terms."""
    if max(len(numerator), len(denominator)) > _LONGEST_EXACT:
        return None
    p, q = int(numerator), int(denominator)
    return f"{p}/{q}" if p != 0 and q > 1 and math.gcd(p, q) == 1 else None


def number_word(text: str) -> str:
    """The canonical word of an unsigned number as typed: ``007`` is ``7``, ``.50`` is ``0.5``."""
    whole, dot, decimals = text.partition(".")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{decimals.rstrip('0') or '0'}" if dot else whole


def negated(number: str) -> str:
    """The word of minus the number."""
    if number in ("0", "0.0"):
        return number
    return number[1:] if number.startswith("-") else f"-{number}"


@lru_cache(maxsize=65536)
def leaf_ball(word: str) -> tuple[float, float]:
    """Value of a number or constant as a float, and a bound on the rounding in it."""
    if word in CONSTANTS:
        return CONSTANTS[word], numerics.UNIT
    if _RATIONAL.fullmatch(word):
        p, q = word.split("/")
        try:
            value = int(p) / int(q)
        except OverflowError:
            return math.inf, math.inf
    else:
        value = float(word)
    if abs(value) < numerics.TINY and word.strip("-0."):
        return math.nan, math.inf
    if math.isfinite(value) and len(word) <= _LONGEST_EXACT and Fraction(word) == Fraction(value):
        return value, 0.0
    return value, abs(value) * numerics.UNIT


def check_leaf(word: str) -> str:
    """The word itself, or an error that says what a leaf may be."""
    if not is_leaf(word):
        raise VocabularyError(
            f"{word!r} is not a leaf: expected a variable (a letter, or x_1, x1, theta), a number (3, -1, 1/2 in "
            f"lowest terms, 0.7) or a constant ({', '.join(CONSTANTS)})"
        )
    return word


def suggest(name: str) -> str | None:
    """The function or constant whose name is nearest to an unknown one."""
    known = [*FUNCTIONS, *CONSTANTS]
    lowered = name.lower()
    if lowered in known:
        return lowered
    longer = [word for word in sorted(known, key=len, reverse=True) if len(word) > 2 and lowered.startswith(word)]
    if longer:
        return longer[0]
    near = difflib.get_close_matches(lowered, known, n=1, cutoff=0.6)
    return near[0] if near else None
