"""What all cells with a memory share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights
from dgl_mathtree.nn.linear_products import joined_rows
from dgl_mathtree.nn.once import once_differentiable

aten = torch.ops.aten


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
        h, c = torch.split(children, self.size, dim=-1)
        return self.update(weights, segments, h, c, dropout_mask)

    def unpack(self, needed: Sequence[tuple[int, int]]) -> Weights:
        """See `TreeCell.unpack`; besides, what the gradients of all updates of a pass share."""
        return {**super().unpack(needed), "updates": Updates()}

    def update(
        self,
        weights: Weights,
        segments: Segments,
        h: torch.Tensor,
        rest: torch.Tensor | None,
        dropout_mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """(nodes, 2n): the new vector and memory from those of the children, (nodes, child_slots, n) each."""
        assert rest is not None
        gates = self.preactivations(weights, segments, h)
        if not torch.is_grad_enabled():
            return _remember(gates, rest, dropout_mask)[0]
        update: Callable[..., torch.Tensor] = _Update.apply
        return update(weights["updates"], gates, rest, dropout_mask)


def _remember(gates: torch.Tensor, c: torch.Tensor, dropout_mask: torch.Tensor | None) -> tuple[torch.Tensor, ...]:
    """[h; c] from the gates' preactivations; and (nodes, 4 + child_slots, n) for the gradient: i, o, f, u, tanh(c)."""
    nodes, child_slots, n = c.shape
    kept = gates.new_empty(nodes, 4 + child_slots, n)
    sharp = torch.sigmoid(gates[:, : (2 + child_slots) * n].view(nodes, -1, n), out=kept[:, : 2 + child_slots])
    u = torch.tanh(gates[:, -n:], out=kept[:, -2])
    new = gates.new_empty(nodes, 2 * n)
    memory = torch.mul(sharp[:, 0], u if dropout_mask is None else u * dropout_mask, out=new[:, n:])
    for k in range(child_slots):
        memory.addcmul_(sharp[:, 2 + k], c[:, k].to(u.dtype))
    tanh = torch.tanh(memory, out=kept[:, -1])
    torch.mul(sharp[:, 1], tanh, out=new[:, :n])
    return new, kept


class _Kept(NamedTuple):
    """What the gradient of one update needs: see `_remember`, and its arguments."""

    gates: torch.Tensor
    c: torch.Tensor
    dropout_mask: torch.Tensor | None


class Updates:
    """The updates of a pass. What their gradients are multiplied with is computed for all of them at once."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._factors: dict[int, tuple[torch.Tensor, ...]] = {}

    def keep(self, kept: _Kept) -> int:
        """Remember an update until its gradient is asked for, under the number that is returned."""
        self._kept.append(kept)
        return len(self._kept) - 1

    def factors(self, number: int, gates: int) -> tuple[torch.Tensor, ...]:
        """What the gradient of an update is multiplied with, see `_factors`."""
        if number not in self._factors:
            by_shape: dict[Any, list[int]] = {}
            for k, kept in enumerate(self._kept):
                by_shape.setdefault((kept.c.shape[1:], kept.dropout_mask is None), []).append(k)
            for some in by_shape.values():
                found = _factors([self._kept[k] for k in some], gates)
                sizes = [len(self._kept[k].c) for k in some]
                self._factors |= zip(some, zip(*(torch.split(each, sizes) for each in found), strict=True), strict=True)
        return self._factors.pop(number)

    def forget(self) -> None:
        """Start a backward pass."""
        self._factors.clear()


def _factors(updates: list[_Kept], gates: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The derivatives of some updates: (nodes, gates + child_slots, n) those of h and of c.

    They are taken by the preactivation of each gate, and then by the memory of each child.
    """
    kept, c = joined_rows([each.gates for each in updates]), joined_rows([each.c for each in updates])
    masks = [each.dropout_mask for each in updates if each.dropout_mask is not None]
    mask = joined_rows(masks) if masks else None
    nodes, child_slots, n = c.shape
    used = 2 + child_slots
    i, o, f, u, tanh = kept[:, 0], kept[:, 1], kept[:, 2:used], kept[:, -2], kept[:, -1]
    of_c = kept.new_empty(nodes, gates + child_slots, n)
    if gates > used + 1:
        of_c[:, used : gates - 1] = 0
    values = torch.cat([(u if mask is None else u * mask)[:, None], tanh[:, None], c], dim=1)
    aten.sigmoid_backward.grad_input(values, kept[:, :used], grad_input=of_c[:, :used])
    aten.tanh_backward.grad_input(i if mask is None else i * mask, u, grad_input=of_c[:, gates - 1])
    of_c[:, gates:] = f
    of_h = of_c * aten.tanh_backward(o, tanh)[:, None]
    of_h[:, 1] = of_c[:, 1]  # h = o tanh(c), which c does not depend on
    of_c[:, 1] = 0
    return of_h, of_c


class _Update(torch.autograd.Function):
    """`_remember` as one autograd node: a dozen small ones would take longer than what they compute."""

    @staticmethod
    def forward(ctx: Any, updates: Updates, gates: Any, c: Any, dropout_mask: Any) -> Any:
        new, kept = _remember(gates, c, dropout_mask)
        ctx.updates, ctx.gates, ctx.used, ctx.dtype = updates, gates.shape[1] // c.shape[2], 2 + c.shape[1], c.dtype
        ctx.number = updates.keep(_Kept(kept, c.detach().to(kept.dtype), dropout_mask))
        return new

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        of_h, of_c = ctx.updates.factors(ctx.number, ctx.gates)
        dh, dc = gradients[0][:, None].chunk(2, dim=2)
        back = (dh * of_h).addcmul_(dc, of_c)
        if ctx.used < ctx.gates - 1:
            back[:, ctx.used : ctx.gates - 1] = 0  # gates that are not used, also beside what is not finite
        return None, back[:, : ctx.gates].flatten(1), back[:, ctx.gates :].to(ctx.dtype), None
