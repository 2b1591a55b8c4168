"""Tree-LSTM: a memory for each node, and a forget gate for each child."""

from __future__ import annotations

import torch

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import Weights
from dgl_mathtree.nn.cells.memory_cell import MemoryCell
from dgl_mathtree.nn.linear import TypedLinear


class TreeLSTM(MemoryCell):
    r"""Long short-term memory on trees, the N-ary form of `Improved Semantic Representations From Tree-Structured Long
    Short-Term Memory Networks <https://arxiv.org/abs/1503.00075>`__ with weights for each node type:

    .. math::
        i, o &= \sigma(W x + b) \\
        f_k &= \sigma(W_k x + b_k) \\
        u &= \mathrm{drop}(\tanh(W x + b)) \\
        c &= i \odot u + \sum_k f_k \odot c_k \\
        h &= o \odot \tanh(c), \qquad x = [h_1; \dots; h_N]

    Parameters
    ----------
    size, types, children, dropout
        See `TreeCell`.

    Shapes
    ------
    - feat: (nodes, n)
    - output: (nodes, n)
    - parts of a state: h (n,), c (n,)

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.graph(([1, 2], [0, 0]))  # node 0 has the children 1 and 2
    >>> graph.ndata["op"], graph.edata["pos"] = torch.tensor([0, 0, 0]), torch.tensor([0, 1])
    >>> _ = torch.manual_seed(0)
    >>> cell = TreeLSTM(size=2, types=1)
    >>> feat = torch.tensor([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    >>> cell(graph, feat).detach().round(decimals=2)
    tensor([[ 0.0800,  0.2000],
            [ 1.0000, -1.0000],
            [ 0.5000,  2.0000]])
    """

    def __init__(self, size: int, types: int, children: int = 2, dropout: float = 0.0) -> None:
        super().__init__(size, types, children, dropout)
        self.gate = TypedLinear(types, size, children, self.gates)

    def preactivations(self, weights: Weights, segments: Segments, h: torch.Tensor) -> torch.Tensor:
        """See `MemoryCell.preactivations`."""
        return self.gate.apply_segments(weights["gate"], h.flatten(1), segments)
