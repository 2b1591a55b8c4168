"""What is known of signs wherever the equation is defined.

A sign is 2 (positive), 1 (nonnegative), -1 (nonpositive), -2 (negative) or 0 (not known). Facts come from the
functions of the equation (`domain.py`) and from the case that is looked at; u >= 0 is never taken for u > 0.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from dgl_mathtree.proof.normal_form.enclosures import constant_sign
from dgl_mathtree.proof.normal_form.factoring import factor
from dgl_mathtree.proof.normal_form.ring import (
    GENERATORS,
    Polynomial,
    Quotient,
    Ring,
    Unsettled,
    fraction,
    number,
    support,
)

DEPTH = 3
POSITIVE_KINDS = frozenset({"exp", "pi", "cospi"})
ODD_KINDS = frozenset({"asin", "atan", "asinh", "atanh"})


@dataclass
class Facts:
    """Signs of polynomials (leading coefficient 1 or -1, by their text) and polynomials that are nowhere zero."""

    signs: dict[str, tuple[Polynomial, int]] = field(default_factory=dict)
    nonzero: set[str] = field(default_factory=set)
    cache: dict[tuple[str, int], int] = field(default_factory=dict)
    version: int = 0

    def note(self, p: Polynomial, sign: int) -> None:
        """Note that a polynomial has a sign; it is also a fact about its negative."""
        p, flip = _monic(p)
        sign *= flip
        before = self.signs.get(str(p), (p, 0))[1]
        if before * sign < 0:  # p >= 0 and p <= 0, or no point at all: keep the first
            return
        if abs(sign) > abs(before):
            self.signs[str(p)] = (p, sign)
            self.cache.clear()
            self.version += 1
        if abs(sign) == 2:
            self.note_nonzero(p)

    def note_nonzero(self, p: Polynomial) -> None:
        text = str(_monic(p)[0])
        if text not in self.nonzero:
            self.nonzero.add(text)
            self.cache.clear()
            self.version += 1


def _monic(p: Polynomial) -> tuple[Polynomial, int]:
    lead = p.leading_coefficient()
    return p / lead, 1 if lead > 0 else -1


def times(a: int, b: int) -> int:
    """The sign of a product."""
    strength = min(abs(a), abs(b))
    return strength if a * b > 0 else -strength


def sign(ring: Ring, facts: Facts, p: Polynomial, depth: int = DEPTH) -> int:
    """The sign of a polynomial's value wherever the equation is defined."""
    if p == 0:
        return 1
    p, flip = _monic(p)
    if p.is_constant():
        return 2 * flip
    text = str(p)
    key = (text, depth)
    if key not in facts.cache:
        found = facts.cache[key] = facts.signs.get(text, (p, 0))[1]  # while it is being found out: no circles
        try:
            if abs(found) < 2:
                other = _find(ring, facts, p, depth)
                found = other if abs(other) > abs(found) and other * found >= 0 else found
                if abs(found) == 1 and is_nonzero(ring, facts, p):
                    found *= 2
        except BaseException:
            facts.cache.pop(key, None)
            raise
        facts.cache[key] = found
    return facts.cache[key] * flip


def quotient_sign(ring: Ring, facts: Facts, a: Quotient) -> int:
    if a.above == 0:
        return 1
    below = sign(ring, facts, a.below)
    return times(sign(ring, facts, a.above), 2 * (1 if below > 0 else -1)) if below else 0


def is_nonzero(ring: Ring, facts: Facts, p: Polynomial) -> bool:
    """Whether a polynomial is nonzero by the facts alone, itself or factor by factor."""
    if p == 0:
        return False
    p, _ = _monic(p)
    if p.is_constant() or str(p) in facts.nonzero:
        return True
    if not facts.nonzero or len(p) > 60:
        return False
    pieces = factor(ring, p)[1]
    if len(pieces) == 1 and pieces[0][1] == 1:
        return False
    return all(str(_monic(f)[0]) in facts.nonzero for f, _ in pieces)


def _find(ring: Ring, facts: Facts, p: Polynomial, depth: int) -> int:
    ring.budget.spend(20 + 2 * len(p))
    found = _by_terms(ring, facts, p)
    if not found and ring.is_constant(p):
        with suppress(Unsettled):
            return 2 * constant_sign(ring, p)
    if found or depth == 0:
        return found
    return (
        _by_waves(ring, p)
        or _by_exponents(ring, facts, p)
        or _by_factors(ring, facts, p, depth)
        or _by_facts(ring, facts, p, depth)
        or _by_discriminant(ring, facts, p, depth)
        or _by_square_root(ring, facts, p, depth)
    )


def generator_sign(ring: Ring, facts: Facts, index: int) -> int:
    generator = ring.generators[index]
    if generator.kind in POSITIVE_KINDS:
        return 2
    known = facts.signs.get(str(GENERATORS[index]), (None, 0))[1]
    if known:
        return known
    if generator.kind in ("abs", "root"):
        strict = is_nonzero(ring, facts, generator.argument) or abs(sign(ring, facts, generator.argument, 1)) == 2
        return 2 if strict else 1
    if generator.kind == "acosh":
        return 1
    if generator.kind == "power" and index in ring.relations:  # a root of the whole of what is under it
        return 2 if abs(quotient_sign(ring, facts, Quotient(*generator.argument[:2]))) == 2 else 1
    if generator.kind in ODD_KINDS:
        return quotient_sign(ring, facts, generator.argument)
    if generator.constant and generator.kind not in ("power", "acot"):
        return 2 * constant_sign(ring, GENERATORS[index])
    if generator.kind == "ln" and sign(ring, facts, generator.argument, 1) == 2:
        return sign(ring, facts, generator.argument - 1, 1)
    return 0


def _by_terms(ring: Ring, facts: Facts, p: Polynomial) -> int:
    """All terms of one sign."""
    if len(p) > 40:
        return 0
    total: int | None = None
    for exponents, coefficient in p.to_dict().items():
        term = 2 if coefficient > 0 else -2
        for index, n in enumerate(exponents):
            if n:
                known = generator_sign(ring, facts, index)
                if n % 2 == 0:
                    nonzero = abs(known) == 2 or str(GENERATORS[index]) in facts.nonzero
                    known = 2 if nonzero else 1
                term = times(term, known)
        if term == 0 or (total is not None and total * term < 0):
            return 0
        total = term if total is None or abs(term) > abs(total) else total
    return total or 0


def _by_waves(ring: Ring, p: Polynomial) -> int:
    """A number that outweighs a sum of products of sines and cosines."""
    total, waves = Fraction(0), Fraction(0)
    for exponents, coefficient in p.to_dict().items():
        indices = [i for i, n in enumerate(exponents) if n]
        if not indices:
            total = fraction(coefficient)
        elif all(ring.generators[i].kind in ("sin", "cos") for i in indices):
            waves += abs(fraction(coefficient))
        else:
            return 0
    if abs(total) < waves or not total:
        return 0
    strength = 2 if abs(total) > waves else 1
    return strength if total > 0 else -strength


def _by_exponents(ring: Ring, facts: Facts, p: Polynomial) -> int:
    """exp(u) - exp(v) has the sign of u - v."""
    if len(p) != 2 or sum(p.coeffs()) != 0:
        return 0
    difference = number(0)
    for exponents, coefficient in p.to_dict().items():
        for index, n in enumerate(exponents):
            if n:
                generator = ring.generators[index]
                if generator.kind != "exp":
                    return 0
                times = int(n) * generator.order * (1 if coefficient > 0 else -1)
                difference = ring.add(difference, ring.scale(times, Quotient(*generator.argument)))
    return quotient_sign(ring, facts, difference)


def _by_factors(ring: Ring, facts: Facts, p: Polynomial, depth: int) -> int:
    scale, pieces = factor(ring, p)
    if len(pieces) == 1 and pieces[0][1] == 1:
        return 0
    result = 2 if scale > 0 else -2
    for f, n in pieces:
        known = sign(ring, facts, f, depth - 1)
        if n % 2 == 0:
            known = 2 if abs(known) == 2 or is_nonzero(ring, facts, f) else 1
        result = times(result, known)
    return result


def _by_facts(ring: Ring, facts: Facts, p: Polynomial, depth: int) -> int:
    """A multiple of a known sign plus a rest of the same sign: x - 1 > 0 gives x + 1 > 0."""
    coefficients = p.to_dict()
    for known, known_sign in list(facts.signs.values())[:24]:
        if len(known) > 12:
            continue
        for exponents, below in list(known.to_dict().items())[:4]:
            if exponents not in coefficients or not any(exponents):
                continue
            ratio = coefficients[exponents] / below
            rest = p - known * ratio
            first = times(known_sign, 2 if ratio > 0 else -2)
            second = sign(ring, facts, rest, min(depth - 1, 1))
            if rest == 0:
                return first
            if second * first > 0:
                return first if abs(first) >= abs(second) else second
    return 0


def _by_discriminant(ring: Ring, facts: Facts, p: Polynomial, depth: int) -> int:
    """a*v^2 + b*v + c with 4*a*c - b^2 >= 0 has the sign of a; a free value of v is assumed, so it holds for all."""
    degrees = p.degrees()
    for index in support(p):
        if degrees[index] != 2 or len(p) > 30:
            continue
        v = GENERATORS[index]
        a = p.derivative(index).derivative(index) / 2
        b = (p - a * v**2).derivative(index)
        c = p - a * v**2 - b * v
        leading = sign(ring, facts, a, depth - 1)
        if abs(leading) < 2:
            continue
        gap = sign(ring, facts, ring.reduce(4 * a * c - b * b), depth - 1)
        if gap > 0:
            strength = 2 if gap == 2 else 1
            return strength if leading > 0 else -strength
    return 0


def _by_square_root(ring: Ring, facts: Facts, p: Polynomial, depth: int) -> int:
    """a*g + b for a square root g: the sign of a if a^2*g^2 >= b^2, the sign of b if b^2 >= a^2*g^2."""
    if len(p) > 12:
        return 0
    for index in support(p):
        degree, value = ring.relations.get(index, (0, None))
        if degree != 2 or ring.generators[index].kind not in ("root", "power") or p.degrees()[index] != 1:
            continue
        a = p.derivative(index)
        b = p - a * GENERATORS[index]
        gap = sign(ring, facts, ring.reduce(a * a * value - b * b), depth - 1)
        if gap:
            leading = sign(ring, facts, a if gap > 0 else b, depth - 1)
            if abs(leading) == 2 or (leading and abs(gap) == 2):
                strength = 2 if abs(leading) == abs(gap) == 2 else 1
                return strength if leading > 0 else -strength
    return 0
