"""The edits of the original project: a random node grows, shrinks or is replaced, all choices uniform."""

from __future__ import annotations

import random
from collections.abc import Sequence

from dgl_mathtree.data.edits.equation_view import EquationView, is_variable_word
from dgl_mathtree.data.provenance import Edit
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.variables import CANONICAL_VARIABLES, names_from
from dgl_mathtree.language.vocabulary import ARITY

UNARY = ("sin", "cos", "csc", "sec", "tan", "cot")
BINARY = ("Add", "Mul", "Pow")
INTEGERS = ("0", "2", "3", "4", "10")
KINDS: tuple[tuple[str, ...], ...] = (("-1",), ("pi",), ("1",), ("1/2",), INTEGERS, ("2/5",), ("0.7",))
"""The constants by kind: a kind is drawn first."""
_OTHER_KIND = {"-2": INTEGERS, "-3": INTEGERS, "-1/2": ("2/5",)}
"""The kinds of constants that only the start set brings in."""


def new_constant(rng: random.Random, unlike: str = "") -> str:
    """A constant; of another kind than that of a given one."""
    own = _OTHER_KIND.get(unlike) or next((kind for kind in KINDS if unlike in kind), ())
    return rng.choice(rng.choice([kind for kind in KINDS if kind != own]))


def new_variable(words: Words) -> str:
    """The variable after the largest one of an equation: x, y, z, w, x_4, x_5, ..."""
    present = {word for word in words if is_variable_word(word)}
    largest, name = -1, ""
    for number, name in enumerate(names_from(CANONICAL_VARIABLES)):
        if name in present:
            largest = number
            present.discard(name)
        elif not present and number > largest:
            break
    return name


def edit_uniformly(rng: random.Random, words: Words) -> Edit:
    """A random edit of an equation.

    Parameters
    ----------
    rng : random.Random
        What to draw from.
    words : tuple of str
        The equation's.

    Returns
    -------
    Edit
        Of the kind ``grow``, ``shrink`` or ``replace``; a leaf that was to shrink is replaced.
    """
    view = EquationView(words, rng)
    at = view.any_node()
    kind = rng.choice(("grow", "shrink", "replace"))
    arity = ARITY.get(words[at], 0)
    if kind == "shrink" and not arity:
        kind = "replace"
    if kind == "grow":
        return Edit(kind, at, _grown(view, at))
    if kind == "shrink":
        child = at + 1 if arity == 1 or rng.random() < 0.5 else view.ends[at + 1]
        return Edit(kind, at, view.subtree(child))
    return Edit(kind, at, (_other_word(view, words[at]), *words[at + 1 : view.ends[at]]))


def _grown(view: EquationView, at: int) -> Words:
    rng = view.rng
    if rng.random() < 0.5:
        return (rng.choice(UNARY), *view.subtree(at))
    operator = rng.choice(BINARY)
    leaf = rng.choice(_variables(view.words)) if rng.random() < 0.5 else new_constant(rng)
    return (operator, *view.subtree(at), leaf)


def _other_word(view: EquationView, word: str) -> str:
    arity = ARITY.get(word, 0)
    if arity:
        return view.rng.choice([other for other in (UNARY if arity == 1 else BINARY) if other != word])
    if not is_variable_word(word):
        return new_constant(view.rng, unlike=word)
    others = [other for other in _variables(view.words) if other != word]
    return view.rng.choice(others) if others else new_variable(view.words)


def _variables(words: Words) -> Sequence[str]:
    """The variables of an equation; x for one that has none."""
    return list(dict.fromkeys(word for word in words if is_variable_word(word))) or [CANONICAL_VARIABLES[0]]
