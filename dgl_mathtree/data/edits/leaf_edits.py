"""Mistakes in leaves and signs: a variable, number or constant for another, a sign, two leaves exchanged."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.data.discovery.law_instances import VARIABLES
from dgl_mathtree.data.edits.equation_view import (
    EquationView,
    Replacement,
    is_number_word,
    is_variable_word,
    negative,
    with_leaves_traded,
)
from dgl_mathtree.language.vocabulary import ARITY, CONSTANTS


def change_variable(view: EquationView) -> Replacement | None:
    """One variable for another, mostly for one that the equation has."""
    at = view.some(lambda at: is_variable_word(view.words[at]))
    if at is None:
        return None
    others = [w for w in dict.fromkeys(view.words) if is_variable_word(w) and w != view.words[at]]
    if not others or view.rng.random() < 0.1:
        others = [name for name in VARIABLES[:4] if name != view.words[at]]
    return at, (view.rng.choice(others),)


def change_number(view: EquationView) -> Replacement | None:
    """One number for another that is near, opposite, doubled, halved or turned over."""
    at = view.some(lambda at: is_number_word(view.words[at]) and not _is_sign(view, at))
    if at is None or "." in view.words[at]:
        return None
    value = Fraction(view.words[at])
    near = [value + 1, value - 1, value + 1, value - 1, 2 * value, value / 2, -value, value + 2]
    if value:
        near.append(1 / value)
    if abs(value) > 9:
        near += [value + 10, value - 10, _digits_exchanged(value)]
    return at, (_word(view.rng.choice(near)),)


def _digits_exchanged(value: Fraction) -> Fraction:
    """54 for 45, 132 for 123."""
    digits = str(abs(value.numerator))
    exchanged = int(digits[:-2] + digits[-1:] + digits[-2:-1])
    return Fraction(exchanged if value > 0 else -exchanged, value.denominator)


def _word(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _is_sign(view: EquationView, at: int) -> bool:
    """Whether a -1 only makes a difference or a quotient."""
    if view.words[at] != "-1":
        return False
    return view.words[at - 1] == "Mul" or any(
        view.words[k] == "Pow" and view.ends[k + 1] == at for k in range(at - 1, 0, -1)
    )


def flip_sign(view: EquationView) -> Replacement | None:
    """A minus for a plus, or the other way round."""
    words = view.words
    draw = view.rng.random()
    if draw < 0.5:
        at = view.some(lambda at: words[at] == "Mul" and words[at + 1] == "-1")
        if at is not None:
            return at, view.subtree(at + 2)
    if draw < 0.85:
        at = view.node("Add")
        if at is not None:
            a, b = view.children(at)
            return at, ("Add", *a, *negative(b))
    at = view.some(lambda at: words[at - 1] == "Equality" or words[at] in ARITY)
    return None if at is None or words[at] == "0" else (at, negative(view.subtree(at)))


def change_constant(view: EquationView) -> Replacement | None:
    """pi or e for something else."""
    at = view.node(*CONSTANTS)
    if at is None or (view.words[at] == "e" and view.rng.random() < 0.7):
        return None
    others = ("2", "Mul 2 pi", "Mul pi Pow 2 -1", "e", "10") if view.words[at] == "pi" else ("2", "10", "pi")
    return at, tuple(view.rng.choice(others).split())


def exchange(view: EquationView) -> Replacement | None:
    """Two unequal leaves below one node trade positions."""
    top = view.some(lambda at: view.ends[at] - at > 3)
    traded = None if top is None else with_leaves_traded(view.subtree(top), view.rng)
    return None if top is None or traded is None else (top, traded)
