"""A decision written out as a chain of steps: definitions, then functions from the inside out, then algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from dgl_mathtree.language import Expr, infix, parse_expression
from dgl_mathtree.language.expr import Words
from dgl_mathtree.proof.normal_form.conditions import prepare
from dgl_mathtree.proof.normal_form.domain import Fact
from dgl_mathtree.proof.normal_form.levels import ALGEBRA, Heights, Line, level_lines
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.rewriting import (
    ORDER,
    complement,
    defined,
    even,
    laws_of_functions,
    literal_exponent,
    reciprocal,
    rewrite,
    undone,
)
from dgl_mathtree.proof.normal_form.ring import Restart, Unsettled

Step = dict[str, Any]
READINGS = 8
EVERYTHING = ", ".join(ORDER)


def text(words: Words) -> str:
    return infix(Expr(words))


def step(left: Words, right: Words, law: str, because: Any = None) -> Step:
    found: Step = {"left": text(left), "right": text(right), "law": law, "at": None}
    return found if because is None else {**found, "because": because}


def chains(reading: Reading, left: Words, right: Words, facts: tuple[Fact, ...]) -> Iterator[list[Step]]:
    """Chains of steps from left to right, two expressions with one normal form: from fine to coarse.

    A coarse chain says less, but its lines need not be shown to be defined.
    """
    laws: list[str] = []
    try:
        down, up = _lines_of_both(reading, (left, right), facts)
        yield _chain(list(down), list(up), left, right)
        laws = [law for found in (down, up) for names, _ in found for law in names.split(", ")]
        for keep in ("definition", "inverse, value"):
            first, last = ([line for line in found[:1] if line[0] == keep] for found in (down, up))
            here, there = first[0][1] if first else left, last[0][1] if last else right
            if first or last:
                rest = [law for law in ORDER if law in laws and law != keep] or [ALGEBRA]
                yield _links([left, here, there, right], [keep, ", ".join(rest), keep])
        yield [step(left, right, ", ".join(law for law in ORDER if law in laws) or ALGEBRA)]
    except Unsettled:
        pass
    yield [step(left, right, ", ".join(ORDER[:-1]))]
    if "denest" in laws:
        yield [step(left, right, EVERYTHING)]


def _lines_of_both(reading: Reading, sides: tuple[Words, Words], facts: tuple[Fact, ...]) -> list[list[Line]]:
    """The lines of both sides; read again with finer units where a line needs them."""

    def plain() -> Reading:
        form = reading.form.again()
        form.denesting = 0
        other = Reading(form)
        prepare(other, sides, facts)
        return other

    for _ in range(READINGS):
        try:
            return [_merged(side, lines(reading, plain, side)) for side in sides]
        except Restart:
            reading = Reading(reading.form.again())
            with suppress(Restart):
                prepare(reading, sides, facts)
    raise Unsettled("no common units")


def lines(reading: Reading, plain: Callable[[], Reading], words: Words) -> list[Line]:
    """The forms that an expression goes through on the way to its normal form."""
    found: list[Line] = []
    for law, rule in (
        ("", literal_exponent),
        ("angles", complement),
        ("definition", reciprocal),
        ("definition", even),
        ("inverse, value", undone),
        ("definition", defined),
    ):
        new = rewrite(words, partial(rule, reading))
        if new != words:
            found.append((law or laws_of_functions(words), new))
            words = new
    for level in range(1, Heights().of(words) + 1):
        found += level_lines(reading, plain, words, level)
    return found


def _chain(down: list[Line], up: list[Line], left: Words, right: Words) -> list[Step]:
    """The lines of the left side down, and those of the right side up again."""
    here = down[-1][1] if down else left
    there = up[-1][1] if up else right
    if here != there or not (down or up):
        # Cosines of fractions of pi have relations of their own: what is left to do is more than algebra.
        special = any(_is_special_angle(words) for words in (here, there))
        down.append(("angles" if special else ALGEBRA, there))
    laws = [law for law, _ in down] + [law for law, _ in reversed(up)]
    back = [words for _, words in reversed(up[:-1])]
    places = [left, *(words for _, words in down), *back, *([right] if up else [])]
    return _joined(_links(places, laws))


def _links(places: list[Words], laws: list[str]) -> list[Step]:
    pairs = zip(places[:-1], places[1:], laws, strict=True)
    return [step(a, b, law) for a, b, law in pairs if a != b] or [step(places[0], places[-1], ALGEBRA)]


def _joined(steps: list[Step]) -> list[Step]:
    """Consecutive steps by one law as one step."""
    result: list[Step] = []
    for new in steps:
        same = bool(result) and result[-1]["law"] == new["law"]
        if same and (new["law"] == ALGEBRA or (new["law"] == "angles" and _is_flat(result[-1]["left"]))):
            result[-1] = {**result[-1], "right": new["right"]}
        else:
            result.append(new)
    return result


def _is_flat(expression: str) -> bool:
    """Whether no function stands inside another, so that one step can do what two do."""
    return Heights().of(parse_expression(expression).words) < 2


def _is_special_angle(words: Words) -> bool:
    """Whether an expression contains the cosine of a fraction of pi that is not simple."""
    return any(words[i : i + 2] == ("cos", "Mul") and words[i + 3 : i + 4] == ("pi",) for i in range(len(words) - 3))


def _merged(start: Words, found: list[Line]) -> list[Line]:
    """Without lines that change nothing, and without lines of algebra before others."""
    result: list[Line] = []
    for law, words in found:
        if words == (result[-1][1] if result else start):
            continue
        if result and result[-1][0] == ALGEBRA:
            result.pop()
        result.append((law, words))
    while result and result[-1][0] == ALGEBRA:
        result.pop()
    return result
