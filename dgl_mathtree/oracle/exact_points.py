"""One equation at one point, in arithmetic that says what is proven and what is not.

Precision grows until the sides are proven to differ, or one of them to have no value, or until they agree to more
digits than anything in the equation could hide. Work is counted in operations, weighted by precision, and never in
seconds: the same equation gets the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import OPEN, leaf_fraction, set_precision
from dgl_mathtree.arithmetic.operators import REALS
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.oracle.compare import Code, work
from dgl_mathtree.oracle.evaluate import constants
from dgl_mathtree.oracle.exact_functions import UNARY
from dgl_mathtree.oracle.exact_numbers import (
    ZERO,
    End,
    Number,
    Sign,
    exact_sum,
    from_rational,
    from_turns,
    made,
    scaled,
    sign_of,
)
from dgl_mathtree.oracle.exact_powers import (
    TAKEN,
    Result,
    constant,
    exact_fraction,
    exact_power,
    logarithm,
    product_or_open,
    side_of,
    sum_or_open,
)

LADDER = (128, 512, 2048, 8192, 32768)
CONSTANT_LADDER = (*LADDER, 131072)
AGREE, AGREE_DEEPLY = 512, 8192
"""Bits with which sides must agree that are not proven equal: at any point, and at those that are looked at deeply."""
ZERO_BITS, ZERO_AGREE = 128, 16
"""Bits with which a point between two fractions is looked at, and with which sides must agree there."""
UNITS = 60_000.0
"""Work for one equation at all points, in operations with 1,024 bits."""


class Finding(NamedTuple):
    """What is known of an equation at a point.

    Parameters
    ----------
    code : Code
        Undefined, equal, different or open.
    bits : int
        The precision that settled it.
    taken : bool
        Whether that rests on something that was taken to be on an edge.
    exact : bool
        Whether the sides are proven equal here.
    left, right : arb, optional
        The sides.
    order : int
        Of sides that differ: 1 if the left one is larger, -1 if the right one is.
    bounds : tuple
        Of sides that differ: the lower and the upper bound of each that hold at any precision, where such are known.
    """

    code: Code
    bits: int
    taken: bool = False
    exact: bool = False
    left: Any = None
    right: Any = None
    order: int = 0
    bounds: tuple[tuple[End | None, End | None], ...] = ()

    @property
    def certain(self) -> bool:
        """Whether a difference, or that there is no value, is proven."""
        return self.code in (Code.DIFFERENT, Code.UNDEFINED) and not self.taken


class ExactBudget:
    """Work that may still be done, in operations with 1,024 bits."""

    def __init__(self, units: float = UNITS) -> None:
        self.left = units

    def spend(self, operations: int, bits: int) -> bool:
        """Whether there is enough left for this, which is then taken off."""
        cost = work(operations, bits)
        if cost > self.left:
            return False
        self.left -= cost
        return True


class ExactPoints:
    """Compares the sides of one equation at points of exact fractions.

    Parameters
    ----------
    forest : Forest
        It, and nothing else.
    budget : ExactBudget, optional
        How much work may be done at all points together.
    """

    def __init__(self, forest: Forest, budget: ExactBudget | None = None) -> None:
        self.budget = ExactBudget() if budget is None else budget
        self._left, self._right = (int(k) for k in forest.equations[0])
        self._words = [forest.words[k] for k in forest.word.tolist()]
        self._children = forest.children.tolist()
        fixed = constants(forest)
        self._fixed = fixed.tolist()
        self._order = forest.members[forest.offsets[0] : forest.offsets[1]].tolist()
        self._order = sorted(set(self._order), key=forest.height.tolist().__getitem__)
        self.free = bool(np.all(fixed[self._order]))
        self._constants: dict[int, list[Result]] = {}

    def compare(self, point: Mapping[str, Fraction], least: int = AGREE, most: int = CONSTANT_LADDER[-1]) -> Finding:
        """What is known at a point.

        Parameters
        ----------
        point : mapping of str to Fraction
            The value of each variable.
        least, most : int
            Sides that are not proven equal must agree to this many bits; more bits than `most` are not tried.
        """
        found = Finding(Code.OPEN, 0)
        for bits in CONSTANT_LADDER if self.free else LADDER:
            if bits > most or not self.budget.spend(len(self._order), bits):
                break
            found = self._compare(point, bits, least)
            if found.code != Code.OPEN:
                break
        return found

    def compare_between(
        self, point: Mapping[str, Fraction], name: str, ends: tuple[Fraction, Fraction], node: int, value: int
    ) -> Finding:
        """What is known where a node has a whole value, for a variable between two fractions; open if none is proven.

        A continuous function that is below the value at one end and above it at the other has it somewhere between.
        """
        if not self.budget.spend(4 * len(self._order), ZERO_BITS):
            return Finding(Code.OPEN, 0)
        set_precision(ZERO_BITS)
        signs = set()
        for end in ends:
            there = self._values({**point, name: end}, ZERO_BITS)[node]
            sign = side_of(there, fmpq(-value)) if isinstance(there, Number) else Sign(None)
            signs.add(None if sign.taken else sign.sign)
        between = Number(arb(exact_fraction(ends[0])).union(arb(exact_fraction(ends[1]))))
        inside = {**point, name: between}
        # On all of the interval the node has a value, so it is continuous there.
        if signs != {1, -1} or not isinstance(self._values(inside, ZERO_BITS)[node], Number):
            return Finding(Code.OPEN, 0)
        return self._compare(inside, ZERO_BITS, 0, {node: from_rational(fmpq(value))})

    def compare_at_turns(self, point: Mapping[str, Fraction], name: str, turns: Any, node: int, value: int) -> Finding:
        """What is known where a variable is a multiple of pi, if a node certainly has a whole value there."""
        if not self.budget.spend(2 * len(self._order), ZERO_BITS):
            return Finding(Code.OPEN, 0)
        set_precision(ZERO_BITS)
        there = {**point, name: from_turns(turns)}
        found = self._values(there, ZERO_BITS)[node]
        sign = side_of(found, fmpq(-value)) if isinstance(found, Number) else Sign(None)
        return self._compare(there, ZERO_BITS, 0) if sign.sign == 0 and not sign.taken else Finding(Code.OPEN, 0)

    def _compare(
        self, point: Mapping[str, Any], bits: int, least: int, known: Mapping[int, Number] | None = None
    ) -> Finding:
        set_precision(bits)
        values = self._values(point, bits, known or {})
        left, right = values[self._left], values[self._right]
        if left is None or right is None:
            return Finding(Code.UNDEFINED, bits)
        if left is TAKEN or right is TAKEN:
            return Finding(Code.UNDEFINED, bits, taken=True)
        if left is OPEN or right is OPEN:
            return Finding(Code.OPEN, bits)
        sides = left.ball, right.ball
        gap = self._gap(values)
        if gap is None:
            return Finding(Code.OPEN, bits, False, False, *sides)
        sign = sign_of(gap)
        taken = left.taken or right.taken
        if sign.sign in (1, -1):
            bounds = (left.low, left.high), (right.low, right.high)
            return Finding(Code.DIFFERENT, bits, taken or sign.taken, False, *sides, sign.sign or 0, bounds)
        if sign.sign == 0 and not sign.taken:
            return Finding(Code.EQUAL, bits, taken, not taken, *sides)
        # Sides of which what is extreme cancels are compared by what is left, whatever their size.
        size = arb(1) if left.extreme or right.extreme else _size(sides)
        close = bits // 2 if known is None else ZERO_AGREE
        near = gap.ball.is_finite() and gap.ball.abs_upper() <= arb(2) ** -close * size
        agrees = bits >= least and near and not gap.extreme
        return Finding(Code.EQUAL if agrees else Code.OPEN, bits, taken, False, *sides)

    def _values(
        self, point: Mapping[str, Any], bits: int, given: Mapping[int, Number] = MappingProxyType({})
    ) -> list[Result]:
        if bits not in self._constants:
            self._constants[bits] = [None] * len(self._words)
            known = None
        else:
            known = self._constants[bits]
        store = self._constants[bits]
        values: list[Result] = [None] * len(self._words)
        for node in self._order:
            if known is not None and self._fixed[node]:
                values[node] = known[node]
                continue
            values[node] = given[node] if node in given else self._value(node, values, point)
            if self._fixed[node]:
                store[node] = values[node]
        return values

    def _value(self, node: int, values: list[Result], point: Mapping[str, Any]) -> Result:
        word, (first, second) = self._words[node], self._children[node]
        if first < 0:
            if is_variable(word):
                value = point[word]
                return value if isinstance(value, Number) else from_rational(exact_fraction(value))
            return constant(word, None if word in ("pi", "e") else leaf_fraction(word))
        arguments = [values[first]] if second < 0 else [values[first], values[second]]
        for nothing in (None, TAKEN, OPEN):
            if any(argument is nothing for argument in arguments):
                return nothing
        if second < 0:
            return UNARY[word](arguments[0]) if word in UNARY else _by_ball(REALS.unary.get(word), arguments)
        if word == "Add":
            return sum_or_open(*arguments)
        if word == "Mul":
            return product_or_open(*arguments)
        if word == "Pow":
            return exact_power(arguments[0], arguments[1], node)
        if word == "log":
            return logarithm(arguments[0], arguments[1], natural=self._words[second] == "e")
        return _by_ball(REALS.binary.get(word), arguments)

    def _gap(self, values: list[Result]) -> Number | None:
        """Left less right, with what both sides have in common left out."""
        terms: dict[int, Any] = {}
        fixed = self._flatten(self._left, 1, values, terms) + self._flatten(self._right, -1, values, terms)
        gap: Number | None = from_rational(fixed)
        for node, factor in terms.items():
            if factor != 0 and gap is not None:
                part = scaled(values[node], factor)
                gap = None if part is None else exact_sum(gap, part)
        return gap

    def _flatten(self, root: int, sign: int, values: list[Result], terms: dict[int, Any]) -> Any:
        """Add the terms of a sum to `terms`; what is rational is returned."""
        fixed = ZERO
        stack = [(root, from_rational(ZERO + sign).rational)]
        while stack:
            node, factor = stack.pop()
            word, (first, second) = self._words[node], self._children[node]
            value = values[node]
            if value.rational is not None and not value.taken:
                fixed += factor * value.rational
            elif word == "Add":
                stack += [(first, factor), (second, factor)]
            elif word == "Mul" and _exact(values[first]):
                stack.append((second, factor * values[first].rational))
            elif word == "Mul" and _exact(values[second]):
                stack.append((first, factor * values[second].rational))
            else:
                terms[node] = terms.get(node, ZERO) + factor
        return fixed


def _by_ball(function: Callable[..., Any] | None, arguments: list[Number]) -> Result:
    """An operator of which nothing but its ball arithmetic is known, if that."""
    value = OPEN if function is None else function(*(argument.ball for argument in arguments), False)
    if value is None or value is OPEN:
        return value
    found = made(Number(value), *arguments)
    return OPEN if found is None else found


def _exact(value: Result) -> bool:
    return isinstance(value, Number) and value.rational is not None and not value.taken


def _size(sides: tuple[Any, Any]) -> Any:
    """What agreement is relative to: the sides, and 1 where both may be 0."""
    both = sides[0].abs_upper() + sides[1].abs_upper()
    return both + 1 if all(side.contains(0) for side in sides) else both
