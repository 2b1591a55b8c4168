"""Trees by parent pointers, and NetworkX trees, which are read as such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan_check import GraphError, check_slots
from dgl_mathtree.graphs.planning import heights
from dgl_mathtree.graphs.tree_arrays import TreeArrays, grouped_by_tree
from dgl_mathtree.graphs.tree_labels import VECTOR, Ints, Names, label_numbers, label_vectors


def of_pointers(trees: Sequence[Mapping[str, Any]], operators: Names, vocabulary: Names) -> TreeArrays:
    """The trees of mappings with `parent` and labels; see `dgl_mathtree.graphs.batch_trees`."""
    parts = [_part(tree, number) for number, tree in enumerate(trees)]
    for name in ("pos", "feat"):
        if len({name in part for part in parts}) == 2:
            raise GraphError(f"some trees have {name!r} and some do not")
    sizes = [len(part["parent"]) for part in parts]
    starts = np.cumsum([0, *sizes])[:-1]
    parent = np.concatenate([part["parent"] for part in parts])
    parent = np.where(parent < 0, -1, parent + np.repeat(starts, sizes))
    child = np.flatnonzero(parent >= 0)
    degree = np.bincount(parent[child], minlength=len(parent))
    if "pos" in parts[0]:
        place = np.concatenate([part["pos"] for part in parts])
        child = child[np.lexsort((place[child], parent[child]))]
        if np.any((np.diff(parent[child]) == 0) & (np.diff(place[child]) == 0)):
            raise GraphError("two children of a node have the same 'pos'")
    else:
        child = child[np.argsort(parent[child], kind="stable")]
    first = np.cumsum(degree) - degree
    slots = np.arange(max(int(degree.max()), 1))
    check_slots(len(parent), len(slots))
    below = np.append(child, -1)[np.minimum(first[:, None] + slots, len(child))]
    children = np.where(slots < degree[:, None], below, -1)
    height = heights(child, parent[child], degree)
    owner = np.where(parent < 0, np.arange(len(parent)), parent)
    while ((above := owner[owner]) != owner).any():  # twice as far up each time
        owner = above
    node_types, word, feat = _labels(parts, degree > 0, operators, vocabulary)
    roots = np.flatnonzero(parent < 0)
    return grouped_by_tree(TreeArrays(node_types, word, children, height, roots, roots, feat=feat), owner)


def _part(tree: Any, number: int) -> dict[str, Any]:
    """One mapping of parent pointers, with arrays of numbers checked."""
    if not isinstance(tree, Mapping) or "parent" not in tree:
        raise GraphError(
            f"tree {number} must be a mapping with 'parent', as the first one is, not {type(tree).__name__}"
        )
    part = dict(tree)
    for name in ("parent", "pos"):
        if name in part:
            part[name] = np.asarray(part[name])
            if part[name].ndim != 1 or part[name].dtype.kind not in "iu" or len(part[name]) != len(part["parent"]):
                raise GraphError(f"tree {number}: {name!r} must hold one whole number for each node")
    parent = part["parent"]
    if not len(parent) or not (parent < 0).any():
        raise GraphError(f"tree {number} has no root: no node has the parent -1")
    wrong = parent[(parent < -1) | (parent >= len(parent))]
    if len(wrong):
        raise GraphError(f"tree {number}: parent {int(wrong[0])} is not a node: there are {len(parent)}")
    for name in ("word", "op", "symbol", "feat"):
        if name in part and len(part[name]) != len(parent):
            raise GraphError(f"tree {number}: {name!r} has {len(part[name])} entries for {len(parent)} nodes")
    return part


def _labels(
    parts: Sequence[Mapping[str, Any]], is_inner: NDArray[np.bool_], operators: Names, vocabulary: Names
) -> tuple[Ints, Ints, torch.Tensor | None]:
    """The types and symbols of nodes, or the feature vectors of leaves, from the entries of parent pointers."""
    inner, leaves = np.flatnonzero(is_inner), np.flatnonzero(~is_inner)
    joined = {name: _joined([part[name] for part in parts if name in part]) for name in ("word", "op", "symbol")}
    for name, found in joined.items():
        if found and len(found) != len(is_inner):
            raise GraphError(f"some trees have {name!r} and some do not")
    types = joined["op"] or joined["word"]
    node_types, word = np.zeros(len(is_inner), dtype=np.int64), np.full(len(is_inner), -1, dtype=np.int64)
    if types:
        node_types[inner] = label_numbers((types[k] for k in inner.tolist()), operators, "the node type", "operators")
    if "feat" in parts[0]:
        rows = [row for part in parts for row in part["feat"]]
        word[leaves] = np.arange(len(leaves))
        vectors = [row if isinstance(row, VECTOR) else np.asarray(row) for row in (rows[k] for k in leaves.tolist())]
        return node_types, word, label_vectors(vectors)
    symbols = joined["symbol"] or joined["word"]
    if not symbols:
        raise GraphError("leaves need a 'symbol', a 'word' or a vector 'feat' each")
    word[leaves] = label_numbers((symbols[k] for k in leaves.tolist()), vocabulary, "the leaf", "vocabulary")
    return node_types, word, None


def _joined(entries: list[Any]) -> list[Any]:
    """The entries of all trees as one list; those of arrays as numbers of Python, which are read faster."""
    return list(chain.from_iterable(each.tolist() if isinstance(each, np.ndarray) else each for each in entries))


def pointers_of(graph: Any, number: int) -> dict[str, Any]:
    """The parent pointers of a NetworkX tree."""
    if not graph.is_directed() or graph.is_multigraph():
        raise GraphError(f"tree {number} must be a networkx.DiGraph with edges from child to parent")
    labels = dict(graph.nodes.data())
    places = {node: k for k, node in enumerate(labels)}
    parent, pos = [-1] * len(places), [0] * len(places)
    unplaced = []
    for node, above, place in graph.edges.data("pos"):
        k = places[node]
        if parent[k] >= 0:
            found = graph.out_degree(node)
            raise GraphError(f"tree {number}: node {node!r} has {found} parents; edges must go from child to parent")
        parent[k], pos[k] = places[above], place
        if place is None:
            unplaced.append((node, above))
    for node, above in unplaced:
        pos[places[node]] = list(graph.predecessors(above)).index(node)
    if parent.count(-1) != 1:
        raise GraphError(f"tree {number} has {parent.count(-1)} roots: a tree has one node without a parent")
    part: dict[str, Any] = {"parent": parent, "pos": pos}
    above_others = set(parent)
    inner, leaves = ([k for k in range(len(parent)) if (k in above_others) is which] for which in (True, False))
    entries = list(labels.values())
    for name, nodes in {"word": range(len(parent)), "op": inner, "symbol": leaves, "feat": leaves}.items():
        if any(name in each for each in entries):
            if missing := [k for k in nodes if name not in entries[k]]:
                raise GraphError(f"tree {number}: node {list(places)[missing[0]]!r} has no attribute {name!r}")
            part[name] = [each.get(name) for each in entries]
    return part
