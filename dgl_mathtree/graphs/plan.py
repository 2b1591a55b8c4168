"""The level plan: in which order the nodes of a graph are computed, and where each finds its children.

Rows are nodes sorted by height, then type, then number of children. Row 0 is an empty state, which stands for a child
that is not there; the leaves follow; then, level by level, segments of nodes of one type and one number of children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan_check import GraphError, check_plan, versions
from dgl_mathtree.graphs.transfer import all_on_device, same_device

if TYPE_CHECKING:
    from dgl_mathtree.graphs.groups import GroupedPlan

Ints = NDArray[Any]


class Segment(NamedTuple):
    """So many nodes in a row of one type with one number of children."""

    node_type: int
    arity: int
    size: int


class Groups(NamedTuple):
    """Some groups of a plan, [start, stop), of `size` nodes each; see `dgl_mathtree.graphs.groups.GroupedPlan`."""

    types: torch.Tensor
    absent: torch.Tensor
    start: int
    stop: int
    size: int


class Segments(NamedTuple):
    """Nodes sorted by type and number of children: their segments, and (nodes,) the type of each.

    In a grouped plan all segments have one size, those of one type and number of children may follow each other, and
    `groups` says so.
    """

    parts: tuple[Segment, ...]
    node_types: torch.Tensor
    groups: Groups | None = None


class Level(NamedTuple):
    """Nodes of one height: rows [start, stop), in segments, with slots for the most children that one has."""

    start: int
    stop: int
    segments: tuple[Segment, ...]
    child_slots: int


_segment = partial(tuple.__new__, Segment)  # from a list, in half the time that calling a NamedTuple takes


def _levels(table: Ints, heights: Ints) -> tuple[Level, ...]:
    """The levels of segments, given as `LevelPlan.segment_table` has them, with (segments,) the height of each."""
    if not len(table):
        return ()
    arity, first = table[:, 0].tolist(), table[:, 2].tolist()
    segments = tuple(map(_segment, table[:, (1, 0, 3)].tolist()))
    cuts = [0, *(1 + np.flatnonzero(heights[1:] != heights[:-1])).tolist(), len(segments)]
    first.append(first[-1] + segments[-1].size)
    return tuple(Level(first[a], first[b], segments[a:b], max(arity[a:b])) for a, b in pairwise(cuts))


Plan = TypeVar("Plan", bound="LevelPlan")


@dataclass(frozen=True, eq=False)
class LevelPlan:
    """How to compute a graph level by level.

    Attributes
    ----------
    node : torch.Tensor
        (nodes,), the graph's node of each row, row 0 left out.
    row : torch.Tensor
        (nodes,), the row of each of the graph's nodes.
    leaves : int
        Number of leaves; their rows are 1 to `leaves`.
    children : torch.Tensor
        (nodes, child_slots), the rows of the children of each row (row 0 left out), 0 where there is none.
    node_types : torch.Tensor
        (nodes,), the type of each row (row 0 left out), 0 for leaves.
    levels : tuple of Level
        The levels above the leaves.
    """

    node: torch.Tensor
    row: torch.Tensor
    leaves: int
    children: torch.Tensor
    node_types: torch.Tensor
    levels: tuple[Level, ...]

    def __getattr__(self, name: str) -> Any:
        """The levels of a plan that was made of sorted segments: worked out where a driver goes by them."""
        heights = self.__dict__.get("_heights")
        if name != "levels" or heights is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        levels = self.__dict__["levels"] = _levels(self.segment_table, heights)
        return levels

    @classmethod
    def of_segments(cls: type[Plan], arrays: Sequence[Ints], leaves: int, table: Ints, heights: Ints) -> Plan:
        """The plan of nodes that were sorted.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            `node`, `row`, `children` and `node_types`, of int64.
        leaves : int
            How many nodes are leaves.
        table : numpy.ndarray
            See `segment_table`.
        heights : numpy.ndarray
            (segments,), the height of the nodes of each.
        """
        node, row, children, node_types = map(torch.from_numpy, arrays)
        plan = cls(node, row, leaves, children, node_types, levels=())
        del plan.__dict__["levels"]  # made at need, see `__getattr__`
        table.setflags(write=False)
        # A segment's number of children is that of the children there are.
        plan.__dict__.update(segment_table=table, _heights=heights, has_gaps=False)
        return plan

    def to(self: Plan, device: torch.device | str) -> Plan:
        """The plan on a device; the copy knows its origin, and a copy back to where that is costs nothing."""
        for plan in (self, self.origin):
            if same_device(plan.device, device):
                return plan
        self.check()
        return self.with_tensors(all_on_device(self.tensors, device))

    @property
    def tensors(self) -> list[torch.Tensor]:
        """All its tensors, in the order of its fields."""
        return [getattr(self, name) for name in self._tensor_names]

    @property
    def _tensor_names(self) -> list[str]:
        names = [each.name for each in fields(self)]
        return [name for name in names if isinstance(getattr(self, name), torch.Tensor)]

    def with_tensors(self: Plan, tensors: Sequence[torch.Tensor]) -> Plan:
        """A copy with other `tensors`: the same ones on a device."""
        changes: dict[str, Any] = dict(zip(self._tensor_names, tensors, strict=True))
        moved = replace(self, **changes)
        moved.__dict__["_origin"] = self.origin
        return moved.trusted()

    @property
    def origin(self: Plan) -> Plan:
        """The plan that this one is a copy of; itself, if it is none."""
        origin: Plan = self.__dict__.get("_origin", self)
        return origin

    @cached_property
    def grouped(self) -> GroupedPlan:
        """The plan of the same nodes in groups of one size, on the same device."""
        from dgl_mathtree.graphs.groups import group

        return (group(self) if self.origin is self else self.origin.grouped).to(self.device)

    def check(self) -> None:
        """Refuse a plan that no graph has, or that was changed after it was checked; cheap but for the first time.

        Raises
        ------
        GraphError
            With what is wrong.
        """
        known = self.__dict__.get("_versions")
        if known is None:
            check_plan(self)
            self.trusted()
        elif known != versions(self):
            raise GraphError("the plan was changed in place: make a new one with plan_of or batch_graph")

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: a copy has arrays of its own, and is checked anew."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def trusted(self: Plan) -> Plan:
        """The plan itself, to which nothing is wrong as it stands: its maker says so, or `check` found so."""
        self.__dict__["_versions"] = versions(self)
        return self

    def segments(self, level: Level) -> Segments:
        return Segments(level.segments, self.node_types[level.start - 1 : level.stop - 1])

    @cached_property
    def levels_by_arity(self) -> tuple[Level, ...]:
        """The levels, parted where the number of children changes, so that no slot for a child stays empty."""
        parts: list[Level] = []
        for level in self.levels:
            start = level.start
            for arity, run in groupby(level.segments, key=lambda segment: segment.arity):
                segments = tuple(run)
                stop = start + sum(segment.size for segment in segments)
                parts.append(Level(start, stop, segments, arity))
                start = stop
        return tuple(parts)

    @cached_property
    def needed(self) -> tuple[tuple[int, int], ...]:
        """The pairs of type and number of children that occur."""
        found = {(segment.node_type, segment.arity) for level in self.levels for segment in level.segments}
        return tuple(sorted(found))

    @cached_property
    def most(self) -> tuple[int, int]:
        """The largest type, -1 where there is none, and the largest number of children."""
        arity, node_type = self.segment_table[:, 0], self.segment_table[:, 1]
        return int(node_type.max(initial=-1)), int(arity.max(initial=0))

    @cached_property
    def edges(self) -> int:
        """How many children all nodes have."""
        return int(self.segment_table[:, 0] @ self.segment_table[:, 3])

    @cached_property
    def has_gaps(self) -> bool:
        """Whether a node has a child that is not there before or between others, as the tries of sequences have."""
        if self.origin is not self:  # a look at numbers on another device would make the host wait
            return self.origin.has_gaps
        return self.device.type != "meta" and int(np.count_nonzero(self.children.cpu().numpy())) < self.edges

    @cached_property
    def segment_table(self) -> Ints:
        """(segments, 4) in the order of computation: number of children, type, first row, number of rows."""
        found = [(part.arity, part.node_type, 0, part.size) for level in self.levels for part in level.segments]
        table = np.array(found, dtype=np.int64).reshape(-1, 4)
        table[:, 2] = self.leaves + 1 + np.cumsum(table[:, 3]) - table[:, 3]
        table.setflags(write=False)
        return table

    @property
    def inner(self) -> int:
        """Number of nodes that are not leaves."""
        return self.levels[-1].stop - self.leaves - 1 if self.levels else 0

    @cached_property
    def rows_by_arity(self) -> Mapping[int, int]:
        """How many rows have each number of children that occurs, the smallest first."""
        rows = np.bincount(self.segment_table[:, 0], weights=self.segment_table[:, 3]).tolist()
        return MappingProxyType({arity: int(count) for arity, count in enumerate(rows) if count})

    @cached_property
    def graph(self) -> Any:
        """The plan as a DGLGraph: node k is row k + 1, edges go from child to parent, with `op` and `pos`."""
        import dgl

        parents, places = torch.nonzero(self.children, as_tuple=True)
        graph = dgl.graph((self.children[parents, places] - 1, parents), num_nodes=len(self.row))
        graph.ndata["op"], graph.edata["pos"] = self.node_types, places
        return graph

    @property
    def device(self) -> torch.device:
        return self.row.device
