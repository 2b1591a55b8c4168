"""Two ways to drive a cell over a graph: level by level in plain torch, or with DGL's message passing.

Both run the same step and agree to rounding. The level driver keeps all states in one buffer; two small autograd
functions read children from it and write nodes to it, so that a gradient is added where it belongs instead of being
copied and padded at every level.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import dgl
import torch
from torch.autograd.function import once_differentiable

from dgl_mathtree.graphs.plan import GraphError, Level, LevelPlan, Run, Runs, plan_of

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell

DRIVERS = ("levels", "dgl")


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
        ctx.buffer, ctx.start, ctx.stop = buffer, start, stop
        buffer.values[start:stop] = states
        return states.new_empty(0)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *_: Any) -> Any:
        return None, None, None, ctx.buffer.gradients[ctx.start : ctx.stop], None


class _Read(torch.autograd.Function):
    """Takes rows from the buffer."""

    @staticmethod
    def forward(ctx: Any, buffer: _Buffer, rows: Any, token: Any) -> Any:
        ctx.buffer = buffer
        ctx.save_for_backward(rows)
        return buffer.values.index_select(0, rows)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Any) -> Any:
        (rows,) = ctx.saved_tensors
        ctx.buffer.gradients.index_add_(0, rows, gradients[0])
        return None, None, gradients[0].new_zeros(0)


class _Begin(torch.autograd.Function):
    """Passes the result of a whole pass on. Its backward comes first, and clears what an earlier one gathered."""

    @staticmethod
    def forward(ctx: Any, gathered: list[Any], states: Any) -> Any:
        ctx.gathered = gathered
        return states.view_as(states)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Any) -> Any:
        for part in ctx.gathered:
            part.forget()
        return None, gradients[0]


def _finished(states: torch.Tensor, weights: dict[str, Any], *more: Any) -> torch.Tensor:
    """The result of a pass, ready for any number of backward passes."""
    gathered = list(more)
    stack = [weights]
    while stack:
        for part in stack.pop().values():
            if isinstance(part, dict):
                stack.append(part)
            else:
                gathered.append(part)
    begin: Callable[..., torch.Tensor] = _Begin.apply
    return begin(gathered, states)


def _unpacked(cell: TreeCell, plan: LevelPlan) -> dict[str, Any]:
    """The cell's weights for a plan, once it is known that the cell was built for it."""
    for kind, arity in plan.needed:
        if kind >= cell.types:
            raise GraphError(f"node type {kind} is out of range: the cell was built for types 0 to {cell.types - 1}")
        if arity > cell.max_children:
            raise GraphError(f"a node has {arity} children; the cell was built for at most {cell.max_children}")
    return cell.unpack(plan.needed)


def run_levels(
    cell: TreeCell, graph: Any, feat: torch.Tensor, plan: LevelPlan | None, keep: torch.Tensor | None
) -> torch.Tensor:
    """(nodes, state_size): states computed level by level."""
    if plan is None:
        plan = plan_of(graph, cell.types, cell.max_children).to(feat.device)
    leaves = cell.leaf_states(feat.index_select(0, plan.node[: plan.leaves]))
    return level_states(cell, plan, leaves, plan.row, keep)


def level_states(
    cell: TreeCell, plan: LevelPlan, leaves: torch.Tensor, rows: torch.Tensor, keep: torch.Tensor | None = None
) -> torch.Tensor:
    """States of some rows of a plan.

    Args:
        leaves: (leaves, state_size) states of the leaves in the plan's order.
        rows: which rows are wanted.
        keep: (nodes, draws) what dropout multiplies the values of the graph's nodes with, or None.
    """
    weights = _unpacked(cell, plan)
    keep = None if keep is None else keep.index_select(0, plan.node)
    buffer = _Buffer(leaves.new_zeros(len(plan.row) + 1, leaves.shape[1]))
    if not (torch.is_grad_enabled() and (leaves.requires_grad or any(p.requires_grad for p in cell.parameters()))):
        buffer.values[1 : plan.leaves + 1] = leaves
        for level in plan.levels:
            children = buffer.values.index_select(0, _children(plan, level).reshape(-1))
            buffer.values[level.start : level.stop] = _step(cell, weights, plan, level, children, keep)
        return buffer.values.index_select(0, rows)
    if not leaves.requires_grad:
        leaves = leaves.detach().requires_grad_()  # the chain of tokens must start at something with a gradient
    write: Callable[..., torch.Tensor] = _Write.apply
    read: Callable[..., torch.Tensor] = _Read.apply
    token = write(buffer, 1, plan.leaves + 1, leaves, None)
    for level in plan.levels:
        children = read(buffer, _children(plan, level).reshape(-1), token)
        states = _step(cell, weights, plan, level, children, keep)
        token = write(buffer, level.start, level.stop, states.to(leaves.dtype), token)
    return _finished(read(buffer, rows, token), weights, buffer)


def _children(plan: LevelPlan, level: Level) -> torch.Tensor:
    return plan.children[level.start - 1 : level.stop - 1, : level.slots]


def _step(
    cell: TreeCell, weights: Any, plan: LevelPlan, level: Level, children: torch.Tensor, keep: torch.Tensor | None
) -> torch.Tensor:
    kept = None if keep is None else keep[level.start - 1 : level.stop - 1]
    return cell.step(weights, plan.runs(level), children.view(level.stop - level.start, level.slots, -1), kept)


def run_messages(
    cell: TreeCell, graph: Any, feat: torch.Tensor, plan: LevelPlan | None, keep: torch.Tensor | None
) -> torch.Tensor:
    """(nodes, state_size): states computed by `dgl.prop_nodes_topo` with message and reduce functions."""
    if plan is None:
        plan = plan_of(graph, cell.types, cell.max_children)  # checks the graph, and tells which weights are needed
    weights = _unpacked(cell, plan)
    if not plan.levels:
        return cell.leaf_states(feat)
    leaf = (graph.in_degrees() == 0).to(feat.device)

    def message(edges: Any) -> dict[str, torch.Tensor]:
        return {"state": edges.src["state"], "pos": edges.data["pos"]}

    def reduce(nodes: Any) -> dict[str, torch.Tensor]:
        states, places = nodes.mailbox["state"], nodes.mailbox["pos"]
        kind, order = torch.sort(nodes.data["op"], stable=True)
        found, counts = torch.unique_consecutive(kind, return_counts=True)
        parts = (Run(t, states.shape[1], c) for t, c in zip(found.tolist(), counts.tolist(), strict=True))
        children = states[order[:, None], torch.argsort(places[order], dim=1)]
        kept = None if keep is None else nodes.data["keep"][order]
        new = cell.step(weights, Runs(tuple(parts), kind), children, kept).to(states.dtype)
        return {"state": torch.empty_like(new).index_copy(0, order, new)}

    with graph.local_scope(), warnings.catch_warnings():
        # The first frontier is the leaves, into which no message goes.
        warnings.filterwarnings("ignore", category=dgl.base.DGLWarning)
        feat = torch.where(leaf[:, None], feat, feat.new_zeros(()))
        graph.ndata["state"] = cell.leaf_states(feat)
        if keep is not None:
            graph.ndata["keep"] = keep
        dgl.prop_nodes_topo(graph, message, reduce)
        states = graph.ndata["state"]
    return _finished(states, weights) if states.requires_grad else states
