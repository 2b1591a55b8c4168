"""Identities in several letters: expansions up to degree six, factorisations, cyclic and symmetric sums, determinants,
long sums that cancel."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

from dgl_mathtree.data.discovery.many_variables import Known, Ring, TooLargeError
from dgl_mathtree.language.build import Pair, Term, read_all

NAMES = ("x", "y", "z", "w", "a", "b", "c", "t")
ATOMS = read_all("sin(x);cos(y);x^2;y^2;2^x;exp(x);sqrt(x);ln(y);1/x;tan(x);sinh(x);cosh(y);x^3;e^x;cos(x);sin(y)")
Form = Callable[[Ring], "Pair | None"]


def _ring(rng: random.Random, count: int) -> Ring:
    letters: list[Term] = list(rng.sample(NAMES, count))
    if rng.random() < 0.5:
        letters = sorted(letters)
    if rng.random() < 0.15:
        letters[rng.randrange(count)] = rng.choice(ATOMS)
    return Ring(tuple(letters), rng)


def _some(ring: Ring, least: int, most: int) -> list[int]:
    count = len(ring.letters)
    return sorted(ring.rng.sample(range(count), ring.rng.randint(min(least, count), min(most, count))))


def _expansion(ring: Ring) -> Pair | None:
    """A product of powers of sums, and the sum that it is."""
    rng = ring.rng
    factors = []
    degree = rng.randint(2, 6)
    while degree > 0:
        n = min(degree, rng.choice((1, 1, 1, 2, 2, 3, 4, 5, 6)))
        factors.append(ring.linear(_some(ring, 1, 3 if n < 4 else 2), 0.5, 3 if n < 4 else 2) ** n)
        degree -= n
    whole = _product(factors)
    return whole.term, _other(ring, whole)


def _other(ring: Ring, known: Known) -> Term:
    """Another way to write a polynomial: expanded, collected, nested or factored."""
    draw = ring.rng.random()
    if draw < 0.15:
        return ring.collected(known.value, ring.rng.randrange(len(ring.letters))).term
    if draw < 0.4 and len(ring.letters) == 1:
        return ring.nested(known.value).term
    if draw < 0.3 and (factored := ring.factored(known.value)) is not None:
        return factored.term
    return ring.spelled(known.value).term


def _product(parts: Sequence[Known]) -> Known:
    result = parts[0]
    for part in parts[1:]:
        result = result * part
    return result


def _total(parts: Sequence[Known], rng: random.Random, minus: float = 0.0) -> Known:
    result = parts[0]
    for part in parts[1:]:
        result = result - part if rng.random() < minus else result + part
    return result


def _piece(ring: Ring) -> Known:
    """A small product of letters, numbers and sums."""
    rng = ring.rng
    parts = [ring.linear(_some(ring, 1, 2), 0.35, 3)]
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        parts.append(
            ring.linear(_some(ring, 1, 2), 0.35, 3) if rng.random() < 0.6 else ring.letter(_some(ring, 1, 1)[0])
        )
    if rng.random() < 0.3:
        return parts[0] ** rng.choice((2, 2, 3))
    return ring.number(rng.randint(2, 9)) * _product(parts) if rng.random() < 0.25 else _product(parts)


def _sum_of_products(ring: Ring) -> Pair | None:
    whole = _total([_piece(ring) for _ in range(ring.rng.choice((2, 2, 3, 3, 4)))], ring.rng, 0.45)
    return (whole.term, _other(ring, whole)) if whole.value else (whole.term, "0")


def _cancelling(ring: Ring) -> Pair | None:
    """A long sum of which little is left: p + q - r in terms, shuffled, where q and r share most."""
    rng = ring.rng
    p, q = _piece(ring), _piece(ring)
    short = _piece(ring)
    whole = [p, q, short]
    terms = p * q
    left = terms + short if rng.random() < 0.5 else _total(whole, rng)
    expanded = ring.spelled(terms.value) if left.term == (terms + short).term else ring.spelled((p + q).value)
    moved = left - expanded
    return moved.term, short.term if rng.random() < 0.5 else ring.spelled(short.value).term


def _identity_of_squares(ring: Ring) -> Pair | None:
    """p^2 - q^2, p^3 + q^3, p^2 + 2pq + q^2 and the like, with sums for p and q."""
    rng = ring.rng
    p, q = (ring.linear(_some(ring, 1, 2), 0.4, 3) for _ in range(2))
    if rng.random() < 0.4:
        p = p * ring.letter(_some(ring, 1, 1)[0])
    three = ring.number(3)
    forms = [
        (p**2 - q**2, (p - q) * (p + q)),
        (p**3 - q**3, (p - q) * (p**2 + p * q + q**2)),
        (p**3 + q**3, (p + q) * (p**2 - p * q + q**2)),
        ((p + q) ** 2, p**2 + ring.number(2) * p * q + q**2),
        ((p + q) ** 2 - (p - q) ** 2, ring.number(4) * p * q),
        ((p + q) ** 2 + (p - q) ** 2, ring.number(2) * (p**2 + q**2)),
        ((p + q) ** 3 - (p - q) ** 3, ring.number(2) * q * (three * p**2 + q**2)),
        ((p + q) ** 3, p**3 + q**3 + three * p * q * (p + q)),
        (p**4 - q**4, (p - q) * (p + q) * (p**2 + q**2)),
        (p**4 + p**2 * q**2 + q**4, (p**2 + p * q + q**2) * (p**2 - p * q + q**2)),
        (p**4 + ring.number(4) * q**4, (p**2 + ring.number(2) * p * q + ring.number(2) * q**2)
         * (p**2 - ring.number(2) * p * q + ring.number(2) * q**2)),
    ]  # fmt: skip
    left, right = rng.choice(forms)
    if rng.random() < 0.35:
        right = Known(ring.spelled(left.value).term, left.value)
    return left.term, right.term


def _difference_of_powers(ring: Ring) -> Pair | None:
    """a^n - b^n, a^n + b^n for odd n, in two or more factors."""
    rng = ring.rng
    i, j = rng.sample(range(len(ring.letters)), 2)
    a, b = ring.letter(i), ring.letter(j)
    if rng.random() < 0.3:
        b = ring.number(rng.choice((1, 1, 2, 3)))
    n = rng.randint(3, 6)
    sign = -1 if n % 2 and rng.random() < 0.4 else 1
    parts = []
    for k in range(n):
        part = a ** (n - 1 - k) if k < n - 1 else ring.number(1)
        part = part if k == 0 else b**k if k == n - 1 else part * b**k
        parts.append(part if sign > 0 or k % 2 == 0 else ring.number(-1) * part)
    long = _total(parts, rng)
    short, first = (a**n - b**n, a - b) if sign > 0 else (a**n + b**n, a + b)
    if rng.random() < 0.4 and (found := ring.factored(short.value)) is not None:
        return short.term, found.term
    return short.term, (first * long).term


def _moved(ring: Ring, build: Callable[[list[Known]], Known], orders: Sequence[Sequence[int]]) -> list[Known]:
    letters = [ring.letter(k) for k in range(len(ring.letters))]
    return [build([letters[k] for k in order]) for order in orders]


def _cyclic(ring: Ring) -> Pair | None:
    """A sum over cyclic or all exchanges of letters, expanded, or as a product where it is one."""
    rng = ring.rng
    count = len(ring.letters)
    if count < 3:
        return None
    i, j = rng.randint(0, 3), rng.choice((1, 1, 1, 2, 3))
    kind = rng.randrange(6)

    def build(letters: list[Known]) -> Known:
        a, b, c = letters[:3]
        raised = a**i if i else None
        bracket = [(b - c), (b + c), (b - c), (a - b) * (a - c), b * c, (b**2 - c**2) if j < 3 else (b - c)][kind]
        bracket = bracket**j if kind in (0, 1, 4) else bracket
        return bracket if raised is None else raised * bracket

    orders = [[(k + s) % count for k in range(count)] for s in range(count)]
    if rng.random() < 0.15 and count == 3:
        orders = [list(order) for order in permutations(range(3))]
    whole = _total(_moved(ring, build, orders), rng)
    if not whole.value:
        return whole.term, "0"
    found = ring.factored(whole.value)
    if found is not None and rng.random() < 0.6:
        return whole.term, found.term
    return whole.term, ring.spelled(whole.value).term


def _symmetric(ring: Ring) -> Pair | None:
    """Sums of powers in elementary symmetric sums, and the other way round."""
    rng = ring.rng
    letters = [ring.letter(k) for k in range(len(ring.letters))]
    elementary = [
        _total([_product(some) for some in combinations(letters, degree)], rng) for degree in range(1, len(letters) + 1)
    ]
    powers = [_total([letter**n for letter in letters], rng) for n in (2, 3, 4)]
    pool = [*elementary[:3], *powers[: 2 if len(letters) > 2 else 3]]
    one, two = rng.choice(pool), rng.choice(pool)
    left = one * two if rng.random() < 0.6 else one ** rng.choice((2, 2, 3))
    c = ring.number(rng.choice((2, 3, 2, 4, 6)))
    other = c * rng.choice(pool) if rng.random() < 0.5 else c * rng.choice(pool) * rng.choice(letters)
    whole = rng.choice((left, left - other, left + other))
    return (whole.term, _other(ring, whole)) if whole.value else (whole.term, "0")


def _entry(ring: Ring) -> Known:
    draw = ring.rng.random()
    if draw < 0.6:
        return ring.letter(ring.rng.randrange(len(ring.letters)))
    if draw < 0.85:
        return ring.number(ring.rng.choice((0, 1, 1, 2, 3, 0, 1)))
    return ring.letter(ring.rng.randrange(len(ring.letters))) + ring.number(ring.rng.randint(1, 5))


def _matrix(ring: Ring, size: int) -> list[list[Known]]:
    letters = [ring.letter(k) for k in range(len(ring.letters))]
    kind = ring.rng.randrange(4)
    if kind == 0 and len(letters) >= size:
        return [[letters[(k - row) % size] for k in range(size)] for row in range(size)]  # circulant
    if kind == 1 and len(letters) >= size:
        return [[ring.number(1), *(letters[row] ** k for k in range(1, size))] for row in range(size)]  # Vandermonde
    rows = [[_entry(ring) for _ in range(size)] for _ in range(size)]
    if kind == 2:
        rows = [[rows[min(i, k)][max(i, k)] for k in range(size)] for i in range(size)]  # symmetric
    return rows


def _times(a: Known, b: Known) -> Known:
    """a*b, where 0 and 1 are not written."""
    if not a.value or not b.value:
        return Known("0", {})
    return b if a.term == "1" else a if b.term == "1" else a * b


def _minus(a: Known, b: Known) -> Known:
    if b.term == "0":
        return a
    return a - b if a.term != "0" else Known(("Mul", "-1", b.term), {m: -c for m, c in b.value.items()})


def _determinant(ring: Ring) -> Pair | None:
    """A determinant written out by its first row, or by its diagonals."""
    rng = ring.rng
    if rng.random() < 0.35:
        (a, b), (c, d) = _matrix(ring, 2)
        (p, q), (r, s) = _matrix(ring, 2)
        if rng.random() < 0.5:  # the determinant of a product
            one, two = _minus(_times(a, d), _times(b, c)), _minus(_times(p, s), _times(q, r))
            top = [(a * p + b * r) * (c * q + d * s), (a * q + b * s) * (c * p + d * r)]
            return (top[0] - top[1]).term, _times(one, two).term
        whole = _minus(_times(a, d), _times(b, c))
    else:
        (a, b, c), (d, e, f), (g, h, i) = _matrix(ring, 3)
        minors = [
            _minus(_times(e, i), _times(f, h)),
            _minus(_times(d, i), _times(f, g)),
            _minus(_times(d, h), _times(e, g)),
        ]
        parts = [_times(a, minors[0]), _times(b, minors[1]), _times(c, minors[2])]
        whole = _minus(parts[0], parts[1])
        whole = whole + parts[2] if parts[2].value and whole.value else whole if whole.value else parts[2]
    if not whole.value:
        return whole.term, "0"
    found = ring.factored(whole.value) if rng.random() < 0.5 else None
    return whole.term, (found or ring.spelled(whole.value)).term


def _same_two_ways(ring: Ring) -> Pair | None:
    """Products in another grouping: (a - b)*(c - d) + (b - c)*(a - d) = (a - c)*(b - d) and the like."""
    rng = ring.rng
    count = len(ring.letters)
    one = _total([_piece(ring), _piece(ring)], rng, 0.5)
    found = ring.factored(one.value) if one.value else None
    if found is not None:
        return one.term, found.term
    p = _piece(ring)
    rest = ring.spelled((one - p).value)
    return one.term, (p + rest).term if count < 4 else ring.collected(one.value, 0).term


FORMS: dict[str, tuple[float, tuple[int, ...], Form]] = {
    "expansion": (3.0, (1, 1, 2, 2, 3, 4), _expansion),
    "sum-of-pieces": (2.0, (1, 2, 2, 3, 3, 4), _sum_of_products),
    "cancelling": (1.5, (1, 2, 3, 3, 4), _cancelling),
    "squares-and-cubes": (2.5, (2, 2, 3, 3, 4), _identity_of_squares),
    "difference-of-powers": (1.0, (2, 2, 3), _difference_of_powers),
    "cyclic": (2.0, (3, 3, 3, 4), _cyclic),
    "symmetric": (1.2, (2, 3, 3, 4), _symmetric),
    "determinant": (1.6, (2, 3, 3, 4, 4), _determinant),
    "regrouped": (1.5, (2, 3, 3, 4), _same_two_ways),
}
"""Forms with their weights and the numbers of letters they are made with."""


def many_variables(rng: random.Random) -> tuple[str, Pair] | None:
    """The name of a form and an identity of it, or None if this draw made none."""
    name = rng.choices(list(FORMS), [weight for weight, _, _ in FORMS.values()])[0]
    _, counts, form = FORMS[name]
    try:
        pair = form(_ring(rng, rng.choice(counts)))
    except TooLargeError:
        return None
    return None if pair is None else (name, pair)
