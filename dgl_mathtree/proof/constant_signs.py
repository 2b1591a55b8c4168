"""Expressions without variables: their signs by ball arithmetic."""

from __future__ import annotations

from typing import Any

from flint import arb

from dgl_mathtree.arithmetic.arb_balls import own_precision, set_precision
from dgl_mathtree.arithmetic.operators import REALS
from dgl_mathtree.proof.terms import Terms, is_letter

BITS = (64, 512)


def constant_sign(terms: Terms, node: int) -> int | None:
    """The sign of an expression without variables, by ball arithmetic; None where it is not known."""
    rational = terms.rational[node]
    if rational is not None:
        return (rational > 0) - (rational < 0)
    if any(is_letter(terms.word[below]) for below in terms.subnodes(node)):
        return None
    with own_precision():
        for bits in BITS:
            set_precision(bits)
            value = _ball(terms, node)
            if isinstance(value, arb):
                if value > 0:
                    return 1
                if value < 0:
                    return -1
    return None


def never_whole(terms: Terms, node: int) -> bool:
    """Whether an expression without variables is certainly not a whole number."""
    if terms.rational[node] is not None or any(is_letter(terms.word[below]) for below in terms.subnodes(node)):
        return False
    with own_precision():
        set_precision(BITS[0])
        value = _ball(terms, node)
        return isinstance(value, arb) and not value.contains_integer()


def _ball(terms: Terms, node: int) -> Any:
    values: dict[int, Any] = {}
    for below in terms.subnodes(node):
        word, children = terms.word[below], terms.children[below]
        if not children:
            values[below] = REALS.leaf(word)
            continue
        arguments = [values[child] for child in children]
        if not all(isinstance(value, arb) for value in arguments):
            return None
        function: Any = REALS.unary[word] if len(children) == 1 else REALS.binary[word]
        values[below] = function(*arguments, False)
    return values[node]
