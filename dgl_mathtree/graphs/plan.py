"""The level plan: in which order the nodes of a graph are computed, and where each finds its children.

Rows are nodes sorted by height, then type, then number of children. Row 0 is an empty state, which stands for a child
that is not there; the leaves follow; then, level by level, segments of nodes of one type and one number of children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan_check import CHILDREN, HEIGHTS, TYPES, GraphError, check_kinds, check_plan, versions
from dgl_mathtree.graphs.transfer import all_on_device, same_device

if TYPE_CHECKING:
    from dgl_mathtree.graphs.groups import GroupedPlan

Ints = NDArray[Any]
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
"""What numbers of nodes and edges may be."""


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
        return max((t for t, _ in self.needed), default=-1), max((arity for _, arity in self.needed), default=0)

    @cached_property
    def edges(self) -> int:
        """How many children all nodes have."""
        return sum(segment.arity * segment.size for level in self.levels for segment in level.segments)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether a node has a child that is not there before or between others, as the tries of sequences have."""
        if self.origin is not self:  # a look at numbers on another device would make the host wait
            return self.origin.has_gaps
        return self.device.type != "meta" and int(torch.count_nonzero(self.children)) < self.edges

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
        arities, which = np.unique(self.segment_table[:, 0], return_inverse=True)
        rows = np.bincount(which, weights=self.segment_table[:, 3], minlength=len(arities))
        return MappingProxyType(dict(zip(arities.tolist(), rows.astype(np.int64).tolist(), strict=True)))

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


def level_plan(types: Ints, children: Ints, height: Ints) -> LevelPlan:
    """The plan of nodes given as arrays.

    Parameters
    ----------
    types : numpy.ndarray
        (nodes,), the type of each node; that of a leaf does not matter.
    children : numpy.ndarray
        (nodes, child_slots), the children in order, -1 where there is none.
    height : numpy.ndarray
        (nodes,), the height of each node, 0 for leaves.

    Returns
    -------
    LevelPlan

    Examples
    --------
    >>> plan = level_plan(np.array([3, 7, 0]), np.array([[1, 2], [2, -1], [-1, -1]]), np.array([2, 1, 0]))
    >>> plan.node.tolist()  # the leaf, its parent, the root
    [2, 1, 0]
    >>> [level.segments for level in plan.levels]
    [(Segment(node_type=7, arity=1, size=1),), (Segment(node_type=3, arity=2, size=1),)]
    """
    degree = (children >= 0).sum(axis=1)
    if children.shape[1] >= CHILDREN or height.max(initial=0) >= HEIGHTS:
        raise GraphError(f"a node may have fewer than {CHILDREN} children, and a tree be lower than {HEIGHTS}")
    node_types = np.where(degree > 0, types, 0)
    if not (node_types.min(initial=0) >= 0 and node_types.max(initial=0) < TYPES):
        raise GraphError(f"a node type is out of range: node types are 0 to {TYPES - 1}")
    key = (height.astype(np.int64) << 40) | (node_types.astype(np.int64) << 16) | degree
    order = np.argsort(key, kind="stable")
    row = np.empty(len(order) + 1, dtype=np.int64)
    row[order] = np.arange(1, len(order) + 1)
    row[-1] = 0  # where a missing child, -1, is found
    key = key[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    stops = np.append(starts[1:], len(key))[: len(starts)]
    leaves = int(np.searchsorted(key, 1 << 40))
    levels: list[Level] = []
    segments: list[Segment] = []
    first = leaves
    for start, stop, k in zip(starts.tolist(), stops.tolist(), key[starts].tolist(), strict=True):
        if start < leaves:
            continue
        segments.append(Segment((k >> 16) & 0xFFFFFF, k & 0xFFFF, stop - start))
        if stop == len(key) or key[stop] >> 40 != k >> 40:
            levels.append(Level(first + 1, stop + 1, tuple(segments), max(segment.arity for segment in segments)))
            segments, first = [], stop
    plan = LevelPlan(
        node=torch.from_numpy(order),
        row=torch.from_numpy(row[:-1]),
        leaves=leaves,
        children=torch.from_numpy(row[children[order]]),
        node_types=torch.from_numpy(node_types[order].astype(np.int64, copy=False)),
        levels=tuple(levels),
    )
    inner = np.searchsorted(starts, leaves)
    from_, codes = starts[inner:], key[starts[inner:]]
    # What the property would take from the levels again, one segment after the other.
    table = np.stack([codes & 0xFFFF, codes >> 16 & 0xFFFFFF, from_ + 1, stops[inner:] - from_], axis=1)
    table.setflags(write=False)
    plan.__dict__["segment_table"] = table
    return plan


def chain_plan(steps: Sequence[tuple[int, int, bool]], count: int) -> LevelPlan:
    """The plan of equal chains side by side, that differ in their lowest nodes only.

    Its leaves are the lowest nodes, `count` of them, and after them one node for each step that has a sibling, from the
    bottom up, which all chains share. The last `count` rows are the tops.

    Parameters
    ----------
    steps : sequence of (int, int, bool)
        From the bottom up: the type of the next node, the place of the one below among its children, and whether there
        is a sibling, which then has the other of two places.
    count : int
        How many chains there are.

    Examples
    --------
    >>> plan = chain_plan([(3, 0, False), (5, 1, True)], count=2)
    >>> plan.children[plan.leaves :].tolist()
    [[1, 0], [2, 0], [3, 4], [3, 5]]
    """
    leaves = count + sum(has_sibling for _, _, has_sibling in steps)
    total = leaves + count * len(steps)
    children = torch.zeros(total, 2, dtype=torch.int64)
    node_types = torch.zeros(total, dtype=torch.int64)
    levels = []
    below, sibling, start = torch.arange(1, count + 1), count, leaves + 1
    for node_type, place, has_sibling in steps:
        children[start - 1 : start - 1 + count, place] = below
        if has_sibling:
            sibling += 1
            children[start - 1 : start - 1 + count, 1 - place] = sibling
        node_types[start - 1 : start - 1 + count] = node_type
        arity = 2 if has_sibling else 1
        levels.append(Level(start, start + count, (Segment(node_type, arity, count),), arity))
        below, start = torch.arange(start, start + count), start + count
    return LevelPlan(torch.arange(total), torch.arange(1, total + 1), leaves, children, node_types, tuple(levels))


def plan_of(graph: Any, types: int | None = None, children: int | None = None) -> LevelPlan:
    """The plan of any graph with edges from child to parent, `op` on nodes and `pos` on edges.

    Parameters
    ----------
    graph : DGLGraph
        A forest of trees, or trees that share nodes.
    types : int, optional
        How many node types there may be, if that is to be checked.
    children : int, optional
        How many children a node may have, if that is to be checked.

    Returns
    -------
    LevelPlan

    Raises
    ------
    GraphError
        Where the graph is not as it should be: what is wrong with it.
    """
    check_kinds(graph)
    for name, data in (("op", graph.ndata), ("pos", graph.edata)):
        if name not in data and (name == "op" or graph.num_edges()):
            raise GraphError(f"the graph has no {'node' if name == 'op' else 'edge'} data {name!r}")
    count = graph.num_nodes()
    if count == 0:
        raise GraphError("the graph has no nodes")
    op = graph.ndata["op"].cpu().numpy()
    for name, data in (("op", graph.ndata), ("pos", graph.edata)):
        if name in data and (data[name].dim() != 1 or data[name].dtype not in WHOLE):
            raise GraphError(f"{name!r} must hold one whole number for each {'node' if name == 'op' else 'edge'}")
    source, target = (ends.cpu().numpy() for ends in graph.edges())
    place = graph.edata["pos"].cpu().numpy() if graph.num_edges() else np.zeros(0, dtype=np.int64)
    degree = np.bincount(target, minlength=count)
    child_slots = max(int(degree.max(initial=0)), 1)
    if children is not None and child_slots > children:
        crowded = degree.argmax()
        raise GraphError(f"node {crowded} has {child_slots} children; the cell was built for at most {children}")
    table = np.full((count, child_slots), -1, dtype=np.int64)
    if np.any(place < 0) or np.any(place >= degree[target]):
        raise GraphError("'pos' must count the children of a node from 0")
    table[target, place] = source
    if np.any((table >= 0).sum(axis=1) != degree):
        raise GraphError("two children of a node have the same 'pos'")
    inner, most = op[degree > 0], TYPES if types is None else types
    if np.any(inner < 0) or np.any(inner >= most):
        wrong = int(inner[(inner < 0) | (inner >= most)][0])
        allowed = "node types are" if types is None else "the cell was built for types"
        raise GraphError(f"node type {wrong} is out of range: {allowed} 0 to {most - 1}")
    return level_plan(op, table, _heights(source, target, degree)).trusted()


def _heights(source: Ints, target: Ints, degree: Ints) -> Ints:
    """Heights of nodes, peeled off from the leaves up; an error if a cycle is left."""
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.arange(len(degree) + 1))
    parents = target[order]
    height = np.zeros(len(degree), dtype=np.int64)
    waiting = degree.copy()
    level = np.flatnonzero(waiting == 0)
    peeled, number = len(level), 0
    while len(level):
        number += 1
        counts = starts[level + 1] - starts[level]
        ends = np.cumsum(counts)
        above = parents[np.repeat(starts[level] - ends + counts, counts) + np.arange(counts.sum())]
        np.subtract.at(waiting, above, 1)
        level = np.unique(above[waiting[above] == 0])
        height[level] = number
        peeled += len(level)
    if peeled < len(degree):
        raise GraphError("the graph has a cycle: it is no forest of trees")
    return height
