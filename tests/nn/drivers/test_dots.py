"""Dot products of pairs of rows by all drivers, in value and gradient."""

from __future__ import annotations

import pytest
import torch

from dgl_mathtree.expressions import Forest, parse_equation
from dgl_mathtree.nn import EquationVerifier, TreeEncoder, TreeLSTM, make_cell, make_verifier
from dgl_mathtree.nn.drivers import DRIVERS, dots, run
from tests.nn.native import NEEDS_LIBRARY

TEXTS = ["sin(x)^2 + cos(x)^2 = 1", "x + 1 = 1 + x", "x = x", "sin(x*y) = y", "2*(x + y) = 2*x + 2*y"]
FOREST = Forest.of([parse_equation(text) for text in TEXTS])
SYMBOLS = ["x", "y", "1", "2"]


@pytest.mark.parametrize(
    "driver", [pytest.param(name, marks=NEEDS_LIBRARY if name == "native" else ()) for name in DRIVERS]
)
@pytest.mark.parametrize("leaves", ["table", "open"])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_logits_are_those_of_the_sides(driver: str, leaves: str, dropout: float) -> None:
    torch.manual_seed(0)
    verifier = make_verifier("m-tree-lstm+stack", 9, SYMBOLS, leaves=leaves, dropout=dropout).double()
    batch = verifier.batch(FOREST, range(5))
    mask = verifier.draw_dropout(batch.num_nodes())
    verifier.propagate = driver
    short = verifier(batch, mask)
    found = torch.autograd.grad(short.square().sum(), list(verifier.parameters()), allow_unused=True)
    verifier.propagate = "levels"
    long = verifier.compare(*verifier.encoder.sides(batch, mask))
    expected = torch.autograd.grad(long.square().sum(), list(verifier.parameters()), allow_unused=True)
    torch.testing.assert_close(short, long)
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours, theirs)
    with torch.no_grad():
        verifier.propagate = driver
        torch.testing.assert_close(verifier(batch, mask), long)


class Shifted(TreeLSTM):
    """A cell of a user's own, whose leaves are more than their vectors."""

    def leaf_states(self, feat: torch.Tensor) -> torch.Tensor:
        return super().leaf_states(feat) + 1


def test_a_cell_with_leaf_states_of_its_own_keeps_them() -> None:
    verifier = EquationVerifier(TreeEncoder(Shifted(6, 29), SYMBOLS))
    batch = verifier.batch(FOREST, [0, 1])
    torch.testing.assert_close(verifier(batch), verifier.compare(*verifier.encoder.sides(batch)))


class Doubled(TreeEncoder):
    def sides(self, *args: object, **kwargs: object) -> tuple[torch.Tensor, torch.Tensor]:
        left, right = super().sides(*args, **kwargs)  # type: ignore[arg-type]
        return 2 * left, right


def test_an_encoder_with_sides_of_its_own_keeps_them() -> None:
    torch.manual_seed(0)
    verifier = EquationVerifier(Doubled(TreeLSTM(6, 29), SYMBOLS))
    batch = verifier.batch(FOREST, [0, 1])
    torch.testing.assert_close(verifier(batch), 2 * verifier.encoder.dots(batch))


@NEEDS_LIBRARY
def test_leaves_and_rows_outside_of_their_tables_are_refused() -> None:
    cell = make_cell("tree-lstm", 4)
    cell.propagate = "native"
    plan = make_verifier("tree-lstm", 4, SYMBOLS).batch(FOREST, [0]).plan
    table, index = torch.randn(3, 4), torch.zeros(plan.leaves, dtype=torch.int64)
    assert torch.isfinite(dots(cell, plan, table, index, plan.row[:2])).all()
    for wrong in (-1, 3):
        with pytest.raises(IndexError, match="leaves must be between 0 and 2"):
            dots(cell, plan, table, torch.full_like(index, wrong), plan.row[:2])
    for wrong in (-1, len(plan.row) + 1):
        with pytest.raises(IndexError, match="rows must be between"):
            run(cell, plan, torch.randn(plan.leaves, cell.state_size), torch.tensor([wrong]))
