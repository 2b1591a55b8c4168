"""Sums, products and powers written as a person would write them: `2*x` for `x + x`, `x/2`, `1 - x`, no `x*1`.

Each function takes expressions and gives the one that the parser would read from the shortest usual text. The same
parts are put together again and again, so that what is known of them is kept.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from dgl_mathtree.language import Expr, readable
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.printers import Readable
from dgl_mathtree.language.vocabulary import is_number

Number = int | Fraction
"""A whole number is an int here: most are, and those are faster."""

ONE, TWO, MINUS_ONE = Expr.leaf("1"), Expr.leaf("2"), Expr.leaf("-1")
_TOKEN = re.compile(r"[A-Za-z0-9_.]+|\S")
_LONGEST = 20  # characters of a number that is reckoned with: nobody would write the product of longer ones
_DEEPEST = 100  # words of an expression whose length is that of its parts, each found by itself
_KEPT = 1 << 15


def length(expression: Expr) -> int:
    """How long an expression is to read: the names, numbers and signs of its text.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [length(parse_expression(text)) for text in ("x/2", "(1/2)*x", "sqrt(x)")]
    [3, 7, 4]
    """
    if len(expression.words) > _DEEPEST:
        return _signs(readable(expression))
    return _length(expression.words)[0]


@lru_cache(maxsize=_KEPT)
def _length(words: Words) -> tuple[int, int]:
    """The length of an expression, the sum of its parts', and how tightly it binds."""
    printer = Readable(Expr._trusted(words))
    total = 0
    for piece in printer.pieces(0):
        if isinstance(piece, str):
            total += _signs(piece)
        else:
            at, context = piece
            inner, binding = _length(words[at : printer.ends[at]])
            total += inner + 2 * (binding < context)  # brackets
    return total, printer.binding(0)


@lru_cache(maxsize=_KEPT)
def _signs(text: str) -> int:
    return len(_TOKEN.findall(text))


def plus(a: Expr, b: Expr) -> Expr:
    """a + b.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [str(plus(*map(parse_expression, pair))) for pair in (("x", "x"), ("-x", "1"), ("x", "-2*y"))]
    ['2*x', '1 - x', 'x - 2*y']
    """
    (m, s), (n, t) = _split(a), _split(b)
    if s == t:
        return _join(m + n, s)
    if m == 0 or n == 0:
        return b if m == 0 else a
    if m < 0 < n:
        (m, s), (n, t) = (n, t), (m, s)
    second = _join(n if n > 0 else -n, t)
    return _apply("Add", _join(m, s), second if n > 0 else _apply("Mul", MINUS_ONE, second))


def minus(a: Expr, b: Expr) -> Expr:
    """a - b."""
    n, t = _split(b)
    return plus(a, _join(-n, t))


def times(a: Expr, b: Expr) -> Expr:
    """a * b.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [str(times(*map(parse_expression, pair))) for pair in (("2", "x/2"), ("x", "x"), ("x", "1/y"))]
    ['x', 'x^2', 'x/y']
    """
    (m, s), (n, t) = _split(a), _split(b)
    if s is None or t is None:
        return _join(m * n, s or t)
    if s == t:
        return _join(m * n, _apply("Pow", s, TWO))
    if _is_reciprocal(s) and not _is_reciprocal(t):
        s, t = t, s
    return _join(m * n, _apply("Mul", s, t))


def over(a: Expr, b: Expr) -> Expr:
    """a / b; by 0 it is left as it is."""
    (m, s), (n, t) = _split(a), _split(b)
    if n == 0:
        return _apply("Mul", a, _apply("Pow", b, MINUS_ONE))
    ratio = m if n == 1 else Fraction(m, n)
    if s == t:
        return _join(ratio, None)
    if t is None or _is_reciprocal(t):
        return times(_join(ratio, s), ONE if t is None else Expr._trusted(t.words[1:-1]))
    below = _apply("Pow", t, MINUS_ONE)
    return _join(ratio, below if s is None else _apply("Mul", s, below))


def raised(a: Expr, exponent: Expr) -> Expr:
    """a ^ exponent.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [str(raised(*map(parse_expression, pair))) for pair in (("x^2", "2"), ("x", "-1"), ("3", "2"), ("2", "1/2"))]
    ['x^4', '1/x', '9', 'sqrt(2)']
    """
    n, rest = _split(exponent)
    if rest is not None or n in (0, 1):
        return a if rest is None and n == 1 else _apply("Pow", a, exponent)
    if n == -1:
        return over(ONE, a)
    m, s = _split(a)
    if s is None and n.denominator == 1 and m != 0 and -4 <= n <= 4:
        return _join(Fraction(m) ** n.numerator, None)
    if a.words[0] == "Pow" and n.denominator == 1:
        base, inner = a.children
        k, unknown = _split(inner)
        if unknown is None and k.denominator == 1:
            return raised(base, _join(k * n, None))
    return _apply("Pow", a, exponent)


def _split(expression: Expr) -> tuple[Number, Expr | None]:
    """A number and what it is multiplied with; nothing for a number by itself."""
    return _split_words(expression.words)


@lru_cache(maxsize=_KEPT)
def _split_words(words: Words) -> tuple[Number, Expr | None]:
    expression = Expr._trusted(words)
    if len(words) == 1:
        return (_number(words[0]), None) if _is_exact(words[0]) else (1, expression)
    if words[0] == "Mul" and _is_exact(words[1]):
        n, rest = _split_words(words[2:])
        return n * _number(words[1]), rest
    if words[0] == "Mul" and words[-3] == "Pow" and words[-1] == "-1" and _is_exact(words[-2]) and words[-2] != "0":
        first, second = expression.children
        if second.words[0] == "Pow" and len(second) == 3:
            n, rest = _split_words(first.words)
            return Fraction(n, _number(words[-2])), rest
    return 1, expression


def _join(number: Number, rest: Expr | None) -> Expr:
    """The number times the rest."""
    if rest is None or number == 0:
        return Expr._trusted((str(number),))
    above, below = number.numerator, number.denominator
    if _is_reciprocal(rest):
        under = _join(below, Expr._trusted(rest.words[1:-1]))
        return _apply("Mul", _join(above, None), _apply("Pow", under, MINUS_ONE))
    if below != 1 and rest.words[0] == "Mul" and _is_reciprocal(rest.children[1]):
        first, second = rest.children  # s/t over n is s/(n*t)
        under = _join(below, Expr._trusted(second.words[1:-1]))
        rest = _apply("Mul", first, _apply("Pow", under, MINUS_ONE))
    elif below != 1:
        rest = _apply("Mul", rest, _apply("Pow", _join(below, None), MINUS_ONE))
    return rest if above == 1 else _apply("Mul", _join(above, None), rest)


def _apply(operator: str, a: Expr, b: Expr) -> Expr:
    return Expr._trusted((operator, *a.words, *b.words))


@lru_cache(maxsize=_KEPT)
def _is_exact(word: str) -> bool:
    return is_number(word) and "." not in word and len(word) <= _LONGEST


@lru_cache(maxsize=_KEPT)
def _number(word: str) -> Number:
    found = Fraction(word)
    return found.numerator if found.denominator == 1 else found


def _is_reciprocal(expression: Expr) -> bool:
    words = expression.words
    return words[0] == "Pow" and words[-1] == "-1" and expression._at(1)[1] == len(words) - 1
