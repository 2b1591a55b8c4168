"""M-Tree-LSTM: gates see the product of two views of the children."""

from __future__ import annotations

import torch

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import Weights, check_choice
from dgl_mathtree.nn.cells.memory_cell import MemoryCell
from dgl_mathtree.nn.linear import TypedLinear


class MTreeLSTM(MemoryCell):
    r"""Tree-LSTM with multiplicative intermediate states, from `Recognizing and Verifying Mathematical Equations using
    Multiplicative Differential Neural Units <https://arxiv.org/abs/2104.02899>`__, after the `multiplicative LSTM
    <https://arxiv.org/abs/1609.07959>`__:

    .. math::
        a &= W^m x, \qquad \hat h_k = a + R_h h_k \\
        m_k &= a \odot (R_m \hat h_k) \\
        g &= \phi_g\Big(W^g x + \sum_k U^g_k m_k + b^g\Big), \qquad g \in \{i, f_1 \dots f_N, o, u\}

    with c and h as in `TreeLSTM`.

    Parameters
    ----------
    integration : str
        ``product`` as above, or ``sum`` for the printed :math:`m_k = a + R_m \hat h_k`, which is not multiplicative.
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
    >>> cell = MTreeLSTM(size=2, types=1)
    >>> feat = torch.tensor([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    >>> cell(graph, feat).detach().round(decimals=2)
    tensor([[ 0.1300,  0.1900],
            [ 1.0000, -1.0000],
            [ 0.5000,  2.0000]])
    """

    def __init__(
        self,
        size: int,
        types: int,
        children: int = 2,
        integration: str = "product",
        dropout: float = 0.0,
    ) -> None:
        super().__init__(size, types, children, dropout)
        check_choice("integration", integration, ["product", "sum"])
        self.integration = integration
        self.view = TypedLinear(types, size, children, size, bias=False)
        self.gate = TypedLinear(types, size, children, self.gates)
        self.lift = TypedLinear(types, size, 1, size, bias=False)
        self.mix = TypedLinear(types, size, 1, size, bias=False)
        self.multiplied = TypedLinear(types, size, children, self.gates, bias=False, padded=False)

    def preactivations(self, weights: Weights, segments: Segments, h: torch.Tensor) -> torch.Tensor:
        """See `MemoryCell.preactivations`."""
        child_slots = h.shape[1]
        x = h.flatten(1)
        a = self.view.apply_segments(weights["view"], x, segments)[:, None]
        hat = a + self.lift.apply_segments(weights["lift"], h.reshape(-1, self.size), segments, child_slots).view_as(h)
        mixed = self.mix.apply_segments(weights["mix"], hat.view(-1, self.size), segments, child_slots).view_as(h)
        m = a * mixed if self.integration == "product" else a + mixed
        gates = self.gate.apply_segments(weights["gate"], x, segments)
        return gates + self.multiplied.apply_segments(weights["multiplied"], m.flatten(1), segments)
