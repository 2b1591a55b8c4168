"""Steps by named laws: replayed by matching, with every instance checked.

An instance A = B of a law holds wherever A and B are defined. So both are required to be defined throughout the region,
and the law's own conditions to hold there. The step is accepted if its left side, with A replaced by B in one or more
places, is its right side up to algebra, or if the difference of its sides is a multiple of A - B.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice

from dgl_mathtree.proof.check import rules
from dgl_mathtree.proof.check.definedness import Definedness
from dgl_mathtree.proof.check.form import Step
from dgl_mathtree.proof.check.law_table import Law, law_of
from dgl_mathtree.proof.check.limits import ProofError
from dgl_mathtree.proof.check.matching import MOST_MATCHES, Bindings, Matcher, joined
from dgl_mathtree.proof.check.nodes import Node, replace, walk
from dgl_mathtree.proof.check.region import Region

MOST_STATES = 80
MOST_ROUNDS = 4
MOST_FILLS = 6
MOST_OCCURRENCES = 6


def check(step: Step, names: Sequence[str], region: Region, defined: Definedness) -> None:
    """Check a step by named laws, perhaps together with rules.

    Raises
    ------
    ProofError
        If a law is unknown, or the step is not an instance.
    """
    laws, others = [], []
    for name in names:
        if name in rules.READINGS:
            others.append(name)
        elif (law := law_of(name)) is not None:
            laws.append(law)
        else:
            raise ProofError(f"{step.name} names no known law or rule: {name[:60]!r}")
    replay = Replay(step, laws, others or ["algebra"], region, defined)
    if not replay.succeeds():
        raise ProofError(f"{step.name} does not follow by {step.law[:120]}")


class Replay:
    """Looks for applications of some laws that make a step's left side its right side.

    Parameters
    ----------
    step : Step
        The step.
    laws : sequence of Law
        The laws that may be applied.
    others : list of str
        The rules by which the sides may differ otherwise.
    region, defined
        Where it is to hold, and what is defined there.
    """

    def __init__(
        self, step: Step, laws: Sequence[Law], others: list[str], region: Region, defined: Definedness
    ) -> None:
        self.step, self.laws, self.others = step, laws, others
        self.region, self.defined = region, defined
        self._sound: dict[tuple[Node, Node], bool] = {}

    def succeeds(self) -> bool:
        """Whether the step is accepted: laws are applied to its left side, to its right side, or by difference."""
        if self.step.at is not None and not any(part == self.step.at for part in walk(self.step.left)):
            return False
        if self._reaches(self.step.left, self.step.right):
            return True
        if self.step.at is None and self._reaches(self.step.right, self.step.left):
            return True
        return len(self.laws) == 1 and self._by_difference()

    def _reaches(self, start: Node, goal: Node) -> bool:
        """Whether one side becomes the other, up to the rules, when each law is applied at least once."""
        states: dict[Node, frozenset[str]] = {start: frozenset()}
        wanted = frozenset(law.name for law in self.laws)
        frontier = [start]
        for turn in range(MOST_ROUNDS):
            reached: list[Node] = []
            for state in frontier:
                for new, name in self._rewritten(state, first=turn == 0 and start is self.step.left):
                    if new in states or len(states) > MOST_STATES:
                        continue
                    states[new] = states[state] | {name}
                    reached.append(new)
                    if states[new] == wanted and rules.holds(self.region, new, goal, self.others):
                        return True
            frontier = reached
        return False

    def _rewritten(self, state: Node, first: bool) -> Iterator[tuple[Node, str]]:
        """What a state becomes by one instance of one law, at all places where that stands or at one of them."""
        at = self.step.at if first else None
        places = [at] if at is not None else list(walk(state))
        for law in self.laws:
            for place in places:
                for old, new in self._instances(law, place):
                    for changed in _replaced(state, old, new):
                        if changed != state and self.defined.holds(changed):
                            yield changed, law.name

    def _instances(self, law: Law, place: Node) -> Iterator[tuple[Node, Node]]:
        """A place and what a law makes of it, in either direction."""
        matcher = Matcher(law.letters, self.region.budget)
        for pattern, template in ((law.left, law.right), (law.right, law.left)):
            if not pattern.args and pattern.word in law.letters and law.is_identity:
                continue
            for bound, rest in islice(matcher.partly(pattern, place), MOST_MATCHES):
                for full in self._filled(law, bound):
                    a, b = (instantiated(side, full) for side in (pattern, template))
                    if not self._is_sound(law, full, a, b):
                        continue
                    word = pattern.word
                    whole = a if not rest else joined([a, *rest], word)
                    if whole == place or self.region.base.same(whole, place):
                        yield place, (b if not rest else joined([b, *rest], word))

    def _filled(self, law: Law, bound: Bindings) -> Iterator[Bindings]:
        """Bindings with letters that the pattern does not have given parts of the right side."""
        free = [letter for letter in sorted(law.letters) if letter not in bound]
        if not free:
            yield bound
        elif len(free) == 1:
            for part in islice(walk(self.step.right), MOST_FILLS * 4):
                yield {**bound, free[0]: part}

    def _is_sound(self, law: Law, bound: Bindings, a: Node, b: Node) -> bool:
        """Whether both sides of an instance are defined throughout the region, and the law's conditions hold there."""
        key = a, b
        if key not in self._sound:
            # Readers are only given what is defined: an undefined argument could be equal to two that differ.
            conditions = [(instantiated(node, bound), mask) for node, mask in law.conditions]
            self._sound[key] = all(self.defined.holds(node) for node in (a, b, *(node for node, _ in conditions))) and (
                not any(self.region.signs(node) & ~mask for node, mask in conditions)
            )
        return self._sound[key]

    def _by_difference(self) -> bool:
        """Whether the difference of the sides is a multiple of the difference of the sides of an instance."""
        law, base = self.laws[0], self.region.base
        ring = base.ring
        left, right = base.read(self.step.left), base.read(self.step.right)
        difference = ring.times(left.num, right.den) - ring.times(right.num, left.den)
        places = [self.step.at] if self.step.at is not None else [*walk(self.step.left), *walk(self.step.right)]
        matcher = Matcher(law.letters, self.region.budget)
        for place in places:
            for pattern, template in ((law.left, law.right), (law.right, law.left)):
                for bound, _ in islice(matcher.partly(pattern, place), MOST_MATCHES):
                    for full in self._filled(law, bound):
                        a, b = (instantiated(side, full) for side in (pattern, template))
                        if not self._is_sound(law, full, a, b):
                            continue
                        one, other = base.read(a), base.read(b)
                        law_difference = ring.times(one.num, other.den) - ring.times(other.num, one.den)
                        if ring.divides(law_difference, difference):
                            return True
        return False


def _replaced(node: Node, old: Node, new: Node) -> Iterator[Node]:
    """An expression with all occurrences of a part replaced, and then with one of several."""
    yield replace(node, lambda part: new if part == old else None)
    places = _occurrences(node, old)
    if 1 < places <= MOST_OCCURRENCES:
        for chosen in range(places):
            place = count()
            yield replace(node, lambda part, n=place, k=chosen: _one_of(part, old, new, n, k))  # type: ignore[misc]


def _one_of(part: Node, old: Node, new: Node, places: Iterator[int], chosen: int) -> Node | None:
    """What an occurrence becomes where only the chosen one is replaced."""
    if part != old:
        return None
    return new if next(places) == chosen else old


def _occurrences(node: Node, part: Node) -> int:
    return 1 if node == part else sum(_occurrences(arg, part) for arg in node.args)


def instantiated(side: Node, bound: Bindings) -> Node:
    """A law's side with its letters replaced."""
    return replace(side, lambda part: bound.get(part.word) if not part.args else None)
