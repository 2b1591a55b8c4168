r"""The contrastive term: vectors of equal expressions attract each other, those of different ones repel.

.. math::
    L = \frac1m \sum_i \Big[ \log \sum_{j \notin O(i)} e^{\cos(h_i, h_j) / \tau}
        - \frac{1}{|P(i)|} \sum_{j \in P(i)} \cos(h_i, h_j) / \tau \Big]

over the m nodes of a batch, with P(i) the nodes that mean the same as i (itself among them) and O(i) those of which it
is open (see `dgl_mathtree.oracle.value_keys`). Nearly all pairs of nodes simply differ, so the others are listed.
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
        (2, pairs) of nodes that mean the same and (2, pairs) of which it is open; of two different nodes, in both
        orders.

    Examples
    --------
    >>> [pairs.tolist() for pairs in relations(np.array([[7, 5], [7, 0], [7, 6]]))]
    [[[0, 1, 1, 2], [1, 0, 2, 1]], [[0, 2], [2, 0]]]
    """
    count = len(keys)
    defined = keys != 0
    found, agreeing = np.unique(np.concatenate([_equal_pairs(column) for column in keys.T]), return_counts=True)
    first, second = found // count, found % count
    same = agreeing == (defined[first] & defined[second]).sum(axis=1)
    # Bits, and no product of matrices: the threads of numpy's would take the processor from others.
    regions = np.packbits(defined, axis=1)
    apart = np.flatnonzero(~(regions[:, None] & regions[None]).any(axis=2))
    apart = apart[apart // count != apart % count]
    same_pairs, open_pairs = found[same], np.concatenate([found[~same], apart])
    return _nodes(same_pairs, count), _nodes(open_pairs, count)


def _nodes(pairs: NDArray[np.int64], count: int) -> torch.Tensor:
    """(2, pairs) the nodes of pairs that are given as i * count + j."""
    return torch.from_numpy(np.stack(np.divmod(pairs, count)))


def _equal_pairs(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs (i, j), i ≠ j, of equal keys that are not 0, each as i * count + j."""
    order = np.argsort(key, kind="stable")
    start = np.flatnonzero(np.diff(key[order], prepend=key[order[:1]] - 1, append=key[order[-1:]] + 1))
    size = np.diff(start)
    start = start[:-1]
    taken = (size > 1) & (key[order[start]] != 0)
    start, size = start[taken], size[taken]
    # Of every group, each member with each.
    square = size * size
    group = np.repeat(np.arange(len(size)), square)
    place = np.arange(square.sum()) - np.repeat(np.cumsum(square) - square, square)
    i, j = order[start[group] + place // size[group]], order[start[group] + place % size[group]]
    return np.asarray((i * len(key) + j)[i != j])


class _Contrast(torch.autograd.Function):
    """The term with its gradient, in a few passes over one matrix."""

    @staticmethod
    def forward(ctx: Any, h: Any, same: Any, open_: Any, temperature: float) -> Any:
        norm = h.norm(dim=1, keepdim=True).clamp_min(SMALLEST_NORM)
        unit = h / norm
        scores = unit @ unit.t()
        alike = scores[same[0], same[1]]
        # Each node is like itself. (bincount would wait for the largest index.)
        number = h.new_ones(len(h)).index_add_(0, same[0], torch.ones_like(alike))
        attraction = scores.diagonal().index_add(0, same[0], alike).div_(number)
        # Cosines are at most 1, so this is the largest exponent there can be.
        weights = scores.sub_(1).div_(temperature).exp_()
        weights[open_[0], open_[1]] = 0.0
        total = weights.sum(dim=1)
        loss = (total.log() + (1 - attraction) / temperature).mean()
        slope = weights.mul_((1 / total)[:, None])
        slope.diagonal().sub_(1 / number)
        slope.index_put_((same[0], same[1]), -1 / number[same[0]], accumulate=True)
        ctx.save_for_backward(unit, norm, slope)
        ctx.size = len(h) * temperature
        return loss

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Any) -> Any:
        unit, norm, slope = ctx.saved_tensors
        back = slope @ unit
        back.addmm_(slope.t(), unit)
        back.sub_(unit * (back * unit).sum(dim=1, keepdim=True))
        return back.div_(norm).mul_(gradients[0] / ctx.size), None, None, None


def contrast(h: torch.Tensor, same: torch.Tensor, open_: torch.Tensor, temperature: float) -> torch.Tensor:
    """The contrastive term of some nodes.

    Parameters
    ----------
    h : torch.Tensor
        (nodes, n) vectors.
    same, open_ : torch.Tensor
        (2, pairs) from `relations`.
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
