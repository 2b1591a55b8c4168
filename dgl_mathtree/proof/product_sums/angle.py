"""Angles as sums of rational multiples of expressions, and the laws that bring them into one range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from dgl_mathtree.proof.terms import Terms
from dgl_mathtree.proof.tidy import product_of

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Angle:
    """A multiple of pi and multiples of other expressions, by their nodes.

    Parameters
    ----------
    turn : Fraction
        The multiple of pi.
    parts : tuple of (int, Fraction)
        Nodes and their multiples, in the order of nodes.
    """

    turn: Fraction
    parts: tuple[tuple[int, Fraction], ...] = ()

    def __add__(self, other: Angle) -> Angle:
        total = dict(self.parts)
        for node, factor in other.parts:
            total[node] = total.get(node, Fraction(0)) + factor
        return Angle(self.turn + other.turn, tuple(sorted((n, f) for n, f in total.items() if f)))

    def times(self, factor: Fraction) -> Angle:
        if factor == 0:
            return Angle(Fraction(0))
        return Angle(self.turn * factor, tuple((node, factor * value) for node, value in self.parts))

    def shifted(self, turn: Fraction) -> Angle:
        return Angle(self.turn + turn, self.parts)

    def is_backward(self) -> bool:
        """Whether its negative is the one that is used."""
        lead = self.parts[0][1] if self.parts else self.turn
        return lead < 0


def read_angle(terms: Terms, node: int) -> Angle:
    """The angle that a node spells."""
    rational = terms.rational[node]
    word = terms.word[node]
    if rational is not None:
        return Angle(Fraction(0), ((terms.node("1"), rational),) if rational else ())
    if word == "pi":
        return Angle(Fraction(1))
    if word == "Add":
        first, second = terms.children[node]
        return read_angle(terms, first) + read_angle(terms, second)
    if word == "Mul":
        factors = terms.chain(node, "Mul")
        rest = [factor for factor in factors if terms.rational[factor] is None]
        number = product_of(terms.rational[factor] for factor in factors)
        if len(rest) == 1 and terms.word[rest[0]] in ("Add", "pi"):
            return read_angle(terms, rest[0]).times(number)
        return Angle(Fraction(0), ((terms.product(rest), number),)) if number else Angle(Fraction(0))
    return Angle(Fraction(0), ((node, Fraction(1)),))


def angle_node(terms: Terms, angle: Angle) -> int:
    """A node that spells an angle."""
    pairs = [*angle.parts, *([(terms.node("pi"), angle.turn)] if angle.turn else [])]
    one = terms.node("1")
    found = []
    for node, factor in pairs:
        if node == one:
            found.append(terms.number(factor))
        else:
            found.append(node if factor == 1 else terms.node("Mul", terms.number(factor), node))
    return terms.total(found)


@dataclass(frozen=True)
class Turned:
    """One law for a sine or cosine: the instance f(form) = sign*g(angle)."""

    law: str
    form: int
    word: str
    angle: Angle
    sign: int


def turns(terms: Terms, word: str, angle: Angle) -> Iterator[Turned]:
    """The laws that lead from sin or cos of an angle to the one that is used for all that are equal or opposite."""
    while True:
        turned = _turned(terms, word, angle)
        if turned is None:
            return
        yield turned
        word, angle = turned.word, turned.angle


def _turned(terms: Terms, word: str, angle: Angle) -> Turned | None:
    odd = -1 if word == "sin" else 1
    pi = terms.node("pi")
    half = terms.node("Mul", terms.node("1/2"), pi)

    def form(left: int, right: int, minus: bool = False) -> int:
        return terms.node("Add", left, terms.node("Mul", terms.node("-1"), right) if minus else right)

    if angle.is_backward():
        back = angle.times(Fraction(-1))
        return Turned(f"parity/{word}", terms.node("Mul", terms.node("-1"), angle_node(terms, back)), word, back, odd)
    if angle.turn >= 1:
        less = angle.shifted(Fraction(-1))
        return Turned(f"shift/{word}-pi", form(angle_node(terms, less), pi), word, less, -1)
    if not angle.parts:
        if word == "sin":
            other = Angle(HALF - angle.turn)
            return Turned("cofunction/sin", form(half, angle_node(terms, other), minus=True), "cos", other, 1)
        if angle.turn > HALF:
            other = Angle(1 - angle.turn)
            return Turned("shift/cos-supplement", form(pi, angle_node(terms, other), minus=True), "cos", other, -1)
        return None
    other_word = "cos" if word == "sin" else "sin"
    if angle.turn >= HALF:
        less = angle.shifted(-HALF)
        return Turned(f"shift/{word}-quarter", form(angle_node(terms, less), half), other_word, less, -odd)
    if angle.turn < 0:
        more = angle.shifted(HALF)
        law = f"circular/{word}-quarter-back"
        return Turned(law, form(angle_node(terms, more), half, minus=True), other_word, more, odd)
    return None
