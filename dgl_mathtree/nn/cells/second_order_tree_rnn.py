"""Second-order Tree-RNN: the children's vectors multiply."""

from __future__ import annotations

import torch
from torch import nn

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights, dropped
from dgl_mathtree.nn.linear import TypedLinear

FIRST_ORDER_GAIN = 0.2
"""How much smaller W is drawn where V x is there too."""


class SecondOrderTreeRNN(TreeCell):
    r"""Recursive network whose layer is bilinear, from `Recognizing and Verifying Mathematical Equations using
    Multiplicative Differential Neural Units <https://arxiv.org/abs/2104.02899>`__:

    .. math::
        h^0 &= \sum_k h_k \\
        h^t_l &= \tanh\Big(\sum_{a,b} W_{l,a,b}\, h^{t-1}_a\, x_b + b_l \;[+ (V x)_l]\Big), \quad t = 1 \dots T \\
        h &= \mathrm{drop}(h^T), \qquad x = [h_1; \dots; h_N]

    Where dropout acts is a reading: the paper marks no place for it in this cell.

    Parameters
    ----------
    steps : int
        T.
    first_order : bool
        Whether V x is added, which the paper does not print. The model of this name has it, and
        ``second-order-tree-rnn-pure`` does not.
    size, types, children, dropout
        See `TreeCell`.

    Shapes
    ------
    - feat: (nodes, n)
    - output: (nodes, n)
    - parts of a state: h (n,)

    Notes
    -----
    A product of two vectors of small numbers is smaller still, and vanishes in a few levels; of large ones it saturates
    the tanh, and gradients explode. W is drawn with variance 1/n², which for two children with entries of deviation s
    gives a preactivation of variance 4 s⁴: vectors with s near 1/2, as embeddings should be drawn, about keep their
    size. Measured on equations of depth 12 and 13 (``benchmarks/initialisation.py``): with variance 1/n the deviation
    rises from .51 at the leaves to .95 and the gradient at the leaves has a norm of 1e7; with 1/n² it settles at
    .26 to .30 and the norm is 156. (A Tree-RNN has 58.)

    With V x the first order carries the signal at first, and W starts at a fifth of that: the network learns as a
    Tree-RNN does and bends from there.

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.graph(([1, 2], [0, 0]))  # node 0 has the children 1 and 2
    >>> graph.ndata["op"], graph.edata["pos"] = torch.tensor([0, 0, 0]), torch.tensor([0, 1])
    >>> _ = torch.manual_seed(0)
    >>> cell = SecondOrderTreeRNN(size=2, types=1)
    >>> feat = torch.tensor([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    >>> cell(graph, feat).detach().round(decimals=2)
    tensor([[-0.9400, -1.0000],
            [ 1.0000, -1.0000],
            [ 0.5000,  2.0000]])
    """

    decaying = ("bilinear",)  # by far the most weights, and those that overfit

    def __init__(
        self,
        size: int,
        types: int,
        children: int = 2,
        steps: int = 1,
        first_order: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(size, types, children, dropout)
        if steps < 1:
            raise ValueError(f"steps must be at least 1, not {steps}")
        self.steps = steps
        self.bilinear = TypedLinear(types, size, children, size * size, bias=False)
        self.bias = nn.Parameter(torch.zeros(types, size))
        self.linear = TypedLinear(types, size, children, size, bias=False) if first_order else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        super().reset_parameters()
        bound = 3.0**0.5 / self.size * (1.0 if self.linear is None else FIRST_ORDER_GAIN)
        nn.init.uniform_(self.bilinear.weight, -bound, bound)
        nn.init.zeros_(self.bias)

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        return self.multiply(weights, segments, children, children.sum(dim=1), dropout_mask)

    @property
    def takes_factor(self) -> bool:
        return True

    def multiply(
        self,
        weights: Weights,
        segments: Segments,
        h: torch.Tensor,
        factor: torch.Tensor,
        dropout_mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """See `TreeCell.multiply`; the factor is :math:`h^0`."""
        n, x, h = self.size, h.flatten(1), factor
        # (nodes, a, l): what each entry of h is multiplied with
        products = self.bilinear.apply_segments(weights["bilinear"], x, segments).view(-1, n, n)
        rest = self._rest(weights, segments, x)
        for _ in range(self.steps):
            h = torch.tanh(torch.baddbmm(rest[:, None], h[:, None], products)[:, 0])
        return dropped(h, dropout_mask)

    def _rest(self, weights: Weights, segments: Segments, x: torch.Tensor) -> torch.Tensor:
        bias = self.bias.index_select(0, segments.node_types)
        return bias if self.linear is None else bias + self.linear.apply_segments(weights["linear"], x, segments)
