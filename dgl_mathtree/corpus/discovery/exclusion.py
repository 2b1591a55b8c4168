"""Equations whose twins are kept out of training: collections for evaluation, and the parts of data set aside."""

from __future__ import annotations

from dataclasses import dataclass, field

from dgl_mathtree.corpus.canonical import canonical_key, fold, fold_key
from dgl_mathtree.corpus.files import read_rows
from dgl_mathtree.corpus.recipe_checks import RecipeError
from dgl_mathtree.corpus.recipes import DATASETS
from dgl_mathtree.corpus.splits import PARTS
from dgl_mathtree.expressions import ParseError, parse_equation


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
        """The keys of the equations of some collections, `datasets/NAME/NAME.tsv`."""
        found = cls()
        for name in names:
            file = DATASETS / name / f"{name}.tsv"
            if not file.is_file():
                raise RecipeError(f"apart_from: there is no collection {name!r}: expected {file}")
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                text = line.split("\t")[-1]
                try:
                    words = parse_equation(text).words
                except ParseError as error:
                    raise RecipeError(f"{file}: line {number}: {error.reason}") from None
                found.keys.add(canonical_key(words))
                found.folds.add(fold_key(words))
        return found

    def __or__(self, other: Exclusion) -> Exclusion:
        return Exclusion(self.keys | other.keys, self.folds | other.folds)

    def has(self, key: int, relatives: int) -> bool:
        return key in self.keys or relatives in self.folds
