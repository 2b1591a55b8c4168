"""The states behind a judgement: what a recursive network computes at every node of an equation."""

from __future__ import annotations

import numpy as np
import torch

from dgl_mathtree.graphs import batch_graph
from dgl_mathtree.inference.metrics import CHUNK, Floats
from dgl_mathtree.inference.records import NodeStates
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.nn import EquationVerifier, TreeEncoder


@torch.no_grad()
def equation_states(encoder: TreeEncoder, equation: Equation) -> NodeStates:
    """The states at every node of an equation, each occurrence of a subexpression by itself.

    Parameters
    ----------
    encoder : TreeEncoder
        In the mode in which it is to run.
    equation : Equation
        In words that the encoder knows.
    """
    forest = Forest.of([equation])
    batch = batch_graph(forest, [0], share=False, operators=encoder.operators)
    states = encoder.states(batch)
    order = prefix_order(batch.children, batch.sides[0].tolist())
    parts = {name: part[order].cpu() for name, part in encoder.cell.split(states).items()}
    return NodeStates(tuple(equation.subexpressions()), parts, (0, order.index(int(batch.sides[0, 1]))))


@torch.no_grad()
def side_vectors(verifier: EquationVerifier, forest: Forest) -> Floats:
    """(equations, n): the vectors of the left sides of a forest's equations, without dropout."""
    training = verifier.training
    verifier.eval()
    try:
        places = np.arange(len(forest.equations))
        chunks = [places[at : at + CHUNK] for at in range(0, len(places), CHUNK)]
        found = [verifier.encoder.sides(verifier.batch(forest, chunk))[0].double().cpu().numpy() for chunk in chunks]
    finally:
        verifier.train(training)
    return np.concatenate(found) if found else np.zeros((0, 0))


def prefix_order(children: np.ndarray, roots: list[int]) -> list[int]:
    """The nodes below some roots, each before its children; one that several share is there once for each."""
    order, stack = [], roots[::-1]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(child for child in reversed(children[node].tolist()) if child >= 0)
    return order
