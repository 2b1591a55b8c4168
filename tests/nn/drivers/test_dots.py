"""Dot products of pairs of rows by all drivers, in value and gradient."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.nn import EquationVerifier, TreeEncoder, TreeLSTM, make_cell, make_verifier
from dgl_mathtree.nn.drivers import DRIVERS, DriverError, dots
from tests.nn.drivers.native import NEEDS_LIBRARY

TEXTS = ["sin(x)^2 + cos(x)^2 = 1", "x + 1 = 1 + x", "x = x", "sin(x*y) = y", "2*(x + y) = 2*x + 2*y"]
FOREST = Forest.of([parse_equation(text) for text in TEXTS])
SYMBOLS = ["x", "y", "1", "2"]
PLAN = make_verifier("tree-lstm", 4, SYMBOLS).batch(FOREST, [0]).plan
LEAVES = PLAN.leaves
EACH_DRIVER = pytest.mark.parametrize(
    "driver", [pytest.param(name, marks=NEEDS_LIBRARY if name == "native" else ()) for name in DRIVERS]
)


@EACH_DRIVER
@pytest.mark.parametrize("leaves", ["table", "open"])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_logits_are_those_of_the_sides(driver: str, leaves: str, dropout: float) -> None:
    torch.manual_seed(0)
    verifier = make_verifier("m-tree-lstm+stack", 9, SYMBOLS, leaves=leaves, dropout=dropout).double()
    batch = verifier.batch(FOREST, range(5))
    mask = verifier.draw_dropout(batch.num_nodes())
    verifier.driver = driver
    short = verifier(batch, mask)
    found = torch.autograd.grad(short.square().sum(), list(verifier.parameters()), allow_unused=True)
    verifier.driver = "levels"
    long = verifier.compare(*verifier.encoder.sides(batch, mask))
    expected = torch.autograd.grad(long.square().sum(), list(verifier.parameters()), allow_unused=True)
    torch.testing.assert_close(short, long)
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours, theirs)
    with torch.no_grad():
        verifier.driver = driver
        torch.testing.assert_close(verifier(batch, mask), long)


class Shifted(TreeLSTM):
    """A cell of a user's own, whose leaves are more than their vectors."""

    def leaf_states(self, feat: torch.Tensor) -> torch.Tensor:
        return super().leaf_states(feat) + 1


def test_a_cell_with_leaf_states_of_its_own_keeps_them() -> None:
    verifier = EquationVerifier(TreeEncoder(Shifted(6, len(OPERATORS)), SYMBOLS))
    batch = verifier.batch(FOREST, [0, 1])
    torch.testing.assert_close(verifier(batch), verifier.compare(*verifier.encoder.sides(batch)))


class Doubled(TreeEncoder):
    def sides(self, *args: object, **kwargs: object) -> tuple[torch.Tensor, torch.Tensor]:
        left, right = super().sides(*args, **kwargs)  # type: ignore[arg-type]
        return 2 * left, right


def test_an_encoder_with_sides_of_its_own_keeps_them() -> None:
    torch.manual_seed(0)
    verifier = EquationVerifier(Doubled(TreeLSTM(6, len(OPERATORS)), SYMBOLS))
    batch = verifier.batch(FOREST, [0, 1])
    plain = TreeEncoder(verifier.encoder.cell, SYMBOLS)
    plain.load_state_dict(verifier.encoder.state_dict())
    torch.testing.assert_close(verifier(batch), 2 * plain.dots(batch))
    torch.testing.assert_close(verifier.encoder.dots(batch), 2 * plain.dots(batch))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "leaf below": ({"index": torch.full((LEAVES,), -1)}, "index must be between 0 and 2"),
    "leaf beyond": ({"index": torch.full((LEAVES,), 3)}, "index must be between 0 and 2"),
    "too few leaves": ({"index": torch.zeros(LEAVES - 1, dtype=torch.int64)}, "a vector for each of the"),
    "leaves of another type": ({"index": torch.zeros(LEAVES, dtype=torch.int32)}, "index must be of torch.int64"),
    "a wide table": ({"table": torch.randn(3, 5)}, "table must have the shape"),
    "a table of another type": ({"table": torch.randn(3, 4).double()}, "table is of type"),
    "a table without rows": ({"table": torch.randn(4)}, "table must have the shape"),
    "row below": ({"rows": torch.tensor([1, -1])}, "rows must be between 0"),
    "row beyond": ({"rows": torch.tensor([1, 10**6])}, "rows must be between 0"),
    "half a pair": ({"rows": torch.tensor([1])}, "an even number"),
    "rows of another type": ({"rows": torch.tensor([1.0, 2.0])}, "rows must be of torch.int64"),
    "a short mask": ({"dropout_mask": torch.ones(1, 4)}, "dropout_mask must have the shape"),
}


@EACH_DRIVER
@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_all_drivers_refuse_the_same_things(changes: dict[str, Any], message: str, driver: str) -> None:
    cell = make_cell("tree-lstm", 4)
    cell.driver = driver
    right = {"table": torch.randn(3, 4), "index": torch.zeros(LEAVES, dtype=torch.int64), "rows": PLAN.row[:2]}
    assert torch.isfinite(dots(cell, PLAN, **right)).all()
    with pytest.raises(DriverError, match=message):
        dots(cell, PLAN, **(right | changes))
