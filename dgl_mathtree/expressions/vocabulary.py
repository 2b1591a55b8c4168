"""The words of an expression: operators and leaves, their names, arities, LaTeX and numeric functions.

A word is a string. `OPERATORS` holds the 25 unary and 4 binary operators (and `EQUALITY` stands at the root of
an equation); every other word is a leaf: a variable (``x``, ``x_1``, ``theta``), a number in canonical form (``3``,
``-1``, ``1/2``, ``0.7``) or a constant (``pi``, ``e``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from dgl_mathtree.expressions import inverses, numerics
from dgl_mathtree.expressions.float_mode import trusted_floats
from dgl_mathtree.expressions.numerics import Ball


@dataclass(frozen=True)
class Operator:
    """An operator: all that is known of it.

    Parameters
    ----------
    name : str
        Its name, which is also its word.
    code : int
        Its number in canonical forms, and so in what tells equations apart: fixed for ever, never used again.
    arity : int
        How many arguments it takes, 1 or 2.
    evaluate : callable
        What it computes, on balls.
    symbol, latex : str, optional
        How it is written in plain text and in LaTeX (by default its name).
    aliases : tuple of str
        Other names that are read as this one.
    sympy : str, optional
        Its name in SymPy (by default its name).
    commutative : bool
        Whether its two arguments may trade places (such operators are associative as well).
    verb : str, optional
        What applying it to both sides of an equation is called; None where that is not done.
    parity : str, optional
        ``"even"`` or ``"odd"``, for a function of one argument that is.
    inverse, cofunction : str, optional
        The operators that undo it (on its principal branch) and that give its value at π/2 less the argument.

    Examples
    --------
    >>> OPERATORS["sin"].parity, OPERATORS["sin"].inverse, OPERATORS["Add"].verb
    ('odd', 'asin', 'add')
    """

    name: str
    code: int
    arity: int
    evaluate: Callable[..., Ball]
    symbol: str = ""
    latex: str = ""
    aliases: tuple[str, ...] = ()
    sympy: str = ""
    commutative: bool = False
    verb: str | None = None
    parity: Literal["even", "odd"] | None = None
    inverse: str | None = None
    cofunction: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbol", self.symbol or self.name)
        object.__setattr__(self, "latex", self.latex or rf"\operatorname{{{self.name}}}")
        object.__setattr__(self, "sympy", self.sympy or self.name)

    @property
    def both_sides(self) -> bool:
        """Whether it may be applied to both sides of an equation."""
        return self.verb is not None


EQUALITY = "Equality"
EQUALITY_CODE = 1
BLANK = "?"
"""Stands for a missing expression where an equation is to be completed; no other equation has it."""

_OPERATORS = (
    Operator("sin", 2, 1, numerics.sin, latex=r"\sin", parity="odd", inverse="asin", cofunction="cos"),
    Operator("cos", 3, 1, numerics.cos, latex=r"\cos", parity="even", inverse="acos", cofunction="sin"),
    Operator("tan", 4, 1, numerics.tan, "", r"\tan", ("tg",), parity="odd", inverse="atan", cofunction="cot"),
    Operator("csc", 5, 1, numerics.csc, "", r"\csc", ("cosec",), parity="odd", inverse="acsc", cofunction="sec"),
    Operator("sec", 6, 1, numerics.sec, latex=r"\sec", parity="even", inverse="asec", cofunction="csc"),
    Operator("cot", 7, 1, numerics.cot, "", r"\cot", ("ctg",), parity="odd", inverse="acot", cofunction="tan"),
    Operator("asin", 8, 1, inverses.asin, "", r"\arcsin", ("arcsin",), parity="odd", inverse="sin"),
    Operator("acos", 9, 1, inverses.acos, "", r"\arccos", ("arccos",), inverse="cos"),
    Operator("atan", 10, 1, inverses.atan, "", r"\arctan", ("arctan",), parity="odd", inverse="tan"),
    Operator("acsc", 11, 1, inverses.acsc, aliases=("arccsc",), parity="odd", inverse="csc"),
    Operator("asec", 12, 1, inverses.asec, aliases=("arcsec",), inverse="sec"),
    Operator("acot", 13, 1, inverses.acot, aliases=("arccot",), parity="odd", inverse="cot"),
    Operator("sinh", 14, 1, numerics.sinh, latex=r"\sinh", parity="odd", inverse="asinh"),
    Operator("cosh", 15, 1, numerics.cosh, latex=r"\cosh", parity="even", inverse="acosh"),
    Operator("tanh", 16, 1, numerics.tanh, latex=r"\tanh", parity="odd", inverse="atanh"),
    Operator("csch", 17, 1, numerics.csch, parity="odd", inverse="acsch"),
    Operator("sech", 18, 1, numerics.sech, parity="even", inverse="asech"),
    Operator("coth", 19, 1, numerics.coth, latex=r"\coth", parity="odd", inverse="acoth"),
    Operator("asinh", 20, 1, inverses.asinh, aliases=("arsinh", "arcsinh"), parity="odd", inverse="sinh"),
    Operator("acosh", 21, 1, inverses.acosh, aliases=("arcosh", "arccosh"), inverse="cosh"),
    Operator("atanh", 22, 1, inverses.atanh, aliases=("artanh", "arctanh"), parity="odd", inverse="tanh"),
    Operator("acsch", 23, 1, inverses.acsch, aliases=("arcsch", "arccsch"), parity="odd", inverse="csch"),
    Operator("asech", 24, 1, inverses.asech, aliases=("arsech", "arcsech"), inverse="sech"),
    Operator("acoth", 25, 1, inverses.acoth, aliases=("arcoth", "arccoth"), parity="odd", inverse="coth"),
    Operator("exp", 26, 1, numerics.exp, latex=r"\exp"),
    Operator("Add", 27, 2, numerics.add, "+", "+", commutative=True, verb="add"),
    Operator("Mul", 28, 2, numerics.multiply, "*", r"\times", commutative=True, verb="multiply by"),
    Operator("Pow", 29, 2, numerics.power, "^", "^", verb="raise to"),
    Operator("log", 30, 2, numerics.log, latex=r"\log"),
)
OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _OPERATORS}
CODES: dict[str, int] = {EQUALITY: EQUALITY_CODE, **{operator.name: operator.code for operator in _OPERATORS}}
COMMUTATIVE = frozenset(operator.name for operator in _OPERATORS if operator.commutative)

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
    **{name: op.name for op in _OPERATORS if op.arity == 1 for name in (op.name, *op.aliases)},
}
"""What may be written before an argument, and the operator meant; `ln`, `sqrt` and `abs` stand for log and Pow."""

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_RATIONAL = re.compile(r"(-?[1-9][0-9]*)/([1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])")
_VARIABLE = re.compile(r"([A-Za-z]|var|[a-z]{2,7})(?:_?[0-9]+|_[A-Za-z])?")
_LONGEST_EXACT = 4000  # digits: Python refuses to convert much longer texts to integers


class VocabularyError(ValueError):
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
    with trusted_floats():  # what is kept here serves all threads
        return value, abs(value) * numerics.UNIT


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
