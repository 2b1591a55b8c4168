"""The generators of a reading: what is new, what is equal to an old one, and how fine its powers are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flint import fmpz

from dgl_mathtree.proof.check.limits import TooMuchWork
from dgl_mathtree.proof.check.nodes import Node, add, mul, number, power
from dgl_mathtree.proof.check.polynomials import Quotient, Ring

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.region import Region

MOST_RESTARTS = 24
FINEST = 4_000


class Finer(Exception):
    """A generator must be a smaller part of what it stands for."""

    def __init__(self, key: Any, order: int) -> None:
        super().__init__()
        self.key, self.order = key, order


class Generators(ABC):
    """Polynomials whose generators stand for expressions, told apart by comparing their arguments.

    Parameters
    ----------
    region : Region
        Where equalities are to hold.
    rules : frozenset of str
        The rules by which expressions are read.
    """

    def __init__(self, region: Region, rules: frozenset[str]) -> None:
        self.region, self.rules = region, rules
        self.orders: dict[Any, int] = {}
        self._start()

    def _start(self) -> None:
        self.ring = Ring(self.region.budget, self.region.room)
        self._read: dict[Node, Quotient] = {}
        self._index: dict[tuple[str, tuple[Node, ...]], int] = {}
        self._groups: dict[str, list[tuple[tuple[Node, ...], int]]] = {}
        self._pieces: list[Node] = []
        self._comparing: set[tuple[Node, Node]] = set()
        self._orders_taken: dict[int, int] = {}
        self.nodes: dict[int, Node] = {}

    @abstractmethod
    def read(self, node: Node) -> Quotient:
        """The quotient of an expression."""

    def has(self, *rules: str) -> bool:
        """Whether one of some rules may be used."""
        return not self.rules.isdisjoint(rules)

    # Comparing

    def same(self, a: Node, b: Node) -> bool:
        """Whether two expressions are certainly equal wherever both are defined in the region."""
        if a == b:
            return True
        if not self.region.agree(a, b):
            return False
        for _ in range(MOST_RESTARTS):
            try:
                return self.ring.equal(self.read(a), self.read(b))
            except Finer as finer:
                self.orders[finer.key] = finer.order
                self._start()
        raise TooMuchWork("the roots of a step need too fine a common denominator")

    def quotient(self, node: Node) -> Quotient:
        """The quotient of an expression, not within a reading."""
        for _ in range(MOST_RESTARTS):
            try:
                return self.read(node)
            except Finer as finer:
                self.orders[finer.key] = finer.order
                self._start()
        raise TooMuchWork("the roots of a step need too fine a common denominator")

    def equal(self, a: Node, b: Node) -> bool:
        """As `same`, within a reading; what is being compared already is not known to be equal."""
        if a == b:
            return True
        if (a, b) in self._comparing or not self.region.agree(a, b):
            return False
        self._comparing.add((a, b))
        try:
            return self.ring.equal(self.read(a), self.read(b))
        finally:
            self._comparing.discard((a, b))

    def generator(
        self,
        kind: str,
        args: tuple[Node, ...],
        meaning: Node | None,
        relation: Callable[[], tuple[int, Quotient]] | None = None,
    ) -> int:
        """The index of the generator of a kind for some arguments, an old one if these are equal to its own.

        Parameters
        ----------
        kind : str
            The kind, mostly a function's name.
        args : tuple of Node
            What is compared.
        meaning : Node, optional
            The expression that the generator stands for; None if it is not real.
        relation : callable, optional
            Gives the degree in which it is algebraic, and what its power of that degree is.
        """
        found = self._found(kind, args)
        return self._taken(kind, args, meaning, relation) if found is None else found

    def part(
        self,
        kind: str,
        arg: Node,
        exponent: Any,
        meaning: Callable[[int], Node] | None,
        relation: Callable[[int], tuple[int, Quotient]] | None = None,
        least: int = 1,
    ) -> Quotient:
        """A rational power of what an argument stands for, as a whole power of a generator that is a part of it.

        The generator is the n-th part: g^n is what the argument stands for. Its order n belongs to the generator, not
        to the argument: an equal argument that is written differently finds the same generator, with the same order.

        Parameters
        ----------
        kind : str
            The kind, which has one meaning for all orders.
        arg : Node
            What is compared.
        exponent : fmpq
            The power.
        meaning : callable, optional
            Gives the expression that the generator of an order stands for; None if it is not real.
        relation : callable, optional
            As in `generator`, for an order.
        least : int
            What the order is a multiple of.

        Raises
        ------
        Finer
            If the generator has been taken with an order that is not fine enough: reading starts again.
        """
        denominator = int(exponent.q)
        index = self._found(kind, (arg,))
        if index is None:
            order = _common(self.orders.get((kind, arg), least), denominator)
            index = self._taken(
                kind,
                (arg,),
                None if meaning is None else meaning(order),
                None if relation is None else lambda: relation(order),
            )
            self._orders_taken[index] = order
        order = self._orders_taken[index]
        if order % denominator:
            first = next(args[0] for args, other in self._groups[kind] if other == index)
            raise Finer((kind, first), _common(order, denominator))
        return self.ring.power_of(index, int(exponent * order))

    def _found(self, kind: str, args: tuple[Node, ...]) -> int | None:
        """The index of a generator of a kind whose arguments are equal to some, if there is one."""
        found = self._index.get((kind, args))
        if found is not None:
            return found
        for others, index in self.group(kind):
            self.region.budget.spend(2)
            if all(self.equal(a, b) for a, b in zip(args, others, strict=True)):
                self._index[kind, args] = index
                return index
        return None

    def _taken(
        self,
        kind: str,
        args: tuple[Node, ...],
        meaning: Node | None,
        relation: Callable[[], tuple[int, Quotient]] | None,
    ) -> int:
        """The index of a new generator."""
        related = relation() if relation is not None else None
        index = self._index[kind, args] = self.ring.take()
        if meaning is not None:
            self.nodes[index] = meaning
        if related is not None:
            self.ring.relate(index, *related)
        self._groups.setdefault(kind, []).append((args, index))
        return index

    def group(self, kind: str) -> list[tuple[tuple[Node, ...], int]]:
        """The arguments and indices of the generators of a kind."""
        return list(self._groups.get(kind, ()))

    def atom(self, word: str, *args: Node) -> Quotient:
        """A function application as a generator."""
        return self.ring.power_of(self.generator(word, args, Node(word, *args)), 1)

    def order(self, key: str, denominator: int, least: int) -> int:
        """The order of the only generator of a kind without arguments: a restart where it is not fine enough."""
        order = self.orders.get(key, least)
        if order % denominator:
            raise Finer(key, _common(order, denominator))
        return order

    def expression_of(self, p: Any) -> Node:
        """The expression of a polynomial, if all its generators have one."""
        total: Node | None = None
        for exponents, coefficient in p.terms():
            term = number(coefficient)
            for index, exponent in enumerate(exponents):
                if exponent:
                    term = mul(term, power(self.nodes[index], int(exponent)))
            total = term if total is None else add(total, term)
        return number(0) if total is None else total


def _common(order: int, denominator: int) -> int:
    """The least common multiple of an order and a denominator, if it is not too large."""
    finer = int(fmpz(order).lcm(denominator))
    if finer > FINEST:
        raise TooMuchWork("the roots of a step need too fine a common denominator")
    return finer
