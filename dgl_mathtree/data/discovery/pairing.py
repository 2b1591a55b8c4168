"""Which pairs of terms of equal value are worth an equation: unlike ones, small, with little in common."""

from __future__ import annotations

import random
from itertools import combinations

from dgl_mathtree.language.build import Pair, Term, chain, depth, nodes, shape, size

DEEPEST = 6
"""The depth of a side: an equation is one deeper."""
LARGEST = 26
"""Nodes of a side at most."""
MOST_TRIED = 30
SHARED_KEPT = 0.04
"""The chance that a pair with a common term or factor is let through."""


def share_part(a: Term, b: Term) -> bool:
    """Whether two sides have a term or factor in common, or are the same function of two arguments.

    Example:
        >>> from dgl_mathtree.language.build import read
        >>> share_part(read("sin(x) + 2*x"), read("x + x + sin(x)"))
        True
    """
    if isinstance(a, str) or isinstance(b, str):
        return False
    for operator in ("Add", "Mul"):
        if a[0] == b[0] == operator:
            common = {shape(part) for part in chain(a, operator)} & {shape(part) for part in chain(b, operator)}
            if common - {shape("-1")}:
                return True
    if a[0] != b[0] or a[0] in ("Add", "Mul"):
        return False
    return len(a) == 2 or a[2] == b[2] or a[1] == b[1]


def best_pairs(terms: list[Term], count: int, rng: random.Random) -> list[Pair]:
    """Pairs of a class's members, few for a small class.

    Args:
        terms: members, the smallest first.
        count: of all members.
    """
    distinct = {shape(term): term for term in reversed(terms)}
    members = [term for term in distinct.values() if depth(term) <= DEEPEST and size(term) <= LARGEST]
    if len(members) < 2:
        return []
    tried = list(combinations(members, 2))
    if len(tried) > MOST_TRIED:
        tried = rng.sample(tried, MOST_TRIED)
    scored: list[tuple[float, int, Term, Term]] = []
    for a, b in tried:
        if share_part(a, b) and rng.random() > SHARED_KEPT:
            continue
        left, right = ({shape(node) for node in nodes(side) if isinstance(node, tuple)} for side in (a, b))
        both = len(left | right)
        score = 0.7 * len(left & right) / max(1, both) + 0.05 * both + 0.5 * rng.random()
        scored.append((score, len(scored), a, b))
    scored.sort()
    take = 24 if count > 500 else 10 if count > 60 else max(1, min(5, len(members) // 2 + 1))
    return [(a, b) for _, _, a, b in scored[:take]]
