"""Equations as DGL graphs."""

from dgl_mathtree.graphs.batch import EquationBatch, batch_graph, split_roots, type_table
from dgl_mathtree.graphs.plan import LevelPlan, plan_of
from dgl_mathtree.graphs.plan_check import GraphError
from dgl_mathtree.graphs.trees import NODE_TYPES, SYMBOLS, forest_graph, node_type, to_equation, to_graph

__all__ = [
    "NODE_TYPES",
    "SYMBOLS",
    "EquationBatch",
    "GraphError",
    "LevelPlan",
    "batch_graph",
    "forest_graph",
    "node_type",
    "plan_of",
    "split_roots",
    "to_equation",
    "to_graph",
    "type_table",
]
