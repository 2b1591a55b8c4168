"""A cell on trees that are not equations: nested Boolean formulas, made on the spot.

    python examples/other_trees.py [--cell tree-lstm] [--steps 300]

A formula such as ``(T and not (F or T)) xor T`` becomes a DGLGraph with four node types (and, or, xor, not) and two
kinds of leaves. A `TreeLSTM` with a linear layer on the root learns its value, and is tested on formulas deeper than
those it saw.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import dgl_mathtree  # noqa: F401  # before DGL: it makes DGL 2 importable with current torch

# isort: split
import dgl
import torch

from dgl_mathtree.nn import MODELS, make_cell

OPERATORS = {"and": 2, "or": 2, "xor": 2, "not": 1}
SIZE = 16


def formula(rng: random.Random, depth: int) -> Any:
    """A random formula: a truth value, or an operator and its arguments."""
    if depth == 0 or rng.random() < 0.1:
        return rng.random() < 0.5
    name = rng.choice(list(OPERATORS))
    return name, [formula(rng, depth - 1) for _ in range(OPERATORS[name])]


def value(tree: Any) -> bool:
    if isinstance(tree, bool):
        return tree
    arguments = [value(argument) for argument in tree[1]]
    results = {"and": all(arguments), "or": any(arguments), "xor": sum(arguments) == 1, "not": not arguments[0]}
    return results[tree[0]]


def graph_of(tree: Any) -> dgl.DGLGraph:
    """Edges from child to parent; `op` is the operator, `leaf` the truth value, `pos` the place among siblings."""
    types: list[int] = []
    leaves: list[int] = []
    edges: list[tuple[int, int, int]] = []

    def add(node: Any) -> int:
        number = len(types)
        types.append(0 if isinstance(node, bool) else list(OPERATORS).index(node[0]))
        leaves.append(int(node) if isinstance(node, bool) else 0)
        for place, argument in enumerate([] if isinstance(node, bool) else node[1]):
            edges.append((add(argument), number, place))
        return number

    add(tree)
    children, parents, places = zip(*edges, strict=True) if edges else ((), (), ())
    graph = dgl.graph((torch.tensor(children).long(), torch.tensor(parents).long()), num_nodes=len(types))
    graph.ndata["op"], graph.ndata["leaf"] = torch.tensor(types), torch.tensor(leaves)
    graph.edata["pos"] = torch.tensor(places).long()
    return graph


def batch_of(rng: random.Random, count: int, depth: int) -> tuple[dgl.DGLGraph, torch.Tensor, torch.Tensor]:
    """Formulas as one graph, the nodes of their roots, and their values."""
    trees = [formula(rng, rng.randint(1, depth)) for _ in range(count)]
    graph = dgl.batch([graph_of(tree) for tree in trees])
    sizes = graph.batch_num_nodes()
    return graph, torch.cumsum(sizes, 0) - sizes, torch.tensor([float(value(tree)) for tree in trees])


def main() -> float:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [name for name, model in MODELS.items() if model.is_cell]
    parser.add_argument("--cell", default="tree-lstm", choices=names)
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = random.Random(0)
    cell = make_cell(options.cell, SIZE, types=len(OPERATORS))
    embedding, head = torch.nn.Embedding(2, SIZE), torch.nn.Linear(SIZE, 1)
    parameters = [*cell.parameters(), *embedding.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.01)

    def logits(graph: dgl.DGLGraph, roots: torch.Tensor) -> torch.Tensor:
        return torch.flatten(head(cell(graph, embedding(graph.ndata["leaf"]))[roots]))

    start = time.perf_counter()
    for step in range(1, options.steps + 1):
        graph, roots, truth = batch_of(rng, 100, depth=5)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits(graph, roots), truth)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step:>4}  loss {loss.item():.4f}  {time.perf_counter() - start:.0f} s")
    accuracy = 0.0
    for depth in (5, 8):
        graph, roots, truth = batch_of(rng, 500, depth)
        with torch.no_grad():
            accuracy = ((logits(graph, roots) > 0) == (truth > 0.5)).float().mean().item()
        print(f"formulas of depth up to {depth}: {100 * accuracy:.1f}% right")
    return accuracy


if __name__ == "__main__":
    main()
