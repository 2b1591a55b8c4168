"""Splits: which part of the data, train, validation or test, an equation belongs to.

Membership is decided by a hash of the equation's canonical key, so that it does not depend on the order of generation
and a duplicate can never be in another part.

- `paper`: test from depth 8 on, the rest 80/20 at random.
- `grouped`: the same, but equations of one fold class are never in two parts; which of test and the rest a class goes
  to is settled by its first equation.
- `held-out-axioms`: as `paper`, but the recipe's held-out axioms appear in derivations of test equations only.
"""

from __future__ import annotations

import hashlib

from dgl_mathtree.data.recipe import Recipe
from dgl_mathtree.data.recipe_checks import RecipeError

SPLITS = ("paper", "grouped", "held-out-axioms")
PARTS = TRAIN, VALIDATION, TEST = ("train", "validation", "test")
ALL = "all"
PART_CHOICES = (*PARTS, ALL)
"""What may be asked for: a part, or all of them."""


class Splitter:
    """Assigns equations to the parts of a split.

    Parameters
    ----------
    name : str
        The split, one of `SPLITS`.
    recipe : Recipe
        Where test begins, the share of validation, and what is held out.
    seed : int
        Of the data.
    """

    def __init__(self, name: str, recipe: Recipe, seed: int) -> None:
        if name not in SPLITS:
            raise RecipeError(f"unknown split {name!r}; expected one of {', '.join(SPLITS)}")
        if name == "held-out-axioms" and not recipe.held_out:
            raise RecipeError(f"the recipe {recipe.name} holds out no axioms: list them as held_out")
        self.name = name
        self._recipe = recipe
        self._seed = seed
        self._part_of_fold: dict[int, str] = {}

    @property
    def held_out(self) -> frozenset[str]:
        """Axioms that only test equations may use."""
        return self._recipe.held_out_axioms if self.name == "held-out-axioms" else frozenset()

    def assign(self, depth: int, key: int, fold: int, only_train: bool = False) -> str | None:
        """The part an equation goes to, or None if it must not be used at all."""
        grouped = self.name == "grouped"
        if depth >= self._recipe.test_from:
            part = TEST
        elif only_train and not grouped:
            part = TRAIN
        else:
            aside = _fraction(fold if grouped else key, self._seed) < self._recipe.validation
            part = VALIDATION if aside else TRAIN
        if grouped and self._part_of_fold.setdefault(fold, part) != part:
            return None
        return None if only_train and part != TRAIN else part


def _fraction(key: int, seed: int) -> float:
    """A number in [0, 1) that depends on the key and seed alone."""
    digest = hashlib.blake2b(f"{seed}/{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
