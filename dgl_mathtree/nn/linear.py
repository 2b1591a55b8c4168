"""A linear map for each node type.

A pass over a tree applies these maps hundreds of times to a few rows each, so the cost is in the calls and not in the
products. The maps of one level are one autograd node here, which adds the gradients of the weights where they belong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.autograd.function import once_differentiable

from dgl_mathtree.graphs.plan import Segments

Uses = list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
"""Of every use of a map in a pass: the nodes' types, the inputs and the gradients of the outputs."""


class Unpacked:
    """The weights of a map taken apart by type, once for a whole pass, and what their gradient will need.

    Attributes
    ----------
    weights : dict
        For each (type, number of children) the rows of the matrix that are used, (children * block, out).
    biases : tuple of torch.Tensor, optional
        For each type its bias, (out,).
    out : int
        Size of the output.
    dtype : torch.dtype
        That of the computation: the weights' own, or what autocast asks for.
    token : torch.Tensor
        What every use of the weights depends on, so that their gradient waits for all uses.
    """

    def __init__(self, linear: TypedLinear, needed: Sequence[tuple[int, int]]) -> None:
        weight, bias = linear.weight, linear.bias
        device = weight.device.type
        cast = device in ("cpu", "cuda") and torch.is_autocast_enabled(device)
        self.dtype = torch.get_autocast_dtype(device) if cast else weight.dtype
        matrices = weight.detach().to(self.dtype).unbind(0)
        self.weights = {
            (node_type, arity): matrices[node_type][: min(arity, linear.blocks) * linear.block]
            for node_type, arity in needed
        }
        self.biases = None if bias is None else bias.detach().to(self.dtype).unbind(0)
        self.out, self.padded = linear.out, linear.padded
        self._weight, self._version = weight, weight._version
        self.uses: Uses = []
        open_pass: Callable[..., torch.Tensor] = _Open.apply
        self.token = open_pass(self.uses, weight, bias)

    def forget(self) -> None:
        """Start a backward pass: what an earlier one left is not to be counted."""
        self.uses.clear()

    def check_unchanged(self) -> None:
        if self._weight._version != self._version:
            raise RuntimeError("the weights of a cell were changed in place between its forward and backward pass")


class _Open(torch.autograd.Function):
    """Ties the weights to the token of a pass. Its backward comes after that of every use, and gathers them."""

    @staticmethod
    def forward(ctx: Any, uses: Uses, weight: Any, bias: Any) -> Any:
        ctx.uses, ctx.has_bias = uses, bias is not None
        ctx.shape, ctx.dtype = weight.shape, weight.dtype
        return weight.new_empty(0)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *_: Any) -> Any:
        uses = list(ctx.uses)
        ctx.uses.clear()
        like = uses[0][1]
        weight = torch.zeros(ctx.shape, dtype=ctx.dtype, device=like.device)
        bias = torch.zeros(ctx.shape[0], ctx.shape[2], dtype=ctx.dtype, device=like.device) if ctx.has_bias else None
        for width in {x.shape[1] for _, x, _ in uses}:
            some = [use for use in uses if use[1].shape[1] == width]
            node_types, x, g = (torch.cat(column) for column in zip(*some, strict=True))
            if bias is not None:
                bias.index_add_(0, node_types, g.to(ctx.dtype))
            order, counts = _sorted_types(node_types, ctx.shape[0])
            parts = zip(torch.split(x[order], counts), torch.split(g[order], counts), strict=True)
            for node_type, (x_type, g_type) in enumerate(parts):
                if counts[node_type]:
                    weight[node_type, :width] += torch.mm(x_type.t(), g_type)
        return None, weight, bias


def _sorted_types(node_types: torch.Tensor, types: int) -> tuple[torch.Tensor, list[int]]:
    """The order that sorts nodes by type, and how many there are of each."""
    if node_types.device.type == "meta":  # there is nothing to look at: as if all were of the first type
        return torch.arange(len(node_types), device=node_types.device), [len(node_types)] + [0] * (types - 1)
    return torch.argsort(node_types), torch.bincount(node_types, minlength=types).tolist()


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


def finished(states: torch.Tensor, weights: dict[str, Any], *more: Any) -> torch.Tensor:
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


def _affine(unpacked: Unpacked, x: torch.Tensor, segments: Segments, rows: int) -> torch.Tensor:
    """(nodes * rows, out): each segment's map applied to its rows."""
    y = x.new_empty(len(x), unpacked.out)
    sizes = [segment.size * rows for segment in segments.parts]
    biases = unpacked.biases
    for segment, part, target in zip(segments.parts, torch.split(x, sizes), torch.split(y, sizes), strict=True):
        weight = unpacked.weights[segment.node_type, segment.arity]
        if part.shape[1] > weight.shape[0]:
            part = part[:, : weight.shape[0]]
        if biases is None:
            torch.mm(part, weight, out=target)
        else:
            torch.addmm(biases[segment.node_type], part, weight, out=target)
    return y


class _Affine(torch.autograd.Function):
    """`_affine` with the gradient of its input; that of the weights is left for the end of the pass."""

    @staticmethod
    def forward(ctx: Any, unpacked: Unpacked, segments: Segments, rows: int, x: Any, token: Any) -> Any:
        ctx.unpacked, ctx.segments, ctx.rows = unpacked, segments, rows
        ctx.save_for_backward(x)
        return _affine(unpacked, x, segments, rows)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        unpacked, segments, g = ctx.unpacked, ctx.segments, gradients[0]
        unpacked.check_unchanged()
        node_types = segments.node_types if ctx.rows == 1 else segments.node_types.repeat_interleave(ctx.rows)
        back = torch.empty_like(x)
        sizes = [segment.size * ctx.rows for segment in segments.parts]
        for segment, part, target in zip(segments.parts, torch.split(g, sizes), torch.split(back, sizes), strict=True):
            weight = unpacked.weights[segment.node_type, segment.arity]
            width = weight.shape[0]
            if target.shape[1] > width:
                target[:, width:] = 0
                target = target[:, :width]
            torch.mm(part, weight.t(), out=target)
        if ctx.needs_input_grad[4]:
            used = x if unpacked.padded else _masked(x, segments, ctx.rows, unpacked)
            unpacked.uses.append((node_types, used.detach(), g))
        return None, None, None, back, g.new_empty(0)


def _masked(x: torch.Tensor, segments: Segments, rows: int, unpacked: Unpacked) -> torch.Tensor:
    """The input with 0 for blocks that a node with fewer children did not use."""
    widths = [len(unpacked.weights[segment.node_type, segment.arity]) for segment in segments.parts]
    if min(widths) >= x.shape[1]:
        return x
    x = x.clone()
    for width, part in zip(widths, torch.split(x, [segment.size * rows for segment in segments.parts]), strict=True):
        part[:, width:] = 0
    return x


class TypedLinear(nn.Module):
    r"""Affine maps :math:`y = W_t x + b_t`, one for each node type :math:`t`, on nodes sorted by type.

    The input of a node is the concatenation of as many blocks as it has children; a node with fewer children than there
    are blocks uses the first ones only.

    Parameters
    ----------
    types : int
        Number of node types.
    block : int
        Size of one child's block of the input.
    blocks : int
        Largest number of blocks.
    out : int
        Size of the output.
    bias : bool
        Whether there is a :math:`b_t`.
    padded : bool
        Whether the blocks that a node does not use are known to be 0.

    Shapes
    ------
    - input: (nodes, children * block)
    - output: (nodes, out)
    - weight: (types, block * blocks, out), bias: (types, out)

    Examples
    --------
    >>> from dgl_mathtree.graphs.plan import Segment, Segments
    >>> linear = TypedLinear(types=2, block=1, blocks=2, out=1)
    >>> _ = linear.weight.data.copy_(torch.tensor([[[1.0], [2.0]], [[10.0], [20.0]]]))
    >>> nodes = Segments((Segment(0, 2, 1), Segment(1, 1, 1)), torch.tensor([0, 1]))  # type 1 has one child
    >>> x = torch.tensor([[3.0, 4.0], [3.0, 0.0]])
    >>> linear.apply_segments(linear.unpack([(0, 2), (1, 1)]), x, nodes).tolist()
    [[11.0], [30.0]]
    """

    def __init__(self, types: int, block: int, blocks: int, out: int, bias: bool = True, padded: bool = True) -> None:
        super().__init__()
        self.block, self.blocks, self.out, self.padded = block, blocks, out, padded
        self.weight = nn.Parameter(torch.empty(types, block * blocks, out))
        self.bias = nn.Parameter(torch.empty(types, out)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights uniform in ±1/sqrt(fan-in), biases 0."""
        bound = 1.0 / math.sqrt(self.block * self.blocks)
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def unpack(self, needed: Sequence[tuple[int, int]]) -> Unpacked:
        """The weights of each (type, number of children), taken apart once for a whole pass."""
        return Unpacked(self, needed)

    def apply_segments(self, unpacked: Unpacked, x: torch.Tensor, segments: Segments, rows: int = 1) -> torch.Tensor:
        """The maps applied to segments of nodes.

        Parameters
        ----------
        unpacked : Unpacked
            From `unpack`.
        x : torch.Tensor
            (nodes * rows, in), with `in` a number of blocks that is enough for every segment.
        segments : Segments
            The nodes, sorted by type and number of children.
        rows : int
            Rows of `x` that each node has.

        Returns
        -------
        torch.Tensor
            (nodes * rows, out)
        """
        x = x.to(unpacked.dtype)
        if not torch.is_grad_enabled():
            return _affine(unpacked, x, segments, rows)
        affine: Callable[..., torch.Tensor] = _Affine.apply
        return affine(unpacked, segments, rows, x, unpacked.token)
