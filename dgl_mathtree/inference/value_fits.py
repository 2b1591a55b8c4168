"""Expressions found by their values: which sums, products and multiples of some terms are equal to a given function?

The function is known at a few points. Terms are compared with it up to a constant, and sums ``a + b*p + c*q`` and
products ``a * p^b * q^c`` of two or three terms are fitted to it for all choices at once. A fit counts if its numbers
are short. The oracle decides afterwards whether what was found is equal everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.number_forms import coefficient_of, nearest_fraction, number_forms
from dgl_mathtree.language import Expr
from dgl_mathtree.language.plain_terms import ONE, over, plus, raised, times

Array = NDArray[np.float64]
CLOSE = 1e-9
"""The largest distance, relative to the values, of a fit from what it is fitted to."""
PAIRED, TRIPLED = 40, 14
"""Terms that are tried in pairs, and in threes."""
MOST_FITS = 60
"""Fits of a kind that are kept."""
HALF = Expr.leaf("1/2")


def scaled_terms(target: Array, terms: Sequence[Expr], values: Array) -> Iterator[Expr]:
    """Terms that are the target up to a number: ``c*p``, ``c + p``, ``c - p``, ``c/p`` and ``c*sqrt(p)``.

    Parameters
    ----------
    target : numpy.ndarray
        (points,)
    terms : sequence of Expr
        What it may be made of.
    values : numpy.ndarray
        (terms, points), NaN where a term is not defined.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> x = np.array([0.3, 0.5, 1.1])
    >>> terms = [parse_expression("x"), parse_expression("x^2")]
    >>> [str(e) for e in scaled_terms(7 * x**2, terms, np.stack([x, x**2]))]
    ['7*x^2']
    """
    with np.errstate(all="ignore"):
        kinds = (
            (target / values, lambda c, p: times(c, p)),
            (target - values, lambda c, p: plus(p, c)),
            (target + values, lambda c, p: plus(c, times(Expr.leaf("-1"), p))),
            (target * values, lambda c, p: over(c, p)),
            (np.sign(target) * np.sqrt(target**2 / values), _root),
        )
    plain = False
    for ratios, made in kinds:
        if made is _root and plain:  # 2*sqrt(x^2) beside 2*x
            return
        for k in np.flatnonzero(_constant(ratios))[:MOST_FITS].tolist():
            number = coefficient_of(float(ratios[k].mean()))
            if number is not None and number.word != "0" and not (made is _root and is_square(terms[k])):
                plain = True
                yield made(number, terms[k])


def _root(number: Expr, term: Expr) -> Expr:
    return times(number, raised(term, HALF))


def is_square(term: Expr) -> bool:
    """Whether a term is an even power, or a product of such: its root is an absolute value."""
    if term.word == "Mul":
        return all(is_square(child) for child in term.children)
    word = term.words[-1]
    return term.word == "Pow" and len(term.children[1]) == 1 and word.lstrip("-").isdigit() and int(word) % 2 == 0


def _constant(rows: Array) -> NDArray[np.bool_]:
    """Which rows have one value throughout."""
    with np.errstate(all="ignore"):
        middle = rows.mean(axis=1)
        return np.asarray(np.abs(rows - middle[:, None]).max(axis=1) <= CLOSE * np.maximum(1e-3, np.abs(middle)))


def sums_of_terms(target: Array, terms: Sequence[Expr], values: Array) -> Iterator[Expr]:
    """Sums of multiples of two or three terms, and a number, that are the target.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> x = np.linspace(0.3, 0.9, 8)
    >>> terms = [parse_expression("x"), parse_expression("x^2")]
    >>> [str(e) for e in sums_of_terms(4 * x**2 - x + 3, terms, np.stack([x, x**2]))]
    ['4*x^2 - x + 3']
    """
    for chosen, numbers in _fitted(target, values):
        coefficients = [_short(number) for number in numbers[1:]]
        rest = _short_constant(numbers[0])
        if rest is None or any(c is None or c.word == "0" for c in coefficients):
            continue
        parts = [times(c, terms[k]) for c, k in zip(coefficients, chosen, strict=True) if c is not None]
        parts.sort(key=lambda part: (part.words[:2] == ("Mul", "-1"), -len(part)))
        yield reduce(plus, [*parts, rest] if rest.word != "0" else parts)


def products_of_terms(target: Array, terms: Sequence[Expr], values: Array) -> Iterator[Expr]:
    """Products of powers of two or three terms, and a number, that are the target."""
    if (target > 0).all() or (target < 0).all():
        sign = 1.0 if target[0] > 0 else -1.0
    else:
        return
    with np.errstate(all="ignore"):
        logarithms = np.log(np.abs(values))
        wanted = np.log(np.abs(target))
    plain: list[Expr] = []
    rooted: list[Expr] = []
    for chosen, numbers in _fitted(wanted, logarithms):
        powers = [nearest_fraction(float(number), 2, 6) for number in numbers[1:]]
        factor = coefficient_of(sign * float(np.exp(numbers[0])))
        if factor is None or any(power is None or power.word == "0" for power in powers):
            continue
        pairs = [(terms[k], power) for k, power in zip(chosen, powers, strict=True) if power is not None]
        roots = any("/" in power.word for _, power in pairs)
        (rooted if roots else plain).append(times(factor, _quotient([raised(*pair) for pair in pairs])))
    yield from plain or rooted


def _quotient(parts: Sequence[Expr]) -> Expr:
    """The product of some factors, with those that are reciprocals in one denominator."""
    inverse = [p for p in parts if p.word == "Pow" and p.words[-1] == "-1"]
    above = reduce(times, [p for p in parts if p not in inverse], ONE)
    below = reduce(times, [over(ONE, p) for p in inverse], ONE)
    return over(above, below)


def linear_fit(target: Array, terms: Sequence[Expr], values: Array) -> Iterator[Expr]:
    """The sum of multiples of all terms, and a number, that is the target, if there is one."""
    if not len(terms) or len(terms) >= len(target):
        return
    matrix = np.concatenate([np.ones((1, len(target))), values]).T
    numbers, _, rank, _ = np.linalg.lstsq(matrix, target, rcond=None)
    if rank < matrix.shape[1] or np.abs(matrix @ numbers - target).max() > CLOSE * max(1.0, np.abs(target).max()):
        return
    coefficients = [nearest_fraction(float(number), 12, 60) for number in numbers[1:]]
    if any(c is None for c in coefficients):
        return
    parts = [times(c, term) for c, term in zip(coefficients, terms, strict=True) if c is not None and c.word != "0"]
    for rest in number_forms(float(numbers[0])):
        given = [*parts, rest] if rest.word != "0" else parts
        yield reduce(plus, given) if given else rest


def _fitted(target: Array, values: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Choices of two or three rows, and the numbers with which these and a constant add up to the target."""
    usable = np.flatnonzero(np.isfinite(values).all(axis=1) & ~_constant(values))
    for size, most in ((2, PAIRED), (3, TRIPLED)):
        choices = np.array(list(combinations(usable[:most].tolist(), size)), dtype=np.int64).reshape(-1, size)
        if not len(choices) or len(target) < size + 3:
            continue
        matrix = np.ones((len(choices), len(target), size + 1))
        matrix[:, :, 1:] = values[choices].transpose(0, 2, 1)
        numbers = _solved(matrix, target)
        gap = np.abs((matrix @ numbers[:, :, None])[:, :, 0] - target).max(axis=1)
        with np.errstate(invalid="ignore"):
            good = np.flatnonzero(gap <= CLOSE * max(1.0, float(np.abs(target).max())))
        for k in good[:MOST_FITS].tolist():
            yield tuple(choices[k].tolist()), numbers[k]


def _solved(matrix: Any, target: Array) -> Array:
    """(choices, size) least squares by the normal equations' QR decomposition; NaN where columns are dependent."""
    q, r = np.linalg.qr(matrix)
    diagonal = np.abs(np.diagonal(r, axis1=1, axis2=2))
    dependent = diagonal.min(axis=1) < 1e-7 * diagonal.max(axis=1)
    r[dependent] = np.eye(r.shape[1])
    numbers: Array = np.linalg.solve(r, (q.transpose(0, 2, 1) @ target)[:, :, None])[:, :, 0]
    numbers[dependent] = np.nan
    return numbers


def _short(number: float) -> Expr | None:
    return nearest_fraction(float(number), 24, 400)


def _short_constant(number: float) -> Expr | None:
    return nearest_fraction(float(number), 24, 1000) or coefficient_of(float(number))
