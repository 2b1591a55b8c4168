"""The kinds of mistakes with their weights, and how one is drawn."""

from __future__ import annotations

import random
from collections.abc import Callable

from dgl_mathtree.corpus.derivation import Edit
from dgl_mathtree.corpus.discovery.mistakes import functions, leaves, operators
from dgl_mathtree.corpus.discovery.mistakes.scene import Place, Scene
from dgl_mathtree.expressions.tree import Words, subtree_ends

TRIES = 6

MISTAKES: dict[str, tuple[float, Callable[[Scene], Place | None]]] = {
    "change-variable": (3.0, leaves.change_variable),
    "change-number": (2.5, leaves.change_number),
    "flip-sign": (3.0, leaves.flip_sign),
    "drop-term": (2.0, operators.drop_term),
    "drop-factor": (2.2, operators.drop_factor),
    "change-exponent": (2.2, operators.change_exponent),
    "change-function": (2.5, functions.change_function),
    "swap-operands": (2.2, operators.swap_operands),
    "linearity": (1.6, functions.linearity),
    "cancel": (1.0, operators.cancel),
    "inverse-for-reciprocal": (0.8, functions.inverse_for_reciprocal),
    "argument-slip": (1.2, functions.argument_slip),
    "distribute": (0.8, operators.distribute),
    "change-operator": (0.8, operators.change_operator),
    "change-constant": (0.4, leaves.change_constant),
    "exchange": (1.2, leaves.exchange),
}
_KINDS = list(MISTAKES)
_WEIGHTS = [weight for weight, _ in MISTAKES.values()]


def mistake(words: Words, rng: random.Random) -> Edit | None:
    """An edit of an equation that changes it, or None if this draw found none."""
    scene = Scene(words, subtree_ends(words), rng)
    for kind in rng.choices(_KINDS, _WEIGHTS, k=TRIES):
        place = MISTAKES[kind][1](scene)
        if place is not None and scene.subtree(place[0]) != place[1]:
            return Edit(kind, *place)
    return None
