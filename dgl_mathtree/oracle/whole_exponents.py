"""Points at which a power with a variable exponent has a negative base: the exponent is a whole number there.

Fixed points and lines never hit such points by chance, and laws of powers fail at them: (x^y)^z is 1 and x^(y*z) is -1
for x = -1, y = 2, z = 1/2.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.variable_indices import place_word
from dgl_mathtree.oracle.evaluate import constants

BASES = (-1.0, -2.0, 0.5, -0.5, 2.0, -3.0)
EXPONENTS = (2.0, 0.5, 1.0, 3.0, -1.0, 1.5, -2.0, 4.0, 6.0, -0.5, 0.25)
MOST = 4000
"""Points of the grid that are looked at, spread over all of it where it has more."""


def whole_exponent_points(forest: Forest, places: int) -> NDArray[Any]:
    """(variables, points) a grid of small numbers, among them negative bases; no points where no power needs them.

    Parameters
    ----------
    forest : Forest
        One equation, its variables named by index.
    places : int
        Its number of variables.
    """
    bases, exponents = _roles(forest)
    if not exponents:
        return np.empty((places, 0))
    choices = []
    for k in range(places):
        is_base, is_exponent = place_word(k) in bases, place_word(k) in exponents
        choices.append(tuple(dict.fromkeys(BASES * (is_base or not is_exponent) + EXPONENTS * is_exponent)))
    total = int(np.prod([float(len(some)) for some in choices]))
    if total <= MOST:
        return np.stack(list(product(*choices)), axis=1).astype(float)
    rng = np.random.default_rng(places)
    return np.stack([np.array(some)[rng.integers(len(some), size=MOST)] for some in choices])


def _roles(forest: Forest) -> tuple[set[str], set[str]]:
    """The variables below bases, and in exponents, of powers in which both vary."""
    words = [forest.words[k] for k in forest.word.tolist()]
    children = forest.children.tolist()
    fixed = constants(forest).tolist()
    bases: set[str] = set()
    exponents: set[str] = set()
    for node, word in enumerate(words):
        if word == "Pow" and not any(fixed[child] for child in children[node]):
            for names, child in zip((bases, exponents), children[node], strict=True):
                names |= _variables(child, words, children, fixed)
    return bases, exponents


def _variables(root: int, words: list[str], children: list[list[int]], fixed: list[bool]) -> set[str]:
    stack, found, seen = [root], set(), set()
    while stack:
        node = stack.pop()
        if node < 0 or fixed[node] or node in seen:
            continue
        seen.add(node)
        if children[node][0] < 0:
            found.add(words[node])
        stack += children[node]
    return found
