"""Tree-LSTM, and what all cells with a memory share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import torch

from dgl_mathtree.graphs.plan import Run
from dgl_mathtree.nn.cell import TreeCell, Weights
from dgl_mathtree.nn.linear import TypedLinear


class MemoryCell(TreeCell):
    r"""Cells with a memory: they differ in how the gates come about, not in what the gates do.

    .. math::
        c = i \odot u + \sum_k f_k \odot c_k, \qquad z = o \odot \tanh(c)
    """

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        return {"h": (self.size,), "c": (self.size,)}

    @property
    def gates(self) -> int:
        """Size of all gates together: i, o, one f for each child, and u."""
        return (3 + self.max_children) * self.size

    @abstractmethod
    def preactivations(self, weights: Weights, runs: Sequence[Run], z: torch.Tensor) -> torch.Tensor:
        """(nodes, gates): gates before their nonlinearity, u last, from the children's vectors (nodes, slots, n)."""

    def step(self, weights: Weights, runs: Sequence[Run], children: torch.Tensor) -> torch.Tensor:
        return torch.cat(self.update(weights, runs, children[..., : self.size], children[..., self.size :]), dim=1)

    def update(
        self, weights: Weights, runs: Sequence[Run], z: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The new vector and memory from those of the children, (nodes, slots, n) each."""
        n, slots = self.size, z.shape[1]
        gates = self.preactivations(weights, runs, z)
        sharp = torch.sigmoid(gates[:, : (2 + slots) * n])
        i, o, f = sharp[:, :n], sharp[:, n : 2 * n], sharp[:, 2 * n :]
        u = self.dropout(torch.tanh(gates[:, -n:]))
        kept = (f.view(-1, slots, n) * c).sum(dim=1) if slots > 1 else f * c[:, 0]
        memory = torch.addcmul(kept, i, u)
        return o * torch.tanh(memory), memory


class TreeLSTM(MemoryCell):
    r"""Long short-term memory on trees, with a forget gate for each child:

    .. math::
        i, o &= \sigma(W x + b) \\
        f_k &= \sigma(W_k x + b_k) \\
        u &= \mathrm{drop}(\tanh(W x + b)) \\
        c &= i \odot u + \sum_k f_k \odot c_k \\
        z &= o \odot \tanh(c), \qquad x = [z_1; \dots; z_N]

    Parameters
    ----------
    size, types, children, dropout, propagate
        See `TreeCell`.

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.graph(([1, 2], [0, 0]))
    >>> graph.ndata["op"], graph.edata["pos"] = torch.tensor([0, 0, 0]), torch.tensor([0, 1])
    >>> cell = TreeLSTM(size=4, types=1)
    >>> cell(graph, torch.ones(3, 4)).shape
    torch.Size([3, 4])
    >>> sorted(cell.split(cell.states(graph, torch.ones(3, 4))))
    ['c', 'h']
    """

    def __init__(
        self, size: int, types: int, children: int = 2, dropout: float = 0.0, propagate: str = "levels"
    ) -> None:
        super().__init__(size, types, children, dropout, propagate)
        self.gate = TypedLinear(types, size, children, self.gates)

    def preactivations(self, weights: Weights, runs: Sequence[Run], z: torch.Tensor) -> torch.Tensor:
        return self.gate.apply_runs(weights["gate"], z.flatten(1), runs)
