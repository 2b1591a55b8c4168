"""Data: axioms, recipes, generation with labels from the oracle, files, and `EquationDataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.lazy import lazy

if TYPE_CHECKING:
    from dgl_mathtree.data.axioms import axioms_of
    from dgl_mathtree.data.data_files import DataError, generator_of, read_card, read_rows
    from dgl_mathtree.data.data_writer import make_data
    from dgl_mathtree.data.dataset import EquationDataset
    from dgl_mathtree.data.export import export_graphs
    from dgl_mathtree.data.recipe import Recipe, load_recipe

__all__ = [
    "DataError",
    "EquationDataset",
    "Recipe",
    "axioms_of",
    "export_graphs",
    "generator_of",
    "load_recipe",
    "make_data",
    "read_card",
    "read_rows",
]

# EquationDataset brings torch along; reading cards and rows does without.
__getattr__ = lazy(
    __name__,
    {
        "axioms": "axioms_of",
        "data_files": "DataError generator_of read_card read_rows",
        "data_writer": "make_data",
        "dataset": "EquationDataset",
        "export": "export_graphs",
        "recipe": "Recipe load_recipe",
    },
)
