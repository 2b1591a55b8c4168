"""Products of two sines or cosines, and the sums that they are equal to."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.proof.product_sums.angle import Angle, angle_node
from dgl_mathtree.proof.product_sums.polynomial import Monomial, Polynomial, added, ordered
from dgl_mathtree.proof.terms import Terms

HALF = Fraction(1, 2)
SQUARES = {"sin": "power-reduction/sin", "cos": "power-reduction/cos"}


def next_pair(p: Polynomial) -> Monomial | None:
    """Two factors of a term with the most sines and cosines, if there is one with more than one."""
    best: tuple[int, Monomial] | None = None
    for monomial in p:
        factors = [(atom, power) for atom, power in monomial if isinstance(atom[1], Angle)]
        degree = sum(power for _, power in factors)
        if degree < 2 or (best is not None and degree <= best[0]):
            continue
        squares = [(atom, 2) for atom, power in factors if power > 1]
        best = degree, ((squares[0],) if squares else ordered({factors[0][0]: 1, factors[1][0]: 1}))
    return None if best is None else best[1]


def as_sum(terms: Terms, pair: Monomial) -> tuple[str, int, int, Polynomial]:
    """The law for a product of two sines or cosines, its two sides, and the sum."""
    number, half = terms.number, terms.node("1/2")
    if len(pair) == 1:
        (word, angle), _ = pair[0]
        double = angle.times(Fraction(2))
        sign = 1 if word == "cos" else -1
        node = angle_node(terms, angle)
        cosine = terms.node("cos", terms.node("Mul", terms.node("2"), node))
        inner = cosine if sign > 0 else terms.node("Mul", terms.node("-1"), cosine)
        form = terms.node("Pow", terms.node(word, node), terms.node("2"))
        other = terms.node("Mul", half, terms.node("Add", terms.node("1"), inner))
        return SQUARES[word], form, other, {(): HALF, ((("cos", double), 1),): HALF * sign}
    (one, a), (two, b) = sorted((atom for atom, _ in pair), key=lambda atom: atom[0] != "sin")
    x, y = angle_node(terms, a), angle_node(terms, b)
    if one != two and a == b:
        form = terms.node("Mul", terms.node("sin", x), terms.node("cos", x))
        other = terms.node("Mul", half, terms.node("sin", terms.node("Mul", terms.node("2"), x)))
        return "power-reduction/product", form, other, {((("sin", a.times(Fraction(2))), 1),): HALF}
    if one == two and (a + b.times(Fraction(-1))).is_backward():
        a, b, x, y = b, a, y, x
    form = terms.node("Mul", terms.node(one, x), terms.node(two, y))
    plus = terms.node("Add", x, y)
    less = terms.node("Add", x, terms.node("Mul", number(-1), y))
    word = "sin" if one != two else "cos"
    first, second = terms.node(word, plus), terms.node(word, less)
    law = f"power-reduction/{one}-{two}"
    sum_angle, difference = a + b, a + b.times(Fraction(-1))
    if one == two == "sin":
        inner = terms.node("Add", second, terms.node("Mul", number(-1), first))
        total: Polynomial = {((("cos", difference), 1),): HALF}
        added(total, ((("cos", sum_angle), 1),), -HALF)
    else:
        inner = terms.node("Add", first, second)
        total = {(((word, sum_angle), 1),): HALF}
        added(total, (((word, difference), 1),), HALF)
    return law, form, terms.node("Mul", half, inner), total
