"""Proofs by the normal form, written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product, zip_longest
from typing import Any

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.language import Equation
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY, is_variable
from dgl_mathtree.proof.normal_form.deciding import Decision, decide
from dgl_mathtree.proof.normal_form.domain import Fact
from dgl_mathtree.proof.normal_form.exponentials import AREA
from dgl_mathtree.proof.normal_form.ranges import Range, constant_range, range_of
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.ring import Restart, Unsettled
from dgl_mathtree.proof.normal_form.writing import EVERYTHING, Step, chains, step, text

Proof = dict[str, Any]
ATTEMPTS = 40
ALL = "all real numbers"
NONNEGATIVE = "both sides >= 0"
HALF = Fraction(1, 2)
TURNS = (0, 1, -1, 2, -2)
_BRANCHES = (("tan", -HALF, False), ("sin", -HALF, True), ("cos", Fraction(0), True))
"""Functions, where an interval of length pi on which they are injective starts, in units of pi, and if it is closed."""


def prove_by_normal_form(equation: Equation, accepts: Callable[[Proof], bool] | None = None) -> Proof | None:
    """A proof that an equation holds wherever it is defined, or None where the normal form does not settle it.

    The equation must be defined somewhere: ask the oracle first.

    Parameters
    ----------
    equation : Equation
        The equation.
    accepts : callable, optional
        Whether a proof is good enough: the checker. The same decision can be written out in finer and coarser steps,
        and the first that is accepted is returned; without it, the finest.

    Returns
    -------
    dict or None
        ``equation``, ``method``, ``conditions`` and ``steps``, as the checker takes them.
    """
    decision = decide(equation.left.words, equation.right.words)
    if decision is None:
        return None
    with own_precision():
        for steps in islice(written(decision, ()), ATTEMPTS):
            proof = {
                "equation": str(equation),
                "method": "normal form",
                "conditions": list(decision.conditions),
                "steps": steps,
            }
            if accepts is None or accepts(proof):
                return proof
    return None


def written(decision: Decision, facts: tuple[Fact, ...]) -> Iterator[list[Step]]:
    """The steps of a decision, from fine to coarse."""
    left, right = decision.sides
    if decision.reason == "equal":
        yield from chains(decision.reading, left, right, facts)
        if any(word in AREA or "/" in word for word in (*left, *right)):
            yield from _both_sides("square", NONNEGATIVE, decision, facts)
    elif decision.reason in ("exp", "sinh", "cosh"):
        heads = {word[1:]: None for word in (left[0], right[0]) if word in AREA}
        others = ("tanh", "sinh", "cosh") if any(word in AREA for word in (*left, *right)) else ()
        for name in dict.fromkeys((*heads, "exp", *others)):
            yield from _both_sides(name, NONNEGATIVE if name == "cosh" else ALL, decision, facts)
    elif decision.reason == "square":
        yield from _both_sides("square", NONNEGATIVE, decision, facts)
    elif decision.reason == "turn":
        yield from _by_turn(decision, facts)
    elif decision.reason == "cases":
        yield from _by_cases(decision, facts)
    yield [step(left, right, "value")] if decision.reason == "constants" else [step(left, right, EVERYTHING)]


def _both_sides(name: str, interval: str, decision: Decision, facts: tuple[Fact, ...]) -> Iterator[list[Step]]:
    """Chains for a function of both sides."""
    left, right = (("Pow", *side, "2") if name == "square" else (name, *side) for side in decision.sides)
    inner = decide(left, right, facts)
    if inner is not None and inner.reason in ("equal", "constants"):
        for steps in islice(written(inner, facts), 4):
            yield [step(*decision.sides, f"both sides: {name}", {"range": interval, "steps": steps})]


def _by_turn(decision: Decision, facts: tuple[Fact, ...]) -> Iterator[list[Step]]:
    bounds = [_bounds(decision.reading, side) for side in decision.sides]
    ways = []
    for name, start, closed in _BRANCHES:
        for turns in TURNS:
            low, high = start + turns, start + turns + 1
            if all(bound is not None and bound.within(low, high, closed=closed) for bound in bounds):
                sign = "<=" if closed else "<"
                ways.append(_both_sides(name, f"{low}*pi {sign} both sides {sign} {high}*pi", decision, facts))
    for found in zip_longest(*ways):  # the finest of each way first
        yield from (steps for steps in found if steps is not None)
    known = {words for words, _ in facts}
    for name in dict.fromkeys(w for side in decision.sides for w in side if w not in ARITY and is_variable(w)):
        if not known & {(name,), ("Mul", "-1", name)}:
            yield from _by_sign_of(name, decision, facts)


def _by_sign_of(name: str, decision: Decision, facts: tuple[Fact, ...]) -> Iterator[list[Step]]:
    """Chains for a variable of either sign, where that narrows the ranges of both sides."""
    cases = []
    for words in ((name,), ("Mul", "-1", name)):
        inner = decide(*decision.sides, (*facts, (words, ">=")))
        if inner is None or inner.reason == "cases":
            return
        cases.append(((words, ">="), inner))
    together = Decision(decision.sides, "cases", decision.reading, decision.conditions, tuple(cases))
    yield from _by_cases(together, facts)


def _bounds(reading: Reading, words: Words) -> Range | None:
    try:
        value = reading.value(words)
        return constant_range(reading.form, value) or range_of(reading.form, value)
    except (Unsettled, Restart):
        return None


def _by_cases(decision: Decision, facts: tuple[Fact, ...]) -> Iterator[list[Step]]:
    """Chains for each of two cases that cover everything."""
    f, relation = decision.cases[0][0]
    signs = (">", "<") if relation == ">" else (">=", "<=")
    choices = [list(islice(written(inner, (*facts, fact)), 4)) for fact, inner in decision.cases]
    for pair in sorted(product(*(range(len(found)) for found in choices)), key=sum):
        cases = [
            {"case": f"{text(f)} {sign} 0", "steps": found[index]}
            for sign, found, index in zip(signs, choices, pair, strict=True)
        ]
        yield [step(*decision.sides, "cases", cases)]
