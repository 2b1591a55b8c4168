"""Absolute values, roots and rational powers: a product of powers |f|^r over irreducible factors f."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.proof.normal_form.cosines import square_root_of_prime
from dgl_mathtree.proof.normal_form.denesting import nested_root
from dgl_mathtree.proof.normal_form.factoring import factor, prime_powers
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.learning import learn
from dgl_mathtree.proof.normal_form.ring import (
    GENERATORS,
    ONE,
    ZERO,
    Polynomial,
    Quotient,
    Unsettled,
    number,
    support,
    terms,
)
from dgl_mathtree.proof.normal_form.signs import is_nonzero, sign

LARGEST_ORDER = 24
LARGEST_MULTIPLE = 2000


def factors(form: Form, u: Quotient) -> list[tuple[Polynomial, int]]:
    """|u| as powers of irreducible polynomials and primes."""
    found: list[tuple[Polynomial, int]] = []
    for part, flip in ((u.above, 1), (u.below, -1)):
        scale, pieces = factor(form.ring, part)
        found += [(f, flip * n) for f, n in pieces]
        found += [(prime, flip * n) for prime, n in prime_powers(form.ring, scale)]
    return found


def absolute(form: Form, f: Polynomial) -> Polynomial:
    """|f|: f or -f where its sign is known, else a generator whose square is f^2."""
    known = sign(form.ring, form.facts, f)
    if known:
        form.ring.sizes[str(f)] = 1 if known > 0 else -1
        return f if known > 0 else -f
    if f.leading_coefficient() < 0:
        f = -f
    index = form.ring.generator("abs", f, 1, f"abs{form.ring.describe(f)}", form.ring.is_constant(f))
    if index not in form.ring.relations:
        form.ring.relate(index, 2, form.ring.reduce(f * f))
    return GENERATORS[index]


def rational_power(form: Form, u: Quotient, r: Fraction) -> Quotient:
    """u^r for a u >= 0, or > 0 if r is negative."""
    if u.above == 0:
        if r > 0:
            return number(0)
        raise Unsettled("a negative power of zero")
    if form.opaque and not form.ring.is_constant(u.above * u.below):
        return _whole_root(form, u, r)
    u = rationalized(form, u)
    learn(form.ring, form.facts, u, ">=" if r > 0 else ">")
    pieces = _grouped(form, u) if form.grouped else factors(form, u)
    result = number(1)
    for f, n in pieces:
        result = form.ring.multiply(result, absolute_power(form, f, n * r))
    return result


def _whole_root(form: Form, u: Quotient, r: Fraction) -> Quotient:
    """u^r as a power of one generator for all of u, with no relation but that its k-th power is u."""
    ring = form.ring
    k = form.order(f"whole{ring.describe_quotient(u)}", r.denominator, LARGEST_ORDER)
    root = form.function("power", u, number(Fraction(1, k)))
    index = support(root.above)[0]
    if u.below == ONE and index not in ring.relations:
        ring.relate(index, k, u.above)
    if abs(r * k) > LARGEST_MULTIPLE:
        raise Unsettled("large power")
    return ring.power(root, int(r * k))


def _grouped(form: Form, u: Quotient) -> list[tuple[Polynomial, int]]:
    """The factors of a u >= 0, with those of unknown sign multiplied into one, whose sign is known in this way.

    So the root of x^2 - 1 is not taken apart, where the signs of x - 1 and x + 1 are not known. Only factors that are
    certainly nonzero are left out of the product: from f*g >= 0 nothing follows for g where f is 0.
    """
    pieces = factors(form, u)
    flip = 1 if factor(form.ring, u.above)[0] * factor(form.ring, u.below)[0] > 0 else -1
    product, left = ONE, []
    for f, n in pieces:
        known = sign(form.ring, form.facts, f)
        if abs(known) == 2 or (n % 2 == 0 and (n < 0 or is_nonzero(form.ring, form.facts, f))):
            left.append((f, n))
            flip *= -1 if known == -2 and n % 2 else 1
        else:
            product = form.ring.product(product, f ** abs(n))
            if n < 0:  # f^n = f^-n * (f^2)^n
                left.append((f, 2 * n))
    if product.is_constant() or len(product) > 60 or product.total_degree() > 24:
        return pieces
    product = form.ring.reduce(product)
    form.facts.note(product, flip)
    return [*left, (product, 1)]


def absolute_power(form: Form, f: Polynomial, r: Fraction) -> Quotient:
    """|f|^r; the equation divides by f if r is negative."""
    ring = form.ring
    if r.denominator == 1:
        n = int(r)
        return ring.power(Quotient(f if n % 2 == 0 else absolute(form, f), ONE), n)
    exponential = ring.of_kind(f, "exp")
    if exponential is not None:
        return exponential_power(form, exponential.argument, r * exponential.order)
    inner = ring.of_kind(f, "abs")
    if inner is not None:
        return absolute_power(form, inner.argument, r)
    root = ring.of_kind(f, "root")
    if root is not None:
        return absolute_power(form, root.argument, r / root.order)
    if f.leading_coefficient() < 0:
        f = -f
    nested = nested_root(form, f, r.denominator, rational_power)
    if nested is not None:
        form.kinds.add("denest")
        return ring.power(nested, r.numerator)
    return _root(form, f, r)


def _root(form: Form, f: Polynomial, r: Fraction) -> Quotient:
    ring = form.ring
    name = ring.describe(f)
    k = form.order(f"root{name}", r.denominator, LARGEST_ORDER)
    if f.is_constant() and k == 2:
        field_root = square_root_of_prime(form, int(f.leading_coefficient().p))
        if field_root is not None:
            return ring.power(Quotient(field_root, ONE), int(r * 2))
    size = absolute(form, f)
    index = ring.generator("root", f, k, f"root{k}{name}", ring.is_constant(f))
    if index not in ring.relations:
        ring.relate(index, k, ring.reduce(size))
    n = int(r * k)
    if abs(n) > LARGEST_MULTIPLE:
        raise Unsettled("large power")
    return ring.power(Quotient(GENERATORS[index], ONE), n)


def exponential_power(form: Form, t: Quotient, c: Fraction) -> Quotient:
    """exp(c*t) as a power of one generator exp(unit*t)."""
    ring = form.ring
    name = ring.describe_quotient(t)
    unit = form.unit(f"exp{name}", c)
    constant = ring.is_constant(t.above) and ring.is_constant(t.below)
    index = ring.generator("exp", t, unit, f"exp{unit}{name}", constant)
    n = int(c / unit)
    if abs(n) > LARGEST_MULTIPLE:
        raise Unsettled("large power")
    return ring.power(Quotient(GENERATORS[index], ONE), n)


def parts(form: Form, a: Quotient) -> list[tuple[Fraction, Quotient]]:
    """A value as a sum of numbers times products of generators (over one denominator)."""
    ring = form.ring
    if a.below == ONE:
        return [(c, Quotient(monomial, ONE)) for c, monomial in terms(a.above)]
    whole, rest = divmod(a.above, a.below)
    if whole == 0:
        rest = a.above
    found = [(c, Quotient(monomial, ONE)) for c, monomial in terms(whole)] if whole != 0 else []
    return found + [(c, ring.quotient(monomial, a.below)) for c, monomial in terms(rest)]


def rationalized(form: Form, a: Quotient) -> Quotient:
    """Without square roots below, where the conjugate that this multiplies by is certainly nonzero."""
    ring = form.ring
    above, below = a
    for index in sorted(ring.relations):
        degree, _ = ring.relations[index]
        if degree != 2 or ring.generators[index].kind == "cos" or below.degrees()[index] != 1 or len(below) > 12:
            continue
        g = GENERATORS[index]
        b = below.derivative(index)
        conjugate = below - 2 * b * g
        norm = ring.reduce(ring.product(below, conjugate))
        if norm == ZERO:
            continue
        certain = norm.is_constant() or is_nonzero(ring, form.facts, norm)
        certain = certain or abs(sign(ring, form.facts, norm)) == 2 or abs(sign(ring, form.facts, conjugate)) == 2
        if certain:
            above, below = ring.quotient(ring.product(above, conjugate), norm)
    return Quotient(above, below)
