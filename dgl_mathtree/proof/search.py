"""Best-first search for a derivation by named laws, from both sides of an equation at once.

Each side is rewritten by one law at a time, the expression with the simplest functions first. As soon as an expression
reached from the left and one reached from the right have the same fingerprint, exact algebra decides whether they are
equal, and the two paths make a proof. Work is counted in rewrites, so that the same equation always has the same proof.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from dgl_mathtree.language.expr import Words
from dgl_mathtree.proof.algebra import Algebra, root_order
from dgl_mathtree.proof.conditions import Definedness
from dgl_mathtree.proof.facts import Facts
from dgl_mathtree.proof.laws import Condition
from dgl_mathtree.proof.matching import Matcher
from dgl_mathtree.proof.proposals import Proposals
from dgl_mathtree.proof.rules import Rewrite, Rule
from dgl_mathtree.proof.shorten import Derivation, shortened, written_out
from dgl_mathtree.proof.strategy import Measure, tactic_books, useful_rules
from dgl_mathtree.proof.terms import Terms, terms_for

BUDGET = 1200
"""Rewrites that are tried at most: about half a second. Hardly any proof needs more than a hundred."""
LARGEST = 160
"""The size of an expression that is rewritten further, in nodes."""
FORMS, MEETING_FORMS = 4, 24
"""The expressions with one fingerprint that are kept on each side, and those of a fingerprint that both sides have."""
TACTIC_STEPS = 60
SHORT, MORE = 3, 500
"""A derivation by tactics with more rewrites than this is worth this many more to find a shorter one."""
Rewrites = tuple[list[Rewrite], list[Rewrite]]


@dataclass
class Path:
    """An expression that was reached from one side, and how."""

    node: int
    steps: tuple[Rewrite, ...] = ()
    conditions: frozenset[Condition] = frozenset()


@dataclass
class Side:
    """What was reached from one side of the equation."""

    reached: dict[int, list[Path]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    queue: list[tuple[float, int, Path]] = field(default_factory=list)
    expanded: int = 0


@dataclass(frozen=True)
class Goal:
    """What a search is to derive, and where.

    Parameters
    ----------
    left, right : tuple of str
        The two expressions, as words.
    domain : tuple of words
        Expressions that are defined wherever the derivation has to hold: the sides of the equation.
    assumed : tuple of Condition
        What holds there beside, such as the current case.
    """

    left: Words
    right: Words
    domain: tuple[Words, ...] = ()
    assumed: tuple[Condition, ...] = ()


class Search:
    """The state of one search.

    Parameters
    ----------
    goal : Goal
        What to derive.
    without : frozenset of str
        Names of laws that may not be used.
    budget : int
        Rewrites that are tried at most.
    deadline : float, optional
        When the search also ends, by `time.perf_counter`.
    """

    def __init__(
        self, goal: Goal, without: frozenset[str], budget: int = BUDGET, deadline: float | None = None
    ) -> None:
        self.goal = goal
        self.terms: Terms = terms_for(goal.left, goal.right, *goal.domain)
        self.roots = self.terms.read(goal.left), self.terms.read(goal.right)
        domain = tuple(dict.fromkeys([*self.roots, *map(self.terms.read, goal.domain)]))
        order = root_order(self.terms, *domain)
        self.algebra = Algebra(self.terms, order)
        self.defined = Definedness(self.terms, Facts(self.terms, domain, goal.assumed, order))
        self.matcher = Matcher(self.terms, self._arguments(), self.algebra)
        self.proposals = Proposals(self.terms, self.matcher, (goal.domain or (goal.left, goal.right))[:2], without)
        self.measure = Measure(self.terms)
        self.without = without
        self.budget = budget
        self.deadline = deadline
        self.sides = Side(), Side()
        self.found: tuple[Path, Path] | None = None
        self._tick = count()

    def _arguments(self) -> set[int]:
        """The arguments of functions in the equation."""
        terms = self.terms
        tidy = Matcher(terms)
        return {
            tidy.tidy(child)
            for node in terms.subnodes(*self.roots)
            if len(terms.children[node]) == 1
            for child in terms.children[node]
        }

    def derivations(self) -> Iterator[Derivation]:
        """The derivations that are found, one after the other; the search goes on while others are asked for."""
        for side, root in enumerate(self.roots):
            for node in dict.fromkeys((root, self.matcher.tidy(root))):
                self._reach(side, Path(node))
        yield from self._taken()
        for side in (0, 1):  # a single law makes the shortest proof
            if self.sides[side].queue:
                yield from self._expand(side)
        for found in self._tactics():
            best = shortened(self, *found)
            yield from self._written(self._shorter(best) if sum(map(len, best)) > SHORT else best)
        while self._go_on():
            yield from self._expand()

    def _taken(self) -> Iterator[Derivation]:
        """The derivation that was just found, if there is one."""
        if self.found is not None:
            found, self.found = self.found, None
            yield from self._written(shortened(self, *found))

    def _written(self, rewrites: Rewrites) -> Iterator[Derivation]:
        derivation = written_out(self, *rewrites)
        if derivation is not None:
            yield derivation

    def _shorter(self, best: Rewrites) -> Rewrites:
        """A shorter derivation than one that tactics have found, if a little more search gives one."""
        rest, self.budget = self.budget, min(self.budget, MORE)
        while self.found is None and self._go_on():
            for _ in self._rewritten():
                if self.found is not None:
                    break
        found, self.found = self.found, None
        self.budget = rest
        other = None if found is None else shortened(self, *found)
        return other if other is not None and sum(map(len, other)) < sum(map(len, best)) else best

    def _go_on(self) -> bool:
        if self.budget <= 0 or not any(side.queue for side in self.sides):
            return False
        return self.deadline is None or time.perf_counter() < self.deadline

    def _reach(self, side: int, path: Path) -> bool:
        """Note an expression that was reached; whether it is new."""
        value = self.terms.value[path.node]
        mine, other = self.sides[side], self.sides[1 - side]
        if value is None or path.node in mine.seen:
            return False
        mine.seen.add(path.node)
        forms = mine.reached.setdefault(value, [])
        if len(forms) >= (MEETING_FORMS if value in other.reached else FORMS):
            return False
        forms.append(path)
        for meeting in other.reached.get(value, ()):
            if self.algebra.closes(path.node, meeting.node):
                self.found = (path, meeting) if side == 0 else (meeting, path)
                break
        priority = 0.5 * self.measure(path.node) + len(path.steps) + 0.02 * self.terms.size[path.node]
        heapq.heappush(mine.queue, (priority + 3 * len(path.conditions), next(self._tick), path))
        return True

    def _expand(self, only: int | None = None) -> Iterator[Derivation]:
        """Rewrite the best expression of a side in all ways, and give what is derived by that."""
        for _ in self._rewritten(only):
            yield from self._taken()

    def _rewritten(self, only: int | None = None) -> Iterator[None]:
        """Rewrite the best expression of a side, by default of the side that was less often rewritten.

        Stops after each rewrite.
        """
        side = only
        if side is None:
            side = min((s for s in (0, 1) if self.sides[s].queue), key=lambda s: self.sides[s].expanded)
        self.sides[side].expanded += 1
        path = heapq.heappop(self.sides[side].queue)[2]
        for node in self._places(path.node):
            rules = useful_rules(self.terms.word[node], self.matcher.functions(node), self.without)
            known = self.matcher.all_rewrites(rules, node)
            for rewrite in (*self.proposals.rewrites(node), *known):
                self.budget -= 1
                self._follow(side, path, rewrite)
                yield
                if self.budget <= 0:
                    return

    def _places(self, root: int) -> list[int]:
        """The nodes at which laws are tried: of sums and products only whole ones."""
        terms = self.terms
        inner = {
            child
            for node in terms.subnodes(root)
            if terms.word[node] in ("Add", "Mul")
            for child in terms.children[node]
            if terms.word[child] == terms.word[node]
        }
        return [node for node in terms.subnodes(root) if terms.children[node] and node not in inner]

    def _follow(self, side: int, path: Path, rewrite: Rewrite) -> Path | None:
        """The path with one rewrite more, if it leads to something new that is defined."""
        node = self.after(path.node, rewrite)
        if self.terms.size[node] > LARGEST or node in self.sides[side].seen:
            return None
        conditions = self.defined.of_rewrite(rewrite)
        if conditions is None:
            return None
        longer = Path(node, (*path.steps, rewrite), path.conditions | conditions)
        return longer if self._reach(side, longer) else None

    def after(self, node: int, rewrite: Rewrite) -> int:
        """An expression after a rewrite, made tidy."""
        return self.matcher.tidy(self.terms.replace(node, rewrite.at, rewrite.new))

    def _tactics(self) -> Iterator[tuple[Path, Path]]:
        """Rewrite both sides by lists of laws that lead to few functions, as far as they go; gives what meets."""
        for book in tactic_books(self.without):
            for side, root in enumerate(self.roots):
                path = Path(self.matcher.tidy(root))
                for _ in range(TACTIC_STEPS):
                    longer = self._tactic_step(side, path, book)
                    if longer is None:
                        break
                    path = longer
                    if self.found is not None:
                        found, self.found = self.found, None
                        yield found

    def _tactic_step(self, side: int, path: Path, book: tuple[Rule, ...]) -> Path | None:
        places = self._places(path.node)
        for rule in book:
            for node in places:
                if self.terms.word[node] != rule.head:
                    continue
                for rewrite in self.matcher.rewrites(rule, node):
                    self.budget -= 1
                    new = self.after(path.node, rewrite)
                    conditions = self.defined.of_rewrite(rewrite)
                    if conditions or conditions is None or self.terms.size[new] > LARGEST:
                        continue
                    longer = Path(new, (*path.steps, rewrite), path.conditions)
                    self._reach(side, longer)
                    return longer
        return None
