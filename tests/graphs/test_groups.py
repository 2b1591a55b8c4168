"""Plans in groups of one size, and their way to a device."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dgl_mathtree.graphs import EquationBatch, batch_graph
from dgl_mathtree.graphs.groups import group
from dgl_mathtree.graphs.transfer import all_on_device
from dgl_mathtree.language import Forest, parse_equation

TEXTS = ["sin(x)*cos(x) + sin(y) = sin(1)*2", "x = y", "(x + y)*(x - y) = x^2 - y^2", "tan(sin(x + 1)) = exp(2*y)"]


@pytest.fixture
def batch() -> EquationBatch:
    return batch_graph(Forest.of([parse_equation(text) for text in TEXTS]), range(len(TEXTS)))


def test_groups_hold_the_same_nodes(batch: EquationBatch) -> None:
    plan, grouped = batch.plan, group(batch.plan)
    assert torch.equal(grouped.place[plan.row], grouped.row)
    assert torch.equal(grouped.node[grouped.row - 1], torch.arange(len(plan.row)))
    for row in range(1, len(plan.row) + 1):  # the children of a row are where the children of its place are
        new = int(grouped.place[row])
        assert grouped.node_types[new - 1] == plan.node_types[row - 1]
        assert grouped.children[new - 1].tolist() == grouped.place[plan.children[row - 1]].tolist()
    parts = [part for level in grouped.levels for part in level.segments]
    assert {part.size for part in parts} == {grouped.size}
    assert [part.node_type for part in parts] == grouped.group_types.tolist()
    assert (~grouped.absent).sum(dim=1).tolist() == [part.arity for part in parts]
    assert grouped.needed == plan.needed


def test_there_are_not_many_more_rows_and_groups(batch: EquationBatch) -> None:
    grouped = group(batch.plan)
    assert len(grouped.group_types) <= 2 * len(batch.plan.segment_table)
    assert grouped.inner < 2 * batch.plan.inner


def test_a_plan_of_leaves_alone() -> None:
    plan = batch_graph(Forest.of([parse_equation("x = y")]), [0]).plan
    grouped = group(plan)
    assert grouped.levels == () and grouped.inner == plan.inner == 0
    assert torch.equal(grouped.place, torch.arange(3))


def test_a_batch_goes_to_a_device_as_one_copy(batch: EquationBatch) -> None:
    there = batch.to("meta")
    assert there.to("meta") is there and batch.to("cpu") is batch
    moved = [*there.plan.tensors, *there.plan.grouped.tensors, there.side_nodes, there.side_rows, there.leaf_words]
    assert {each.device.type for each in moved} == {"meta"}
    assert len({each.untyped_storage()._cdata for each in moved}) == 1
    assert there.plan.to("cpu") is batch.plan and there.plan.grouped.to("cpu") is batch.plan.grouped
    assert there.sides is batch.sides and there.plan.needed == batch.plan.needed


def test_packed_tensors_keep_their_values() -> None:
    given = [torch.arange(5), torch.tensor([True, False, True]), torch.rand(2, 3), torch.zeros(0, 2), torch.tensor(7)]
    from dgl_mathtree.graphs.transfer import _copied

    for before, after in zip(given, _copied(given, torch.device("cpu")), strict=True):
        assert before.dtype == after.dtype and torch.equal(before, after)
    assert all(a is b for a, b in zip(given, all_on_device(given, "cpu"), strict=True))


def test_the_words_of_leaves(batch: EquationBatch) -> None:
    leaves = batch.plan.node[: batch.plan.leaves].numpy()
    assert np.array_equal(batch.leaf_words.numpy(), batch.word[leaves])
    assert np.array_equal(batch.side_rows.numpy(), batch.plan.row.numpy()[batch.sides.numpy().reshape(-1)])
