"""Decides whether an equation holds wherever it is defined."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.language.expr import Words
from dgl_mathtree.proof.normal_form.angles import direction, turn
from dgl_mathtree.proof.normal_form.conditions import prepare
from dgl_mathtree.proof.normal_form.constants import vanishes
from dgl_mathtree.proof.normal_form.domain import Fact, fractional_powers
from dgl_mathtree.proof.normal_form.exponentials import AREA, exponential
from dgl_mathtree.proof.normal_form.expressions import polynomial_words
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.ranges import constant_range, range_of
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.ring import (
    GENERATORS,
    Budget,
    Polynomial,
    Quotient,
    Restart,
    Ring,
    Unsettled,
    number,
    polynomials_in,
    support,
)
from dgl_mathtree.proof.normal_form.signs import ODD_KINDS, is_nonzero, quotient_sign, sign, times

READINGS = 40
SPLITS = 2
"""Case splits within case splits."""


@dataclass(frozen=True)
class Decision:
    """Why an equation holds.

    Parameters
    ----------
    sides : tuple of words
        The left and the right side.
    reason : str
        ``equal``, ``constants``, ``exp``, ``double``, ``sinh``, ``cosh``, ``turn``, ``square`` or ``cases``.
    reading : Reading
        The reading that showed it.
    conditions : tuple of str
        What has to hold beyond the equation's own domain.
    cases : tuple
        Facts and decisions, if the reason is ``cases``.
    """

    sides: tuple[Words, Words]
    reason: str
    reading: Reading
    conditions: tuple[str, ...]
    cases: tuple[tuple[Fact, Decision], ...] = ()


@dataclass
class _Question:
    sides: tuple[Words, Words]
    facts: tuple[Fact, ...]
    budget: Budget
    units: dict[str, Fraction] = field(default_factory=dict)


def decide(left: Words, right: Words, facts: tuple[Fact, ...] = (), budget: Budget | None = None) -> Decision | None:
    """A decision that left = right wherever both are defined and the facts hold, or None if it is not settled."""
    with own_precision():
        question = _Question((left, right), facts, budget or Budget())
        try:
            return _decide(question, SPLITS)
        except (Unsettled, RecursionError, OverflowError):
            return None


def _decide(question: _Question, splits: int) -> Decision | None:
    """Try ways of reading that need no conditions first, and cases last."""
    special = any("acot" in side or any(True for _ in fractional_powers(side)) for side in question.sides)
    ways = [(opaque, False) for opaque in ([True, False] if special else [False])]
    first: tuple[Reading, tuple[Quotient, Quotient], tuple[str, ...]] | None = None
    while ways:
        opaque, grouped = ways.pop(0)
        found = _read(question, opaque, grouped, splits)
        if isinstance(found, Decision):
            return found
        if found is not None and not opaque and not grouped and any(_of_unknown_sign(found[0].form, found[1])):
            first = found
            ways.append((opaque, True))
    return _by_cases(question, *first, splits) if splits and first else None


_Read = tuple[Reading, tuple[Quotient, Quotient], tuple[str, ...]]


def _read(question: _Question, opaque: bool, grouped: bool, splits: int) -> Decision | _Read | None:
    """A decision, or what was read if it shows none."""
    for _ in range(READINGS):
        reading = Reading(Form(Ring(question.units, question.budget), opaque=opaque, grouped=grouped))
        conditions: list[str] = []
        try:
            conditions = prepare(reading, question.sides, question.facts)
            left, right = (reading.value(side) for side in question.sides)
            reason = _reason(reading.form, left, right)
            if reason and not (reading.form.needs_cases and splits):
                return Decision(question.sides, reason, reading, tuple(conditions))
        except Restart:
            continue
        except Unsettled:
            if question.budget.left < 0:
                raise
            left = right = number(0)
        return reading, (left, right), tuple(conditions)
    return None


def _reason(form: Form, left: Quotient, right: Quotient) -> str:
    ring = form.ring
    if ring.equal(left, right):
        return "equal"
    difference = ring.subtract(left, right)
    if vanishes(ring, difference.above):
        return "constants"
    kinds = {ring.generators[i].kind for i in support(difference.above)}
    for reason, needed, test in (
        ("exp", {"ln", *AREA}, _same_exponential),
        ("turn", {"asin", "atan"}, _same_turn),
    ):
        if kinds & needed:
            try:
                if test(form, difference):
                    return reason
            except Unsettled:
                continue
    if kinds & set(AREA):
        for reason in ("sinh", "cosh"):
            with suppress(Unsettled):
                if _same_hyperbolic(form, left, right, reason):
                    return reason
    if kinds & {"root", "abs"} and _same_square(form, left, right):
        return "square"
    if kinds & {"ln", *AREA}:  # costs most: the roots in the exponential are squared
        with suppress(Unsettled):
            return "double" if _same_square_of_exponential(form, difference) else ""
    return ""


def _same_exponential(form: Form, difference: Quotient) -> bool:
    value = exponential(form, difference)
    return vanishes(form.ring, form.ring.subtract(value, number(1)).above)


def _same_square_of_exponential(form: Form, difference: Quotient) -> bool:
    """Whether the exponentials of twice both sides agree: the square of a root may be without one."""
    return _same_exponential(form, form.ring.scale(2, difference))


def _same_hyperbolic(form: Form, left: Quotient, right: Quotient, name: str) -> bool:
    """Whether the hyperbolic sines agree, or the cosines of two values that are not negative."""
    ring = form.ring
    if name == "cosh" and any(quotient_sign(ring, form.facts, side) <= 0 for side in (left, right)):
        return False
    flip = 1 if name == "cosh" else -1
    values = []
    for side in (left, right):
        up, down = exponential(form, side), exponential(form, ring.scale(-1, side))
        values.append(ring.add(up, ring.scale(flip, down)))
    return ring.equal(*values)


def _same_turn(form: Form, difference: Quotient) -> bool:
    """Whether a difference of angles is a multiple of 2*pi that lies between -2*pi and 2*pi."""
    bounds = constant_range(form, difference) or range_of(form, difference)
    if bounds is None or not bounds.within(-2, 2, closed=False):
        return False
    half = direction(form, difference) if bounds.within(-1, 1, closed=False) else None
    if half is not None and vanishes(form.ring, half[1].above):
        return True
    cosine, sine = turn(form, difference)
    return vanishes(form.ring, sine.above) and vanishes(form.ring, form.ring.subtract(cosine, number(1)).above)


def _same_square(form: Form, left: Quotient, right: Quotient) -> bool:
    """Whether both sides have one sign and equal squares."""
    ring = form.ring
    together = times(quotient_sign(ring, form.facts, left), quotient_sign(ring, form.facts, right))
    return together > 0 and ring.equal(ring.power(left, 2), ring.power(right, 2))


def _by_cases(
    question: _Question, reading: Reading, values: tuple[Quotient, Quotient], conditions: tuple[str, ...], splits: int
) -> Decision | None:
    """Prove an equation for f >= 0 and for f <= 0, for an f whose absolute value it contains."""
    for f in _of_unknown_sign(reading.form, values):
        words = polynomial_words(reading.form.ring, f)
        relation = ">" if is_nonzero(reading.form.ring, reading.form.facts, f) else ">="
        found: list[tuple[Fact, Decision]] = []
        for side in (words, polynomial_words(reading.form.ring, -f)):
            fact = (side, relation)
            decision = _decide(_Question(question.sides, (*question.facts, fact), question.budget), splits - 1)
            if decision is None:
                break
            found.append((fact, decision))
        if len(found) == 2:
            together = dict.fromkeys([*conditions, *(c for _, decision in found for c in decision.conditions)])
            return Decision(question.sides, "cases", reading, tuple(together), tuple(found))
    return None


def _of_unknown_sign(form: Form, values: tuple[Quotient, Quotient]) -> Iterator[Polynomial]:
    """Polynomials under absolute values, the shortest first, at most two."""
    used: set[int] = set()
    pending = [i for value in values for part in value for i in support(part)] or list(form.ring.generators)
    while pending:
        index = pending.pop()
        if index in used:
            continue
        used.add(index)
        pending += [i for part in polynomials_in(form.ring.generators[index]) for i in support(part)]
        if index in form.ring.relations:
            pending += support(form.ring.relations[index][1])
    unknown = [
        _of_same_sign(form, form.ring.generators[i].argument)
        for i in used
        if form.ring.generators[i].kind == "abs" and form.ring.relations[i][0] == 2
    ]
    yield from sorted(unknown, key=lambda p: (len(p), str(p)))[:2]


def _of_same_sign(form: Form, f: Polynomial) -> Polynomial:
    """A polynomial, or what is simpler and has its sign or always the other: x instead of atan(x), or of exp(x) - 1."""
    ring = form.ring
    inner = ring.of_kind(f, *ODD_KINDS)
    exponent = next((i for i in support(f) if ring.generators[i].kind == "exp"), None)
    if exponent is not None and f / f.leading_coefficient() == GENERATORS[exponent] ** f.total_degree() - 1:
        inner = ring.generators[exponent]
    if inner is None or sign(ring, form.facts, inner.argument.below) <= 0:
        return f
    return _of_same_sign(form, inner.argument.above)
