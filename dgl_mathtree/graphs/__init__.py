"""Equations and other trees as DGL graphs and batches.

DGL is imported where a graph is made: batches and plans, which the other drivers need, do without, and a command that
only scores equations starts sooner.
"""

from dgl_mathtree.graphs.batch import EquationBatch, batch_graph, split_roots, type_table
from dgl_mathtree.graphs.node_words import read_words
from dgl_mathtree.graphs.plain_trees import batch_trees, read_trees
from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.graphs.plan_check import GraphError
from dgl_mathtree.graphs.planning import plan_of
from dgl_mathtree.graphs.tree_arrays import TreeArrays, TreeBatch
from dgl_mathtree.graphs.trees import NODE_TYPES, SYMBOLS, add_words, forest_graph, node_type, to_equation, to_graph

__all__ = [
    "NODE_TYPES",
    "SYMBOLS",
    "EquationBatch",
    "GraphError",
    "LevelPlan",
    "TreeArrays",
    "TreeBatch",
    "add_words",
    "batch_graph",
    "batch_trees",
    "forest_graph",
    "node_type",
    "plan_of",
    "read_trees",
    "read_words",
    "split_roots",
    "to_equation",
    "to_graph",
    "type_table",
]
