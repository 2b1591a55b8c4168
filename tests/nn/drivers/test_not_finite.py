"""Numbers that are not finite: drivers agree where they are, in values and gradients."""

from __future__ import annotations

import math
from typing import Any

import dgl
import pytest
import torch

from dgl_mathtree.nn import MODELS, make_cell
from dgl_mathtree.nn.drivers import DRIVERS

SIZE, MOST = 3, 3
NAMES = [name for name, model in MODELS.items() if model.is_cell]
CELLS: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in NAMES]
CELLS += [("mi-tree-lstm", {"integration": "general"}), ("tree-rnn", {"integration": "product"})]
CELLS += [
    ("tree-rnn+stack", {"integration": "product", "read": "state"}),
    ("second-order-tree-rnn+stack", {"read": "state"}),
]


def tree(arity: int) -> Any:
    """Two levels, all nodes of which have so many children."""
    inner = list(range(1, arity + 1))
    edges = [(child, 0) for child in inner]
    edges += [(1 + arity * node + place, node) for node in inner for place in range(arity)]
    source, target = zip(*edges, strict=True)
    graph = dgl.graph((source, target))
    graph.ndata["op"] = torch.zeros(graph.num_nodes()).long()
    graph.edata["pos"] = torch.arange(arity).repeat(len(edges) // arity)
    return graph


def mixed() -> Any:
    """Nodes of one height with one, two and three children, of two heights."""
    edges = [(4, 1, 0), (5, 2, 0), (6, 2, 1), (7, 3, 0), (8, 3, 1), (9, 3, 2), (1, 0, 0), (2, 0, 1), (3, 10, 0)]
    source, target, place = zip(*edges, strict=True)
    graph = dgl.graph((source, target), num_nodes=11)
    graph.ndata["op"], graph.edata["pos"] = torch.zeros(11).long(), torch.tensor(place)
    return graph


def results(cell: Any, driver: str, graph: Any, feat: torch.Tensor, mask: Any, mix: torch.Tensor) -> list[torch.Tensor]:
    cell.driver = driver
    states = cell.states(graph, feat, dropout_mask=mask)
    inputs = [feat, *cell.parameters()]
    found = torch.autograd.grad(states, inputs, mix, allow_unused=True)
    return [states.detach(), *(torch.zeros(()) if slope is None else slope for slope in found)]


@pytest.mark.parametrize("graph", [*(tree(arity) for arity in (1, 2, 3)), mixed()], ids=["1", "2", "3", "mixed"])
@pytest.mark.parametrize(("name", "options"), CELLS, ids=str)
def test_drivers_agree_where_numbers_are_not_finite(name: str, options: dict[str, Any], graph: Any) -> None:
    torch.manual_seed(0)
    cell = make_cell(name, SIZE, 1, children=MOST, **options).double().eval()
    count = graph.num_nodes()
    for value, masked, slope in (
        (math.inf, False, 1.0), (-math.inf, True, 1.0), (math.nan, False, 1.0), (1.0, False, math.inf),
    ):  # fmt: skip
        if slope == math.inf and len(set(graph.in_degrees().tolist())) > 2:
            continue  # docs/architecture.md: with finite leaves `levels` pads levels of mixed numbers of children
        feat = torch.randn(count, SIZE, dtype=torch.float64)
        feat[graph.in_degrees() == 0, 1] = value
        mask = torch.ones(count, cell.dropout_size, dtype=torch.float64) if masked else None
        if mask is not None:
            mask[:, 0] = 0
        mix = torch.randn(count, cell.state_size, dtype=torch.float64)
        mix[0, 0] *= slope
        expected = results(cell, "levels", graph, feat.requires_grad_(), mask, mix)
        assert not all(part.isfinite().all() for part in expected)
        for driver in DRIVERS:
            for ours, theirs in zip(results(cell, driver, graph, feat, mask, mix), expected, strict=True):
                torch.testing.assert_close(ours, theirs, equal_nan=True, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("arity", [1, 2])
def test_what_no_node_depends_on_has_no_gradient(arity: int) -> None:
    """The gates for a child that no node has, beside an infinite leaf."""
    cell = make_cell("mi-tree-lstm", SIZE, 1, children=MOST, integration="general").double()
    feat = torch.randn(1 + arity + arity**2, SIZE, dtype=torch.float64)
    feat[-1, 1] = math.inf
    unused = slice((2 + arity) * SIZE, (2 + MOST) * SIZE)
    for driver in DRIVERS:
        cell.driver = driver
        (slope,) = torch.autograd.grad(cell.states(tree(arity), feat).sum(), [cell.vectors["alpha"]])  # type: ignore[index]
        assert not slope[0, unused].any()
