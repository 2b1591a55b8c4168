"""Tree-RNN: one layer for each node type."""

from __future__ import annotations

import torch
from torch import nn

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights, check_choice, dropped
from dgl_mathtree.nn.linear import TypedLinear

ACTIVATIONS = {"tanh": torch.tanh, "sigmoid": torch.sigmoid}
FACTOR_GAIN = 18.0**0.5
"""How much larger than usual R is drawn."""


class TreeRNN(TreeCell):
    r"""Recursive network of one layer a node (`Learning task-dependent distributed representations by backpropagation
    through structure <https://doi.org/10.1109/ICNN.1996.548916>`__), with a layer for each node type:

    .. math:: h = \mathrm{drop}(\phi(W x + b)), \qquad x = [h_1; \dots; h_N]

    With ``integration="product"`` the input is multiplied with the sum of the children's vectors:

    .. math:: h = \mathrm{drop}(\phi((W x) \odot (R \hat h) + b)), \qquad \hat h = \sum_k h_k

    which is what `Recognizing and Verifying Mathematical Equations using Multiplicative Differential Neural Units
    <https://arxiv.org/abs/2104.02899>`__ prints for a network with a stack, whose reads are added to :math:`\hat h`
    (`Stacked` with ``read="state"``); the b is ours.

    Parameters
    ----------
    activation : str
        :math:`\phi`: ``tanh``, or ``sigmoid`` as in the original project.
    integration : str
        ``sum`` or ``product``, as above.
    size, types, children, dropout
        See `TreeCell`.

    Shapes
    ------
    - feat: (nodes, n)
    - output: (nodes, n)
    - parts of a state: h (n,)

    Notes
    -----
    R is drawn larger than usual, so that a product is as large as in a `SecondOrderTreeRNN`: vectors of a standard
    deviation near 1/2, as embeddings should be drawn for it, about keep their size.

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
    >>> TreeRNN(size=2, types=1, integration="product")(graph, feat).detach()[0].round(decimals=2)
    tensor([-1.0000, -0.8500])
    """

    def __init__(
        self,
        size: int,
        types: int,
        children: int = 2,
        activation: str = "tanh",
        dropout: float = 0.0,
        integration: str = "sum",
    ) -> None:
        super().__init__(size, types, children, dropout)
        check_choice("activation", activation, list(ACTIVATIONS))
        check_choice("integration", integration, ["sum", "product"])
        self.activation, self.integration = activation, integration
        self.layer = TypedLinear(types, size, children, size, bias=integration == "sum")
        self.factor: TypedLinear | None = None
        self.bias: nn.Parameter | None = None
        if integration == "product":
            self.factor = TypedLinear(types, size, 1, size, bias=False)
            self.bias = nn.Parameter(torch.zeros(types, size))
            self.reset_parameters()

    def reset_parameters(self) -> None:
        super().reset_parameters()
        if self.factor is not None and self.bias is not None:
            with torch.no_grad():
                self.factor.weight.mul_(FACTOR_GAIN)
            nn.init.zeros_(self.bias)

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        if self.takes_factor:
            return self.multiply(weights, segments, children, children.sum(dim=1), dropout_mask)
        return self._result(self.layer.apply_segments(weights["layer"], children.flatten(1), segments), dropout_mask)

    @property
    def takes_factor(self) -> bool:
        return self.integration == "product"

    def multiply(
        self,
        weights: Weights,
        segments: Segments,
        h: torch.Tensor,
        factor: torch.Tensor,
        dropout_mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """See `TreeCell.multiply`; the factor is :math:`\\hat h`."""
        if self.factor is None or self.bias is None:
            return super().multiply(weights, segments, h, factor, dropout_mask)
        wx = self.layer.apply_segments(weights["layer"], h.flatten(1), segments)
        rh = self.factor.apply_segments(weights["factor"], factor, segments)
        bias = self.bias.index_select(0, segments.node_types)
        return self._result(torch.addcmul(bias, wx, rh), dropout_mask)

    def _result(self, preactivations: torch.Tensor, dropout_mask: torch.Tensor | None) -> torch.Tensor:
        return dropped(ACTIVATIONS[self.activation](preactivations), dropout_mask)
