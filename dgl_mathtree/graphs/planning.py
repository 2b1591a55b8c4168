"""How level plans are made: from arrays, from graphs of DGL, and for chains that share what is beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan import Level, LevelPlan, Segment
from dgl_mathtree.graphs.plan_check import CHILDREN, HEIGHTS, TYPES, GraphError, check_kinds, check_slots
from dgl_mathtree.language.interning import sorted_distinct

Ints = NDArray[Any]
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
"""What numbers of nodes and edges may be."""


def level_plan(types: Ints, children: Ints, height: Ints) -> LevelPlan:
    """The plan of nodes given as arrays.

    Parameters
    ----------
    types : numpy.ndarray
        (nodes,), the type of each node; that of a leaf does not matter.
    children : numpy.ndarray
        (nodes, child_slots), the children in order, -1 where there is none.
    height : numpy.ndarray
        (nodes,), the height of each node, 0 for leaves.

    Returns
    -------
    LevelPlan

    Examples
    --------
    >>> plan = level_plan(np.array([3, 7, 0]), np.array([[1, 2], [2, -1], [-1, -1]]), np.array([2, 1, 0]))
    >>> plan.node.tolist()  # the leaf, its parent, the root
    [2, 1, 0]
    >>> [level.segments for level in plan.levels]
    [(Segment(node_type=7, arity=1, size=1),), (Segment(node_type=3, arity=2, size=1),)]
    """
    if children.shape[1] >= CHILDREN or height.max(initial=0) >= HEIGHTS:
        raise GraphError(f"a node may have fewer than {CHILDREN} children, and a tree be lower than {HEIGHTS}")
    degree = (children >= 0).dot(np.ones(children.shape[1], dtype=np.int64))
    node_types = types.astype(np.int64, copy=False) * (degree > 0)  # 0 for leaves
    if not (node_types.min(initial=0) >= 0 and node_types.max(initial=0) < TYPES):
        raise GraphError(f"a node type is out of range: node types are 0 to {TYPES - 1}")
    key = (height.astype(np.int64) << 40) | (node_types << 16) | degree
    order = np.argsort(key, kind="stable")
    count = len(order)
    row = np.empty(count + 1, dtype=np.int64)
    row[order] = np.arange(1, count + 1)
    row[-1] = 0  # where a missing child, -1, is found
    key = key.take(order)
    leaves = int(key.searchsorted(1 << 40))
    inner = key[leaves:]
    starts = np.append(leaves, leaves + 1 + np.flatnonzero(inner[1:] != inner[:-1]))[: len(inner)]
    codes = key.take(starts)
    table = np.empty((len(starts), 4), dtype=np.int64)
    table[:, 0], table[:, 1], table[:, 2] = codes & 0xFFFF, codes >> 16 & 0xFFFFFF, starts + 1
    table[:, 3] = np.append(starts[1:], count)[: len(starts)] - starts
    arrays = order, row[:-1], row.take(children.take(order, axis=0)), node_types.take(order)
    plan = LevelPlan.of_segments(arrays, leaves, table, codes >> 40)
    _ = plan.rows_by_arity, plan.most, plan.edges  # now, not in the middle of a pass
    return plan


def chain_plan(steps: Sequence[tuple[int, int, bool]], count: int) -> LevelPlan:
    """The plan of equal chains side by side, that differ in their lowest nodes only.

    Its leaves are the lowest nodes, `count` of them, and after them one node for each step that has a sibling, from the
    bottom up, which all chains share. The last `count` rows are the tops.

    Parameters
    ----------
    steps : sequence of (int, int, bool)
        From the bottom up: the type of the next node, the place of the one below among its children, and whether there
        is a sibling, which then has the other of two places.
    count : int
        How many chains there are.

    Examples
    --------
    >>> plan = chain_plan([(3, 0, False), (5, 1, True)], count=2)
    >>> plan.children[plan.leaves :].tolist()
    [[1, 0], [2, 0], [3, 4], [3, 5]]
    """
    leaves = count + sum(has_sibling for _, _, has_sibling in steps)
    total = leaves + count * len(steps)
    children = torch.zeros(total, 2, dtype=torch.int64)
    node_types = torch.zeros(total, dtype=torch.int64)
    levels = []
    below, sibling, start = torch.arange(1, count + 1), count, leaves + 1
    for node_type, place, has_sibling in steps:
        children[start - 1 : start - 1 + count, place] = below
        if has_sibling:
            sibling += 1
            children[start - 1 : start - 1 + count, 1 - place] = sibling
        node_types[start - 1 : start - 1 + count] = node_type
        arity = 2 if has_sibling else 1
        levels.append(Level(start, start + count, (Segment(node_type, arity, count),), arity))
        below, start = torch.arange(start, start + count), start + count
    return LevelPlan(torch.arange(total), torch.arange(1, total + 1), leaves, children, node_types, tuple(levels))


def plan_of(graph: Any, types: int | None = None, children: int | None = None) -> LevelPlan:
    """The plan of any graph with edges from child to parent, `op` on nodes and `pos` on edges.

    Parameters
    ----------
    graph : DGLGraph
        A forest of trees, or trees that share nodes.
    types : int, optional
        How many node types there may be, if that is to be checked.
    children : int, optional
        How many children a node may have, if that is to be checked.

    Returns
    -------
    LevelPlan

    Raises
    ------
    GraphError
        Where the graph is not as it should be: what is wrong with it.
    """
    return level_plan(*graph_nodes(graph, types, children)).trusted()


def graph_nodes(graph: Any, types: int | None = None, children: int | None = None) -> tuple[Ints, Ints, Ints]:
    """The types, children and heights of a graph's nodes, as `level_plan` takes them; for the rest see `plan_of`."""
    check_kinds(graph)
    for name, data in (("op", graph.ndata), ("pos", graph.edata)):
        if name not in data and (name == "op" or graph.num_edges()):
            raise GraphError(f"the graph has no {'node' if name == 'op' else 'edge'} data {name!r}")
    count = graph.num_nodes()
    if count == 0:
        raise GraphError("the graph has no nodes")
    op = graph.ndata["op"].cpu().numpy()
    for name, data in (("op", graph.ndata), ("pos", graph.edata)):
        if name in data and (data[name].dim() != 1 or data[name].dtype not in WHOLE):
            raise GraphError(f"{name!r} must hold one whole number for each {'node' if name == 'op' else 'edge'}")
    source, target = (ends.cpu().numpy() for ends in graph.edges())
    place = graph.edata["pos"].cpu().numpy() if graph.num_edges() else np.zeros(0, dtype=np.int64)
    degree = np.bincount(target, minlength=count)
    child_slots = max(int(degree.max(initial=0)), 1)
    if children is not None and child_slots > children:
        crowded = degree.argmax()
        raise GraphError(f"node {crowded} has {child_slots} children; the cell was built for at most {children}")
    check_slots(count, child_slots)
    table = np.full((count, child_slots), -1, dtype=np.int64)
    if np.any(place < 0) or np.any(place >= degree[target]):
        raise GraphError("'pos' must count the children of a node from 0")
    table[target, place] = source
    if np.any((table >= 0).sum(axis=1) != degree):
        raise GraphError("two children of a node have the same 'pos'")
    inner, most = op[degree > 0], TYPES if types is None else types
    if np.any(inner < 0) or np.any(inner >= most):
        wrong = int(inner[(inner < 0) | (inner >= most)][0])
        allowed = "node types are" if types is None else "the cell was built for types"
        raise GraphError(f"node type {wrong} is out of range: {allowed} 0 to {most - 1}")
    return op, table, heights(source, target, degree)


def heights(source: Ints, target: Ints, degree: Ints) -> Ints:
    """Heights of nodes, peeled off from the leaves up; an error if a cycle is left."""
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.arange(len(degree) + 1))
    parents = target[order]
    height = np.zeros(len(degree), dtype=np.int64)
    waiting = degree.copy()
    level = np.flatnonzero(waiting == 0)
    peeled, number = len(level), 0
    while len(level):
        number += 1
        counts = starts[level + 1] - starts[level]
        ends = np.cumsum(counts)
        above = parents[np.repeat(starts[level] - ends + counts, counts) + np.arange(counts.sum())]
        np.subtract.at(waiting, above, 1)
        level = sorted_distinct(above[waiting[above] == 0])
        height[level] = number
        peeled += len(level)
    if peeled < len(degree):
        raise GraphError("the graph has a cycle: it is not a forest of trees")
    return height
