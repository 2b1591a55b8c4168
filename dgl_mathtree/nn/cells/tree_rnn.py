"""Tree-RNN: one layer for each node type."""

from __future__ import annotations

import torch

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights, check_choice, dropped
from dgl_mathtree.nn.linear import TypedLinear

ACTIVATIONS = {"tanh": torch.tanh, "sigmoid": torch.sigmoid}


class TreeRNN(TreeCell):
    r"""Recursive network of one layer a node (`Learning task-dependent distributed representations by backpropagation
    through structure <https://doi.org/10.1109/ICNN.1996.548916>`__), with a layer for each node type:

    .. math:: h = \mathrm{drop}(\phi(W x + b)), \qquad x = [h_1; \dots; h_N]

    Parameters
    ----------
    activation : str
        :math:`\phi`: ``tanh``, or ``sigmoid`` as in the original project.
    size, types, children, dropout
        See `TreeCell`.

    Shapes
    ------
    - feat: (nodes, n)
    - output: (nodes, n)
    - parts of a state: h (n,)

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.graph(([1, 2], [0, 0]))  # node 0 has the children 1 and 2
    >>> graph.ndata["op"], graph.edata["pos"] = torch.tensor([0, 0, 0]), torch.tensor([0, 1])
    >>> _ = torch.manual_seed(0)
    >>> cell = TreeRNN(size=2, types=1)
    >>> feat = torch.tensor([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    >>> cell(graph, feat).detach().round(decimals=2)
    tensor([[ 0.2800,  0.9000],
            [ 1.0000, -1.0000],
            [ 0.5000,  2.0000]])
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
        """See `TreeCell.step`."""
        x = children.flatten(1)
        return dropped(
            ACTIVATIONS[self.activation](self.layer.apply_segments(weights["layer"], x, segments)), dropout_mask
        )
