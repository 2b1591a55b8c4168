"""The grouped plan: a level plan whose segments are cut into groups of one size.

A level's nodes are then a tensor (groups, size, ...), and the maps of all their types are one batched product. The last
group of a segment is filled up by repeating its last node; nobody reads the copies, so that they have no gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dgl_mathtree.graphs.plan import Groups, Level, LevelPlan, Segment, Segments


@dataclass(frozen=True, eq=False)
class GroupedPlan(LevelPlan):
    """A plan in groups of one size. Its rows are not those of the plan that it was made from, see `place`.

    Attributes
    ----------
    place : torch.Tensor
        (rows of the plan it was made from,), where each of them is here; row 0 is row 0.
    group_types : torch.Tensor
        (groups,), the node type of each group.
    absent : torch.Tensor
        (groups, child_slots), True for the children that the nodes of a group do not have.
    size : int
        Nodes of a group.
    """

    place: torch.Tensor
    group_types: torch.Tensor
    absent: torch.Tensor
    size: int

    def segments(self, level: Level) -> Segments:
        start, stop = ((row - 1 - self.leaves) // self.size for row in (level.start, level.stop))
        groups = Groups(self.group_types, self.absent, start, stop, self.size)
        return Segments(level.segments, super().segments(level).node_types, groups)


def group(plan: LevelPlan) -> GroupedPlan:
    """The plan of the same nodes in groups.

    Groups have the mean size of a segment, rounded up: there are at most twice as many of them as segments, and fewer
    than twice as many rows as nodes.

    Parameters
    ----------
    plan : LevelPlan
        On any device; the grouped plan is on the host.

    Returns
    -------
    GroupedPlan

    Examples
    --------
    >>> from dgl_mathtree.language import Forest, parse_equation
    >>> from dgl_mathtree.graphs import batch_graph
    >>> plan = batch_graph(Forest.of([parse_equation("sin(x)*cos(x) + sin(y) = sin(1)*2")]), [0]).plan
    >>> [(part.arity, part.size) for level in plan.levels for part in level.segments]
    [(1, 3), (1, 1), (2, 2), (2, 1)]
    >>> grouped = group(plan)
    >>> grouped.size, [(part.arity, part.size) for level in grouped.levels for part in level.segments]
    (2, [(1, 2), (1, 2), (1, 2), (2, 2), (2, 2)])
    """
    table = plan.segment_table  # number of children, type, first row, number of rows
    arity, node_type, first, rows = table.T
    leaves, inner = plan.leaves, int(rows.sum())
    size = max(-(-inner // max(len(table), 1)), 1)
    counts = -(-rows // size)  # groups of each segment
    segment = np.repeat(np.arange(len(table)), counts * size)  # of each new row
    starts = np.cumsum(counts) * size - counts * size
    within = np.arange(len(segment)) - starts[segment]
    source = first[segment] + np.minimum(within, rows[segment] - 1)  # the row of the plan that each new one repeats
    place = np.arange(leaves + 1 + inner)
    of_row = np.repeat(np.arange(len(table)), rows)
    place[leaves + 1 :] = leaves + 1 + starts[of_row] + np.arange(leaves + 1, leaves + 1 + inner) - first[of_row]
    source = np.concatenate([np.arange(1, leaves + 1), source]) - 1
    slots = max((level.child_slots for level in plan.levels), default=1)
    new, kept = torch.from_numpy(place), torch.from_numpy(source)
    node, row, children, node_types = (each.cpu() for each in (plan.node, plan.row, plan.children, plan.node_types))
    groups = np.repeat(np.arange(len(table)), counts)
    return GroupedPlan(
        node=node[kept],
        row=new[row],
        leaves=leaves,
        children=new[children[kept, :slots]],
        node_types=node_types[kept],
        levels=_levels(plan, counts.tolist(), size, slots),
        place=new,
        group_types=torch.from_numpy(node_type[groups].copy()),
        absent=torch.from_numpy(np.arange(slots) >= arity[groups, None]),
        size=size,
    ).trusted()


def _levels(plan: LevelPlan, counts: list[int], size: int, slots: int) -> tuple[Level, ...]:
    """The levels in groups, all with as many slots for children, so that what they compute has one shape."""
    levels, start, rest = [], plan.leaves + 1, iter(counts)
    for level in plan.levels:
        parts = [Segment(part.node_type, part.arity, size) for part in level.segments for _ in range(next(rest))]
        levels.append(Level(start, start + len(parts) * size, tuple(parts), slots))
        start += len(parts) * size
    return tuple(levels)
