"""What is asked of a recipe before it is followed: each check raises a RecipeError that says what would be right."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dgl_mathtree.data.axioms import axiom_set_names, axioms_of
from dgl_mathtree.data.edits import RECIPE_EDITS
from dgl_mathtree.errors import InputError
from dgl_mathtree.language.vocabulary import OPERATORS, is_leaf, is_variable
from dgl_mathtree.schema import check_fields

if TYPE_CHECKING:
    from dgl_mathtree.data.recipe import Recipe

MOST_SECONDS = 86_400.0
"""A recipe may ask for a day's work of one process."""
_RATE, _TYPICAL_DEPTH, _TYPICAL_STEPS = 1000.0, 6, 4
"""Equations that one process makes in a second, and what that was measured with."""
_ROW_BYTES = 400.0


class RecipeError(InputError):
    """A recipe that cannot be followed: what is wrong with it."""


def check_recipe(recipe: Recipe) -> None:
    """Raise a RecipeError where a recipe cannot be followed."""
    _check_types(recipe)
    _check_sizes(recipe)
    check_cost({**recipe.sizes, 0: recipe.discovered}, recipe.steps_per_depth)
    _check_sets(recipe)
    _check_words(recipe)
    _check_names(recipe)


def check_cost(sizes: Mapping[int, float], steps_per_depth: int = _TYPICAL_STEPS) -> None:
    """Raise a RecipeError, with an estimate, where so much is asked for that it would never be done.

    Parameters
    ----------
    sizes : mapping of int to float
        Equations by depth.
    steps_per_depth : int
        Steps that a walk may take for each level of depth.
    """
    count = sum(map(_float, sizes.values()))
    deeper = {depth: max(1.0, _float(depth) / _TYPICAL_DEPTH) ** 2 for depth in sizes}
    longer = max(1.0, _float(steps_per_depth) / _TYPICAL_STEPS)
    seconds = sum(_float(size) * deeper[depth] for depth, size in sizes.items()) * longer / _RATE
    if not seconds <= MOST_SECONDS:
        raise RecipeError(
            f"sizes: {count:.3g} equations down to depth {max(sizes)} would take one process {_duration(seconds)} and "
            f"{count * _ROW_BYTES / 1e9:.3g} GB; ask for what can be made in a day"
        )


def _float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _duration(seconds: float) -> str:
    days = seconds / 86_400
    if days < 700:
        return f"about {days:.0f} days"
    return f"about {days / 365:,.0f} years" if days < 365e6 else "more than a million years"


def _is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high


def _check_types(recipe: Recipe) -> None:
    check_fields(recipe, RecipeError)
    for table in ("fill", "vocabulary", "axioms", "starts", "negatives"):
        for key, weight in getattr(recipe, table).items():
            if not _is_number(weight, 0, 1e100):
                raise RecipeError(
                    f"{table}: the weight of {reprlib.repr(key)} must be a number from 0 on, not {reprlib.repr(weight)}"
                )
    for depth, nodes in recipe.largest_by_depth.items():
        if nodes < depth + 2:
            raise RecipeError(
                f"largest_by_depth: an equation of depth {depth} has at least {depth + 2} nodes, not {nodes}"
            )
    if not all(_is_number(chance, 0, 1) for chance in recipe.variables):
        raise RecipeError("variables must be a list of shares from 0 to 1")


def _check_sizes(recipe: Recipe) -> None:
    if not recipe.sizes and not recipe.discovered:
        raise RecipeError("sizes: how many equations of each depth are wanted? None is listed")
    for depth, size in recipe.sizes.items():
        if depth < 1:
            raise RecipeError(f"sizes: no equation has depth {depth}; = alone makes depth 1")
        correct = recipe.correct.get(depth, 0)
        if size < 0 or not 0 <= correct <= size:
            raise RecipeError(
                f"depth {depth}: {reprlib.repr(correct)} of {reprlib.repr(size)} equations cannot be correct"
            )
    if extra := set(recipe.correct) - set(recipe.sizes):
        raise RecipeError(f"correct: depth {min(extra)} is not among the sizes")
    leaves = len([word for word in recipe.fill if recipe.fill[word] > 0])
    variables = len([word for word in recipe.fill if is_variable(word) and recipe.fill[word] > 0])
    distinct = leaves - max(variables - 1, 0)  # x = x and y = y are one equation
    if recipe.correct.get(1, 0) > distinct and not recipe.population:
        wanted = reprlib.repr(recipe.correct[1])
        raise RecipeError(
            f"depth 1: {wanted} correct equations are wanted, but a leaf equal to itself makes {distinct}"
        )


def _check_sets(recipe: Recipe) -> None:
    for name in recipe.axiom_sets:
        if name not in axiom_set_names():
            raise RecipeError(
                f"axiom_sets: unknown set {reprlib.repr(name)}; expected one of {', '.join(axiom_set_names())}"
            )
    if not recipe.axiom_sets or len(set(recipe.axiom_sets)) < len(recipe.axiom_sets):
        raise RecipeError(f"axiom_sets: list each set once, of {', '.join(axiom_set_names())}")


def _check_words(recipe: Recipe) -> None:
    for word in recipe.fill:
        if not is_leaf(word):
            raise RecipeError(f"fill: {reprlib.repr(word)} is not a variable, number or constant")
    if not any(recipe.fill.values()):
        raise RecipeError("fill: no leaf has a weight")
    for word in recipe.vocabulary:
        if word not in OPERATORS and not is_leaf(word):
            raise RecipeError(f"vocabulary: {reprlib.repr(word)} is not an operator or leaf")
    for kind, listed in (("leaf", is_leaf), ("operator", OPERATORS.__contains__)):
        weights = [weight for word, weight in recipe.vocabulary.items() if listed(word)]
        if weights and not any(weights):
            raise RecipeError(f"vocabulary: no {kind} has a weight")
    if not any(recipe.start_weight(name) for name in recipe.usable_axioms):
        raise RecipeError("starts: no axiom to start from has a weight")
    for kind in recipe.negatives:
        if kind not in RECIPE_EDITS:
            raise RecipeError(
                f"negatives: unknown kind {reprlib.repr(kind)}; expected one of {', '.join(RECIPE_EDITS)}"
            )
    if not any(recipe.negatives.values()) and sum(recipe.sizes.values()) > sum(recipe.correct.values()):
        raise RecipeError("negatives: no kind has a weight, but incorrect equations are wanted")


def _check_names(recipe: Recipe) -> None:
    """Axioms and groups that are named must exist, in whatever set: a recipe may be like one with more sets."""
    for key in ("apart_from", "set_aside"):
        if not all(isinstance(name, str) for name in getattr(recipe, key)):
            raise RecipeError(f"{key} must be a list of names")
    if not all(isinstance(key, str) and not key.endswith("<-") for key in recipe.held_out):
        raise RecipeError("held_out must be a list of axioms or groups")
    axioms = [axiom for name in axiom_set_names() for axiom in axioms_of(name).values()]
    known = {axiom.name for axiom in axioms} | {axiom.group for axiom in axioms}
    named = (("axioms", recipe.axioms), ("starts", recipe.starts), ("held_out", dict.fromkeys(recipe.held_out)))
    for table, entries in named:
        for key in entries:
            if key.removesuffix("<-") not in known:
                raise RecipeError(f"{table}: unknown axiom or group {reprlib.repr(key)}")
