"""Equations as DGL graphs."""

from dgl_mathtree.graphs.trees import NODE_TYPES, forest_graph, node_type, to_equation, to_graph

__all__ = ["NODE_TYPES", "forest_graph", "node_type", "to_equation", "to_graph"]
