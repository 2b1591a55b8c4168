"""Values of expressions at points, as Arb balls that certainly hold them, and points of an equation's domain.

A value is an `arb`, None where there certainly is no real one, or OPEN where the precision does not tell. Nothing next
to an edge is ever taken to be on it here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import OPEN, leaf, set_precision
from dgl_mathtree.arithmetic.operators import REALS
from dgl_mathtree.language.vocabulary import is_number
from dgl_mathtree.oracle.points import Points
from dgl_mathtree.proof.check.limits import Budget
from dgl_mathtree.proof.check.nodes import Node, walk

Point = Mapping[str, Any]
"""The value of every variable, an `arb`."""
BITS: Final = 128
DEEP_BITS: Final = (256, 1024, 4096)
"""For what holds no variable and stays open."""
HIGHEST_PRODUCT: Final = 64
WANTED: Final = 8
"""Points at which every line of a proof is looked at."""
_RADIUS: Final = fmpq(1, 2**50)


class Values:
    """The values of expressions at one point.

    Parameters
    ----------
    point : mapping of str to arb
        The values of the variables.
    budget : Budget
        What evaluating is counted in.
    bits : int
        The precision.
    rational : callable, optional
        Gives the rational number that an expression is exactly, wherever it is defined, or None.
    """

    def __init__(
        self, point: Point, budget: Budget, bits: int = BITS, rational: Callable[[Node], Any] | None = None
    ) -> None:
        self.point, self.bits, self.rational = point, bits, rational
        self._budget = budget
        self._known: dict[Node, Any] = {}

    def of(self, node: Node) -> Any:
        """The ball of an expression, None, or OPEN."""
        set_precision(self.bits)
        return self._value(node)

    def _value(self, node: Node) -> Any:
        found = self._known.get(node, self)
        if found is self:
            self._budget.spend(1 + self.bits // 64)
            found = self._known[node] = self._compute(node)
        return found

    def _compute(self, node: Node) -> Any:
        args = [self._value(arg) for arg in node.args]
        if not args:
            return self.point[node.word] if node.word in self.point else leaf(node.word)
        if any(arg is None for arg in args):
            return None
        if any(arg is OPEN for arg in args):
            return OPEN
        value = _applied(node.word, args)
        if value is OPEN and self.rational is not None and any(arg.args for arg in node.args):
            # What is defined here and known to be a rational number is that number exactly.
            known = [self.rational(arg) for arg in node.args]
            set_precision(self.bits)
            exact = [arg if number is None else arb(number) for arg, number in zip(args, known, strict=True)]
            value = _applied(node.word, exact)
        return value


def _applied(word: str, args: Sequence[Any]) -> Any:
    if len(args) == 1:
        return REALS.unary[word](args[0], False)
    value = REALS.binary[word](args[0], args[1], False)
    if value is OPEN and word == "Pow" and args[1].is_integer() and 0 < args[1] < HIGHEST_PRODUCT:
        # Arb has no whole powers of some balls around 0.
        value = args[0]
        for _ in range(int(args[1].unique_fmpz()) - 1):
            value = value * args[0]
    return value


def differ(a: Any, b: Any) -> bool:
    """Whether two values are certainly different numbers."""
    return isinstance(a, arb) and isinstance(b, arb) and not a.overlaps(b)


def may_agree(a: Any, b: Any) -> bool:
    """Whether two values may be one number."""
    return not differ(a, b)


def has_variable(node: Node) -> bool:
    """Whether a variable occurs."""
    return node.varies


@cache
def _design() -> Points:
    return Points(0)


def candidates(names: Sequence[str], numbers: Sequence[float]) -> Iterator[dict[str, float]]:
    """Points to try, ordinary ones first; the same ones at every call."""
    design = _design()
    if not names:
        yield {}
        return

    def rows(columns: Sequence[Any]) -> Iterator[dict[str, float]]:
        for k in range(len(columns[0])):
            yield {name: float(column[k]) for name, column in zip(names, columns, strict=True)}

    places = range(len(names))
    first = [design.round(0, place) for place in places]
    for k in design.ordinary_first():
        yield {name: float(column[k]) for name, column in zip(names, first, strict=True)}
    yield from rows([design.round(1, place) for place in places])
    if numbers:
        yield from rows([design.near(numbers, place, len(names), 4) for place in places])
        yield from _between(names, numbers)
    yield from rows([design.special(place) for place in places])
    for apart in (True, False):
        yield from rows([design.search(place, apart) for place in places])


def _between(names: Sequence[str], numbers: Sequence[float]) -> Iterator[dict[str, float]]:
    """Points between and next to the numbers of an equation, where narrow domains lie."""
    signed = [sign * number for number in numbers for sign in (1.0, -1.0)]
    middles = [(a + b) / 2 for k, a in enumerate(signed) for b in signed[:k]]
    beside = [a + side * 10.0**-k for a in signed for k in (3, 5, 8) for side in (1, -1)]
    values = [*middles, *beside]
    for shift in range(len(names)):
        for k in range(len(values)):
            yield {name: values[(k + shift * place) % len(values)] for place, name in enumerate(names)}


def numbers_in(node: Node) -> list[float]:
    """Numbers of an expression, of a size that floats hold."""
    found = {part.word for part in walk(node) if not part.args and is_number(part.word) and len(part.word) < 15}
    values = sorted({abs(float(fmpq_float(word))) for word in found})
    return [value for value in values if value not in (0.0, 1.0)][:6]


def fmpq_float(word: str) -> float:
    """A number's word as a float, for looking for points only."""
    above, _, below = word.partition("/")
    return float(above) / float(below or "1")


def around(point: Mapping[str, float]) -> dict[str, Any]:
    """A box of balls with a radius above 0 around a point."""
    set_precision(BITS)
    return {name: arb(value, float(_RADIUS.p) / float(_RADIUS.q) * abs(value)) for name, value in point.items()}


def exactly(point: Mapping[str, float]) -> dict[str, Any]:
    """A point as balls of radius 0."""
    return {name: arb(value) for name, value in point.items()}
