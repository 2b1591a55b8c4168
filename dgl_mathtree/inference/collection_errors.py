"""The equations of a collection that a verifier gets wrong, by what makes them difficult."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dgl_mathtree.data.collections import Entry
from dgl_mathtree.inference.metrics import Floats, right_answers, verdicts
from dgl_mathtree.language import Equation
from dgl_mathtree.language.vocabulary import is_integer

LONG_SIDE, LARGE_NUMBER, MANY_VARIABLES = 17, 9, 4
BRANCH = "branch"
INVERSES = frozenset("asin acos atan acsc asec acot asinh acosh atanh acsch asech acoth".split())
UNREADABLE, OTHER = "not readable", "other"


def _is_large(word: str) -> bool:
    return is_integer(word) and abs(Fraction(word)) >= LARGE_NUMBER


CAUSES: dict[str, Callable[[Equation], bool]] = {
    "no variable": lambda equation: not equation.variables,
    f"a side of {LONG_SIDE} words or more": lambda equation: max(len(equation.left), len(equation.right)) >= LONG_SIDE,
    f"{MANY_VARIABLES} variables or more": lambda equation: len(equation.variables) >= MANY_VARIABLES,
    "an inverse function": lambda equation: not INVERSES.isdisjoint(equation.words),
    f"a number of {LARGE_NUMBER} or more": lambda equation: any(map(_is_large, equation.words)),
}
"""What makes an equation difficult: of several causes, the first."""


def cause(entry: Entry) -> str:
    """What makes an entry of a collection difficult.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> [cause(Entry(1, "trig", "", "", parse_equation(text))) for text in ("asin(1) = pi/2", "asin(x) = x", "x = x")]
    ['no variable', 'an inverse function', 'other']
    """
    if entry.equation is None:
        return UNREADABLE
    if entry.error == BRANCH:
        return "true on one branch only"
    return next((name for name, holds in CAUSES.items() if holds(entry.equation)), OTHER)


def collection_errors(logits: Floats, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The entries that are classified incorrectly, in their order.

    Parameters
    ----------
    logits : numpy.ndarray
        (entries,), NaN where an equation cannot be read.
    entries : sequence of Entry
        The collection.

    Returns
    -------
    list of dict
        For each ``equation``, ``label``, ``probability`` (None where it cannot be read), ``subject`` and ``cause``.
    """
    found = []
    for entry, logit in zip(entries, logits, strict=True):
        read = entry.equation is not None and logit == logit
        if not read or not right_answers(logit.reshape(1), np.array([entry.label]))[0]:
            probability = round(float(verdicts(logit.reshape(1)).probability[0]), 4) if read else None
            row = {"equation": entry.text, "label": entry.label, "probability": probability}
            found.append(row | {"subject": entry.subject, "cause": cause(entry)})
    return found
