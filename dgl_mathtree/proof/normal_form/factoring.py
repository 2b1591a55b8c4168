"""Factors of polynomials, in the form that has the simplest ones.

With relations between generators a polynomial can be written in several ways: sin^2 as 1 - cos^2, x as g^2 + 1 for g =
sqrt(x - 1). The normal form is one of them, and another may factor where it does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import fmpz

from dgl_mathtree.proof.normal_form.ring import CONTEXT, GENERATORS, ZERO, Polynomial, Ring, fraction, support

Factors = tuple[Fraction, list[tuple[Polynomial, int]]]
LARGEST_TERMS, LARGEST_DEGREE = 160, 48


def factor(ring: Ring, p: Polynomial) -> Factors:
    """A number and powers of irreducible polynomials whose product is p; of a large p, p itself."""
    text = str(p)
    if text not in ring.factors:
        ring.factors[text] = _best(ring, p)
    return ring.factors[text]


def _best(ring: Ring, p: Polynomial) -> Factors:
    if p.is_constant():
        return fraction(p.leading_coefficient()), []
    if len(p) > LARGEST_TERMS or p.total_degree() > LARGEST_DEGREE:
        lead = p.leading_coefficient()
        content, monomial = fraction(lead), p / lead
        return content, [(monomial, 1)]
    best: tuple[int, Factors] | None = None
    for form in _forms(ring, p):
        ring.budget.spend(40 + len(form) * (4 + int(form.total_degree())))
        content, pieces = form.factor()
        found = [(f, int(n)) for f, n in pieces]
        cost = sum(len(f) + 3 * (n % 2) for f, n in found)
        if best is None or cost < best[0]:
            best = (cost, (fraction(content), found))
    assert best is not None
    return best[1]


def _forms(ring: Ring, p: Polynomial) -> Iterator[Polynomial]:
    yield p
    if len(p) == 1:
        return
    degrees = p.degrees()
    for index, generator in list(ring.generators.items()):
        if generator.kind == "cos" and index in ring.relations:
            sine = ring.by_name["sin" + generator.name[3:]]
            if degrees[sine] >= 2:
                yield _replace_square(p, sine, 1 - GENERATORS[index] ** 2)
            if degrees[sine] and degrees[index]:
                yield _homogeneous(p, sine, index)
    if len(p) <= 40:
        roots = [i for i in support(p) if ring.generators[i].kind == "root" and i in ring.relations]
        together = p
        for index in roots:
            form = _in_terms_of_root(ring, p, index)
            if form is not None:
                yield form
            together = _in_terms_of_root(ring, together, index) or together
        if len(roots) > 1:
            yield together


def _replace_square(p: Polynomial, index: int, square: Polynomial) -> Polynomial:
    out = ZERO
    for exponents, coefficient in p.to_dict().items():
        half = exponents[index] // 2
        left = list(exponents)
        left[index] -= 2 * half
        out += CONTEXT.from_dict({tuple(left): coefficient}) * square**half
    return out


def _homogeneous(p: Polynomial, sine: int, cosine: int) -> Polynomial:
    """A polynomial in which powers of sin^2 + cos^2 = 1 give all terms one degree, or two: 1 + 2*s*c is (s + c)^2."""
    one = GENERATORS[sine] ** 2 + GENERATORS[cosine] ** 2
    most = max(int(exponents[sine] + exponents[cosine]) for exponents in p.monoms())
    out = ZERO
    for exponents, coefficient in p.to_dict().items():
        missing = (most - int(exponents[sine] + exponents[cosine])) // 2
        out += CONTEXT.from_dict({exponents: coefficient}) * one**missing
    return out


def _in_terms_of_root(ring: Ring, p: Polynomial, index: int) -> Polynomial | None:
    """With g^k = a*v + b or a*v^2 + b for a variable v and a number a: v or v^2 replaced by (g^k - b)/a."""
    degree, value = ring.relations[index]
    for i in support(value):
        power = int(value.degrees()[i])
        if ring.generators[i].kind != "var" or power > 2 or p.degrees()[i] < power:
            continue
        v = GENERATORS[i]
        a = value.derivative(i) if power == 1 else value.derivative(i).derivative(i) / 2
        rest = value - a * v**power
        if not a.is_constant() or rest.degrees()[i]:
            continue
        image = (GENERATORS[index] ** degree - rest) / a.leading_coefficient()
        if power == 2:
            return _replace_square(p, i, image)
        return p.compose(*(image if j == i else g for j, g in enumerate(GENERATORS)))
    return None


def prime_powers(ring: Ring, value: Fraction) -> list[tuple[Polynomial, int]]:
    """The absolute value of a number as powers of primes (what is hard to factor counts as one)."""
    found = []
    for part, flip in ((value.numerator, 1), (value.denominator, -1)):
        ring.budget.spend(20 + part.bit_length())
        whole = fmpz(abs(part))
        limit = None if whole.bit_length() <= 90 else 3000
        found += [
            (CONTEXT.constant(prime), flip * int(n)) for prime, n in whole.factor(trial_limit=limit) if prime != 1
        ]
    return found
