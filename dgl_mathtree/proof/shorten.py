"""What a search has found, made short and written out as steps that can be checked one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dgl_mathtree.language import infix
from dgl_mathtree.proof.rules import Rewrite
from dgl_mathtree.proof.step import ALGEBRA, Step

if TYPE_CHECKING:
    from dgl_mathtree.proof.search import Path, Search


@dataclass(frozen=True)
class Derivation:
    """Steps that lead from one expression to another, and the conditions that they need."""

    steps: tuple[Step, ...]
    conditions: frozenset[str] = frozenset()


def shortened(search: Search, left: Path, right: Path) -> tuple[list[Rewrite], list[Rewrite]]:
    """The rewrites of both paths without those that the proof does not need."""
    kept = [list(left.steps), list(right.steps)]
    for side in (0, 1):
        position = len(kept[side]) - 1
        while position >= 0:
            trial = [list(kept[0]), list(kept[1])]
            del trial[side][position]
            if _closes(search, trial):
                kept = trial
            position = min(position, len(kept[side])) - 1
    return kept[0], kept[1]


def _closes(search: Search, rewrites: list[list[Rewrite]]) -> bool:
    ends = []
    for root, steps in zip(search.roots, rewrites, strict=True):
        node = root
        for rewrite in steps:
            after = _applied(search, node, rewrite)
            if after is None:
                return False
            node = after
        ends.append(node)
    values = [search.terms.value[node] for node in ends]
    return values[0] == values[1] and search.algebra.closes(ends[0], ends[1])


def _applied(search: Search, node: int, rewrite: Rewrite) -> int | None:
    """A node after a rewrite, made tidy first where the place is not found otherwise; None where it is not there."""
    for form in (node, search.matcher.tidy(node)):
        if rewrite.at in search.terms.subnodes(form):
            return search.after(form, rewrite)
    return None


def written_out(search: Search, left: list[Rewrite], right: list[Rewrite]) -> Derivation | None:
    """The derivation that two lists of rewrites make."""
    first = _chain(search, search.roots[0], left)
    second = _chain(search, search.roots[1], right, backwards=True)
    if first is None or second is None:
        return None
    steps = first + second[::-1]
    start = first[-1].right if first else search.terms.expr(search.roots[0])
    end = second[-1].left if second else search.terms.expr(search.roots[1])
    if start != end:
        steps.insert(len(first), Step(start, end, ALGEBRA))
    if not steps:
        steps = [Step(start, end, ALGEBRA)]
    conditions = {str(c) for r in [*left, *right] for c in search.defined.of_rewrite(r) or ()}
    return Derivation(tuple(_joined(steps)), frozenset(conditions))


def _chain(search: Search, root: int, rewrites: list[Rewrite], backwards: bool = False) -> list[Step] | None:
    """Each rewrite as up to three steps: the instance of the law is made a part, the law is used, the result is tidied.

    Backwards, each step leads from what the rewrite made to what was before.
    """
    terms = search.terms
    steps: list[Step] = []

    def note(before: int, after: int, law: str = ALGEBRA, rewrite: Rewrite | None = None) -> None:
        if before == after:
            return
        sides = (after, before) if backwards else (before, after)
        at = None if rewrite is None else terms.expr(rewrite.other if backwards else rewrite.form)
        steps.append(Step(terms.expr(sides[0]), terms.expr(sides[1]), law, at))

    node = root
    for rewrite in rewrites:
        if rewrite.at not in terms.subnodes(node):
            tidy = search.matcher.tidy(node)
            if rewrite.at not in terms.subnodes(tidy):
                return None
            note(node, tidy)
            node = tidy
        grouped = terms.replace(node, rewrite.at, rewrite.grouped)
        replaced = terms.replace(node, rewrite.at, rewrite.replaced)
        after = search.after(node, rewrite)
        note(node, grouped)
        note(grouped, replaced, rewrite.rule.law.name, rewrite)
        note(replaced, after)
        node = after
    return steps


def _joined(steps: list[Step]) -> list[Step]:
    """Neighbouring algebra steps as one."""
    joined: list[Step] = []
    for step in steps:
        if joined and joined[-1].law == step.law == ALGEBRA:
            step = Step(joined.pop().left, step.right, ALGEBRA)
        if infix(step.left) != infix(step.right) or not joined:
            joined.append(step)
    return joined
