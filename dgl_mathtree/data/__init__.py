"""Data: axioms, recipes, generation with labels from the oracle, files, `EquationDataset`, and data of other trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.lazy import lazy

if TYPE_CHECKING:
    from dgl_mathtree.data.axioms import axioms_of
    from dgl_mathtree.data.data_files import DataError, generator_of, read_card, read_rows
    from dgl_mathtree.data.data_writer import make_data
    from dgl_mathtree.data.dataset import EquationDataset
    from dgl_mathtree.data.export import export_graphs
    from dgl_mathtree.data.listops import generate_listops, list_value, listops_data
    from dgl_mathtree.data.logic import LogicPair, generate_logic, logic_data, read_logic, relation_of
    from dgl_mathtree.data.recipe import Recipe, load_recipe
    from dgl_mathtree.data.tree_dataset import TreeDataset

__all__ = [
    "DataError",
    "EquationDataset",
    "LogicPair",
    "Recipe",
    "TreeDataset",
    "axioms_of",
    "export_graphs",
    "generate_listops",
    "generate_logic",
    "generator_of",
    "list_value",
    "listops_data",
    "load_recipe",
    "logic_data",
    "make_data",
    "read_card",
    "read_logic",
    "read_rows",
    "relation_of",
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
        "listops": "generate_listops list_value listops_data",
        "logic": "LogicPair generate_logic logic_data read_logic relation_of",
        "recipe": "Recipe load_recipe",
        "tree_dataset": "TreeDataset",
    },
)
