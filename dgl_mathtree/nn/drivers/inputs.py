"""One check of everything that enters a driver, so that all drivers refuse the same things with the same errors.

Drivers read memory by the shapes and types that this module has found to be right; C would read beyond it. What depends
on a plan alone is known to the plan (`LevelPlan.check`), so a call costs a few microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from dgl_mathtree.errors import InputError
from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.graphs.plan_check import GraphError

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell


class DriverError(InputError):
    """A driver that does not exist, or that cannot run what it is given: which, and why."""


class RowError(DriverError, IndexError):
    """Rows that a plan does not have."""


def check_inputs(
    cell: TreeCell,
    plan: LevelPlan,
    leaves: torch.Tensor,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None = None,
    weights: Sequence[torch.Tensor] | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The leaves and the mask as drivers read them, after all checks.

    Parameters
    ----------
    cell, plan, leaves, rows, dropout_mask, weights
        See `dgl_mathtree.nn.drivers.run`.

    Returns
    -------
    leaves : torch.Tensor
        (plan.leaves, state_size), or (plan.leaves, n) where the rest is 0.
    dropout_mask : torch.Tensor, optional
        (nodes, dropout_size), of the leaves' type.

    Raises
    ------
    DriverError, GraphError
        With what is wrong, and what would be right.
    """
    _check_plan(plan, cell, gaps=weights is not None)
    _check_leaves(plan, leaves, cell, narrower=weights is not None)
    check_type("leaves", leaves, first_weight(cell) if weights is None else weights[0])
    if rows is not plan.row:
        _check_indices("rows", rows, plan)
        check_range("rows", rows, plan.node.shape[0])
    if dropout_mask is not None:
        dropout_mask = _mask(dropout_mask, plan.node.numel(), cell.dropout_size, leaves)
    return leaves.resolve_neg(), dropout_mask


def check_pairs(
    cell: TreeCell,
    plan: LevelPlan,
    table: torch.Tensor,
    index: torch.Tensor,
    rows: torch.Tensor,
    dropout_mask: torch.Tensor | None = None,
) -> torch.Tensor | None:
    """The mask as drivers read it, after all checks; for the parameters see `dgl_mathtree.nn.drivers.dots`.

    Whether the numbers in `index` and `rows` are in range is not looked at: C does so as it reads them, and other
    drivers are given them by way of `check_range`.
    """
    _check_plan(plan, cell, gaps=False)
    check_tensor("table", table)
    if table.dim() != 2 or table.shape[1] != cell.size:
        raise DriverError(f"table must have the shape (vectors, {cell.size}), not {tuple(table.shape)}")
    check_type("table", table, first_weight(cell))
    if table.device != plan.device:
        raise DriverError(f"table is on {table.device}, but the plan is on {plan.device}")
    _check_indices("index", index, plan)
    if index.shape[0] != plan.leaves:
        raise DriverError(f"index must have a vector for each of the {plan.leaves} leaves, not {len(index)}")
    _check_indices("rows", rows, plan)
    if rows.shape[0] % 2:
        raise DriverError(f"rows must be those of pairs, an even number, not {len(rows)}")
    return None if dropout_mask is None else _mask(dropout_mask, plan.node.numel(), cell.dropout_size, table)


def first_weight(module: torch.nn.Module) -> torch.Tensor | None:
    """As ``next(module.parameters(), None)``, in a fraction of the time."""
    for weight in module._parameters.values():
        if weight is not None:
            return weight
    found = (first_weight(part) for part in module._modules.values() if part is not None)
    return next((weight for weight in found if weight is not None), None)


def check_type(name: str, given: torch.Tensor, weight: torch.Tensor | None) -> None:
    """Refuse a tensor of another type, or on another device, than the weights, if there are any."""
    if weight is None:
        return
    if given.dtype != weight.dtype and not _casts(given.device.type):
        raise DriverError(f"{name} is of type {given.dtype}, but the weights are of {weight.dtype}")
    if given.device != weight.device:
        raise DriverError(f"{name} is on {given.device}, but the weights are on {weight.device}")


def _casts(kind: str) -> bool:
    """Whether autocast is at work on a kind of device."""
    return torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)


def check_tensor(name: str, given: Any) -> None:
    """Refuse what is not a dense tensor."""
    if not isinstance(given, torch.Tensor):
        raise DriverError(f"{name} must be a torch.Tensor, not {type(given).__name__}")
    if given.layout != torch.strided:
        raise DriverError(f"{name} must be a dense tensor, not one of layout {given.layout}")


def check_plan_alone(plan: Any) -> None:
    """Refuse what is not a plan, and a plan that no graph has, whichever cell it is for."""
    if not isinstance(plan, LevelPlan):
        raise DriverError(f"plan must be a LevelPlan, not {type(plan).__name__}; plan_of(graph) makes one")
    plan.check()


def _check_plan(plan: LevelPlan, cell: TreeCell, gaps: bool) -> None:
    check_plan_alone(plan)
    node_type, arity = plan.most
    if node_type >= cell.types:
        raise GraphError(f"node type {node_type} is out of range: the cell was built for types 0 to {cell.types - 1}")
    if arity > cell.max_children:
        raise GraphError(f"a node has {arity} children; the cell was built for at most {cell.max_children}")
    if plan.has_gaps and not gaps:
        raise GraphError("a node of the plan has a child that is not there before or between others")


def _check_leaves(plan: LevelPlan, leaves: torch.Tensor, cell: TreeCell, narrower: bool) -> None:
    check_tensor("leaves", leaves)
    shape, size = tuple(leaves.shape), cell.state_size
    fits = len(shape) == 2 and shape[0] == plan.leaves and (shape[1] <= size if narrower else shape[1] == cell.size)
    if shape != (plan.leaves, size) and not fits:
        raise DriverError(f"leaves must have the shape ({plan.leaves}, {size}), not {shape}")
    if not leaves.is_floating_point():
        raise DriverError(f"leaves must be of a floating-point type, not {leaves.dtype}")
    if leaves.device != plan.device:
        raise DriverError(f"leaves is on {leaves.device}, but the plan is on {plan.device}")


def _check_indices(name: str, given: torch.Tensor, plan: LevelPlan) -> None:
    """Refuse what is not a list of whole numbers on the device of the plan."""
    check_tensor(name, given)
    if given.dtype != torch.int64 or given.dim() != 1:
        raise DriverError(f"{name} must be of torch.int64 with one dimension, not {given.dtype} with {given.dim()}")
    if given.device != plan.device:
        raise DriverError(f"{name} is on {given.device}, but the plan is on {plan.device}")


def check_range(name: str, given: torch.Tensor, last: int) -> None:
    """Refuse numbers that are not between 0 and the last."""
    # On other devices looking at the numbers would make the host wait; torch itself refuses them there.
    if given.is_cpu and given.numel():
        values = given.numpy()
        if values.min() < 0 or values.max() > last:
            raise out_of_range(name, last)


def out_of_range(name: str, last: int) -> RowError:
    """What is raised for numbers in `index` or `rows` that are not between 0 and the last."""
    meaning = "0 is the empty state" if name == "rows" else "the vectors of the table are numbered"
    return RowError(f"{name} must be between 0 and {last}: {meaning}")


def _mask(mask: torch.Tensor, nodes: int, size: int, leaves: torch.Tensor) -> torch.Tensor:
    """The mask with a number of the leaves' type for every value: one for a node stands for all of its values."""
    check_tensor("dropout_mask", mask)
    shape = tuple(mask.shape)
    if shape not in ((nodes, size), (nodes, 1)):
        raise DriverError(f"dropout_mask must have the shape ({nodes}, {size}) or ({nodes}, 1), not {shape}")
    if mask.is_complex():
        raise DriverError(f"dropout_mask must be of a real type, not {mask.dtype}")
    if mask.device != leaves.device:
        raise DriverError(f"dropout_mask is on {mask.device}, but the leaves are on {leaves.device}")
    if mask.requires_grad and torch.is_grad_enabled():
        raise DriverError("dropout_mask must not require a gradient: drivers take it as it is")
    if shape[1] == size and mask.dtype == leaves.dtype:
        return mask
    return mask.to(leaves.dtype).expand(nodes, size)
