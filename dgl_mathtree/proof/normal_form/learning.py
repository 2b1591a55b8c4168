"""What follows from facts about an equation's domain: signs of factors, and polynomials that are nowhere zero."""

from __future__ import annotations

from dgl_mathtree.proof.normal_form.factoring import factor
from dgl_mathtree.proof.normal_form.ring import Polynomial, Quotient, Ring
from dgl_mathtree.proof.normal_form.signs import ODD_KINDS, Facts, is_nonzero, sign


def learn(ring: Ring, facts: Facts, u: Quotient, relation: str) -> None:
    """Note that u > 0, u >= 0 or u != 0 wherever the equation is defined, and what follows for the factors of u."""
    if u.above == 0:
        return
    scale, pieces = factor(ring, u.above)
    _, below = factor(ring, u.below)
    for f, _ in below:
        facts.note_nonzero(f)
    if relation in (">", "!="):
        for f, _ in pieces:
            _note_nonzero(ring, facts, f)
    if relation == "!=":
        return
    strict = 2 if relation == ">" else 1
    rest, flip = [], 1 if scale > 0 else -1
    powers = {str(f): (f, n) for f, n in pieces}
    for f, n in below:
        powers[str(f)] = (f, n + powers.get(str(f), (f, 0))[1])
    for f, n in powers.values():
        known = sign(ring, facts, f)
        if abs(known) == 2:
            flip *= (1 if known > 0 else -1) ** n
        elif n % 2 == 0 and is_nonzero(ring, facts, f):
            continue
        else:
            rest.append((f, n))
    _conclude(ring, facts, rest, strict, flip)
    facts.note(u.above * u.below, strict)


def _note_nonzero(ring: Ring, facts: Facts, f: Polynomial) -> None:
    """Note that a polynomial is nowhere zero, and what its absolute value, root or odd function is of."""
    facts.note_nonzero(f)
    inner = ring.of_kind(f, "abs", "root")
    if inner is not None:
        _note_nonzero(ring, facts, inner.argument)
    odd = ring.of_kind(f, *ODD_KINDS)
    if odd is not None:
        _note_nonzero(ring, facts, odd.argument.above)


def _conclude(ring: Ring, facts: Facts, rest: list[tuple[Polynomial, int]], strict: int, flip: int) -> None:
    """From flip * product of powers > 0 or >= 0."""
    if len(rest) == 1 and rest[0][1] % 2:
        facts.note(rest[0][0], strict * flip)
    if len(rest) == 2 and all(n % 2 for _, n in rest):
        f, g = rest[0][0], rest[1][0] * flip  # f*g >= 0: if f + g > 0 both are nonnegative, if < 0 nonpositive
        total = sign(ring, facts, f + g)
        if abs(total) == 2:
            facts.note(f, strict if total > 0 else -strict)
            facts.note(g, strict if total > 0 else -strict)
