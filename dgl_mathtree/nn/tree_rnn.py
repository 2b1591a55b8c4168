"""Tree-RNN: one layer for each node type."""

from __future__ import annotations

import torch

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights, check_choice, dropped
from dgl_mathtree.nn.linear import TypedLinear

ACTIVATIONS = {"tanh": torch.tanh, "sigmoid": torch.sigmoid}


class TreeRNN(TreeCell):
    r"""Recursive network of one layer a node:

    .. math:: h = \mathrm{drop}(\phi(W x + b)), \qquad x = [h_1; \dots; h_N]

    Parameters
    ----------
    activation : str
        :math:`\phi`: ``tanh``, or ``sigmoid`` as in the original project.
    size, types, children, dropout
        See `TreeCell`.

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.graph(([1, 2], [0, 0]))
    >>> graph.ndata["op"], graph.edata["pos"] = torch.tensor([0, 0, 0]), torch.tensor([0, 1])
    >>> TreeRNN(size=4, types=1)(graph, torch.ones(3, 4)).shape
    torch.Size([3, 4])
    """

    def __init__(
        self,
        size: int,
        types: int,
        children: int = 2,
        activation: str = "tanh",
        dropout: float = 0.0,
    ) -> None:
        super().__init__(size, types, children, dropout)
        check_choice("activation", activation, list(ACTIVATIONS))
        self.activation = activation
        self.layer = TypedLinear(types, size, children, size)

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        x = children.flatten(1)
        return dropped(
            ACTIVATIONS[self.activation](self.layer.apply_segments(weights["layer"], x, segments)), dropout_mask
        )
