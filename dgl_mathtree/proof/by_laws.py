"""Proofs by named laws: a search for a derivation, or several within the outline of another proof.

The normal form knows which function to apply to both sides, or which cases to distinguish. Where a derivation from side
to side is not found, its proof is taken as an outline, and each chain of its steps is searched for again by laws.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.proof.derivation import Proof
from dgl_mathtree.proof.laws import Condition
from dgl_mathtree.proof.product_sums import derive_by_sums
from dgl_mathtree.proof.search import BUDGET, Goal, Search
from dgl_mathtree.proof.shorten import Derivation
from dgl_mathtree.proof.step import Step

Accepts = Callable[[Mapping[str, Any]], bool]
LARGEST_EQUATION = 220
MOST_REFUSED = 4
"""Derivations that the checker may refuse before no other is looked for."""
MOST_SEARCHES, MOST_REWRITES = 12, 4 * BUDGET
"""Searches within one outline, and rewrites in all of them."""
BOTH_SIDES = "both sides: "
_ANGLES = ("tan", "sin", "cos")
_GROWING = ("exp", "tanh", "sinh", "cosh")
_POWERS = ("square", "cube")
_WHERE = {
    **dict.fromkeys(("exp", "tanh", "sinh", "cube"), "all real numbers"),
    **dict.fromkeys(("square", "cosh"), "both sides of one sign"),
}
"""Where functions of both sides have different values at different numbers."""
_LOGARITHMS = frozenset("log asinh acosh atanh acsch asech acoth".split())
_ARCS = frozenset("asin acos atan acsc asec acot".split())


def prove_by_laws(
    equation: Equation,
    *,
    without: Collection[str] = (),
    budget: int = BUDGET,
    seconds: float | None = None,
    accepts: Accepts | None = None,
) -> Proof | None:
    """A proof of an equation by named laws and algebra, from side to side, or None.

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
    accepts : callable, optional
        Whether a proof in its JSON form is good enough: the checker. The search goes on where it is not.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> print(prove_by_laws(parse_equation("tan(x)*cos(x) = sin(x)")))
    tan(x)*cos(x) = sin(x)
      tan(x)*cos(x)
        = (sin(x)/cos(x))*cos(x)    reciprocal/tan-quotient
        = sin(x)                    algebra
    """
    if len(equation.words) > LARGEST_EQUATION:
        return None
    deadline = None if seconds is None else time.perf_counter() + seconds
    goal = Goal(equation.left.words, equation.right.words)
    return _first(equation, _derivations(Search(goal, frozenset(without), budget, deadline)), accepts)


def prove_along(
    equation: Equation,
    outline: Proof | None,
    *,
    without: Collection[str] = (),
    seconds: float | None = None,
    accepts: Accepts | None = None,
) -> Proof | None:
    """A proof by named laws with functions of both sides, and with the cases of another proof, or None.

    Parameters
    ----------
    equation : Equation
        What to prove, which `prove_by_laws` does not.
    outline : Proof, optional
        Another proof of it.
    without, seconds, accepts
        As for `prove_by_laws`.
    """
    if len(equation.words) > LARGEST_EQUATION:
        return None
    deadline = None if seconds is None else time.perf_counter() + seconds
    other = outline or Proof(equation, "laws", (Step(equation.left, equation.right, ""),))
    found = Outline(other, frozenset(without), deadline).derivations()
    return _first(equation, found, accepts, other.conditions)


def _derivations(search: Search) -> Iterator[Derivation]:
    """Derivations from side to side: by searching, and by sums of sines and cosines."""
    yield from search.derivations()
    yield from derive_by_sums(search.goal, search.without)


def _first(
    equation: Equation, derivations: Iterator[Derivation], accepts: Accepts | None, conditions: Sequence[str] = ()
) -> Proof | None:
    """The first proof that is accepted."""
    for found in islice(derivations, MOST_REFUSED):
        proof = Proof(equation, "laws", found.steps, tuple(sorted({*conditions, *found.conditions})))
        if accepts is None or accepts(proof.to_json()):
            return proof
    return None


class Outline:
    """Looks for derivations by laws within the outline of a proof.

    Parameters
    ----------
    proof : Proof
        The proof.
    without : frozenset of str
        Names of laws that may not be used.
    deadline : float, optional
        When the searches end, by `time.perf_counter`.
    """

    def __init__(self, proof: Proof, without: frozenset[str], deadline: float | None) -> None:
        self.proof = proof
        self.without, self.deadline = without, deadline
        self.domain = proof.equation.left.words, proof.equation.right.words
        self.assumed = tuple(map(Condition.parse, proof.conditions))
        self._found: dict[Goal, Derivation | None] = {self._goal(*self.domain, ()): None}
        self._searches, self._rewrites = MOST_SEARCHES, MOST_REWRITES

    def derivations(self) -> Iterator[Derivation]:
        """The derivations that are found, one after the other."""
        yield from self._chain(self.proof.steps, ())

    def _goal(self, left: Words, right: Words, assumed: tuple[Condition, ...]) -> Goal:
        return Goal(left, right, self.domain, (*self.assumed, *assumed))

    def _search(self, left: Words, right: Words, assumed: tuple[Condition, ...]) -> Iterator[Derivation]:
        """The derivation from side to side, if there is one."""
        goal = self._goal(left, right, assumed)
        if goal not in self._found:
            self._found[goal] = None
            late = self.deadline is not None and time.perf_counter() > self.deadline
            left_over = self._searches > 0 and self._rewrites > 0 and not late
            if left_over and len(left) + len(right) <= LARGEST_EQUATION:
                search = Search(goal, self.without, min(BUDGET, self._rewrites), self.deadline)
                self._searches -= 1
                self._rewrites -= search.budget
                self._found[goal] = next(_derivations(search), None)
                self._rewrites += max(0, search.budget)
        found = self._found[goal]
        if found is not None:
            yield found

    def _chain(self, steps: Sequence[Step], assumed: tuple[Condition, ...]) -> Iterator[Derivation]:
        """Derivations from the start of some steps to their end: at once, by a function of both sides, or by step."""
        left, right = steps[0].left, steps[-1].right
        yield from self._search(left.words, right.words, assumed)
        if len(steps) > 1 or steps[0].because is None:
            for name in _functions_for(left, right):
                yield from self._both_sides(left, right, name, (), assumed)
        if len(steps) > 1:
            parts = []
            for step in steps:
                part = next(self._step(step, assumed), None)
                if part is None:
                    return
                parts.append(part)
            yield _joined(parts)
        else:
            yield from self._step(steps[0], assumed)

    def _step(self, step: Step, assumed: tuple[Condition, ...]) -> Iterator[Derivation]:
        if isinstance(step.because, list):
            yield from self._cases(step, assumed)
        elif step.because is not None:
            given = step.law.removeprefix(BOTH_SIDES)
            others = next((group for group in (_ANGLES, _GROWING, _POWERS) if given in group), ())
            inner = [Step.from_json(entry) for entry in step.because["steps"]]
            yield from self._both_sides(step.left, step.right, given, inner, assumed, step.because)
            for name in others if "sides" not in step.because else ():
                if name != given:
                    yield from self._both_sides(step.left, step.right, name, (), assumed)
        else:
            yield from self._search(step.left.words, step.right.words, assumed)
            for name in _functions_for(step.left, step.right):
                yield from self._both_sides(step.left, step.right, name, (), assumed)

    def _both_sides(
        self,
        left: Expr,
        right: Expr,
        name: str,
        steps: Sequence[Step],
        assumed: tuple[Condition, ...],
        outline: Mapping[str, Any] | None = None,
    ) -> Iterator[Derivation]:
        a, b = (_applied(name, side) for side in (left, right))
        inner = self._chain([*steps], assumed) if steps else self._search(a, b, assumed)
        where = _WHERE.get(name, f"both sides in an interval on which {name} is injective")
        for found in inner:
            because = {"range": where, **(outline or {}), "steps": [step.to_json() for step in found.steps]}
            yield Derivation((Step(left, right, BOTH_SIDES + name, None, because),), found.conditions)

    def _cases(self, step: Step, assumed: tuple[Condition, ...]) -> Iterator[Derivation]:
        cases: list[dict[str, Any]] = []
        conditions: set[str] = set()
        for case in step.because:
            here = (*assumed, Condition.parse(case["case"]))
            inner = [Step.from_json(entry) for entry in case["steps"]]
            found = next(self._chain(inner, here), None)
            if found is None:
                return
            cases.append({"case": case["case"], "steps": [one.to_json() for one in found.steps]})
            conditions |= found.conditions
        yield Derivation((replace(step, because=cases),), frozenset(conditions))


def _joined(parts: Sequence[Derivation]) -> Derivation:
    """Derivations one after the other."""
    conditions = frozenset().union(*(part.conditions for part in parts))
    return Derivation(tuple(step for part in parts for step in part.steps), conditions)


def _applied(name: str, side: Expr) -> Words:
    if name in _POWERS:
        return "Pow", *side.words, "2" if name == "square" else "3"
    return name, *side.words


def _outside_functions(words: Words) -> set[str]:
    """The words of an expression that are not in the argument of a function."""
    ends = subtree_ends(words)
    found: set[str] = set()
    at = 0
    while at < len(words):
        found.add(words[at])
        at = at + 1 if words[at] in ("Add", "Mul", "Pow") else ends[at]
    return found


def _functions_for(left: Expr, right: Expr) -> list[str]:
    """The functions of both sides that may undo what makes an equation hard: powers of roots, tan of arctangents."""
    words = _outside_functions(left.words) | _outside_functions(right.words)
    found = []
    if words & _LOGARITHMS:
        found.append("exp")
    if words & _ARCS:
        found += _ANGLES
    if words & {"1/2", "-1/2", "1/4"}:
        found.append("square")
    if any(word.endswith("/3") for word in words):
        found.append("cube")
    return found
