"""The products of typed linear maps with their gradients: one product a segment, or one batched product of all groups.

All sizes come from the plan. A number read from a tensor would make the host wait for the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, Protocol

import torch

from dgl_mathtree.graphs.plan import Groups, Segment, Segments
from dgl_mathtree.nn.grouping import MOST_COPIED


class Maps(Protocol):
    """What the products need to know of a map for each node type."""

    weights: dict[tuple[int, int], torch.Tensor]
    biases: tuple[torch.Tensor, ...] | None
    block: int
    out: int
    padded: bool

    def of_groups(self, groups: Groups) -> tuple[torch.Tensor, torch.Tensor | None]: ...


class Use(NamedTuple):
    """One use of a map in a pass: the nodes, the rows that each has, the inputs and the gradients of the outputs.

    Inputs and gradients are (nodes * rows, in or out), of a batched product (groups, size * rows, in or out).
    """

    segments: Segments
    rows: int
    x: torch.Tensor
    g: torch.Tensor


def by_segments(maps: Maps, x: torch.Tensor, segments: Segments, rows: int) -> torch.Tensor:
    """(nodes * rows, out): each segment's map applied to its rows (nodes * rows, in)."""
    y = x.new_empty(len(x), maps.out)
    for segment, part, target in _parts(segments, rows, x, y):
        weight = maps.weights[segment.node_type, segment.arity]
        if part.shape[1] > weight.shape[0]:
            part = part[:, : weight.shape[0]]
        if maps.biases is None:
            torch.mm(part, weight, out=target)
        else:
            torch.addmm(maps.biases[segment.node_type], part, weight, out=target)
    return y


def back_by_segments(maps: Maps, x: torch.Tensor, g: torch.Tensor, segments: Segments, rows: int) -> torch.Tensor:
    """The gradient of the input of `by_segments`, from that of its output."""
    back = torch.empty_like(x)
    for segment, part, target in _parts(segments, rows, g, back):
        weight = maps.weights[segment.node_type, segment.arity]
        if target.shape[1] > weight.shape[0]:
            target[:, weight.shape[0] :] = 0
            target = target[:, : weight.shape[0]]
        torch.mm(part, weight.t(), out=target)
    return back


def add_segments(weight: torch.Tensor, bias: torch.Tensor | None, block: int, uses: list[Use]) -> None:
    """Add the gradients of the weights (types, in, out) and biases (types, out) of some uses of `by_segments`."""
    found: dict[tuple[int, int], list[tuple[torch.Tensor, torch.Tensor]]] = {}
    for use in uses:
        for segment, x, g in _parts(use.segments, use.rows, use.x, use.g):
            width = min(segment.arity * block, x.shape[1], weight.shape[1])
            found.setdefault((segment.node_type, width), []).append((x[:, :width], g))
    for (node_type, width), parts in found.items():
        x, g = parts[0] if len(parts) == 1 else (torch.cat(column) for column in zip(*parts, strict=True))
        weight[node_type, :width] += torch.mm(x.t(), g)
        if bias is not None:
            bias[node_type] += g.sum(dim=0)


def _parts(
    segments: Segments, rows: int, one: torch.Tensor, other: torch.Tensor
) -> Iterator[tuple[Segment, torch.Tensor, torch.Tensor]]:
    """Each segment with its rows of two tensors."""
    sizes = [segment.size * rows for segment in segments.parts]
    return zip(segments.parts, torch.split(one, sizes), torch.split(other, sizes), strict=True)


def grouped_input(maps: Maps, x: torch.Tensor, segments: Segments, groups: Groups) -> torch.Tensor:
    """(groups, size * rows, in): inputs (nodes * rows, in) with 0 for the blocks of children that a node lacks."""
    count = groups.stop - groups.start
    x = x.reshape(count, -1, x.shape[1])
    if maps.padded or not _lacking(segments, x.shape[2] // maps.block):
        return x
    return _blocks(x, maps.block).masked_fill(_absent(groups, x.shape[2] // maps.block), 0.0).view_as(x)


def by_groups(maps: Maps, x: torch.Tensor, groups: Groups) -> torch.Tensor:
    """(nodes * rows, out): each group's map applied to `grouped_input`."""
    matrices, biases = maps.of_groups(groups)
    width = min(x.shape[2], matrices.shape[1])
    x, matrices = x[..., :width], matrices[:, :width]
    y = torch.bmm(x, matrices) if biases is None else torch.baddbmm(biases, x, matrices)
    return y.view(-1, maps.out)


def back_by_groups(maps: Maps, x: torch.Tensor, g: torch.Tensor, segments: Segments, groups: Groups) -> torch.Tensor:
    """(nodes * rows, in): the gradient of what `grouped_input` took, from that of the output (groups, ..., out)."""
    matrices, _ = maps.of_groups(groups)
    width = x.shape[2]
    back = torch.bmm(g, matrices[:, :width].transpose(1, 2))
    if width > back.shape[2]:
        back = torch.nn.functional.pad(back, (0, width - back.shape[2]))
    elif not maps.padded and _lacking(segments, width // maps.block):
        _blocks(back, maps.block).masked_fill_(_absent(groups, width // maps.block), 0.0)
    return back.view(-1, width)


def add_groups(weight: torch.Tensor, bias: torch.Tensor | None, uses: list[Use]) -> None:
    """Add the gradients of weights and biases of some uses of `by_groups`, in the order of their groups."""
    types, x, g = _joined_types(uses), joined_rows([use.x for use in uses]), joined_rows([use.g for use in uses])
    width = min(x.shape[2], weight.shape[1])
    x = x[..., :width].transpose(1, 2)
    most = max(MOST_COPIED // (width * g.shape[2] * g.element_size()), 1)
    for some in zip(*(torch.split(each, most) for each in (types, x, g)), strict=True):
        weight[:, :width].index_add_(0, some[0], torch.bmm(some[1], some[2]).to(weight.dtype))
    if bias is not None:
        bias.index_add_(0, types, g.sum(dim=1).to(bias.dtype))


def joined_rows(parts: list[torch.Tensor]) -> torch.Tensor:
    """Tensors one after the other along their first dimension; a view, where they follow each other in one tensor.

    Examples
    --------
    >>> whole = torch.arange(6.0).view(3, 2)
    >>> joined_rows([whole[:1], whole[1:]]).data_ptr() == whole.data_ptr()
    True
    >>> joined_rows([whole[1:], whole[:1]]).tolist()
    [[2.0, 3.0], [4.0, 5.0], [0.0, 1.0]]
    """
    first, rows = parts[0], 0
    for part in parts:
        at = first.storage_offset() + rows * first.stride(0)
        follows = part.stride() == first.stride() and part.storage_offset() == at
        if not follows or part.untyped_storage()._cdata != first.untyped_storage()._cdata:
            return torch.cat(parts)
        rows += len(part)
    return torch.as_strided(first, (rows, *first.shape[1:]), first.stride())


def _joined_types(uses: list[Use]) -> torch.Tensor:
    """The types of the groups of some uses: a part of the plan's own, where they follow each other."""
    groups = [use.segments.groups for use in uses]
    found = [each for each in groups if each is not None]
    follow = all(a.stop == b.start and a.types is b.types for a, b in pairwise(found))
    if follow:
        return found[0].types[found[0].start : found[-1].stop]
    return torch.cat([each.types[each.start : each.stop] for each in found])


def _lacking(segments: Segments, blocks: int) -> bool:
    """Whether some nodes have fewer children than there are blocks."""
    return any(segment.arity < blocks for segment in segments.parts)


def _absent(groups: Groups, blocks: int) -> torch.Tensor:
    """(groups, 1, blocks, 1): True for blocks of children that there are not."""
    return groups.absent[groups.start : groups.stop, None, :blocks, None]


def _blocks(x: torch.Tensor, block: int) -> torch.Tensor:
    """(groups, rows, in) as (groups, rows, blocks, block)."""
    return x.view(*x.shape[:2], -1, block)
