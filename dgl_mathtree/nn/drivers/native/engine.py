"""What is recorded of a cell, and whether it can be: programs for each number of children, ready for C."""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import torch

from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.nn.drivers.native import library
from dgl_mathtree.nn.drivers.native.buffers import Pool
from dgl_mathtree.nn.drivers.native.layout import CHUNK, Layout, ProgramTable, map_tables
from dgl_mathtree.nn.drivers.native.optimise import optimise
from dgl_mathtree.nn.drivers.native.program import NotRecordable
from dgl_mathtree.nn.drivers.native.record import record

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell


UNREAD = frozenset(torch.nn.Module().__dict__) - {"training"} | {"_driver"}
"""Attributes of a module that its step does not depend on."""
PLAIN = frozenset((bool, int, float, str, tuple, type(None)))
"""Types of attributes that are compared by value; others are, by which object they are."""


def parameters_of(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """As ``list(module.parameters())``, which would take as long as a small pass does."""
    found: dict[int, torch.nn.Parameter] = {}
    waiting = [module]
    while waiting:
        each = waiting.pop()
        found.update((id(p), p) for p in each._parameters.values() if p is not None)
        waiting.extend(m for m in reversed(each._modules.values()) if m is not None)
    return list(found.values())


def settings_of(module: torch.nn.Module) -> list[object]:
    """What a step may look at besides numbers of tensors: whether it is training, and what was set as attributes."""
    found: list[object] = []
    waiting = [module]
    while waiting:
        each = waiting.pop()
        found += [v if type(v) in PLAIN else id(v) for k, v in each.__dict__.items() if k not in UNREAD]
        waiting.extend(m for m in each._modules.values() if m is not None)
    return found


class Snapshot:
    """What a step may look at, as it is now: a comparison with it costs a fraction of looking at all of it again.

    Attributes
    ----------
    parameters : list of torch.nn.Parameter
        See `parameters_of`.
    """

    def __init__(self, module: torch.nn.Module) -> None:
        self.parameters = parameters_of(module)
        self._seen = []
        waiting = [module]
        while waiting:
            now = waiting.pop().__dict__  # not the module: a cell must not live on in what was recorded of it
            self._seen.append((now, dict(now), dict(now["_parameters"]), dict(now["_modules"])))
            waiting.extend(m for m in now["_modules"].values() if m is not None)

    def holds(self) -> bool:
        """Whether all attributes, parameters and parts are the same objects, or equal; if in doubt, not."""
        try:
            for now, then, parameters, modules in self._seen:
                if now != then or now["_parameters"] != parameters or now["_modules"] != modules:
                    return False
        except (RuntimeError, TypeError, ValueError):  # another tensor or array: it has no one answer
            return False
        return True


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
        self.address, self.number_address = ctypes.addressof(self.table), self.number.ctypes.data
        self.maps_address, self.cuts_address = self.maps.ctypes.data, self.cuts.ctypes.data
        self.chunk_values = max((layout.chunk * layout.total for layout in layouts), default=0)
        self.passing = CHUNK * max((layout.total - layout.needed for layout in layouts), default=0)
        self.chunk_adjoints = CHUNK * max((layout.adjoint_total for layout in layouts), default=0)

    def sizes(self, plan: LevelPlan) -> tuple[int, int]:
        """How many numbers the nodes of a plan need for their values, and for the gradients of products' results."""
        values = kept = 0
        for rows, layout in zip(plan.rows_by_arity.values(), self.layouts, strict=True):
            values += rows * layout.needed
            kept += rows * layout.kept_total
        return self.passing + values, kept


class Engine:
    """What was recorded of a cell, with or without a dropout mask, and memory for the gradients of its maps."""

    def __init__(self, cell: TreeCell, masked: bool) -> None:
        self.masked, self.gradients = masked, Pool()
        self._seen, self.settings = Snapshot(cell), settings_of(cell)
        self.shapes = [p.shape for p in self.parameters]
        self.state_size, self.types = cell.state_size, cell.types
        self._failure: str | None = None
        self._tried = False
        self._layouts: dict[int, Layout] = {}
        self._bundles: dict[tuple[int, ...], Bundle] = {}

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        """The parameters of the cell when it was last compared."""
        return self._seen.parameters

    def is_of(self, cell: TreeCell) -> bool:
        """Whether shapes of parameters and attributes are as they were when it was recorded."""
        if self._seen.holds():
            return [p.shape for p in self.parameters] == self.shapes
        if [p.shape for p in parameters_of(cell)] != self.shapes or settings_of(cell) != self.settings:
            return False
        self._seen = Snapshot(cell)
        return True

    def layout(self, cell: TreeCell, arity: int) -> Layout:
        """The program for a number of children, recorded at the first call."""
        if arity not in self._layouts:
            program = record(cell, arity, self.masked)
            program.check()
            self._layouts[arity] = Layout(optimise(program))
        return self._layouts[arity]

    def failure(self, cell: TreeCell, fewest: int = 1) -> str | None:
        """Why the step cannot be recorded for this many children or more, or None; the first time with a warning."""
        if not self._tried:
            with _LOCK:
                try:
                    for arity in range(cell.max_children, fewest - 1, -1):
                        self.layout(cell, arity)
                except NotRecordable as error:
                    reason = f"its step cannot be recorded: {error}"
                    if all(other._failure != reason for other in _ENGINES.get(cell, {}).values()):
                        warnings.warn(f"{type(cell).__name__} runs on the driver 'levels': {reason}", stacklevel=3)
                    self._failure = reason
                self._tried = True
        return self._failure

    def bundle(self, cell: TreeCell, plan: LevelPlan) -> Bundle:
        arities = tuple(plan.rows_by_arity)
        bundle = self._bundles.get(arities)
        if bundle is None:
            with _LOCK:
                bundle = Bundle([self.layout(cell, arity) for arity in arities], self.shapes)
                self._bundles[arities] = bundle
        return bundle


_LOCK = threading.RLock()
_ENGINES: WeakKeyDictionary[TreeCell, dict[tuple[bool, bool], Engine]] = WeakKeyDictionary()


def engine(cell: TreeCell, masked: bool) -> Engine:
    """What was recorded of a cell; anew, if shapes of its parameters or its attributes are not as they were then."""
    key = masked, cell.training  # both are recorded: training and validation take turns
    found = _ENGINES.get(cell, {}).get(key)
    if found is None or not found.is_of(cell):
        with _LOCK:
            found = _ENGINES.setdefault(cell, {})[key] = Engine(cell, masked)
    return found


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
        library.load_library()
    except library.LibraryError as error:
        return str(error)
    plain = engine(cell, False)
    for parameter in plain.parameters if weights is None else weights:
        if parameter.dtype != dtype or parameter.device != device or not parameter.is_contiguous():
            return "its weights are of another type, on another device or not contiguous"
    if weights is not None:  # a sequence, whose nodes have all their children
        return plain.failure(cell, cell.max_children)
    reason = plain.failure(cell)
    if reason is None and cell.training and cell.dropout:
        reason = engine(cell, True).failure(cell)
    return reason
