"""What all cells with a memory share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights


class MemoryCell(TreeCell):
    r"""Base of the cells with a memory: they differ in how the gates come about, not in what the gates do.

    .. math::
        c = i \odot u + \sum_k f_k \odot c_k, \qquad h = o \odot \tanh(c)

    A cell makes its maps in `__init__` and implements `preactivations`.

    Parameters
    ----------
    size, types, children, dropout
        See `TreeCell`.
    """

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        return {"h": (self.size,), "c": (self.size,)}

    @property
    def gates(self) -> int:
        """Size of all gates together: i, o, one f for each child, and u."""
        return (3 + self.max_children) * self.size

    @abstractmethod
    def preactivations(self, weights: Weights, segments: Segments, h: torch.Tensor) -> torch.Tensor:
        """The gates before their nonlinearity: i, o, one f for each child, and u last.

        Parameters
        ----------
        weights : dict
            From `unpack`.
        segments : Segments
            The nodes, sorted by type and number of children.
        h : torch.Tensor
            (nodes, child_slots, n), the hidden vectors of the children.

        Returns
        -------
        torch.Tensor
            (nodes, gates)
        """

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        return self.update(weights, segments, children[..., : self.size], children[..., self.size :], dropout_mask)

    def update(
        self, weights: Weights, segments: Segments, h: torch.Tensor, c: torch.Tensor, dropout_mask: torch.Tensor | None
    ) -> torch.Tensor:
        """(nodes, 2n): the new vector and memory from those of the children, (nodes, child_slots, n) each."""
        gates = self.preactivations(weights, segments, h)
        if not torch.is_grad_enabled():
            return _remember(gates, c, dropout_mask)[0]
        update: Callable[..., torch.Tensor] = _Update.apply
        return update(gates, c, dropout_mask)


def _remember(gates: torch.Tensor, c: torch.Tensor, dropout_mask: torch.Tensor | None) -> tuple[torch.Tensor, ...]:
    """[h; c] from the gates' preactivations, with what the gradient needs."""
    nodes, child_slots, n = c.shape
    sharp = torch.sigmoid(gates[:, : (2 + child_slots) * n])
    u = torch.tanh(gates[:, -n:])
    i, o, f = sharp[:, :n], sharp[:, n : 2 * n], sharp[:, 2 * n :].view(nodes, child_slots, n)
    new = gates.new_empty(nodes, 2 * n)
    memory = torch.mul(i, u if dropout_mask is None else u * dropout_mask, out=new[:, n:])
    for k in range(child_slots):
        memory.addcmul_(f[:, k], c[:, k].to(f.dtype))
    tanh = torch.tanh(memory)
    torch.mul(o, tanh, out=new[:, :n])
    return new, sharp, u, tanh


class _Update(torch.autograd.Function):
    """`_remember` as one autograd node: a dozen small ones would take longer than what they compute."""

    @staticmethod
    def forward(ctx: Any, gates: Any, c: Any, dropout_mask: Any) -> Any:
        new, sharp, u, tanh = _remember(gates, c, dropout_mask)
        ctx.save_for_backward(sharp, u, tanh, c, dropout_mask)
        ctx.width = gates.shape[1]
        return new

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Any) -> Any:
        sharp, u, tanh, c, dropout_mask = ctx.saved_tensors
        nodes, child_slots, n = c.shape
        dh, dc = gradients[0][:, :n], gradients[0][:, n:]
        i, o, f = sharp[:, :n], sharp[:, n : 2 * n], sharp[:, 2 * n :].view(nodes, child_slots, n)
        dc = torch.addcmul(dc, dh * o, 1 - tanh * tanh)
        some_unused = ctx.width > (3 + child_slots) * n
        gates = (sharp.new_zeros if some_unused else sharp.new_empty)(nodes, ctx.width)
        torch.mul(dc, u if dropout_mask is None else u * dropout_mask, out=gates[:, :n])
        torch.mul(dh, tanh, out=gates[:, n : 2 * n])
        for k in range(child_slots):
            torch.mul(dc, c[:, k].to(dc.dtype), out=gates[:, (2 + k) * n : (3 + k) * n])
        gates[:, : (2 + child_slots) * n].mul_(sharp * (1 - sharp))
        du = dc * i if dropout_mask is None else dc * i * dropout_mask
        torch.mul(du, 1 - u * u, out=gates[:, -n:])
        return gates, (dc[:, None] * f).to(c.dtype), None
