"""Floating point, ball arithmetic and mpmath on random equations: no two may contradict each other."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.variable_indices import place, place_word
from dgl_mathtree.language.vocabulary import ARITY, OPERATORS
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.compare import Code, Comparison
from dgl_mathtree.oracle.point_samples import look
from dgl_mathtree.oracle.points import Points
from tests.language.strategies import UNARY

LEAVES = "x x x y y 0 1 2 3 -1 1/2 0.7 pi e".split()
BINARY = "Add Add Mul Mul Pow log".split()
DIGITS = 80
LEAST = mpmath.mpf(10) ** -30
COLUMNS = 3


def grow(rng: random.Random, depth: int) -> tuple[str, ...]:
    if depth == 0 or rng.random() < 0.15:
        return (rng.choice(LEAVES),)
    if rng.random() < 0.4:
        return rng.choice(UNARY), *grow(rng, depth - 1)
    return rng.choice(BINARY), *grow(rng, depth - 1), *grow(rng, depth - 1)


def equation(rng: random.Random) -> Equation:
    """Two random sides, or two that are equal but for how they are written, or nearly so."""
    left = grow(rng, rng.randint(1, 4))
    kind = rng.randrange(4)
    if kind == 0:
        right = grow(rng, rng.randint(1, 4))
    elif kind == 1:
        right = ("Add", *left, "sin", "Mul", "0", "x")
    elif kind == 2:
        right = ("Mul", *left, "Add", "Pow", "sin", "y", "2", "Pow", "cos", "y", "2")
    else:
        right = ("Add", *left, "Mul", rng.choice(["1", "2", "0.7"]), "Pow", "x", "2")
    return Equation(Expr(left), Expr(right))


class NotReal(Exception):
    """There is no finite real value."""


class TooFar(Exception):
    """So large or so small, but not 0, that digits may have been lost: what ought to be a pole or 0, it may be."""


def _real(value: Any) -> mpmath.mpf:
    if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
        raise NotReal
    return value


def _apply(word: str, arguments: list[mpmath.mpf]) -> mpmath.mpf:
    special: dict[str, Callable[..., Any]] = {
        "Add": lambda a, b: a + b,
        "Mul": lambda a, b: a * b,
        "Pow": lambda a, b: mpmath.mpf(1) if b == 0 else mpmath.power(a, b),
        "log": lambda a, b: _real(mpmath.log(a)) / _real(mpmath.log(b)),
    }
    try:
        return _real(special.get(word, getattr(mpmath, word, None))(*arguments))
    except (ZeroDivisionError, ValueError, OverflowError):
        raise NotReal from None


def by_mpmath(words: tuple[str, ...], point: dict[str, float]) -> mpmath.mpf:
    """The value of an expression with 80 digits."""
    stack: list[mpmath.mpf] = []
    for word in reversed(words):
        if word in OPERATORS:
            stack.append(_apply(word, [stack.pop() for _ in range(ARITY[word])]))
        elif word in point:
            stack.append(mpmath.mpf(point[word]))
        elif word in ("pi", "e"):
            stack.append(+getattr(mpmath, word))
        else:
            p, _, q = word.partition("/")
            stack.append(mpmath.mpf(p) / mpmath.mpf(q or 1))
        if stack[-1] != 0 and not LEAST < abs(stack[-1]) < 1 / LEAST:
            raise TooFar
    return stack[0]


def relative_gap(words: tuple[tuple[str, ...], tuple[str, ...]], point: dict[str, float]) -> mpmath.mpf:
    """How far two sides are apart, relative to the larger."""
    with mpmath.workdps(DIGITS):
        left, right = (by_mpmath(side, point) for side in words)
        size = max(abs(left), abs(right))
        return abs(left - right) / size if size else size


def contradiction(floating: Code, ball: Comparison, words: Any, point: dict[str, float]) -> str | None:
    """What does not fit in what the three say of an equation at a point.

    Floating point takes sides for equal within 1e-11, balls within 1e-30; what they call different they must not be
    wrong about at all. Next to the edge of a domain mpmath cannot tell whether a value is real: there two outvote it.
    """
    real = (Code.EQUAL, Code.DIFFERENT)
    try:
        gap = relative_gap(words, point)
    except TooFar:
        return None
    except NotReal:
        parted = (floating in real) != (ball.code in real) and Code.OPEN not in (floating, ball.code)
        return "mpmath: not real" if parted else None
    if Code.UNDEFINED in (floating, ball.code):
        return f"mpmath: apart by {gap}"
    limits = {Code.EQUAL: (0, {"float": 2e-11, "ball": 1e-29}), Code.DIFFERENT: (1e-45, {"float": 3, "ball": 3})}
    for name, code in (("float", floating), ("ball", ball.code)):
        if code in limits and not limits[code][0] <= gap <= limits[code][1][name]:
            return f"{name} is wrong: apart by {gap}"
    return None


def disagreements(count: int, seed: int) -> tuple[list[str], dict[Code, int]]:
    """Where two of the three contradict each other on random equations at points of the first round."""
    rng = random.Random(seed)
    some = [equation(rng) for _ in range(count)]
    placed = place(some)
    points = {place_word(k): Points(seed).round(0, k) for k in range(2)}
    found, _ = look(placed.forest, np.arange(count), points)
    wrong, seen = [], dict.fromkeys(Code, 0)
    for k in range(count):
        words = placed.forest.equation(k).left.words, placed.forest.equation(k).right.words
        for column in rng.sample(range(48), COLUMNS if placed.names[k] else 1):
            floating, ball = Code(found.codes[k, column]), found.comparer.compare(k, column)
            point = {place_word(p): float(points[place_word(p)][column]) for p in range(len(placed.names[k]))}
            problem = contradiction(floating, ball, words, point)
            seen[ball.code] += 1
            if problem is not None:
                wrong.append(f"{some[k]} at {point}: float {floating.name}, ball {ball.code.name}: {problem}")
    return wrong, seen


def assert_agreement(count: int, seed: int) -> None:
    wrong, seen = disagreements(count, seed)
    assert not wrong, "\n".join(wrong[:10])
    assert min(seen[Code.EQUAL], seen[Code.DIFFERENT], seen[Code.UNDEFINED]) > count / 10


def test_float_balls_and_mpmath_agree_at_points() -> None:
    assert_agreement(120, seed=1)


@pytest.mark.slow
def test_float_balls_and_mpmath_agree_at_points_of_many_equations() -> None:
    assert_agreement(20_000, seed=2)


@pytest.mark.parametrize("count", [150, pytest.param(20_000, marks=pytest.mark.slow)])
def test_verdicts_with_and_without_certificate_agree(count: int) -> None:
    rng = random.Random(3)
    some = [equation(rng) for _ in range(count)]
    plain = Oracle(0, complex_plane=False).judge(some)
    certified = Oracle(0, complex_plane=False, certify=True).judge(some)
    other = Oracle(9, complex_plane=False).judge(some)
    assert [j.verdict for j in plain] == [j.verdict for j in certified]
    changed = [str(e) for e, a, b in zip(some, plain, other, strict=True) if a.verdict != b.verdict]
    assert len(changed) <= count // 100, changed
