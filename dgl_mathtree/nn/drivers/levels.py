"""The driver ``levels``: plain torch, level by level, with one batched product a map on a GPU.

All states are kept in one buffer; two small autograd functions read children from it and write nodes to it, so that a
gradient is added where it belongs instead of being copied and padded at every level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from dgl_mathtree.graphs.plan import Level, LevelPlan
from dgl_mathtree.nn.drivers import Driver, register
from dgl_mathtree.nn.grouping import is_grouped
from dgl_mathtree.nn.linear import finished
from dgl_mathtree.nn.once import once_differentiable

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell


class _Buffer:
    """States of all rows of a plan, and in the backward pass their gradients."""

    def __init__(self, values: torch.Tensor) -> None:
        self.values = values
        self._gradients: torch.Tensor | None = None

    @property
    def gradients(self) -> torch.Tensor:
        if self._gradients is None:
            self._gradients = torch.zeros_like(self.values)
        return self._gradients

    def forget(self) -> None:
        """Start a backward pass: what an earlier one left is not to be counted."""
        self._gradients = None


class _Write(torch.autograd.Function):
    """Puts states into rows of the buffer. Its token makes later reads wait for it, and its gradient for theirs."""

    @staticmethod
    def forward(ctx: Any, buffer: _Buffer, start: int, stop: int, states: Any, token: Any) -> Any:
        ctx.buffer, ctx.start, ctx.stop, ctx.width = buffer, start, stop, states.shape[1]
        if token is not None:
            buffer.values[start:stop] = states
        ctx.set_materialize_grads(False)  # what a token is given is never looked at
        return states.new_empty(0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *_: Any) -> Any:
        return None, None, None, ctx.buffer.gradients[ctx.start : ctx.stop, : ctx.width], None


class _Read(torch.autograd.Function):
    """Takes rows from the buffer."""

    @staticmethod
    def forward(ctx: Any, buffer: _Buffer, rows: Any, token: Any) -> Any:
        ctx.buffer = buffer
        ctx.save_for_backward(rows)
        return buffer.values.index_select(0, rows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        (rows,) = ctx.saved_tensors
        ctx.buffer.gradients.index_add_(0, rows, gradients[0])
        return None, None, None


def run_levels(
    cell: TreeCell, plan: LevelPlan, leaves: torch.Tensor, rows: torch.Tensor, dropout_mask: torch.Tensor | None = None
) -> torch.Tensor:
    """States of some rows of a plan; for shapes see `dgl_mathtree.nn.drivers.run`."""
    levels = plan.levels
    if levels and is_grouped(leaves.device):
        plan, rows = plan.grouped, plan.grouped.place.index_select(0, rows)
        levels = plan.levels
    elif leaves.is_cpu and not bool(torch.isfinite(leaves).all()):
        # The zeros in the place of children that are not there, times what is not finite, would be NaN.
        levels = plan.levels_by_arity
    weights = cell.unpack(plan.needed)
    mask = None if dropout_mask is None else dropout_mask.index_select(0, plan.node)
    missing = cell.state_size - leaves.shape[1], len(plan.node) - plan.leaves
    buffer = _Buffer(torch.nn.functional.pad(leaves.detach(), (0, missing[0], 1, missing[1])))
    if not (torch.is_grad_enabled() and (leaves.requires_grad or any(p.requires_grad for p in cell.parameters()))):
        for level in levels:
            children = buffer.values.index_select(0, _children(plan, level).reshape(-1))
            buffer.values[level.start : level.stop] = _step(cell, weights, plan, level, children, mask)
        return buffer.values.index_select(0, rows)
    if not leaves.requires_grad:
        leaves = leaves.detach().requires_grad_()  # the chain of tokens must start at something with a gradient
    write: Callable[..., torch.Tensor] = _Write.apply
    read: Callable[..., torch.Tensor] = _Read.apply
    token = write(buffer, 1, plan.leaves + 1, leaves, None)  # they are there already
    for level in levels:
        children = read(buffer, _children(plan, level).reshape(-1), token)
        states = _step(cell, weights, plan, level, children, mask)
        token = write(buffer, level.start, level.stop, states.to(leaves.dtype), token)
    return finished(read(buffer, rows, token), weights, buffer)


def _children(plan: LevelPlan, level: Level) -> torch.Tensor:
    return plan.children[level.start - 1 : level.stop - 1, : level.child_slots]


def _step(
    cell: TreeCell, weights: Any, plan: LevelPlan, level: Level, children: torch.Tensor, mask: torch.Tensor | None
) -> torch.Tensor:
    own = None if mask is None else mask[level.start - 1 : level.stop - 1]
    return cell.step(weights, plan.segments(level), children.view(level.stop - level.start, level.child_slots, -1), own)


register(Driver("levels", lambda cell, dtype, device: None, run_levels))
