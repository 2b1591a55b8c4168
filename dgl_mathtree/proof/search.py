"""Best-first search for a derivation by named laws, from both sides of an equation at once.

Each side is rewritten by one law at a time, the expression with the simplest functions first. As soon as an expression
reached from the left and one reached from the right have the same fingerprint, exact algebra decides whether they are
equal, and the two paths make a proof. Work is counted in rewrites, so that the same equation always has the same proof.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import count

from dgl_mathtree.language import Equation
from dgl_mathtree.proof.algebra import Algebra, root_order
from dgl_mathtree.proof.conditions import Definedness
from dgl_mathtree.proof.derivation import Proof
from dgl_mathtree.proof.facts import Facts
from dgl_mathtree.proof.laws import Condition
from dgl_mathtree.proof.matching import Matcher
from dgl_mathtree.proof.rules import Rewrite, Rule
from dgl_mathtree.proof.shorten import shortened, written_out
from dgl_mathtree.proof.strategy import Measure, rule_book, tactic_books
from dgl_mathtree.proof.terms import Terms, terms_for

BUDGET = 1200
"""Rewrites that are tried at most: about half a second. Hardly any proof needs more than a hundred."""
LARGEST = 160
"""The size of an expression that is rewritten further, in nodes."""
LARGEST_SIDE = 220
FORMS = 4
"""The expressions with one fingerprint that are kept on each side."""
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


def prove_by_laws(
    equation: Equation, *, without: Collection[str] = (), budget: int = BUDGET, seconds: float | None = None
) -> Proof | None:
    """A proof of an equation by named laws and algebra, or None.

    Parameters
    ----------
    equation : Equation
        What to prove; whether it is defined anywhere is not asked.
    without : collection of str
        Names of laws that may not be used.
    budget : int
        Rewrites that are tried at most.
    seconds : float, optional
        The search also ends after this time.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> print(prove_by_laws(parse_equation("tan(x)*cos(x) = sin(x)")))
    tan(x)*cos(x) = sin(x)
      tan(x)*cos(x)
        = (sin(x)/cos(x))*cos(x)    reciprocal/tan-quotient
        = sin(x)                    algebra
    """
    if len(equation.words) > LARGEST_SIDE:
        return None
    return Search(equation, frozenset(without), budget, seconds).run()


class Search:
    """The state of one search."""

    def __init__(self, equation: Equation, without: frozenset[str], budget: int, seconds: float | None) -> None:
        left, right = equation.left.words, equation.right.words
        self.equation = equation
        self.terms: Terms = terms_for(left, right)
        self.roots = self.terms.read(left), self.terms.read(right)
        order = root_order(self.terms, *self.roots)
        self.algebra = Algebra(self.terms, order)
        self.defined = Definedness(self.terms, Facts(self.terms, self.roots, (), order))
        self.matcher = Matcher(self.terms, self._arguments(), self.algebra)
        self.measure = Measure(self.terms)
        self.without = without
        self.budget = budget
        self.deadline = None if seconds is None else time.perf_counter() + seconds
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

    def run(self) -> Proof | None:
        for side, root in enumerate(self.roots):
            self._reach(side, Path(root))
            tidy = self.matcher.tidy(root)
            if tidy != root:
                self._reach(side, Path(tidy))
        for side in (0, 1):  # a single law makes the shortest proof
            if self.found is None and self.sides[side].queue:
                self._expand(side)
        if self.found is None:
            self._tactics()
        best = self._shortened()
        if best is not None and sum(map(len, best)) > SHORT:
            best = self._shorter(best)
        while self.found is None and self._go_on():
            self._expand()
        best = best or self._shortened()
        return None if best is None else written_out(self, *best)

    def _shortened(self) -> Rewrites | None:
        return None if self.found is None else shortened(self, *self.found)

    def _shorter(self, best: Rewrites) -> Rewrites:
        """A shorter proof than one that tactics have found, if a little more search gives one."""
        rest, self.budget, found = self.budget, min(self.budget, MORE), self.found
        self.found = None
        while self.found is None and self._go_on():
            self._expand()
        other = self._shortened()
        self.budget, self.found = rest, self.found or found
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
        if len(forms) >= FORMS:
            return False
        forms.append(path)
        for meeting in other.reached.get(value, ()):
            if self.algebra.closes(path.node, meeting.node):
                self.found = (path, meeting) if side == 0 else (meeting, path)
                break
        priority = 0.5 * self.measure(path.node) + len(path.steps) + 0.02 * self.terms.size[path.node]
        heapq.heappush(mine.queue, (priority + 3 * len(path.conditions), next(self._tick), path))
        return True

    def _expand(self, only: int | None = None) -> None:
        """Rewrite the best expression of a side in all ways; by default of the side that was less often rewritten."""
        side = only
        if side is None:
            side = min((s for s in (0, 1) if self.sides[s].queue), key=lambda s: self.sides[s].expanded)
        self.sides[side].expanded += 1
        rules = rule_book(self.without)
        path = heapq.heappop(self.sides[side].queue)[2]
        for node in self._places(path.node):
            for rewrite in self.matcher.all_rewrites(rules.get(self.terms.word[node], ()), node):
                self.budget -= 1
                self._follow(side, path, rewrite)
                if self.found is not None or self.budget <= 0:
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
        conditions = self.conditions_of(rewrite)
        if conditions is None:
            return None
        longer = Path(node, (*path.steps, rewrite), path.conditions | conditions)
        return longer if self._reach(side, longer) else None

    def after(self, node: int, rewrite: Rewrite) -> int:
        """An expression after a rewrite, made tidy."""
        return self.matcher.tidy(self.terms.replace(node, rewrite.at, rewrite.new))

    def conditions_of(self, rewrite: Rewrite) -> frozenset[Condition] | None:
        """What using a law needs beyond the equation's domain; None where it may not be used."""
        needs = [
            self.defined.needs(rewrite.form),
            self.defined.needs(rewrite.replaced),
            self.defined.needs(rewrite.new),
        ]
        missing: set[Condition] = set()
        for need in needs:
            if need is None:
                return None
            missing |= need
        bound = dict(rewrite.bound)
        for condition in rewrite.rule.law.conditions:
            instance = self._instance(condition, bound)
            if not self.defined.facts.holds(instance):
                if not self.defined.thin(instance):
                    return None
                missing.add(instance)
        return frozenset(missing)

    def _instance(self, condition: Condition, bound: dict[str, int]) -> Condition:
        sides = [
            self.terms.expr(self.terms.replace_all(self.terms.read(side.words), self._letters(bound)))
            for side in (condition.left, condition.right)
        ]
        return Condition(sides[0], condition.relation, sides[1])

    def _letters(self, bound: dict[str, int]) -> dict[int, int]:
        return {self.terms.node(letter): node for letter, node in bound.items()}

    def _tactics(self) -> None:
        """Rewrite both sides by lists of laws that lead to few functions, as far as they go."""
        for book in tactic_books(self.without):
            for side, root in enumerate(self.roots):
                path = Path(self.matcher.tidy(root))
                for _ in range(TACTIC_STEPS):
                    longer = self._tactic_step(side, path, book)
                    if longer is None:
                        break
                    path = longer
                    if self.found is not None:
                        return

    def _tactic_step(self, side: int, path: Path, book: tuple[Rule, ...]) -> Path | None:
        places = self._places(path.node)
        for rule in book:
            for node in places:
                if self.terms.word[node] != rule.head:
                    continue
                for rewrite in self.matcher.rewrites(rule, node):
                    self.budget -= 1
                    new = self.after(path.node, rewrite)
                    conditions = self.conditions_of(rewrite)
                    if conditions or conditions is None or self.terms.size[new] > LARGEST:
                        continue
                    longer = Path(new, (*path.steps, rewrite), path.conditions)
                    self._reach(side, longer)
                    return longer
        return None
