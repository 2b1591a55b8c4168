"""A linear map for each node type.

A pass over a tree applies these maps hundreds of times to a few rows each, so the cost is in the calls and not in the
products. The maps of one level are one autograd node here, in a grouped plan one batched product
(`dgl_mathtree.nn.grouping`), and the gradients of the weights are gathered from all levels at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from dgl_mathtree.graphs.plan import Groups, Segments
from dgl_mathtree.nn import linear_products
from dgl_mathtree.nn.grouping import MOST_COPIED
from dgl_mathtree.nn.linear_products import Use
from dgl_mathtree.nn.once import once_differentiable


class Unpacked:
    """The weights of a map taken apart by type, once for a whole pass, and what their gradient will need.

    Attributes
    ----------
    weights : dict
        For each (type, number of children) the rows of the matrix that are used, (children * block, out).
    biases : tuple of torch.Tensor, optional
        For each type its bias, (out,).
    block, out : int
        Size of one child's block of the input, and of the output.
    padded : bool
        See `TypedLinear`.
    dtype : torch.dtype
        That of the computation: the weights' own, or what autocast asks for.
    token : torch.Tensor
        What every use of the weights depends on, so that their gradient waits for all uses.
    """

    def __init__(self, linear: TypedLinear, needed: Sequence[tuple[int, int]]) -> None:
        weight, bias = linear.weight, linear.bias
        device = weight.device.type
        cast = torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)
        self.dtype = torch.get_autocast_dtype(device) if cast else weight.dtype
        self._matrices = weight.detach().to(self.dtype)
        self._vectors = None if bias is None else bias.detach().to(self.dtype)
        matrices = self._matrices.unbind(0)
        self.weights = {
            (node_type, arity): matrices[node_type][: min(arity, linear.blocks) * linear.block]
            for node_type, arity in needed
        }
        self.biases = None if self._vectors is None else self._vectors.unbind(0)
        self.block, self.out, self.padded = linear.block, linear.out, linear.padded
        self._copied: tuple[torch.Tensor, torch.Tensor, torch.Tensor | None] | None = None
        self._weight, self._version = weight, weight._version
        self.uses: list[Use] = []
        open_pass: Callable[..., torch.Tensor] = _Open.apply
        self.token = open_pass(self.uses, self.block, weight, bias)

    def of_groups(self, groups: Groups) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The matrices (groups, in, out) and biases (groups, 1, out) of some groups, copied once for a whole plan."""
        if len(groups.types) * self._matrices.nbytes > MOST_COPIED * len(self._matrices):
            return self._copies(groups.types[groups.start : groups.stop])
        if self._copied is None or self._copied[0] is not groups.types:
            self._copied = (groups.types, *self._copies(groups.types))
        _, matrices, biases = self._copied
        some = slice(groups.start, groups.stop)
        return matrices[some], None if biases is None else biases[some]

    def _copies(self, types: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        biases = None if self._vectors is None else self._vectors.index_select(0, types)[:, None]
        return self._matrices.index_select(0, types), biases

    def forget(self) -> None:
        """Start a backward pass: what an earlier one left is not to be counted."""
        self.uses.clear()

    def check_unchanged(self) -> None:
        if self._weight._version != self._version:
            raise RuntimeError("the weights of a cell were changed in place between its forward and backward pass")


class _Open(torch.autograd.Function):
    """Ties the weights to the token of a pass. Its backward comes after that of every use, and gathers them."""

    @staticmethod
    def forward(ctx: Any, uses: list[Use], block: int, weight: Any, bias: Any) -> Any:
        ctx.uses, ctx.block, ctx.has_bias = uses, block, bias is not None
        ctx.shape, ctx.dtype = weight.shape, weight.dtype
        ctx.set_materialize_grads(False)
        return weight.new_empty(0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *_: Any) -> Any:
        uses = ctx.uses[::-1]  # in the order of the levels
        ctx.uses.clear()
        device = uses[0].x.device
        weight = torch.zeros(ctx.shape, dtype=ctx.dtype, device=device)
        bias = torch.zeros(ctx.shape[0], ctx.shape[2], dtype=ctx.dtype, device=device) if ctx.has_bias else None
        if single := [use for use in uses if use.x.dim() == 2]:
            linear_products.add_segments(weight, bias, ctx.block, single)
        for shape in {use.x.shape[1:] for use in uses if use.x.dim() == 3}:
            linear_products.add_groups(weight, bias, [use for use in uses if use.x.shape[1:] == shape])
        return None, None, weight, bias


class _Begin(torch.autograd.Function):
    """Passes the result of a whole pass on. Its backward comes first, and clears what an earlier one gathered."""

    @staticmethod
    def forward(ctx: Any, gathered: list[Any], states: Any) -> Any:
        ctx.gathered = gathered
        return states.view_as(states)

    @staticmethod
    @once_differentiable
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


class _Affine(torch.autograd.Function):
    """The maps of a level with the gradient of their input; that of the weights is left for the end of the pass."""

    @staticmethod
    def forward(ctx: Any, unpacked: Unpacked, segments: Segments, rows: int, x: Any, token: Any) -> Any:
        ctx.unpacked, ctx.segments, ctx.rows, ctx.groups = unpacked, segments, rows, segments.groups
        if ctx.groups is None:
            ctx.save_for_backward(x)
            return linear_products.by_segments(unpacked, x, segments, rows)
        x = linear_products.grouped_input(unpacked, x, segments, ctx.groups)
        ctx.save_for_backward(x)
        return linear_products.by_groups(unpacked, x, ctx.groups)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        unpacked, segments, groups, g = ctx.unpacked, ctx.segments, ctx.groups, gradients[0]
        unpacked.check_unchanged()
        if groups is None:
            back = linear_products.back_by_segments(unpacked, x, g, segments, ctx.rows)
        else:
            g = g.reshape(*x.shape[:2], -1)
            back = linear_products.back_by_groups(unpacked, x, g, segments, groups)
        if ctx.needs_input_grad[4]:
            unpacked.uses.append(Use(segments, ctx.rows, x.detach(), g))
        return None, None, None, back, None  # the gradient of a token is never looked at


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
    >>> linear(x, torch.tensor([0, 1])).tolist()  # rows in any order
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

    def forward(self, x: torch.Tensor, x_type: torch.Tensor) -> torch.Tensor:
        """The map of its type applied to each row, in any order: `TypedLinear` as DGL has it.

        It copies the matrix of each row. Cells use `apply_segments`, which multiplies all rows of a type at once.

        Parameters
        ----------
        x : torch.Tensor
            (rows, in), with `in` at most block * blocks; what is missing counts as 0.
        x_type : torch.Tensor
            (rows,) of int64, the type of each.

        Returns
        -------
        torch.Tensor
            (rows, out)
        """
        y = torch.bmm(x[:, None], self.weight[x_type, : x.shape[1]])[:, 0]
        return y if self.bias is None else y + self.bias[x_type]

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
            if segments.groups is None:
                return linear_products.by_segments(unpacked, x, segments, rows)
            x = linear_products.grouped_input(unpacked, x, segments, segments.groups)
            return linear_products.by_groups(unpacked, x, segments.groups)
        affine: Callable[..., torch.Tensor] = _Affine.apply
        return affine(unpacked, segments, rows, x, unpacked.token)
