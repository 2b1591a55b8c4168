"""The functions of an expression replaced by their values, from the inside out: the middle lines of a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY, is_integer
from dgl_mathtree.proof.normal_form.definitions import children
from dgl_mathtree.proof.normal_form.expressions import quotient_words
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.rewriting import ORDER, QUOTIENTS

Line = tuple[str, Words]
"""A law and the expression that it gives."""
ALGEBRA = "algebra"
_KIND = {"exp": "powers", "Pow": "powers", "log": "logarithms", **dict.fromkeys(("sin", "cos", *QUOTIENTS), "angles")}


def is_function(words: Words) -> bool:
    """Whether an expression is more than a sum, a product or a whole power of others."""
    if words[0] == "Pow":
        exponent = children(words)[1]
        return not (len(exponent) == 1 and is_integer(exponent[0]))
    return words[0] in ARITY and words[0] not in ("Add", "Mul")


class Heights:
    """How deep functions are nested in expressions, remembered by their words."""

    def __init__(self) -> None:
        self._known: dict[Words, int] = {}

    def of(self, words: Words) -> int:
        if words not in self._known:
            below = max((self.of(child) for child in children(words)), default=0)
            self._known[words] = below + is_function(words)
        return self._known[words]


def level_lines(reading: Reading, plain: Callable[[], Reading], words: Words, level: int) -> list[Line]:
    """The lines that rewrite the functions of one height, one line for each law.

    Parameters
    ----------
    reading : Reading
        Gives the values of functions.
    plain : callable
        Makes a reading that leaves nested roots as they are.
    words : tuple of str
        The expression, before any function was rewritten.
    level : int
        The height; functions below it are written as their values.
    """
    heights = Heights()
    laws = dict.fromkeys(_law(reading, node) for node in _functions(words, level, heights))
    found: list[Line] = []
    done: list[str] = []
    for law in laws:
        if law.endswith(", denest"):  # first the root as it is, then the sum that it is equal to
            line = _replaced(reading, words, level, heights, done, (plain(), law))
            found.append((law.removesuffix(", denest"), line))
        done.append(law)
        line = _replaced(reading, words, level, heights, done, None)
        found.append(("denest" if law.endswith(", denest") else law, line))
    return found


def _functions(words: Words, level: int, heights: Heights) -> Iterator[Words]:
    """The functions of one height."""
    if is_function(words) and heights.of(words) == level:
        yield words
    else:
        for child in children(words):
            yield from _functions(child, level, heights)


def _replaced(
    reading: Reading, words: Words, level: int, heights: Heights, done: list[str], plainly: tuple[Reading, str] | None
) -> Words:
    """Functions below a height, and at it those with laws that are done, as their values; with one law, as plain."""
    height = heights.of(words)
    if is_function(words) and height <= level:
        law = _law(reading, words) if height == level else ""
        if height < level or law in done:
            return quotient_words(reading.form.ring, reading.value(words))
        if plainly is not None and law == plainly[1]:
            return quotient_words(plainly[0].form.ring, plainly[0].value(words))
    parts = (_replaced(reading, child, level, heights, done, plainly) for child in children(words))
    return (words[0], *(word for part in parts for word in part))


def _law(reading: Reading, node: Words) -> str:
    """The laws behind the value of a function: algebra if it is the same function of a simplified argument."""
    ring = reading.form.ring
    value = quotient_words(ring, reading.value(node))
    arguments = [quotient_words(ring, reading.value(part)) for part in children(node)]
    same = (node[0], *(word for part in arguments for word in part))
    kinds = set(reading.rules.get(node, frozenset()))
    if not kinds and value in (node, same):
        return ALGEBRA
    if node[0] in _KIND:
        kinds.add(_KIND[node[0]])
    elif not kinds:
        kinds.add("inverse")
    return ", ".join(kind for kind in ORDER if kind in kinds)
