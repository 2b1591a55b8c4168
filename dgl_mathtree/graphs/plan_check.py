"""Whether a plan is one: arrays of the right kind, every row in its level, every child below its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.errors import InputError

if TYPE_CHECKING:
    from dgl_mathtree.graphs.plan import LevelPlan

TYPES = 1 << 24
"""Node types are below it, and numbers of children and heights below those that follow: they are sorted as one key."""
CHILDREN = 1 << 16
HEIGHTS = 1 << 23
SLOTS = 1 << 28
"""Places for children that a batch may have, nodes times the most children of one: as many numbers stand in memory."""
ARRAYS = ("node", "row", "children", "node_types")


class GraphError(InputError):
    """A graph that is not a forest of trees with types and ordered children, or a plan that no such graph has."""


def check_slots(nodes: int, most: int) -> None:
    """Refuse nodes of which one has so many children that the table of them, nodes times most, is not to be held."""
    if most >= CHILDREN:
        raise GraphError(f"a node has {most} children: it may have fewer than {CHILDREN}")
    if nodes * most > SLOTS:
        raise GraphError(f"a node has {most} children among {nodes} nodes: make smaller batches, or binary trees")


def check_kinds(graph: Any) -> None:
    """Refuse a graph with several types of nodes or edges, whose data has another form."""
    if len(graph.ntypes) != 1 or len(graph.etypes) != 1:
        raise GraphError("the graph must have one type of nodes and one of edges")


def versions(plan: LevelPlan) -> tuple[int, ...]:
    """Numbers that change when torch changes an array of a plan in place."""
    arrays = plan.node, plan.row, plan.children, plan.node_types
    return tuple([0 if array.is_inference() else array._version for array in arrays])


def check_plan(plan: LevelPlan) -> None:
    """Raise a GraphError for a plan that no graph has: what is wrong with it."""
    for name in ARRAYS:
        _check_array(name, getattr(plan, name), 2 if name == "children" else 1, plan.node)
    count, leaves = len(plan.node), plan.leaves
    if isinstance(leaves, bool) or not isinstance(leaves, int) or not 0 <= leaves <= count:
        raise _wrong(f"its leaves are {leaves!r} of {count} nodes")
    _check_levels(plan, count)
    if plan.device.type != "meta":  # where there are no numbers to look at
        _check_rows(*(getattr(plan, name).cpu().numpy() for name in ("node", "row")))
        _check_children(plan)


def _wrong(what: str) -> GraphError:
    return GraphError(f"the plan is not that of a graph: {what}")


def _check_array(name: str, array: Any, dimensions: int, first: Any) -> None:
    if not isinstance(array, torch.Tensor) or array.dtype != torch.int64 or array.layout != torch.strided:
        what = array.dtype if isinstance(array, torch.Tensor) else type(array).__name__
        raise _wrong(f"{name!r} must be a tensor of torch.int64, not {what}")
    if array.dim() != dimensions or array.shape[:1] != first.shape[:1] or array.device != first.device:
        mine, other = (f"{tuple(each.shape)} on {each.device}" for each in (array, first))
        raise _wrong(f"{name!r} is {mine}, 'node' {other}")


def _check_levels(plan: LevelPlan, count: int) -> None:
    """Levels follow each other from the leaves up, and segments fill them."""
    slots, start = plan.children.shape[1], plan.leaves + 1
    for level in plan.levels:
        sizes = [part.size for part in level.segments]
        if level.start != start or sum(sizes) != level.stop - level.start or min(sizes, default=0) < 1:
            raise _wrong(f"the level of rows {level.start} to {level.stop - 1} does not follow row {start - 1}")
        for part in level.segments:
            if not 0 <= part.node_type < TYPES:
                raise _wrong(f"node type {part.node_type} is out of range")
            if not 1 <= part.arity <= level.child_slots <= slots:
                raise _wrong(f"a node with {part.arity} children has {min(level.child_slots, slots)} slots for them")
        start = level.stop
    if start != count + 1:
        raise _wrong(f"its levels end at row {start - 1}, its nodes at row {count}")


def _check_rows(node: NDArray[Any], row: NDArray[Any]) -> None:
    """Nodes and rows are each other's inverse."""
    count = len(node)
    if count and not (node.min() >= 0 and node.max() < count):
        raise _wrong(f"'node' must be between 0 and {count - 1}")
    if not np.array_equal(row[node], np.arange(1, count + 1)):
        raise _wrong("'row' is not the inverse of 'node'")


def _check_children(plan: LevelPlan) -> None:
    """Children have rows below the level of their parent, and as many are there as the segment says."""
    children, types = plan.children.cpu().numpy(), plan.node_types.cpu().numpy()
    arity, node_type, size = (plan.segment_table[:, k] for k in (0, 1, 3))
    above, types = children[plan.leaves :], types[plan.leaves :]
    starts = np.repeat([level.start for level in plan.levels], [level.stop - level.start for level in plan.levels])
    if children[: plan.leaves].any():
        raise _wrong("a leaf has children")
    if not np.array_equal(types, np.repeat(node_type, size)):
        raise _wrong("'node_types' are not those of its segments")
    if above.size and ((above < 0) | (above >= starts[:, None])).any():
        raise _wrong("a child's row is not below the level of its parent")
    if (above[np.arange(above.shape[1]) >= np.repeat(arity, size)[:, None]] != 0).any():
        raise _wrong("a node has more children than its segment says")
