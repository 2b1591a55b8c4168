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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from dgl_mathtree.graphs.node_batch import NodeBatch
from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.graphs.plan_check import GraphError
from dgl_mathtree.graphs.planning import plan_of
from dgl_mathtree.nn.drivers.inputs import (
    DriverError,
    check_inputs,
    check_pairs,
    check_plan_alone,
    check_range,
    check_tensor,
    check_type,
    first_weight,
)

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell

Weights = Sequence[torch.Tensor] | None
AUTO = "auto"
PREFERRED = ("native", "levels")
"""What ``auto`` tries, in this order."""


@dataclass(frozen=True)
class Driver:
    """One way to run cells.

    Attributes
    ----------
    name : str
        What ``driver`` calls it.
    obstacle : callable
        ``obstacle(cell, dtype, device)`` says why it cannot run a cell on leaf states of this kind, or gives None.
    run : callable
        ``run(cell, plan, leaves, rows, dropout_mask)`` gives the states of the wanted rows; see `run`.
    takes_weights : bool
        Whether `obstacle` and `run` have a further argument, weights in the place of the cell's parameters. For other
        drivers the cell is given these as its parameters.
    dots : callable, optional
        ``dots(cell, plan, table, index, rows, dropout_mask)``, where the driver has a shorter way to what `dots` gives;
        it refuses numbers in `index` and `rows` that are out of range with `inputs.out_of_range`.
    """

    name: str
    obstacle: Callable[..., str | None]
    run: Callable[..., torch.Tensor]
    takes_weights: bool = False
    dots: Callable[..., torch.Tensor] | None = None

    def refusal(self, cell: TreeCell, dtype: torch.dtype, device: torch.device, weights: Weights = None) -> str | None:
        """Why it cannot run a cell with its own weights, or with others, or None."""
        if weights is not None and self.takes_weights:
            return self.obstacle(cell, dtype, device, weights)
        return self.obstacle(cell, dtype, device)


DRIVERS: dict[str, Driver] = {}


def register(driver: Driver) -> Driver:
    """Add a driver to the registry."""
    if driver.name == AUTO or driver.name in DRIVERS:
        raise ValueError(f"there is a driver {driver.name!r} already")
    DRIVERS[driver.name] = driver
    return driver


def names() -> tuple[str, ...]:
    """What ``driver`` may be.

    Examples
    --------
    >>> {"auto", "levels", "dgl"} <= set(names())
    True
    """
    return (AUTO, *sorted(DRIVERS))


def check_name(name: str) -> str:
    """The name of a driver, or an error that lists those there are."""
    if name != AUTO and name not in DRIVERS:
        raise DriverError(f"driver must be one of {', '.join(map(repr, names()))}, not {name!r}")
    return name


def choose(name: str, cell: TreeCell, dtype: torch.dtype, device: torch.device, weights: Weights = None) -> Driver:
    """The driver of a name.

    Parameters
    ----------
    name : str
        ``auto`` or a name of `DRIVERS`.
    cell : TreeCell
        What is to be run.
    dtype, device
        Those of the leaf states.
    weights : sequence of torch.Tensor, optional
        See `run`.

    Raises
    ------
    DriverError
        Where there is no such driver, or it cannot run the cell: with the reason.
    """
    if check_name(name) == AUTO:
        for each in PREFERRED:
            if each in DRIVERS and DRIVERS[each].refusal(cell, dtype, device, weights) is None:
                return DRIVERS[each]
        raise DriverError(f"no driver can run {type(cell).__name__} in {dtype} on {device}")
    if (reason := DRIVERS[name].refusal(cell, dtype, device, weights)) is not None:
        raise DriverError(f"the driver {name!r} cannot run {type(cell).__name__} in {dtype} on {device}: {reason}")
    return DRIVERS[name]


def run(
    cell: TreeCell,
    plan: LevelPlan,
    leaves: torch.Tensor,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None = None,
    weights: Weights = None,
) -> torch.Tensor:
    """States of some rows of a plan, by the driver that the cell's ``driver`` names.

    Parameters
    ----------
    cell : TreeCell
        What computes a node from its children.
    plan : LevelPlan
        The order of the nodes, on the device of the leaves.
    leaves : torch.Tensor
        (plan.leaves, state_size), the states of the leaves in the plan's order; or (plan.leaves, n), their vectors
        alone, with 0 for the rest.
    rows : torch.Tensor
        (wanted,) of int64, rows of the plan, counted from 1; 0 is the empty state.
    dropout_mask : torch.Tensor, optional
        (nodes, dropout_size), what dropout multiplies the values of the graph's nodes with, of any real type; or
        (nodes, 1), one number for all values of a node. It is a constant: it may not require a gradient.
    weights : sequence of torch.Tensor, optional
        What takes the place of the cell's parameters, in their order and shapes; they may be results of a computation,
        to which the gradient goes on. Leaves may then have fewer numbers than a state, whose rest is 0, and children
        may be missing before others.

    Returns
    -------
    torch.Tensor
        (wanted, state_size)

    Raises
    ------
    DriverError, GraphError
        For anything else, by whichever driver: what is wrong, and what would be right.
    """
    leaves, dropout_mask = check_inputs(cell, plan, leaves, rows, dropout_mask, weights)
    driver = choose(cell.driver, cell, leaves.dtype, leaves.device, weights)
    if weights is None:
        return driver.run(cell, plan, leaves, rows, dropout_mask)
    if driver.takes_weights:
        return driver.run(cell, plan, leaves, rows, dropout_mask, weights)
    lent = {f"cell.{name}": weight for (name, _), weight in zip(cell.named_parameters(), weights, strict=True)}
    states: torch.Tensor = torch.func.functional_call(_Run(driver, cell), lent, (plan, leaves, rows, dropout_mask))
    return states


class _Run(torch.nn.Module):
    """A driver with a cell as a module, so that torch can put other weights in the place of the cell's."""

    def __init__(self, driver: Driver, cell: TreeCell) -> None:
        super().__init__()
        self.driver, self.cell = driver, cell

    def forward(self, *arguments: Any) -> torch.Tensor:
        return self.driver.run(self.cell, *arguments)


def dots(
    cell: TreeCell,
    plan: LevelPlan,
    table: torch.Tensor,
    index: torch.Tensor,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Dot products of the hidden vectors of pairs of rows: all of a network between its leaves and its logits.

    Parameters
    ----------
    cell : TreeCell
        One whose leaves have a vector alone, as `TreeCell.leaf_states` has it.
    plan, dropout_mask
        See `run`.
    table : torch.Tensor
        (vectors, n), vectors of leaves.
    index : torch.Tensor
        (plan.leaves,), the vector of each leaf in the plan's order.
    rows : torch.Tensor
        (2 * pairs,), rows of the plan, those of a pair side by side.

    Returns
    -------
    torch.Tensor
        (pairs,)
    """
    dropout_mask = check_pairs(cell, plan, table, index, rows, dropout_mask)
    driver = choose(cell.driver, cell, table.dtype, table.device)
    if driver.dots is not None:
        return driver.dots(cell, plan, table, index, rows, dropout_mask)
    check_range("index", index, table.shape[0] - 1)
    leaves = cell.leaf_states(torch.nn.functional.embedding(index, table))
    states = run(cell, plan, leaves, rows, dropout_mask)
    left, right = states[:, : cell.size].reshape(-1, 2, cell.size).unbind(1)
    return (left * right).sum(dim=-1)


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
    graph : DGLGraph, EquationBatch or TreeBatch
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
    count = graph.num_nodes()
    check_tensor("feat", feat)
    if tuple(feat.shape) != (count, cell.size):
        raise DriverError(f"feat must have the shape ({count}, {cell.size}), not {tuple(feat.shape)}")
    check_type("feat", feat, first_weight(cell))
    plan = _plan(cell, graph, plan).to(feat.device)
    dropout_mask = cell.draw_dropout(count, feat) if dropout_mask is None else dropout_mask
    leaves = cell.leaf_states(feat.index_select(0, plan.node[: plan.leaves]))
    return run(cell, plan, leaves, plan.row, dropout_mask)


def _plan(cell: TreeCell, graph: Any, plan: LevelPlan | None) -> LevelPlan:
    """The plan of a graph or a batch, or the one given, if it can be the graph's."""
    is_batch = isinstance(graph, NodeBatch)
    if plan is None:
        plan = graph.plan if is_batch else plan_of(graph, cell.types, cell.max_children)
    check_plan_alone(plan)
    edges = int((graph.children >= 0).sum()) if is_batch else graph.num_edges()
    if (len(plan.row), plan.edges) != (graph.num_nodes(), edges):
        raise GraphError(
            f"the plan is of another graph: it has {len(plan.row)} nodes and {plan.edges} edges, the graph "
            f"{graph.num_nodes()} and {edges}"
        )
    return plan


for _file in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_file.name}")
