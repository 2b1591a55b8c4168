"""Cells with weights set by hand do exactly what they were programmed to do."""

from __future__ import annotations

import random
from typing import Any

import dgl
import torch
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.nn import SecondOrderTreeRNN
from dgl_mathtree.nn.cells.stack import shifted_stack

AND, OR, XOR = range(3)
TABLE = {AND: lambda a, b: a & b, OR: lambda a, b: a | b, XOR: lambda a, b: a ^ b}


def deep_formula(depth: int, rng: random.Random) -> tuple[Any, torch.Tensor, int]:
    """A formula that nests to a depth, as a graph with one-hot leaves, and its value at the root, node 0."""
    types, edges, leaves = [], [], {}
    node, parent, place = 0, -1, 0
    spine = []
    for _ in range(depth):
        node_type = rng.randrange(3)
        types.append(node_type)
        if parent >= 0:
            edges.append((node, parent, place))
        leaf, side = node + 1, rng.randrange(2)
        types.append(0)
        leaves[leaf] = rng.randrange(2)
        edges.append((leaf, node, side))
        spine.append((node_type, side, leaves[leaf]))
        parent, place, node = node, 1 - side, node + 2
    types.append(0)
    leaves[node] = rng.randrange(2)
    edges.append((node, parent, place))
    value = leaves[node]
    for node_type, side, leaf_value in reversed(spine):
        a, b = (leaf_value, value) if side == 0 else (value, leaf_value)
        value = TABLE[node_type](a, b)
    child, above, places = (torch.tensor(column) for column in zip(*edges, strict=True))
    graph = dgl.graph((child, above), num_nodes=len(types))
    graph.ndata["op"], graph.edata["pos"] = torch.tensor(types), places
    feat = torch.zeros(len(types), 2)
    for leaf, bit in leaves.items():
        feat[leaf, bit] = 1.0
    return graph, feat, value


def test_a_programmed_second_order_network_runs_a_tree_automaton() -> None:
    """Boolean formulas of depth 200, with states one-hot: W makes the preactivation the next state, sharpened."""
    cell = SecondOrderTreeRNN(size=2, types=3)
    with torch.no_grad():
        cell.bilinear.weight.zero_()
        W = cell.bilinear.weight.view(3, 2, 2, 2, 2)  # type, block, b, a, l: entry b of a block times entry a of z^0
        # On the left block x is the left child a, and z^0 = z_1 + z_2 holds both children. For a != b the sum over z^0
        # is (δ(a,a) - ½δ(a,a)) + (δ(a,b) - ½δ(a,a)) = δ(a,b); for a = b it is 2 (δ(a,a) - ½δ(a,a)) = δ(a,a).
        for node_type, rule in TABLE.items():
            for a in range(2):
                for b in range(2):
                    target = torch.zeros(2)
                    target[rule(a, b)] = 1.0
                    half = torch.zeros(2)
                    half[rule(a, a)] = 0.5
                    W[node_type, 0, a, b] = target - half
        cell.bilinear.weight.mul_(40.0)
        cell.bias.fill_(-20.0)  # tanh(40 s - 20) is ±1 for s in {0, 1}
    sharpen = _ToZeroOne(cell)
    rng = random.Random(0)
    for depth in [1, 2, 3, 10, 200, 200, 200]:
        graph, feat, value = deep_formula(depth, rng)
        state = sharpen(graph, feat)[0]
        assert state.argmax().item() == value
        assert state.max().item() == 1.0


class _ToZeroOne:
    """Runs the cell with tanh's ±1 mapped back to one-hot 0 and 1 after each node."""

    def __init__(self, cell: SecondOrderTreeRNN) -> None:
        self.cell = cell
        step = cell.step
        cell.step = lambda *arguments: (step(*arguments) + 1) / 2  # type: ignore[method-assign]

    def __call__(self, graph: Any, feat: torch.Tensor) -> torch.Tensor:
        return self.cell(graph, feat)


@given(st.lists(st.sampled_from(["push", "pop", "no-op"]), max_size=40), st.integers(1, 6))
def test_a_stack_with_sharp_actions_is_a_stack(script: list[str], slots: int) -> None:
    """Forced actions make a last-in-first-out stack of so many slots."""
    real: list[float] = []
    stack = torch.zeros(1, slots, 1)
    for number, action in enumerate(script, start=1):
        sharp = torch.tensor([action == "push", action == "pop", action == "no-op"]).float().view(1, 3, 1, 1)
        stack = shifted_stack(sharp, stack, torch.full((1, 1), float(number)))
        if action == "push":
            real = [float(number), *real][:slots]
        elif action == "pop":
            real = real[1:]
        assert stack.flatten().tolist() == real + [0.0] * (slots - len(real))
