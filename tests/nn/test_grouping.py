"""Levels as one batched product, as on a GPU, against one product a segment."""

from __future__ import annotations

import pytest
import torch

from dgl_mathtree.graphs import plan_of
from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn import TreeCell, drivers, linear, linear_products
from dgl_mathtree.nn.cell import Weights
from dgl_mathtree.nn.grouping import always_grouped
from dgl_mathtree.nn.linear import TypedLinear

from .launches import Launches
from .test_cells import EVERY_CELL, SIZE, TYPES, Forest, make


def result(cell: TreeCell, forest: Forest, masked: bool, cast: bool = False) -> list[torch.Tensor]:
    """States and all gradients."""
    plan = plan_of(forest.graph())
    cell.zero_grad()
    feat = forest.feat.detach().clone().requires_grad_()
    generator = torch.Generator().manual_seed(0)
    cell.train(masked)
    mask = cell.draw_dropout(len(feat), feat, generator)
    leaves = cell.leaf_states(feat.index_select(0, plan.node[: plan.leaves]))
    with torch.autocast("cpu", torch.bfloat16, enabled=cast):
        states = drivers.run(cell, plan, leaves, plan.row, mask)
    states.double().square().sum().backward()
    found = [p.grad if p.grad is not None else torch.zeros_like(p) for p in cell.parameters()]
    assert feat.grad is not None
    return [states.detach(), feat.grad, *found]


@pytest.mark.parametrize("arities", [(1, 2), (1, 2, 3), (2,)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("masked", [False, True])
@EVERY_CELL
def test_values_and_gradients(name: str, masked: bool, dtype: torch.dtype, arities: tuple[int, ...]) -> None:
    cell = make(name, children=max(arities), dropout=0.5).to(dtype)
    forest = Forest(3, arities=arities, trees=6, dtype=dtype)
    expected = result(cell, forest, masked)
    with always_grouped():
        found = result(cell, forest, masked)
        with torch.no_grad():
            again = cell.eval()(forest.graph(), forest.feat)
    rounding = {"rtol": 1e-4, "atol": 1e-5} if dtype == torch.float32 else {"rtol": 1e-9, "atol": 1e-10}
    torch.testing.assert_close(found, expected, **rounding)
    if not masked:
        torch.testing.assert_close(again, expected[0][:, :SIZE], **rounding)


@pytest.mark.parametrize("name", ["tree-lstm", "m+stack", "mi", "second-order", "smu"])
def test_autocast(name: str) -> None:
    cell, forest = make(name), Forest(3, trees=6, dtype=torch.float32)
    expected = result(cell, forest, masked=False, cast=True)
    with always_grouped():
        found = result(cell, forest, masked=False, cast=True)
    torch.testing.assert_close(found, expected, rtol=0.1, atol=0.1)
    assert [each.dtype for each in found] == [each.dtype for each in expected]


@pytest.mark.parametrize("most", [0, 500])
def test_weights_that_are_too_large_to_be_copied_at_once(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cell, forest = make("m").double(), Forest(4, trees=8)
    expected = result(cell, forest, masked=False)
    monkeypatch.setattr(linear, "MOST_COPIED", most)
    monkeypatch.setattr(linear_products, "MOST_COPIED", most)
    with always_grouped():
        torch.testing.assert_close(result(cell, forest, masked=False), expected)


class Own(TreeCell):
    """A user's cell, whose gradient at a zero vector is not a number, and which uses a map twice."""

    def __init__(self) -> None:
        super().__init__(SIZE, TYPES)
        self.layer = TypedLinear(TYPES, SIZE, 2, SIZE)

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        x = children.flatten(1)
        x = x / x.square().sum(dim=1, keepdim=True).sqrt()
        y = torch.tanh(self.layer.apply_segments(weights["layer"], x, segments))
        return y + self.layer.apply_segments(weights["layer"], torch.cat([y, y], dim=1) * (x != 0), segments)


def test_a_cell_of_ones_own() -> None:
    torch.manual_seed(0)
    cell, forest = Own().double(), Forest(5, trees=8)
    cell.driver = "levels"
    expected = result(cell, forest, masked=False)
    with always_grouped():
        found = result(cell, forest, masked=False)
    assert all(torch.isfinite(each).all() for each in found)
    torch.testing.assert_close(found, expected)


def test_a_device_is_grouped_without_being_told() -> None:
    cell, plan = make("tree-lstm"), plan_of(Forest(5).graph())
    counts = {}
    for device in ("cpu", "meta"):
        there, moved = cell.to(device), plan.to(device)
        leaves = torch.zeros(plan.leaves, SIZE, device=device)
        _ = moved.grouped
        with Launches() as seen, torch.no_grad():
            drivers.run(there, moved, leaves, moved.row)
        counts[device] = seen.launches
    assert counts["cpu"]["addmm"] == len(plan.segment_table) and not counts["cpu"]["baddbmm"]
    assert counts["meta"]["baddbmm"] == len(plan.levels) and not counts["meta"]["addmm"]
