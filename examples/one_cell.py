"""A Tree-LSTM on equations in one file: message and reduce functions, `prop_nodes_topo`, and a batch of trees.

    python examples/one_cell.py

Each equation is a DGLGraph with an edge from every child to its parent. The functions below are all that a node does.
At the end the package's own cell, `TreeLSTM` with the driver `dgl`, computes the same states.
"""

from __future__ import annotations

from typing import Any

import dgl_mathtree  # noqa: F401  # before DGL: it makes DGL 2 importable with current torch

# isort: split
import dgl
import torch

from dgl_mathtree import parse_equation
from dgl_mathtree.graphs import NODE_TYPES, SYMBOLS, to_graph
from dgl_mathtree.nn import TreeLSTM

SIZE, CHILDREN = 8, 2
EQUATIONS = ["sin(x)^2 + cos(x)^2 = 1", "sin(2*x) = 2*sin(x)*cos(x)", "sin(x + y) = sin(x) + sin(y)"]


class OneCell(torch.nn.Module):
    """The N-ary Tree-LSTM of Tai et al. (2015), with weights for each type of node (sin, Add, ...)."""

    def __init__(self, size: int, types: int) -> None:
        super().__init__()
        self.size = size
        self.weight = torch.nn.Parameter(0.2 * torch.randn(types, CHILDREN * size, (3 + CHILDREN) * size))
        self.bias = torch.nn.Parameter(torch.zeros(types, (3 + CHILDREN) * size))

    def message(self, edges: Any) -> dict[str, torch.Tensor]:
        """What a child sends to its parent: its hidden vector and memory, and which child it is."""
        return {"h": edges.src["h"], "c": edges.src["c"], "pos": edges.data["pos"]}

    def reduce(self, nodes: Any) -> dict[str, torch.Tensor]:
        """The states of nodes with k children each, from a mailbox of (nodes, k, size)."""
        order = nodes.mailbox["pos"].argsort(dim=1)[:, :, None].expand_as(nodes.mailbox["h"])
        h, c = nodes.mailbox["h"].gather(1, order), nodes.mailbox["c"].gather(1, order)
        (count, k), types = h.shape[:2], nodes.data["op"]
        x = torch.cat([h.flatten(1), h.new_zeros(count, (CHILDREN - k) * self.size)], dim=1)
        gates = torch.einsum("ni,nij->nj", x, self.weight[types]) + self.bias[types]
        i, o, *f, u = gates.chunk(3 + CHILDREN, dim=1)  # one forget gate for each child
        new = torch.sigmoid(i) * torch.tanh(u) + sum(torch.sigmoid(f[slot]) * c[:, slot] for slot in range(k))
        return {"h": torch.sigmoid(o) * torch.tanh(new), "c": new}

    def forward(self, graph: dgl.DGLGraph, leaves: torch.Tensor) -> torch.Tensor:
        """(nodes, size) hidden vectors of all nodes from those of the leaves, one frontier after the other."""
        with graph.local_scope():
            is_leaf = (graph.in_degrees() == 0)[:, None]
            graph.ndata["h"], graph.ndata["c"] = leaves * is_leaf, torch.zeros_like(leaves)
            dgl.prop_nodes_topo(graph, self.message, self.reduce)
            return graph.ndata["h"]  # type: ignore[no-any-return]


def main() -> float:
    torch.manual_seed(0)
    graph = dgl.batch([to_graph(parse_equation(text)) for text in EQUATIONS])
    embedding = torch.nn.Embedding(len(SYMBOLS), SIZE)
    feat = embedding(graph.ndata["symbol"].clamp(min=0))
    ours = OneCell(SIZE, types=len(NODE_TYPES))
    h = ours(graph, feat)
    roots = torch.cumsum(graph.batch_num_nodes(), 0) - graph.batch_num_nodes()
    for text, root in zip(EQUATIONS, roots.tolist(), strict=True):
        left, right = h[graph.predecessors(root)]
        print(f"{torch.dot(left, right).item():+.4f}  {text}")  # an untrained logit: the dot product of the sides
    cell = TreeLSTM(SIZE, types=len(NODE_TYPES), children=CHILDREN)
    cell.gate.load_state_dict(ours.state_dict())
    cell.driver = "dgl"
    difference = float((cell(graph, feat) - h).abs().max())
    print(f"largest difference from dgl_mathtree.nn.TreeLSTM: {difference:.0e}")
    assert difference < 1e-6
    return difference


if __name__ == "__main__":
    main()
