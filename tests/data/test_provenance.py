from __future__ import annotations

import json
import random

import pytest

from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.provenance import (
    Both,
    DerivationError,
    Edit,
    Rewrite,
    Start,
    axioms_used,
    describe,
    from_json,
    replay,
    to_json,
)

STEPS = (
    Start("pythagorean/sin-cos", (("x", ("y",)),)),
    Both("Mul", ("2",)),
    Rewrite("neutral/mul-one", False, 3),
    Rewrite("neutral/mul-zero", False, 1, (("x", ("z",)),)),
)


def test_a_derivation_replays_step_by_step() -> None:
    shown = [str(equation) for equation in replay((*STEPS[:3], Edit("shrink", 3, ("Pow", "sin", "y", "2"))))]
    assert shown == [
        "sin(y)^2 + cos(y)^2 = 1",
        "(sin(y)^2 + cos(y)^2)*2 = 1*2",
        "(sin(y)^2*1 + cos(y)^2)*2 = 1*2",
        "(sin(y)^2 + cos(y)^2)*2 = 1*2",
    ]


def test_stored_derivations_come_back_the_same() -> None:
    steps = (*STEPS[:3], Rewrite("sum/cos", True, 7, (), False), Edit("replace", 2, ("Add", "x", "1/2")))
    stored = json.loads(json.dumps(to_json(steps)))
    assert from_json(stored) == steps
    assert axioms_used(steps) == {"pythagorean/sin-cos", "neutral/mul-one", "sum/cos"}
    assert all(describe(step) for step in steps)


@pytest.mark.parametrize(
    "stored",
    [
        [],
        None,
        [["both", "Add", "x"]],
        [["axiom", "no/such"]],
        [["axiom", "neutral/self"], ["fly", "away"]],
        [["axiom", "neutral/self"], ["rewrite", "neutral/mul-one", "->"]],
        [["axiom", "neutral/self"], ["edit", "grow", 1, "x +"]],
        [["axiom"]],
        "axiom",
    ],
)
def test_what_is_no_derivation(stored: object) -> None:
    with pytest.raises(DerivationError):
        from_json(stored)


@pytest.mark.parametrize("step", [Rewrite("sum/cos", True, 1), Rewrite("sum/cos", True, 99), Edit("grow", 99, ("x",))])
def test_steps_that_do_not_apply(step: Rewrite | Edit) -> None:
    with pytest.raises(DerivationError):
        list(replay((Start("neutral/self"), step)))


def test_a_thousand_stored_derivations_replay_to_the_stored_equation() -> None:
    rows = random.Random(0).sample(list(read_rows("paper")), 1000)
    for row in rows:
        *_, last = replay(from_json(row.derivation))
        assert last == row.parsed(), row.id
        assert str(last) == row.equation
