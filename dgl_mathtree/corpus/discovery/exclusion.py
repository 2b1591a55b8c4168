"""Collections of equations whose twins are kept out of training: `datasets/NAME/NAME.tsv`."""

from __future__ import annotations

from dataclasses import dataclass, field

from dgl_mathtree.corpus.canonical import canonical_key, fold_key
from dgl_mathtree.corpus.recipe_checks import RecipeError
from dgl_mathtree.corpus.recipes import DATASETS
from dgl_mathtree.expressions import ParseError, parse_equation


@dataclass
class Exclusion:
    """Keys of equations, and of their fold forms, that no training equation may have."""

    keys: set[int] = field(default_factory=set)
    folds: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, names: list[str]) -> Exclusion:
        """The keys of the equations of some collections."""
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

    def has(self, key: int, fold: int) -> bool:
        return key in self.keys or fold in self.folds
