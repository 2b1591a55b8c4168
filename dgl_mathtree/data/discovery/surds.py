"""Numbers c*sqrt(n), and identities of roots and of circular functions at rational multiples of pi."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from dgl_mathtree.data.discovery.number_identities import LARGEST, fraction_word, pi_multiple
from dgl_mathtree.language.build import Pair, Term, add, div, mul, neg, power, product, sub, total

DENOMINATORS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24)
"""Of the multiples of pi."""


class Surd(NamedTuple):
    """c times the root of a squarefree integer."""

    c: Fraction
    n: int

    @classmethod
    def of(cls, c: Fraction | int) -> Surd:
        return cls(Fraction(c), 1)

    def __mul__(self, other: object) -> Surd:
        assert isinstance(other, Surd)
        both = root_of(Fraction(self.n * other.n))
        return Surd(self.c * other.c * both.c, both.n)

    def __truediv__(self, other: Surd) -> Surd:
        return self * Surd(1 / (other.c * other.n), other.n)

    def term(self) -> Term:
        """As sqrt(3), 2*sqrt(3), sqrt(3)/2 or 2*sqrt(3)/5."""
        if self.n == 1:
            return fraction_word(self.c)
        radical = power(str(self.n), "1/2")
        above, below = abs(self.c.numerator), self.c.denominator
        top = radical if above == 1 else mul(str(above), radical)
        whole = top if below == 1 else div(top, str(below))
        return whole if self.c > 0 else neg(whole)


def root_of(square: Fraction) -> Surd:
    """The root of a fraction.

    Example:
        >>> root_of(Fraction(8, 9))
        Surd(c=Fraction(2, 3), n=2)
    """
    inside = square.numerator * square.denominator
    outside, k = 1, 2
    while k * k <= inside:
        while inside % (k * k) == 0:
            inside //= k * k
            outside *= k
        k += 1
    return Surd(Fraction(outside, square.denominator), inside)


def fraction_term(value: Fraction) -> Term:
    return fraction_word(value)


def _sqrt(term: Term) -> Term:
    return power(term, "1/2")


def _joined(a: Term, b: Term, sign: int) -> Term:
    return add(a, b) if sign > 0 else sub(a, b)


def _denested(rng: random.Random) -> Pair | None:
    """sqrt(5 + 2*sqrt(6)) = sqrt(2) + sqrt(3), and cube roots of the same kind."""
    sign = rng.choice((1, 1, -1))
    if rng.random() < 0.25:
        a, b, n = rng.randint(1, 4), rng.randint(1, 3), rng.choice((2, 3, 5, 6, 7))
        if sign < 0 and a * a <= b * b * n:
            return None
        cube = a**3 + 3 * a * b * b * n, 3 * a * a * b + b**3 * n
        inside = _joined(str(cube[0]), mul(str(cube[1]), _sqrt(str(n))), sign)
        return power(inside, "1/3"), _joined(str(a), Surd(Fraction(b), n).term(), sign)
    one, two = root_of(Fraction(rng.randint(1, 15))), root_of(Fraction(rng.randint(1, 15)))
    if rng.random() < 0.4:
        one = Surd.of(rng.randint(1, 8))
    if rng.random() < 0.3:
        two = Surd(two.c * rng.choice((1, 2, 3)), two.n)
    if one.n == two.n or (sign < 0 and one.c**2 * one.n <= two.c**2 * two.n):
        return None
    square = one.c**2 * one.n + two.c**2 * two.n
    middle = one * two * Surd.of(2)
    if middle.c**2 * middle.n > LARGEST:
        return None
    spelled = _sqrt(fraction_word(middle.c**2 * middle.n)) if rng.random() < 0.3 else middle.term()
    left, right = _sqrt(_joined(fraction_word(square), spelled, sign)), _joined(one.term(), two.term(), sign)
    draw = rng.random()
    if draw < 0.25:
        other = _sqrt(_joined(fraction_word(square), spelled, -sign))
        first, second = (left, other) if sign > 0 else (other, left)
        if one.c**2 * one.n > two.c**2 * two.n:
            both = (
                (add(first, second), mul("2", one.term()))
                if draw < 0.13
                else (sub(first, second), mul("2", two.term()))
            )
            return both
        return None
    return left, right


def _rationalised(rng: random.Random) -> Pair | None:
    """1/(sqrt(5) - sqrt(3)) = (sqrt(5) + sqrt(3))/2, products of conjugates, sums of such quotients."""
    m, n = rng.sample(range(1, 20), 2)
    one, two = root_of(Fraction(m)), root_of(Fraction(n))
    if rng.random() < 0.4:
        one = Surd(one.c * rng.choice((1, 2, 3, 4)), one.n)
    difference = one.c**2 * one.n - two.c**2 * two.n
    if one.n == two.n or not difference:
        return None
    sign = rng.choice((1, -1))
    kind = rng.randrange(4)
    if kind == 0:
        return mul(add(one.term(), two.term()), sub(one.term(), two.term())), fraction_word(difference)
    if kind == 1:
        middle = (one * two * Surd.of(2)).term()
        square = power(_joined(one.term(), two.term(), sign), "2")
        return square, _joined(fraction_word(one.c**2 * one.n + two.c**2 * two.n), middle, sign)
    if kind == 2:
        first, count = rng.randint(1, 9), rng.randint(2, 4)
        steps = [
            div("1", add(root_of(Fraction(k)).term(), root_of(Fraction(k + 1)).term()))
            for k in range(first, first + count)
        ]
        return total(steps), sub(root_of(Fraction(first + count)).term(), root_of(Fraction(first)).term())
    above = str(rng.choice((1, 1, 2, 3)))
    top = _joined(one.term(), two.term(), -sign)
    top = top if above == "1" else mul(above, top)
    right = top if difference == 1 else div(top, fraction_word(difference))
    return div(above, _joined(one.term(), two.term(), sign)), right


def _combined(rng: random.Random) -> Pair | None:
    """Sums and products of multiples of roots."""
    n = rng.choice((2, 3, 5, 6, 7))
    count = rng.randint(2, 4)
    ks = [rng.randint(1, 6) for _ in range(count)]
    signs = [1, *(rng.choice((1, 1, -1)) for _ in ks[1:])]
    if rng.random() < 0.3:
        radicands = [rng.randint(2, 12) for _ in range(2)]
        whole = root_of(Fraction(math.prod(radicands)))
        return product([_sqrt(str(r)) for r in radicands]), whole.term()
    value = sum(s * k for s, k in zip(signs, ks, strict=True))
    left = _sqrt(str(ks[0] ** 2 * n))
    for s, k in zip(signs[1:], ks[1:], strict=True):
        left = _joined(left, _sqrt(str(k * k * n)) if rng.random() < 0.7 else Surd(Fraction(k), n).term(), s)
    return left, Surd(Fraction(value), n).term() if value else "0"


def _cosine(turn: Fraction) -> Term | None:
    """cos(turn*pi) in roots, for turns between 0 and 1/2: halved from those of the square, hexagon and pentagon."""
    five = _sqrt("5")
    values: dict[Fraction, Term] = {
        Fraction(0): "1",
        Fraction(1, 2): "0",
        Fraction(1, 3): "1/2",
        Fraction(1, 4): div(_sqrt("2"), "2"),
        Fraction(1, 6): div(_sqrt("3"), "2"),
        Fraction(1, 5): div(add("1", five), "4"),
        Fraction(2, 5): div(sub(five, "1"), "4"),
        Fraction(1, 12): div(add(_sqrt("6"), _sqrt("2")), "4"),
        Fraction(5, 12): div(sub(_sqrt("6"), _sqrt("2")), "4"),
    }
    return values.get(turn)


def _doubled_cosine(turn: Fraction, depth: int = 0) -> Term | None:
    """2*cos(turn*pi) by halving: sqrt(2 + 2*cos(2*turn*pi))."""
    if turn > Fraction(1, 2):
        inner = _doubled_cosine(1 - turn, depth)
        return None if inner is None else neg(inner)
    simple = {Fraction(1, 3): "1", Fraction(1, 4): _sqrt("2"), Fraction(1, 6): _sqrt("3"), Fraction(1, 2): "0"}
    if turn in simple:
        return simple[turn]
    if turn in (Fraction(1, 5), Fraction(2, 5)):
        top = _joined(_sqrt("5"), "1", 1 if turn == Fraction(1, 5) else -1)
        return div(top, "2")
    if depth > 3:
        return None
    reference = _doubled_cosine(2 * turn if 2 * turn <= Fraction(1, 2) else 1 - 2 * turn, depth + 1)
    if reference is None:
        return None
    return _sqrt(_joined("2", reference, 1 if 2 * turn <= Fraction(1, 2) else -1))


def _exact_value(rng: random.Random) -> Pair | None:
    """cos(pi/12) = (sqrt(6) + sqrt(2))/4, sin(3*pi/16) = sqrt(2 - sqrt(2 - sqrt(2)))/2, in every quadrant."""
    q = rng.choice((2, 3, 4, 6, 5, 8, 10, 12, 16, 24, 20, 32))
    p = rng.randint(1, 2 * q - 1)
    turn = Fraction(p, q)
    sine = rng.random() < 0.5
    place = (turn - Fraction(1, 2) if sine else turn) % 2
    place = min(place, 2 - place)
    negative = place > Fraction(1, 2)
    place = 1 - place if negative else place
    value = _cosine(place) if rng.random() < 0.6 else None
    if value is None:
        doubled = _doubled_cosine(place)
        if doubled is None or doubled == "0":
            return None
        value = div(doubled, "2")
    angle = pi_multiple(turn)
    return ("sin" if sine else "cos", angle), neg(value) if negative and value != "0" else value


def _symmetric_value(rng: random.Random) -> Pair | None:
    """A function of p*pi/q as one of another angle: reflected, moved by a period, the cofunction."""
    q = rng.choice(DENOMINATORS)
    turn = Fraction(rng.randint(1, 3 * q), q)
    name = rng.choice(("sin", "cos", "tan"))
    co = {"sin": "cos", "cos": "sin", "tan": "cot"}[name]
    half = Fraction(1, 2)
    moves: list[tuple[int, str, Fraction]] = [
        (1, co, half - turn),
        (-1 if name != "sin" else 1, name, 1 - turn),
        (1 if name == "tan" else -1, name, turn + rng.choice((1, -1))),
        (1 if name == "cos" else -1, name, -turn if rng.random() < 0.3 else 2 - turn),
        (1 if name == "cos" else -1, co, turn + half),
        (1, name, turn + rng.choice((2, -2, 4))),
    ]
    sign, other, angle = rng.choice(moves)
    right = (other, pi_multiple(angle))
    return (name, pi_multiple(turn)), right if sign > 0 else neg(right)


def _roots_of_unity(rng: random.Random) -> Pair | None:
    """Sums and products of cosines, sines and tangents at all multiples of pi/n."""
    n = rng.choice((3, 5, 7, 9, 11, 4, 6, 8))
    half = (n - 1) // 2
    kind = rng.randrange(5)

    def at(name: str, multiples: list[int], q: int) -> list[Term]:
        return [(name, pi_multiple(Fraction(k, q))) for k in multiples]

    if n % 2 and kind == 0:
        return total(at("cos", [2 * k for k in range(1, half + 1)], n)), "-1/2"
    if n % 2 and kind == 1:
        return total(at("cos", [2 * k - 1 for k in range(1, half + 1)], n)), "1/2"
    if n % 2 and kind == 2:
        return product(at("cos", list(range(1, half + 1)), n)), fraction_word(Fraction(1, 2**half))
    if n % 2 and kind == 3:
        return product(at("tan", list(range(1, half + 1)), n)), root_of(Fraction(n)).term()
    if n < 7:
        return product(at("sin", list(range(1, n)), n)), fraction_word(Fraction(n, 2 ** (n - 1)))
    if n % 2:
        return product(at("sin", list(range(1, half + 1)), n)), div(root_of(Fraction(n)).term(), str(2**half))
    squares = [power(term, "2") for term in at(rng.choice(("sin", "cos")), list(range(1, n // 2)), n)]
    return total(squares), fraction_word(Fraction(n, 4) - Fraction(1, 2))


FORMS: dict[str, tuple[float, Callable[[random.Random], Pair | None]]] = {
    "nested-radical": (1.5, _denested),
    "rationalised": (1.2, _rationalised),
    "sum-of-roots": (0.8, _combined),
    "exact-value": (1.4, _exact_value),
    "symmetric-value": (1.2, _symmetric_value),
    "roots-of-unity": (0.6, _roots_of_unity),
}
