"""The words of an expression: operators and leaves.

A word is a string. `OPERATORS` holds the unary and binary operators, a row each, and `EQUALITY` stands at the root of
an equation; every other word is a leaf: a variable (``x``, ``x_1``, ``theta``), a number in canonical form (``3``,
``-1``, ``1/2``, ``0.7``) or a constant (``pi``, ``e``).
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache

from dgl_mathtree.arithmetic import float_balls
from dgl_mathtree.arithmetic.float_mode import trusted_floats
from dgl_mathtree.arithmetic.operators import OPERATORS as OPERATORS
from dgl_mathtree.errors import InputError

EQUALITY = "Equality"
EQUALITY_CODE = 1
BLANK = "?"
"""Stands for a missing expression where an equation is to be completed; no other equation has it."""

CODES: dict[str, int] = {EQUALITY: EQUALITY_CODE, **{operator.name: operator.code for operator in OPERATORS.values()}}
COMMUTATIVE = frozenset(operator.name for operator in OPERATORS.values() if operator.commutative)

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
    **{"log": "log", "ln": "ln", "sqrt": "sqrt", "abs": "abs"},
    **{name: op.name for op in OPERATORS.values() if op.arity == 1 for name in (op.name, *op.aliases)},
}
"""What may be written before an argument, and the operator meant; `ln`, `sqrt` and `abs` stand for log and Pow."""

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_RATIONAL = re.compile(r"(-?[1-9][0-9]*)/([1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])")
_VARIABLE = re.compile(r"([A-Za-z]|var|[a-z]{2,7})(?:_?[0-9]+|_[A-Za-z])?")
_LONGEST_EXACT = 4000  # digits: Python refuses to convert much longer texts to integers


class VocabularyError(InputError):
    """A word that is no operator and no leaf."""


@lru_cache(maxsize=65536)
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
        return CONSTANTS[word], float_balls.UNIT
    if _RATIONAL.fullmatch(word):
        p, q = word.split("/")
        try:
            value = int(p) / int(q)
        except OverflowError:
            return math.inf, math.inf
    else:
        value = float(word)
    if abs(value) < float_balls.TINY and word.strip("-0."):
        return math.nan, math.inf
    if math.isfinite(value) and len(word) <= _LONGEST_EXACT and Fraction(word) == Fraction(value):
        return value, 0.0
    with trusted_floats():  # what is kept here serves all threads
        return value, abs(value) * float_balls.UNIT


def check_leaf(word: str) -> str:
    """The word itself, or an error that says what a leaf may be."""
    if not is_leaf(word):
        raise VocabularyError(
            f"{word!r} is not a leaf: expected a variable (a letter, or x_1, x1, theta), a number (3, -1, 1/2 in "
            f"lowest terms, 0.7) or a constant ({', '.join(CONSTANTS)})"
        )
    return word


_LONG_NAMES = {
    **{"sine": "sin", "cosine": "cos", "tangent": "tan", "secant": "sec", "cosecant": "csc", "cotangent": "cot"},
    **{"logarithm": "log", "exponential": "exp", "root": "sqrt", "squareroot": "sqrt", "absolute": "abs"},
}
_COMMANDS = ("frac", "dfrac", "tfrac", "cdot", "times", "left", "right", "square", "operatorname")
_SUGGESTED = {
    "function": (*FUNCTIONS,),
    "name": (*CONSTANTS, *GREEK.values()),
    "command": (*FUNCTIONS, *CONSTANTS, *GREEK.values(), *_COMMANDS),
}


def suggest(name: str, kind: str = "function") -> str | None:
    """The name that an unknown one was meant for, if there is one of its kind (function, name, command) close to it.

    Examples
    --------
    >>> suggest("cosin"), suggest("sinx", "name"), suggest("epsilom", "command"), suggest("min")
    ('cos', 'sin(x)', 'epsilon', None)
    """
    known, lowered = _SUGGESTED[kind], name.lower()
    if lowered in known:
        return lowered
    if lowered in _LONG_NAMES:
        return _LONG_NAMES[lowered]
    starts = [word for word in FUNCTIONS if len(word) > 2 and lowered.startswith(word)]
    if starts:
        word = max(starts, key=len)
        rest = name[len(word) :]
        if kind == "name" and is_variable(rest):
            return f"{word}({rest})"
        if kind == "function" and len(rest) <= 3:
            return word
    allowed = 0 if len(name) < 3 else 1 if len(name) < 7 else 2
    alike = [word for word in known if word[0] == lowered[:1] and 1 < len(word) >= len(name) - allowed]
    near = [(_edits(lowered, word), word) for word in alike]
    edits, word = min(near, default=(allowed + 1, ""))
    return word if edits <= allowed else None


def _edits(a: str, b: str) -> int:
    """How many letters must be put in, left out, changed, or traded with the next to turn one word into another."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1]
