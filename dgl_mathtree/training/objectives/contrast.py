r"""The contrastive term: vectors of equal expressions attract each other, those of different ones repel.

.. math::
    L = \frac1m \sum_i \Big[ \log \sum_{j \notin O(i)} e^{\cos(h_i, h_j) / \tau}
        - \frac{1}{|P(i)|} \sum_{j \in P(i)} \cos(h_i, h_j) / \tau \Big]

over the m nodes of a batch, with P(i) the nodes that mean the same as i (itself among them) and O(i) those of which it
is open (see `dgl_mathtree.expressions.meaning`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.autograd.function import once_differentiable

SMALLEST_NORM = 1e-6


def relations(keys: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
    """Which nodes mean the same, and of which it is open.

    Parameters
    ----------
    keys : numpy.ndarray
        (nodes, regions) from `value_keys`.

    Returns
    -------
    tuple of torch.Tensor
        (nodes, nodes) same and (nodes, nodes) open, of bool.
    """
    count = len(keys)
    defined = torch.from_numpy((keys != 0).astype(np.float32))
    common = (defined @ defined.t()).to(torch.int8)
    agreeing = torch.zeros(count, count, dtype=torch.int8)
    for column in keys.T:
        # Small numbers compare faster; what is not defined is equal to nothing.
        _, number = np.unique(column, return_inverse=True)
        left = torch.from_numpy(number.reshape(-1).astype(np.int16))
        right = torch.where(torch.from_numpy(column != 0), left, torch.tensor(-1, dtype=torch.int16))
        agreeing += left[:, None] == right[None]
    some = agreeing > 0
    same = some & (agreeing == common)
    return same.fill_diagonal_(True), (~same & (some | (common == 0))).fill_diagonal_(False)


class _Contrast(torch.autograd.Function):
    """The term with its gradient, in a few passes over one matrix."""

    @staticmethod
    def forward(ctx: Any, h: Any, same: Any, open_: Any, temperature: float) -> Any:
        norm = h.norm(dim=1, keepdim=True).clamp_min(SMALLEST_NORM)
        unit = h / norm
        scores = (unit @ unit.t()).div_(temperature)
        # Cosines are at most 1, so this is the largest exponent there can be.
        weights = (scores - 1 / temperature).exp_().masked_fill_(open_, 0.0)
        total = weights.sum(dim=1, keepdim=True)
        share = same.to(h.dtype).div_(same.sum(dim=1, keepdim=True))
        loss = (total.log().squeeze(1) + 1 / temperature - (scores.mul_(share)).sum(dim=1)).mean()
        slope = weights.div_(total).sub_(share).div_(len(h) * temperature)
        ctx.save_for_backward(unit, norm, slope)
        return loss

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Any) -> Any:
        unit, norm, slope = ctx.saved_tensors
        back = slope @ unit
        back.addmm_(slope.t(), unit)
        back.sub_(unit * (back * unit).sum(dim=1, keepdim=True))
        return back.div_(norm).mul_(gradients[0]), None, None, None


def contrast(h: torch.Tensor, same: torch.Tensor, open_: torch.Tensor, temperature: float) -> torch.Tensor:
    """The contrastive term of some nodes.

    Parameters
    ----------
    h : torch.Tensor
        (nodes, n) vectors.
    same, open_ : torch.Tensor
        (nodes, nodes) from `relations`.
    temperature : float
        How sharply cosines are told apart.

    Returns
    -------
    torch.Tensor
        The term, a scalar.

    Examples
    --------
    >>> h = torch.eye(4)[[0, 0, 1, 2]]
    >>> same, open_ = relations(np.array([[7], [7], [8], [9]]))
    >>> round(contrast(h, same, open_, temperature=0.1).item(), 4)
    0.3467
    """
    term: Callable[..., torch.Tensor] = _Contrast.apply
    return term(h, same, open_, temperature)
