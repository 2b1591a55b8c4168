"""The driver ``native``: a cell's recorded step, run over a whole plan by one call to C; its gradient by another."""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch.autograd.function import once_differentiable

from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.nn.native import library
from dgl_mathtree.nn.native.layout import CHUNK, SEGMENT_FIELDS, Layout, PassTable, ProgramTable, map_tables
from dgl_mathtree.nn.native.optimise import optimise
from dgl_mathtree.nn.native.program import NotRecordable
from dgl_mathtree.nn.native.record import record

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell

Parameters = Sequence[torch.Tensor]


def parameters_of(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """As ``list(module.parameters())``, which would take as long as a small pass does."""
    found: dict[int, torch.nn.Parameter] = {}
    waiting = [module]
    while waiting:
        each = waiting.pop()
        found.update((id(p), p) for p in each._parameters.values() if p is not None)
        waiting.extend(m for m in reversed(each._modules.values()) if m is not None)
    return list(found.values())


class Bundle:
    """The programs of a cell for all numbers of children of a plan, side by side.

    Attributes
    ----------
    number : array
        (arities + 1,) the program of each number of children.
    table : array of ProgramTable
        The programs, for C.
    maps, cuts, most_rows
        See `map_tables`.
    summed : set of int
        Parameters whose gradients are added to, so that they must begin at 0.
    """

    def __init__(self, layouts: Sequence[Layout], shapes: Sequence[tuple[int, ...]]) -> None:
        self.layouts = layouts
        arities = [layout.table.arity for layout in layouts]
        self.number = np.full(max(arities, default=0) + 1, -1)
        self.number[arities] = np.arange(len(arities))
        self.table = (ProgramTable * len(layouts))(*(layout.table for layout in layouts))
        self.maps, self.cuts, self.most_rows = map_tables(layouts, shapes)
        written = set(self.maps["weight"].tolist())
        self.summed = set(range(len(shapes))) - written
        self.chunk_values = CHUNK * max((layout.total for layout in layouts), default=0)
        self.chunk_adjoints = CHUNK * max((layout.adjoint_total for layout in layouts), default=0)

    def sizes(self, plan: LevelPlan) -> tuple[int, int]:
        """How many numbers the nodes of a plan need for their values, and for the gradients of products' results."""
        rows = [plan.rows_by_arity[layout.table.arity] for layout in self.layouts]
        pairs = list(zip(rows, self.layouts, strict=True))
        return sum(k * layout.total for k, layout in pairs), sum(k * layout.kept_total for k, layout in pairs)

    def segments(self, plan: LevelPlan) -> NDArray[np.int64]:
        """The plan's segments for C, which fills in the programs and where their numbers are."""
        found = plan.segment_table
        table = np.empty((len(found), SEGMENT_FIELDS), dtype=np.int64)
        table[:, : found.shape[1]] = found
        return table


class Engine:
    """What was recorded of a cell, with or without a dropout mask."""

    def __init__(self, cell: TreeCell, masked: bool) -> None:
        self.masked = masked
        self.shapes = [p.shape for p in parameters_of(cell)]
        self.state_size, self.types = cell.state_size, cell.types
        self._layouts: dict[int, Layout] = {}
        self._bundles: dict[tuple[int, ...], Bundle] = {}

    def layout(self, cell: TreeCell, arity: int) -> Layout:
        """The program for a number of children, recorded at the first call."""
        if arity not in self._layouts:
            program = record(cell, arity, self.masked)
            program.check()
            self._layouts[arity] = Layout(optimise(program))
        return self._layouts[arity]

    def bundle(self, cell: TreeCell, plan: LevelPlan) -> Bundle:
        arities = tuple(plan.rows_by_arity)
        bundle = self._bundles.get(arities)
        if bundle is None:
            with _LOCK:
                bundle = Bundle([self.layout(cell, arity) for arity in arities], self.shapes)
                self._bundles[arities] = bundle
        return bundle


_LOCK = threading.RLock()
_ENGINES: WeakKeyDictionary[TreeCell, dict[bool, Engine]] = WeakKeyDictionary()
_FAILURES: WeakKeyDictionary[TreeCell, str | None] = WeakKeyDictionary()


def engine(cell: TreeCell, masked: bool) -> Engine:
    """What was recorded of a cell; anew, if its parameters have other shapes than they had then."""
    found = _ENGINES.get(cell, {}).get(masked)
    if found is None or found.shapes != [p.shape for p in parameters_of(cell)]:
        with _LOCK:
            found = _ENGINES.setdefault(cell, {})[masked] = Engine(cell, masked)
    return found


def failure(cell: TreeCell) -> str | None:
    """Why the step of a cell cannot be recorded, or None; the first time it cannot, with a warning."""
    if cell not in _FAILURES:
        with _LOCK:
            reason = None
            try:
                engine(cell, False).layout(cell, cell.max_children)
            except NotRecordable as error:
                reason = f"its step cannot be recorded: {error}"
                warnings.warn(f"{type(cell).__name__} runs on the driver 'levels': {reason}", stacklevel=2)
            _FAILURES[cell] = reason
    return _FAILURES[cell]


def obstacle(
    cell: TreeCell, dtype: torch.dtype, device: torch.device, weights: Sequence[torch.Tensor] | None = None
) -> str | None:
    """Why the driver cannot run a cell, with its own weights or others as in `run`, or None."""
    if device.type != "cpu":
        return "it runs on the CPU alone"
    if dtype not in library.SUFFIXES:
        return "it computes in float32 and float64 alone"
    if torch.is_autocast_enabled("cpu"):
        return "it does not run under autocast"
    try:
        library.load()
    except library.LibraryError as error:
        return str(error)
    for parameter in parameters_of(cell) if weights is None else weights:
        if parameter.dtype != dtype or parameter.device != device or not parameter.is_contiguous():
            return "its weights are of another type, on another device or not contiguous"
    return failure(cell)


def run(
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

    C reads what it is given: callers check it first, with `dgl_mathtree.nn.driver_inputs.check_inputs`.
    """
    mask = None if dropout_mask is None else dropout_mask.detach().index_select(0, plan.node)
    recorded = engine(cell, mask is not None)
    bundle = recorded.bundle(cell, plan)
    parameters = parameters_of(cell) if weights is None else weights
    leaves = leaves.contiguous()
    pass_ = _Pass(recorded, bundle, plan, rows.contiguous(), mask)
    if torch.is_grad_enabled() and (leaves.requires_grad or any(p.requires_grad for p in parameters)):
        apply: Callable[..., torch.Tensor] = _Function.apply
        return apply(pass_, leaves, *parameters)
    return pass_.forward(leaves, parameters, keep=False)[0]


class _Pass:
    """One pass over a plan: all that C has to know, but for the numbers."""

    def __init__(
        self, recorded: Engine, bundle: Bundle, plan: LevelPlan, rows: torch.Tensor, mask: torch.Tensor | None
    ) -> None:
        self.bundle, self.rows, self.mask = bundle, rows, mask
        self.nodes, self.leaves = len(plan.row), plan.leaves
        self.state_size, self.types = recorded.state_size, recorded.types
        self.children = plan.children.contiguous()
        self.segments, (self.values_size, self.kept_size) = bundle.segments(plan), bundle.sizes(plan)

    def _table(self, pointers: Any, states: torch.Tensor, values: torch.Tensor, keep: bool) -> PassTable:
        mask = self.mask
        return PassTable(
            program=ctypes.addressof(self.bundle.table), number=self.bundle.number.ctypes.data,
            segment=self.segments.ctypes.data, segments=len(self.segments),
            children=self.children.data_ptr(), slots=self.children.shape[1], nodes=self.nodes, leaves=self.leaves,
            state_size=self.state_size, types=self.types, parameter=ctypes.addressof(pointers),
            mask=None if mask is None else mask.data_ptr(), mask_size=0 if mask is None else mask.shape[1],
            wanted=self.rows.data_ptr(), wanted_count=len(self.rows),
            states=states.data_ptr(), values=values.data_ptr(), keep_values=int(keep),
        )  # fmt: skip

    def forward(self, leaves: torch.Tensor, parameters: Parameters, keep: bool) -> tuple[torch.Tensor, ...]:
        """The wanted states; all states; and with `keep` all values, as the gradient needs them."""
        states = leaves.new_empty(self.nodes + 1, self.state_size)
        values = leaves.new_empty(self.values_size if keep else self.bundle.chunk_values)
        result = leaves.new_empty(len(self.rows), self.state_size)
        pointers = _pointers(parameters)
        table = self._table(pointers, states, values, keep)
        table.leaf_states, table.leaf_size, table.result = leaves.data_ptr(), leaves.shape[1], result.data_ptr()
        library.load().forward[leaves.dtype](ctypes.byref(table))
        return result, states, values

    def backward(
        self,
        gradient: torch.Tensor,
        states: torch.Tensor,
        values: torch.Tensor,
        leaf_size: int,
        parameters: Parameters,
        needed: Sequence[bool],
    ) -> tuple[torch.Tensor | None, list[torch.Tensor | None]]:
        """Gradients of the leaves and of the parameters, None where they are not needed.

        Parameters
        ----------
        gradient : torch.Tensor
            (wanted, state_size), that of the wanted states.
        states, values : torch.Tensor
            What `forward` gave.
        leaf_size : int
            How many numbers of a leaf's state were given.
        parameters, needed
            The parameters, and for the leaves and each parameter whether a gradient is needed.
        """
        bundle, gradient = self.bundle, gradient.contiguous()
        of_leaves = gradient.new_empty(self.leaves, leaf_size) if needed[0] else None
        found = [
            (torch.zeros_like(p) if k in bundle.summed else torch.empty_like(p)) if wanted else None
            for k, (p, wanted) in enumerate(zip(parameters, needed[1:], strict=True))
        ]
        buffers = [
            torch.empty_like(states), gradient.new_empty(self.kept_size), gradient.new_empty(bundle.chunk_adjoints)
        ]  # fmt: skip
        pointers, gradients = _pointers(parameters), _pointers(found)
        table = self._table(pointers, states, values, True)
        table.map, table.maps, table.cut = bundle.maps.ctypes.data, len(bundle.maps), bundle.cuts.ctypes.data
        table.most_rows, table.parameter_gradient = bundle.most_rows, ctypes.addressof(gradients)
        table.result_gradient = gradient.data_ptr()
        table.state_gradients, table.kept, table.adjoints = (buffer.data_ptr() for buffer in buffers)
        table.leaf_gradient, table.leaf_size = None if of_leaves is None else of_leaves.data_ptr(), leaf_size
        if library.load().backward[states.dtype](ctypes.byref(table)):
            raise MemoryError("there was no memory for the gradients of the weights")
        return of_leaves, found


def _pointers(tensors: Sequence[torch.Tensor | None]) -> Any:
    return (ctypes.c_void_p * len(tensors))(*(None if t is None else t.data_ptr() for t in tensors))


class _Function(torch.autograd.Function):
    """A whole pass as one node for autograd."""

    @staticmethod
    def forward(ctx: Any, pass_: _Pass, leaves: torch.Tensor, *parameters: Any) -> Any:
        result, states, values = pass_.forward(leaves, parameters, keep=True)
        ctx.pass_, ctx.parameters, ctx.leaf_size = pass_, parameters, leaves.shape[1]
        ctx.versions = [p._version for p in parameters]
        ctx.save_for_backward(states, values)
        return result

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Any) -> Any:
        states, values = ctx.saved_tensors
        if [p._version for p in ctx.parameters] != ctx.versions:
            raise RuntimeError("the weights of a cell were changed in place between its forward and backward pass")
        needed = ctx.needs_input_grad[1:]
        leaves, found = ctx.pass_.backward(gradients[0], states, values, ctx.leaf_size, ctx.parameters, needed)
        return None, leaves, *found
