"""The driver ``native``: a cell's recorded step, run over a whole plan by one call to C; its gradient by another."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.nn.drivers.inputs import out_of_range
from dgl_mathtree.nn.drivers.native import library
from dgl_mathtree.nn.drivers.native.buffers import Pool
from dgl_mathtree.nn.drivers.native.engine import Engine, engine
from dgl_mathtree.nn.drivers.native.layout import BAD_LEAF, BAD_ROW
from dgl_mathtree.nn.once import once_differentiable

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell

Parameters = Sequence[torch.Tensor]
_POOL = Pool()


def run_program(
    cell: TreeCell,
    plan: LevelPlan,
    leaves: torch.Tensor,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None,
    weights: Sequence[torch.Tensor] | None = None,
) -> torch.Tensor:
    """States of some rows of a plan; for shapes see `dgl_mathtree.nn.drivers.run`.

    Leaves may have fewer numbers than a state, whose rest is 0 then. `weights` take the place of the cell's parameters,
    in their order and shapes; they may be results of a computation, to which the gradient goes on.

    C reads what it is given: callers check it first, with `dgl_mathtree.nn.drivers.inputs.check_inputs`.
    """
    return _run(cell, plan, leaves, None, rows, dropout_mask, weights, 0)


def pair_dots(
    cell: TreeCell,
    plan: LevelPlan,
    table: torch.Tensor,
    index: torch.Tensor,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None,
) -> torch.Tensor:
    """Dot products of the hidden vectors of pairs of rows; for shapes see `dgl_mathtree.nn.drivers.dots`."""
    return _run(cell, plan, table, index.contiguous(), rows, dropout_mask, None, cell.size)


def _run(
    cell: TreeCell,
    plan: LevelPlan,
    leaves: torch.Tensor,
    index: torch.Tensor | None,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None,
    weights: Parameters | None,
    pair_size: int,
) -> torch.Tensor:
    recorded = engine(cell, dropout_mask is not None)
    mask = None if dropout_mask is None else dropout_mask.detach().index_select(0, plan.node)
    parameters = recorded.parameters if weights is None else weights
    leaves = leaves.contiguous()
    pass_ = _Pass(cell, recorded, plan, leaves, index, rows.contiguous(), mask, pair_size)
    if torch.is_grad_enabled() and (leaves.requires_grad or any(p.requires_grad for p in parameters)):
        apply: Callable[..., torch.Tensor] = _Function.apply
        return apply(pass_, leaves, *parameters)
    return pass_.forward(leaves, parameters, keep=False)[0]


class _Pass:
    """One pass over a plan: all that C has to know, but for the numbers."""

    def __init__(
        self,
        cell: TreeCell,
        recorded: Engine,
        plan: LevelPlan,
        leaves: torch.Tensor,
        index: torch.Tensor | None,
        rows: torch.Tensor,
        mask: torch.Tensor | None,
        pair_size: int,
    ) -> None:
        self.recorded, self.rows, self.mask, self.index = recorded, rows, mask, index
        self.bundle = bundle = recorded.bundle(cell, plan)
        self.nodes, self.pair_size, self.leaf_shape = len(plan.row), pair_size, leaves.shape
        self.children = children = plan.children.contiguous()
        self.values_size, self.kept_size = bundle.sizes(plan)
        self.segments = segments = plan.segment_table
        self._known = (
            len(segments), children.shape[1], self.nodes, plan.leaves, recorded.state_size, recorded.types,
            leaves.shape[1], leaves.shape[0], 0 if mask is None else mask.shape[1], len(rows), pair_size,
        )  # fmt: skip
        self._addresses = (
            bundle.address, bundle.number_address, segments.__array_interface__["data"][0], children.data_ptr(),
        )  # fmt: skip

    @property
    def versions(self) -> list[int]:
        """Numbers that change when torch changes in place what C reads in both passes, which was checked before."""
        read = (self.rows, self.children) if self.index is None else (self.rows, self.children, self.index)
        return [0 if tensor.is_inference() else tensor._version for tensor in read]

    def _table(
        self, parameters: array[int], leaves: int, states: int, values: int, keep: bool, *more: int
    ) -> array[int]:
        """All that C has to know, in the order of Pass in csrc/interface.h; it has to live as long as C runs."""
        index, mask, bundle = self.index, self.mask, self.bundle
        return array("q", (
            *self._known, keep, bundle.passing, len(bundle.maps), bundle.most_rows,
            *self._addresses, parameters.buffer_info()[0], leaves, 0 if index is None else index.data_ptr(),
            0 if mask is None else mask.data_ptr(), self.rows.data_ptr(), states, values, *more,
        ))  # fmt: skip

    def forward(self, leaves: torch.Tensor, parameters: Parameters, keep: bool) -> tuple[torch.Tensor, ...]:
        """What is asked for; all states; and with `keep` all values, as the gradient needs them."""
        dtype, bundle, size = leaves.dtype, self.bundle, self.recorded.state_size
        states = _POOL.take("states", (self.nodes + 1) * size, dtype)
        values = _POOL.take("values", self.values_size if keep else bundle.chunk_values, dtype)
        count = len(self.rows)
        result = leaves.new_empty(count // 2) if self.pair_size else leaves.new_empty(count, size)
        pointers = _pointers(parameters)
        table = self._table(
            pointers, leaves.data_ptr(), states.data_ptr(), values.data_ptr(), keep, result.data_ptr(), *[0] * 8
        )
        code = library.load_library().forward[dtype](table.buffer_info()[0])
        if code == BAD_ROW:
            raise out_of_range("rows", self.nodes)
        if code == BAD_LEAF:
            raise out_of_range("index", len(leaves) - 1)
        if code:
            raise MemoryError("there was no memory for the segments of a plan")
        return result, states, values

    def backward(
        self,
        gradient: torch.Tensor,
        states: torch.Tensor,
        values: torch.Tensor,
        parameters: Parameters,
        needed: Sequence[bool],
    ) -> tuple[torch.Tensor | None, list[torch.Tensor | None]]:
        """Gradients of the leaves and of the parameters, None where they are not needed.

        Parameters
        ----------
        gradient : torch.Tensor
            That of the result of `forward`.
        states, values : torch.Tensor
            What `forward` gave.
        parameters, needed
            The parameters, and for the leaves and each parameter whether a gradient is needed.
        """
        bundle, gradient, dtype = self.bundle, gradient.contiguous(), states.dtype
        of_leaves = gradient.new_empty(self.leaf_shape) if needed[0] else None
        # The gradients of maps may hold anything: what is not 0 is cleared where no node of a type occurs.
        found = [
            (
                torch.zeros_like(p) if k in bundle.summed
                else self.recorded.gradients.take(k, shape, dtype, spare=False)
            ) if wanted else None
            for k, (p, shape, wanted) in enumerate(zip(parameters, self.recorded.shapes, needed[1:], strict=True))
        ]  # fmt: skip
        buffers = [
            _POOL.take("state gradients", states.numel(), dtype),
            _POOL.take("kept", self.kept_size, dtype),
            _POOL.take("adjoints", bundle.chunk_adjoints, dtype),
        ]
        pointers, gradients = _pointers(parameters), _pointers(found)
        table = self._table(
            pointers, 0, states.data_ptr(), values.data_ptr(), True, 0,
            bundle.maps_address, bundle.cuts_address, gradients.buffer_info()[0], gradient.data_ptr(),
            *(buffer.data_ptr() for buffer in buffers), 0 if of_leaves is None else of_leaves.data_ptr(),
        )  # fmt: skip
        if library.load_library().backward[dtype](table.buffer_info()[0]):
            raise MemoryError("there was no memory for the gradients of the weights")
        return of_leaves, found


def _pointers(tensors: Sequence[torch.Tensor | None]) -> array[int]:
    return array("q", [0 if t is None else t.data_ptr() for t in tensors])


class _Function(torch.autograd.Function):
    """A whole pass as one node for autograd."""

    @staticmethod
    def forward(ctx: Any, pass_: _Pass, leaves: torch.Tensor, *parameters: Any) -> Any:
        result, states, values = pass_.forward(leaves, parameters, keep=True)
        ctx.pass_, ctx.parameters = pass_, parameters
        ctx.versions, ctx.read_versions = [p._version for p in parameters], pass_.versions
        ctx.save_for_backward(states, values)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        states, values = ctx.saved_tensors
        if [p._version for p in ctx.parameters] != ctx.versions:
            raise RuntimeError("the weights of a cell were changed in place between its forward and backward pass")
        if ctx.pass_.versions != ctx.read_versions:
            raise RuntimeError(
                "the rows or the plan of a pass were changed in place between its forward and backward pass"
            )
        needed = ctx.needs_input_grad[1:]
        leaves, found = ctx.pass_.backward(gradients[0], states, values, ctx.parameters, needed)
        return None, leaves, *found
