"""Plain trees to arrays: nested tuples, parent pointers, NetworkX trees and DGL graphs.

Nested tuples are read level by level with a few operations on whole lists, everything else is arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from operator import not_
from typing import Any

import numpy as np
import torch

from dgl_mathtree.graphs.parent_pointers import of_pointers, pointers_of
from dgl_mathtree.graphs.plan_check import GraphError, check_slots
from dgl_mathtree.graphs.planning import graph_nodes
from dgl_mathtree.graphs.tree_arrays import TreeArrays, TreeBatch, grouped_by_tree, with_members
from dgl_mathtree.graphs.tree_labels import VECTOR, Ints, Names, label_numbers, label_vectors

NODE = (tuple, list)
"""What an inner node of a nested tree is; everything else is a leaf."""
DEEP, LARGE = 200, 1_000_000
"""Levels and nodes of nested trees from which on it is worth the time to look whether one contains itself."""
MOST_NODES = 1 << 31
"""Nodes of nested trees: a tuple that stands in several places counts as often."""


def batch_trees(
    trees: Any, operators: Names = None, vocabulary: Names = None, *, typed: bool = True, share: bool = False
) -> TreeBatch:
    """Many trees as one batch for a cell or a classifier.

    Parameters
    ----------
    trees : sequence, mapping or DGLGraph
        The trees, all of one kind:

        - nested tuples or lists ``(type, child, ...)``, in which everything else is a leaf: its symbol, or a feature
          vector (an array or a tensor with one dimension);
        - parent pointers ``{"parent": [-1, 0, 0], "op": [0, 0, 0], "symbol": [-1, 4, 2]}``, of one tree or of many,
          with -1 for a root; siblings are ordered by ``pos`` or else as they stand; ``feat`` (nodes, f) may take the
          place of ``symbol``, and ``word`` the place of both ``op`` and ``symbol``;
        - NetworkX graphs with edges from child to parent and the same names as attributes of nodes and edges;
        - DGL graphs with edges from child to parent, ``op`` and ``symbol`` or ``feat`` of nodes, and ``pos`` of edges.
    operators : sequence of str, optional
        Names of node types, in the order of their numbers; without it types are numbers.
    vocabulary : sequence of str, optional
        Names of symbols, in the order of their numbers; without it symbols are numbers.
    typed : bool
        Whether nested tuples start with a type; else they hold children alone, and all nodes have type 0.
    share : bool
        Identical subtrees become one node, which is computed once and has one draw of dropout.

    Returns
    -------
    TreeBatch

    Raises
    ------
    GraphError
        For what is not such a tree: which, and what would be right.

    Examples
    --------
    >>> formulas = [("and", "a", ("not", "b")), ("or", ("not", "b"), ("not", "b"))]
    >>> batch = batch_trees(formulas, operators=["and", "or", "not"], vocabulary=["a", "b"])
    >>> len(batch), batch.num_nodes(), batch.node_types[batch.roots].tolist()
    (2, 9, [0, 1])
    >>> batch_trees(formulas, ["and", "or", "not"], ["a", "b"], share=True).num_nodes()
    5
    """
    arrays = read_trees(trees, operators, vocabulary, typed=typed)
    return (arrays.shared() if share else arrays).batch()


def read_trees(trees: Any, operators: Names = None, vocabulary: Names = None, *, typed: bool = True) -> TreeArrays:
    """Many trees as arrays, of which batches can be cut; for the parameters see `batch_trees`."""
    if _is_graph(trees) or isinstance(trees, Mapping) or _is_networkx(trees):
        trees = [trees]
    if isinstance(trees, (str, bytes)) or not hasattr(trees, "__iter__"):
        raise GraphError(f"expected a sequence of trees, not {trees!r:.60}: one tree alone is [tree]")
    trees = list(trees)
    if not trees:
        raise GraphError("a batch needs at least one tree")
    if _is_graph(trees[0]):
        return _of_graphs(trees)
    if _is_networkx(trees[0]):
        trees = [pointers_of(graph, number) for number, graph in enumerate(trees)]
    if isinstance(trees[0], Mapping):
        return of_pointers(trees, operators, vocabulary)
    return _of_nested(trees, operators, vocabulary, typed)


def _is_graph(tree: Any) -> bool:
    return hasattr(tree, "ndata") and hasattr(tree, "edata")  # without the time that importing DGL takes


def _is_networkx(tree: Any) -> bool:
    return hasattr(tree, "add_edges_from") and hasattr(tree, "nodes")


def _of_nested(trees: list[Any], operators: Names, vocabulary: Names, typed: bool) -> TreeArrays:
    """The trees of nested tuples, level by level: a few operations on whole lists each."""
    level = trees
    sizes: list[int] = []
    counts: list[int] = []
    flags: list[bool] = []
    heads: list[Any] = []
    leaves: list[Any] = []
    checked = False
    while level:
        kinds = list(map(type, level))
        is_node = {kind: issubclass(kind, NODE) for kind in set(kinds)}
        inner_here = list(map(is_node.__getitem__, kinds))
        inner = list(compress(level, inner_here))
        leaves += compress(level, map(not_, inner_here))
        flags += inner_here
        sizes.append(len(level))
        counts += map(len, inner)
        if typed:
            heads += [node[0] for node in inner if node]
            level = list(chain.from_iterable([node[1:] for node in inner]))
        else:
            level = list(chain.from_iterable(inner))
        if not checked and (len(sizes) > DEEP or len(flags) > LARGE):
            checked = check_nesting(trees, typed, MOST_NODES)
    is_inner = np.array(flags)
    degree = np.zeros(len(flags), dtype=np.int64)
    degree[is_inner] = np.array(counts, dtype=np.int64) - typed
    if (degree[is_inner] < 1).any():
        shape = "(type, child, ...)" if typed else "(child, ...)"
        raise GraphError(f"a node has no children: write a node as {shape}, and a leaf as its symbol alone")
    node_types, word = np.zeros(len(flags), dtype=np.int64), np.full(len(flags), -1, dtype=np.int64)
    if typed:
        node_types[is_inner] = label_numbers(heads, operators, "the node type", "operators")
    feat = label_vectors(leaves) if isinstance(leaves[0], VECTOR) else None
    is_leaf = ~is_inner
    word[is_leaf] = (
        label_numbers(leaves, vocabulary, "the leaf", "vocabulary") if feat is None else np.arange(len(leaves))
    )
    return _by_tree(node_types, word, degree, sizes, feat)


def check_nesting(trees: list[Any], typed: bool, most: int = MOST_NODES) -> bool:
    """Refuse nested trees that contain themselves or have more than `most` nodes in all; each tuple is walked once."""
    sizes: dict[int, int] = {}  # the nodes of each tuple that was walked; 0 while it is
    waiting: list[tuple[Any, bool]] = [(tree, False) for tree in trees if isinstance(tree, NODE)]
    while waiting:
        node, walked = waiting.pop()
        below = [child for child in node[int(typed) :] if isinstance(child, NODE)]
        if walked:
            sizes[id(node)] = len(node) + 1 - typed - len(below) + sum(sizes[id(child)] for child in below)
        elif id(node) not in sizes:
            sizes[id(node)] = 0
            waiting.append((node, True))
            waiting += [(child, False) for child in below]
        elif not sizes[id(node)]:
            raise GraphError("a tree contains itself")
    if (count := sum(sizes.get(id(tree), 1) for tree in trees)) > most:
        raise GraphError(f"the trees have {count:.2g} nodes in all, more than {most:.2g}")
    return True


def _by_tree(node_types: Ints, word: Ints, degree: Ints, sizes: list[int], feat: torch.Tensor | None) -> TreeArrays:
    """Nodes that stand level by level from the roots down, children in the order of their parents, tree by tree."""
    count, trees, bounds = len(degree), sizes[0], np.cumsum([0, *sizes]).tolist()
    owner, height = np.arange(count), np.zeros(count, dtype=np.int64)
    for start, stop, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
        owner[stop:end] = np.repeat(owner[start:stop], degree[start:stop])
    first = trees + np.cumsum(degree) - degree  # the first child of each node
    for start, stop, _ in reversed(list(zip(bounds, bounds[1:], bounds[2:], strict=False))):
        above = start + np.flatnonzero(degree[start:stop])
        height[above] = 1 + np.maximum.reduceat(height[: first[above[-1]] + degree[above[-1]]], first[above])
    slots = np.arange(max(int(degree.max()), 1))
    check_slots(count, len(slots))
    children = np.where(slots < degree[:, None], first[:, None] + slots, -1)
    return grouped_by_tree(
        TreeArrays(node_types, word, children, height, np.arange(trees), np.arange(trees), feat=feat), owner
    )


def _of_graphs(graphs: Sequence[Any]) -> TreeArrays:
    import dgl

    if wrong := [number for number, graph in enumerate(graphs) if not _is_graph(graph)]:
        raise GraphError(f"tree {wrong[0]} must be a DGLGraph, as the first one is")
    graph = dgl.batch(list(graphs)) if len(graphs) > 1 else graphs[0]
    node_types, children, height = graph_nodes(graph)
    is_leaf = height == 0
    roots = np.flatnonzero(graph.out_degrees().cpu().numpy() == 0)
    offsets = np.concatenate([[0], np.cumsum(graph.batch_num_nodes().cpu().numpy())])
    if len(offsets) > 2 and not np.array_equal(np.searchsorted(roots, offsets), np.arange(len(offsets))):
        raise GraphError("every graph of a batch must be one tree: with one node that has no parent")
    word, feat = np.full(len(node_types), -1, dtype=np.int64), None
    if "feat" in graph.ndata:
        feat = graph.ndata["feat"]
        if feat.dim() != 2 or not feat.is_floating_point():
            raise GraphError(
                f"'feat' must be of shape (nodes, f) and of a floating-point type, not {tuple(feat.shape)}"
            )
        word[is_leaf] = np.flatnonzero(is_leaf)
    elif "symbol" in graph.ndata:
        symbol = graph.ndata["symbol"].cpu().numpy()
        if symbol.ndim != 1:
            raise GraphError("'symbol' must hold one whole number for each node")
        word[is_leaf] = label_numbers(symbol[is_leaf].tolist(), None, "the symbol", "vocabulary")
    else:
        raise GraphError("the graph has no node data 'symbol' or 'feat'")
    arrays = TreeArrays(
        node_types=node_types.astype(np.int64, copy=False),
        word=word,
        children=children,
        height=height,
        roots=roots,
        offsets=offsets,
        feat=feat,
    )
    return arrays if len(offsets) == len(roots) + 1 else with_members(arrays)
