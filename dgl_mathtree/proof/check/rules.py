"""The rules that are not single laws: each says what a reader may use, or compares both sides in its own way."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from dgl_mathtree.proof.check import constants
from dgl_mathtree.proof.check.balls import has_variable
from dgl_mathtree.proof.check.matching import chain, joined
from dgl_mathtree.proof.check.nodes import Node, power, sub
from dgl_mathtree.proof.check.region import Region
from dgl_mathtree.proof.check.signs import NEGATIVE

READINGS: dict[str, tuple[tuple[str, ...], ...]] = {
    "algebra": (),
    "definition": (("definition",), ("definition", "as logarithms"), ("definition", "as sines")),
    "angles": (("angles",),),
    "powers": (("powers",),),
    "logarithms": (("logarithms",),),
    "inverse": (("inverse",), ("inverse", "powers")),
    "sign": (("sign",),),
    "value": (("value", "angles"), ("value", "angles", "inverse", "powers")),
    "denest": (("powers",),),
}
"""For each rule, the readings of both sides that are tried besides plain algebra; each is sound: one is enough."""


def holds(region: Region, left: Node, right: Node, rules: Iterable[str]) -> bool:
    """Whether two expressions are certainly equal by some rules, wherever both are defined in the region."""
    rules = list(rules)
    if _by_readings(region, left, right, rules):
        return True
    return rules != ["algebra"] and _part_by_part(region, left, right, rules)


def _by_readings(region: Region, left: Node, right: Node, rules: list[str]) -> bool:
    if _same(region, left, right, ()):
        return True
    for variants in product(*(READINGS[rule] for rule in rules)):
        if _same(region, left, right, [name for variant in variants for name in variant]):
            return True
    return False


def _same(region: Region, left: Node, right: Node, rules: Iterable[str]) -> bool:
    try:
        return region.reader(*rules).same(left, right)
    except ZeroDivisionError:
        # Something is divided by 0: it is nowhere defined, and no equality follows.
        return False


def _part_by_part(region: Region, left: Node, right: Node, rules: list[str]) -> bool:
    """Whether two expressions are equal, or are one function of arguments that are equal part by part."""
    if left == right:
        return True
    if not region.agree(left, right):
        return False
    if not has_variable(left) and not has_variable(right) and constants.is_zero(region, sub(left, right)):
        return True
    if "denest" in rules and _equal_powers(region, left, right):
        return True
    if left.word != right.word or not left.args:
        return False
    if left.word in ("Add", "Mul"):
        rests = _without_common(chain(left, left.word), chain(right, left.word))
        if rests is not None:
            return _part_by_part(region, joined(rests[0], left.word), joined(rests[1], left.word), rules)
    pairs = zip(left.args, right.args, strict=True)
    return all(_by_readings(region, a, b, rules) or _part_by_part(region, a, b, rules) for a, b in pairs)


def _without_common(left: list[Node], right: list[Node]) -> tuple[list[Node], list[Node]] | None:
    """Terms or factors without those that both have: where the rests are equal, so are the wholes."""
    rest, others = [], list(right)
    for item in left:
        if item in others:
            others.remove(item)
        else:
            rest.append(item)
    return (rest, others) if rest and others and len(rest) < len(left) else None


def _equal_powers(region: Region, left: Node, right: Node) -> bool:
    """Two numbers with equal cubes are equal, and so are two that are not negative and have equal squares."""
    for exponent in (2, 3):
        if exponent == 2 and (region.signs(left) | region.signs(right)) & NEGATIVE:
            continue
        for rules in ((), ("powers",)):
            if region.reader(*rules).same(power(left, exponent), power(right, exponent)):
                return True
    return False
