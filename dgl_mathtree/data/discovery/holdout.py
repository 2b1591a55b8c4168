"""Equations whose duplicates are kept out of training: collections for evaluation, and the parts of data set aside."""

from __future__ import annotations

from dataclasses import dataclass, field

from dgl_mathtree.data.canonical import canonical_key, fold, fold_key
from dgl_mathtree.data.collections import find_collection, read_collection
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.recipe import DATASETS
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.data.splits import PARTS


@dataclass
class Exclusion:
    """Keys of equations, and of their fold forms, that no training equation may have."""

    keys: set[int] = field(default_factory=set)
    folds: set[int] = field(default_factory=set)

    @classmethod
    def of_data(cls, names: list[str]) -> Exclusion:
        """The keys of the validation and test equations of some data sets that come with the project.

        Of those that say that something equals itself, only twins are excluded: all of them are relatives.
        """
        found = cls()
        for name in names:
            for part in PARTS[1:]:
                for row in read_rows(name, part):
                    words = row.parsed().words
                    found.keys.add(canonical_key(words))
                    relatives, tautology = fold(words)
                    if not tautology:
                        found.folds.add(relatives)
        return found

    @classmethod
    def of(cls, names: list[str]) -> Exclusion:
        """The keys of the equations of some collections that come with the project; see `find_collection`."""
        found = cls()
        for name in names:
            file = find_collection(name)
            if file is None:
                raise RecipeError(f"apart_from: unknown collection {name!r}: expected {DATASETS / name}/{name}.tsv")
            for entry in read_collection(file):
                if entry.equation is None:
                    raise RecipeError(f"apart_from: {file} has an equation that cannot be read: {entry.text}")
                found.keys.add(canonical_key(entry.equation.words))
                found.folds.add(fold_key(entry.equation.words))
        return found

    def __or__(self, other: Exclusion) -> Exclusion:
        return Exclusion(self.keys | other.keys, self.folds | other.folds)

    def has(self, key: int, relatives: int) -> bool:
        return key in self.keys or relatives in self.folds
