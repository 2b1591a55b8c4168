"""Edits that make a correct equation incorrect: one subtree replaced by another (whether that makes the equation false
is for the oracle to say).

`RECIPE_EDITS` are the kinds that a recipe may ask for, with the words of the recipe; `MISTAKES` those that people make,
which discovery draws by their weights.
"""

from __future__ import annotations

from dgl_mathtree.data.edits.edit_table import MISTAKES, mistake
from dgl_mathtree.data.edits.equation_view import EquationView, Replacement
from dgl_mathtree.data.edits.recipe_edits import RECIPE_EDITS, Editor

__all__ = ["MISTAKES", "RECIPE_EDITS", "Editor", "EquationView", "Replacement", "mistake"]
