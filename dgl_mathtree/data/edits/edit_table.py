"""The kinds of mistakes with their weights, and how one is drawn."""

from __future__ import annotations

import random
from collections.abc import Callable

from dgl_mathtree.data.edits import function_edits, leaf_edits, operator_edits
from dgl_mathtree.data.edits.equation_view import EquationView, Replacement, is_variable_word
from dgl_mathtree.data.provenance import Edit
from dgl_mathtree.language.expr import Words

DRAWN_KINDS = 6
"""Kinds that are drawn for an equation before it is left alone."""

MISTAKES: dict[str, tuple[float, Callable[[EquationView], Replacement | None]]] = {
    "change-variable": (3.0, leaf_edits.change_variable),
    "change-number": (2.5, leaf_edits.change_number),
    "flip-sign": (3.0, leaf_edits.flip_sign),
    "drop-term": (2.0, operator_edits.drop_term),
    "drop-factor": (2.2, operator_edits.drop_factor),
    "change-exponent": (2.2, operator_edits.change_exponent),
    "change-function": (2.5, function_edits.change_function),
    "swap-operands": (2.2, operator_edits.swap_operands),
    "linearity": (1.6, function_edits.linearity),
    "cancel": (1.0, operator_edits.cancel),
    "inverse-for-reciprocal": (0.8, function_edits.inverse_for_reciprocal),
    "argument-slip": (1.2, function_edits.argument_slip),
    "distribute": (0.8, operator_edits.distribute),
    "change-operator": (0.8, operator_edits.change_operator),
    "change-constant": (0.4, leaf_edits.change_constant),
    "exchange": (1.2, leaf_edits.exchange),
}
_KINDS = list(MISTAKES)
_WEIGHTS = [weight for weight, _ in MISTAKES.values()]
MANY_VARIABLES, EXCHANGED = 4, 0.4
"""The variables from which on one for another is the mistake with this chance: there are many ways to make it."""


def mistake(words: Words, rng: random.Random) -> Edit | None:
    """An edit of an equation that changes it, or None if this draw found none."""
    view = EquationView(words, rng)
    kinds = rng.choices(_KINDS, _WEIGHTS, k=DRAWN_KINDS)
    if len({word for word in words if is_variable_word(word)}) >= MANY_VARIABLES and rng.random() < EXCHANGED:
        kinds = [*rng.choices(("change-variable", "exchange"), (2, 1), k=2), *kinds]
    for kind in kinds:
        replacement = MISTAKES[kind][1](view)
        if replacement is not None and view.subtree(replacement[0]) != replacement[1]:
            return Edit(kind, *replacement)
    return None
