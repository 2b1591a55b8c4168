"""Proofs by the normal form, written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, islice, product, zip_longest
from typing import Any

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.language import Equation
from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, is_number, is_variable
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
MOST_TERMS, MOST_REARRANGED = 6, 24
"""Terms of an equation that are distributed to its sides in other ways, and how many of these are tried."""
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
    elif decision.reason == "double":
        yield from _both_sides("exp", ALL, decision, facts, (("Mul", "2", *left), ("Mul", "2", *right)))
    elif decision.reason == "square":
        yield from _both_sides("square", NONNEGATIVE, decision, facts)
    elif decision.reason == "turn":
        yield from _by_turn(decision, facts)
    elif decision.reason == "cases":
        yield from _by_cases(decision, facts)
    yield [step(left, right, "value")] if decision.reason == "constants" else [step(left, right, EVERYTHING)]


def _both_sides(
    name: str,
    interval: str,
    decision: Decision,
    facts: tuple[Fact, ...],
    moved: tuple[Words, Words] | None = None,
) -> Iterator[list[Step]]:
    """Chains for a function of both sides, or of the sides of the same equation after terms were moved."""
    left, right = (("Pow", *side, "2") if name == "square" else (name, *side) for side in moved or decision.sides)
    inner = decide(left, right, facts)
    if inner is not None and inner.reason in ("equal", "constants"):
        because: dict[str, Any] = {"range": interval}
        if moved is not None:
            because["sides"] = list(map(text, moved))
        for steps in islice(written(inner, facts), 4):
            yield [step(*decision.sides, f"both sides: {name}", {**because, "steps": steps})]


def _by_turn(decision: Decision, facts: tuple[Fact, ...]) -> Iterator[list[Step]]:
    ways = [_both_sides(name, where, decision, facts) for name, where in _branches(decision.reading, decision.sides)]
    for found in zip_longest(*ways):  # the finest of each way first
        yield from (steps for steps in found if steps is not None)
    if not ways:
        for sides in islice(rearranged(*decision.sides), MOST_REARRANGED):
            for name, where in _branches(decision.reading, sides):
                yield from _both_sides(name, where, decision, facts, sides)
    known = {words for words, _ in facts}
    for name in dict.fromkeys(w for side in decision.sides for w in side if w not in ARITY and is_variable(w)):
        if not known & {(name,), ("Mul", "-1", name)}:
            yield from _by_sign_of(name, decision, facts)


def _branches(reading: Reading, sides: tuple[Words, Words]) -> Iterator[tuple[str, str]]:
    """Functions that are injective where both sides are, and where that is."""
    bounds = [_bounds(reading, side) for side in sides]
    for name, start, closed in _BRANCHES:
        for turns in TURNS:
            low, high = start + turns, start + turns + 1
            if all(bound is not None and bound.within(low, high, closed=closed) for bound in bounds):
                sign = "<=" if closed else "<"
                yield name, f"{low}*pi {sign} both sides {sign} {high}*pi"


def rearranged(left: Words, right: Words) -> Iterator[tuple[Words, Words]]:
    """The sides of an equation with its terms distributed in other ways, with few terms on the left side first."""
    terms = _terms(left)
    for term in map(negative, _terms(right)):
        if negative(term) in terms:
            terms.remove(negative(term))
        else:
            terms.append(term)
    if not 1 < len(terms) <= MOST_TERMS:
        return
    for size in range(1, len(terms) // 2 + 1):
        for chosen in combinations(range(len(terms)), size):
            rest = [negative(term) for k, term in enumerate(terms) if k not in chosen]
            yield _sum([terms[k] for k in chosen]), _sum(rest)


def _terms(words: Words) -> list[Words]:
    """The terms of a sum that are not 0."""
    if words[0] != "Add":
        return [] if words == ("0",) else [words]
    ends = subtree_ends(words)
    return [*_terms(words[1 : ends[1]]), *_terms(words[ends[1] :])]


def negative(words: Words) -> Words:
    """A term with the other sign."""
    if words[0] != "Mul" or not is_number(words[1]):
        return "Mul", "-1", *words
    return words[2:] if words[1] == "-1" else ("Mul", str(-Fraction(words[1])), *words[2:])


def _sum(terms: list[Words]) -> Words:
    total = terms[0]
    for term in terms[1:]:
        total = ("Add", *total, *term)
    return total


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
