"""Facts of an equation's domain put into a reading, and the conditions that powers with variable exponents need."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb

from dgl_mathtree.arithmetic.arb_balls import set_precision
from dgl_mathtree.language import Expr, infix
from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.proof.normal_form.domain import Fact, facts_of, odd_exponents
from dgl_mathtree.proof.normal_form.enclosures import quotient_ball
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.learning import learn
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.ring import Quotient, Unsettled, polynomials_in, support
from dgl_mathtree.proof.normal_form.signs import is_nonzero, quotient_sign, sign

ROUNDS = 4
_ANALYTIC = frozenset({"var", "pi", "cospi", "sin", "cos", "exp", "ln"})


def prepare(reading: Reading, sides: tuple[Words, Words], cases: tuple[Fact, ...]) -> list[str]:
    """Learn what the domain of an equation says; the conditions that have to be added."""
    facts = [*cases, *(fact for side in sides for fact in facts_of(side))]
    facts = sorted(dict.fromkeys(facts), key=lambda fact: len(fact[0]))
    conditions: list[str] = []
    _learn_all(reading, facts)
    if reading.form.opaque:
        return conditions
    powers = dict.fromkeys(pair for side in sides for pair in odd_exponents(side))
    for base, exponent in sorted(powers, key=lambda pair: len(pair[0])):
        fact = _fact_of_power(reading, base, exponent, conditions)
        if fact is not None and fact not in facts:
            facts.append(fact)
            _learn_all(reading, facts)
    for u in sorted({u for side in sides for u in _cotangents(side)}, key=lambda u: (len(u), u)):
        if _may_vanish(reading, u):
            conditions.append(f"{infix(Expr(u))} != 0")
            facts.append((u, "!="))
            _learn_all(reading, facts)
    return conditions


def _learn_all(reading: Reading, facts: list[Fact]) -> None:
    """Learn facts until nothing new follows from them."""
    known = reading.form.facts
    for _ in range(ROUNDS):
        before = known.version
        for words, relation in facts:
            try:
                learn(reading.form.ring, known, reading.value(words), relation)
            except Unsettled as reason:
                if reading.form.ring.budget.left < 0:
                    raise Unsettled("out of budget") from reason
        if known.version == before:
            return
        _settle_absolute_values(reading.form)
        reading.values.clear()


def _settle_absolute_values(form: Form) -> None:
    """|f| = f or -f, where the sign of f has become known."""
    for index, generator in list(form.ring.generators.items()):
        if generator.kind == "abs" and form.ring.relations[index][0] == 2:
            known = sign(form.ring, form.facts, generator.argument)
            if known:
                form.ring.relate(index, 1, generator.argument if known > 0 else -generator.argument)


def _fact_of_power(reading: Reading, base: Words, exponent: Words, conditions: list[str]) -> Fact | None:
    """What base^exponent says about its base, whose positivity becomes a condition if nothing else gives it."""
    try:
        value = reading.value(exponent)
        below = reading.value(base)
    except Unsettled:
        return None
    ring, facts = reading.form.ring, reading.form.facts
    r = ring.rational(value)
    if r is not None:
        if r.denominator != 1:
            return base, ">" if r < 0 else ">="
        return (base, "!=") if r < 0 else None
    if below.above == 0 or quotient_sign(ring, facts, below) == 2 or not _is_almost_never_whole(reading.form, value):
        return None
    conditions.append(f"{infix(Expr(base))} > 0")
    return base, ">"


def _is_almost_never_whole(form: Form, exponent: Quotient) -> bool:
    """Whether an exponent is a whole number on a thin set at most, so that its base is positive elsewhere."""
    ring = form.ring
    if ring.is_constant(exponent.above) and ring.is_constant(exponent.below):
        set_precision(256)
        ball = quotient_ball(ring, exponent)
        return bool(ball.is_finite() and not ball.contains_integer() and abs(ball) < arb(2) ** 60)
    return all(_is_analytic(form, index, 0) for part in exponent for index in support(part))


def _is_analytic(form: Form, index: int, depth: int) -> bool:
    """Whether a generator is no step function in disguise: free of absolute values and inverse functions."""
    generator = form.ring.generators[index]
    if generator.kind == "var" or (generator.constant and generator.kind in ("pi", "cospi", "root", "ln", "exp")):
        return True
    if depth > 3 or generator.kind not in _ANALYTIC:
        return False
    arguments = polynomials_in(generator)
    return all(_is_analytic(form, inner, depth + 1) for part in arguments for inner in support(part))


def _cotangents(side: Words) -> Iterator[Words]:
    """The arguments of `acot`."""
    ends = subtree_ends(side)
    for at, word in enumerate(side):
        if word == "acot":
            yield side[at + 1 : ends[at]]


def _may_vanish(reading: Reading, u: Words) -> bool:
    """Whether acot(u) = atan(1/u) needs the condition u != 0, which cuts away a thin set."""
    value = reading.value(u)
    ring, facts = reading.form.ring, reading.form.facts
    if value.above == 0 or quotient_sign(ring, facts, value) > 0 or is_nonzero(ring, facts, value.above):
        return False
    return all(_is_analytic(reading.form, index, 0) for index in support(value.above))
