"""Random trees as nested tuples, the same in other forms, and nested tuples out of batches."""

from __future__ import annotations

import random
from typing import Any

import dgl
import networkx as nx
import numpy as np
import torch

from dgl_mathtree.graphs import TreeBatch


def random_tree(rng: random.Random, inner: int, types: int = 3, symbols: int = 4, most: int = 4) -> Any:
    """A tree with this many inner nodes, of up to `most` children each."""
    if inner == 0:
        return rng.randrange(symbols)
    sizes = [0] * rng.randint(1, most)
    for _ in range(inner - 1):
        sizes[rng.randrange(len(sizes))] += 1
    return (rng.randrange(types), *(random_tree(rng, size, types, symbols, most) for size in sizes))


def random_trees(seed: int, count: int, **sizes: int) -> list[Any]:
    rng = random.Random(seed)
    return [random_tree(rng, rng.randint(0, 7), **sizes) for _ in range(count)]


def as_pointers(tree: Any) -> dict[str, list[int]]:
    """A tree by parent pointers, its nodes in prefix order."""
    found: dict[str, list[int]] = {"parent": [], "op": [], "symbol": []}

    def add(node: Any, parent: int) -> None:
        number, is_inner = len(found["parent"]), isinstance(node, tuple)
        found["parent"].append(parent)
        found["op"].append(node[0] if is_inner else 0)
        found["symbol"].append(-1 if is_inner else node)
        for child in node[1:] if is_inner else ():
            add(child, number)

    add(tree, -1)
    return found


def as_networkx(tree: Any) -> Any:
    pointers, graph = as_pointers(tree), nx.DiGraph()
    for node, symbol in enumerate(pointers["symbol"]):
        graph.add_node(f"n{node}", op=pointers["op"][node], **({"symbol": symbol} if symbol >= 0 else {}))
    for node, parent in enumerate(pointers["parent"]):
        if parent >= 0:
            graph.add_edge(f"n{node}", f"n{parent}")
    return graph


def as_graph(tree: Any) -> Any:
    pointers = as_pointers(tree)
    parent = np.array(pointers["parent"])
    child = np.flatnonzero(parent >= 0)
    graph = dgl.graph((torch.from_numpy(child), torch.from_numpy(parent[child])), num_nodes=len(parent))
    graph.ndata["op"], graph.ndata["symbol"] = torch.tensor(pointers["op"]), torch.tensor(pointers["symbol"])
    seen: dict[int, int] = {}
    places = []
    for above in parent[child].tolist():
        places.append(seen.get(above, 0))
        seen[above] = places[-1] + 1
    graph.edata["pos"] = torch.tensor(places, dtype=torch.int64)
    return graph


def spelled(batch: TreeBatch) -> list[Any]:
    """The trees of a batch as nested tuples."""

    def spell(node: int) -> Any:
        below = [child for child in batch.children[node].tolist() if child >= 0]
        return (int(batch.node_types[node]), *map(spell, below)) if below else int(batch.word[node])

    return [spell(root) for root in batch.roots.tolist()]
