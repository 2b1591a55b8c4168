"""Mistakes in leaves and signs: a variable, number or constant for another, a sign, two leaves exchanged."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.corpus.discovery.laws import VARIABLES
from dgl_mathtree.corpus.discovery.mistakes.scene import Place, Scene, is_number_word, is_variable_word, negative
from dgl_mathtree.corpus.negatives import with_leaves_traded
from dgl_mathtree.expressions.vocabulary import ARITY, CONSTANTS


def change_variable(scene: Scene) -> Place | None:
    """One variable for another, mostly for one that the equation has."""
    at = scene.some(lambda at: is_variable_word(scene.words[at]))
    if at is None:
        return None
    others = [w for w in dict.fromkeys(scene.words) if is_variable_word(w) and w != scene.words[at]]
    if not others or scene.rng.random() < 0.1:
        others = [name for name in VARIABLES[:4] if name != scene.words[at]]
    return at, (scene.rng.choice(others),)


def change_number(scene: Scene) -> Place | None:
    """One number for another that is near, opposite, doubled, halved or turned over."""
    at = scene.some(lambda at: is_number_word(scene.words[at]) and not _is_sign(scene, at))
    if at is None or "." in scene.words[at]:
        return None
    value = Fraction(scene.words[at])
    near = [value + 1, value - 1, value + 1, value - 1, 2 * value, value / 2, -value, value + 2]
    if value:
        near.append(1 / value)
    return at, (_word(scene.rng.choice(near)),)


def _word(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _is_sign(scene: Scene, at: int) -> bool:
    """Whether a -1 only makes a difference or a quotient."""
    if scene.words[at] != "-1":
        return False
    return scene.words[at - 1] == "Mul" or any(
        scene.words[k] == "Pow" and scene.ends[k + 1] == at for k in range(at - 1, 0, -1)
    )


def flip_sign(scene: Scene) -> Place | None:
    """A minus for a plus, or the other way round."""
    words = scene.words
    draw = scene.rng.random()
    if draw < 0.5:
        at = scene.some(lambda at: words[at] == "Mul" and words[at + 1] == "-1")
        if at is not None:
            return at, scene.subtree(at + 2)
    if draw < 0.85:
        at = scene.node("Add")
        if at is not None:
            a, b = scene.children(at)
            return at, ("Add", *a, *negative(b))
    at = scene.some(lambda at: words[at - 1] == "Equality" or words[at] in ARITY)
    return None if at is None or words[at] == "0" else (at, negative(scene.subtree(at)))


def change_constant(scene: Scene) -> Place | None:
    """pi or e for something else."""
    at = scene.node(*CONSTANTS)
    if at is None or (scene.words[at] == "e" and scene.rng.random() < 0.7):
        return None
    others = ("2", "Mul 2 pi", "Mul pi Pow 2 -1", "e", "10") if scene.words[at] == "pi" else ("2", "10", "pi")
    return at, tuple(scene.rng.choice(others).split())


def exchange(scene: Scene) -> Place | None:
    """Two unequal leaves below one node trade places."""
    top = scene.some(lambda at: scene.ends[at] - at > 3)
    traded = None if top is None else with_leaves_traded(scene.subtree(top), scene.rng)
    return None if top is None or traded is None else (top, traded)
