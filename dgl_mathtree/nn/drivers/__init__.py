"""Drivers: the ways to run a cell's step over a plan, behind one registry and one entry point, `run`.

Every file of this package that calls `register` adds a driver; nothing else has to be told of it. All drivers run the
same step and agree to rounding, in value and gradient.

========== ==========================================================================================================
``native`` the step recorded once, and run with its adjoint in C
``levels`` plain torch, level by level
``dgl``    message and reduce functions of DGL
``auto``   the first of `PREFERRED` that can run the cell on the device at hand
========== ==========================================================================================================
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from dgl_mathtree.errors import InputError
from dgl_mathtree.graphs.batch import EquationBatch
from dgl_mathtree.graphs.plan import GraphError, LevelPlan, plan_of

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell

AUTO = "auto"
PREFERRED = ("native", "levels")
"""What ``auto`` tries, in this order."""


class DriverError(InputError):
    """A driver that there is not, or that cannot run what it is asked to: which, and why."""


@dataclass(frozen=True)
class Driver:
    """One way to run cells.

    Attributes
    ----------
    name : str
        What ``propagate`` calls it.
    obstacle : callable
        ``obstacle(cell, dtype, device)`` says why it cannot run a cell on leaf states of this kind, or gives None.
    run : callable
        ``run(cell, plan, leaves, rows, dropout_mask)`` gives the states of the wanted rows; see `run`.
    """

    name: str
    obstacle: Callable[[TreeCell, torch.dtype, torch.device], str | None]
    run: Callable[[TreeCell, LevelPlan, torch.Tensor, torch.Tensor, torch.Tensor | None], torch.Tensor]


DRIVERS: dict[str, Driver] = {}


def register(driver: Driver) -> Driver:
    """Add a driver to the registry."""
    if driver.name == AUTO or driver.name in DRIVERS:
        raise ValueError(f"there is a driver {driver.name!r} already")
    DRIVERS[driver.name] = driver
    return driver


def names() -> tuple[str, ...]:
    """What ``propagate`` may be.

    Examples
    --------
    >>> {"auto", "levels", "dgl"} <= set(names())
    True
    """
    return (AUTO, *sorted(DRIVERS))


def check_name(name: str) -> str:
    """The name of a driver, or an error that lists those there are."""
    if name not in names():
        raise DriverError(f"propagate must be one of {', '.join(map(repr, names()))}, not {name!r}")
    return name


def choose(name: str, cell: TreeCell, dtype: torch.dtype, device: torch.device) -> Driver:
    """The driver of a name.

    Parameters
    ----------
    name : str
        ``auto`` or a name of `DRIVERS`.
    cell : TreeCell
        What is to be run.
    dtype, device
        Those of the leaf states.

    Raises
    ------
    DriverError
        Where there is no such driver, or it cannot run the cell: with the reason.
    """
    if check_name(name) == AUTO:
        for each in PREFERRED:
            if each in DRIVERS and DRIVERS[each].obstacle(cell, dtype, device) is None:
                return DRIVERS[each]
        raise DriverError(f"no driver can run {type(cell).__name__} in {dtype} on {device}")
    if (reason := DRIVERS[name].obstacle(cell, dtype, device)) is not None:
        raise DriverError(f"the driver {name!r} cannot run {type(cell).__name__} in {dtype} on {device}: {reason}")
    return DRIVERS[name]


def run(
    cell: TreeCell,
    plan: LevelPlan,
    leaves: torch.Tensor,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """States of some rows of a plan, by the driver that the cell's ``propagate`` names.

    Parameters
    ----------
    cell : TreeCell
        What computes a node from its children.
    plan : LevelPlan
        The order of the nodes, on the device of the leaves.
    leaves : torch.Tensor
        (plan.leaves, up to state_size), the states of the leaves in the plan's order; what is missing is 0.
    rows : torch.Tensor
        (wanted,), rows of the plan, counted from 1.
    dropout_mask : torch.Tensor, optional
        (nodes, dropout_size), what dropout multiplies the values of the graph's nodes with.

    Returns
    -------
    torch.Tensor
        (wanted, state_size)
    """
    for node_type, arity in plan.needed:
        if node_type >= cell.types:
            raise GraphError(
                f"node type {node_type} is out of range: the cell was built for types 0 to {cell.types - 1}"
            )
        if arity > cell.max_children:
            raise GraphError(f"a node has {arity} children; the cell was built for at most {cell.max_children}")
    return choose(cell.propagate, cell, leaves.dtype, leaves.device).run(cell, plan, leaves, rows, dropout_mask)


def run_graph(
    cell: TreeCell,
    graph: Any,
    feat: torch.Tensor,
    plan: LevelPlan | None = None,
    dropout_mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """States of all nodes of a graph or a batch, from vectors given for its leaves.

    Parameters
    ----------
    cell : TreeCell
        What computes a node from its children.
    graph : DGLGraph or EquationBatch
        See `dgl_mathtree.nn.TreeCell.forward`.
    feat : torch.Tensor
        (nodes, size), of which the rows of the leaves are read.
    plan : LevelPlan, optional
        That of the graph, if it is at hand.
    dropout_mask : torch.Tensor, optional
        (nodes, dropout_size); by default it is drawn here.

    Returns
    -------
    torch.Tensor
        (nodes, state_size)
    """
    if isinstance(graph, EquationBatch):
        plan = graph.plan
    count = graph.num_nodes()
    if tuple(feat.shape) != (count, cell.size):
        raise ValueError(f"feat must have the shape ({count}, {cell.size}), not {tuple(feat.shape)}")
    weight = next(cell.parameters())
    cast = torch.amp.is_autocast_available(feat.device.type) and torch.is_autocast_enabled(feat.device.type)
    if feat.dtype != weight.dtype and not cast:
        raise ValueError(f"feat is of type {feat.dtype}, but the weights are of {weight.dtype}")
    plan = (plan_of(graph, cell.types, cell.max_children) if plan is None else plan).to(feat.device)
    dropout_mask = cell.draw_dropout(count, feat) if dropout_mask is None else dropout_mask
    leaves = cell.leaf_states(feat.index_select(0, plan.node[: plan.leaves]))
    return run(cell, plan, leaves, plan.row, dropout_mask)


for _file in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_file.name}")
