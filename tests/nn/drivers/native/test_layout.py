"""Programs as tables: what repeats is one entry, and stands for the same elements."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from dgl_mathtree.nn import MODELS, make_cell
from dgl_mathtree.nn.drivers.native import layout
from dgl_mathtree.nn.drivers.native.optimise import optimise
from dgl_mathtree.nn.drivers.native.record import record


def entries(name: str) -> list[list[dict[str, int]]]:
    """For each elementwise operation its stretches, repeated ones as often as they are repeated."""
    torch.manual_seed(0)
    made = layout.Layout(optimise(record(make_cell(name, 5, types=2), 2, False)))
    rows, stretches = made._arrays[-2:]
    found: list[list[dict[str, int]]] = []
    for row in rows:
        found.append([])
        for each in stretches[row["first"] : row["first"] + row["count"]]:
            one: dict[str, Any] = {key: int(each[key]) for key in layout.STRETCH.names or ()}
            for t in range(one["times"]):
                place = {f"{key}_at": one[f"{key}_at"] + t * one[f"{key}_next"] for key in "dab"}
                first = {f"{key}_first": one[f"{key}_first"] and (not t or one[f"{key}_next"] > 0) for key in "ab"}
                same = {key: one[key] for key in ("d", "a", "b", "n", "a_step", "b_step")}
                found[-1].append(place | same | {key: int(value) for key, value in first.items()})
    return found


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.is_cell])
def test_repeated_stretches_stand_for_the_same_elements(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = entries(name)
    monkeypatch.setattr(layout, "join_repeated", lambda rows, stretches: stretches)
    assert entries(name) == joined


def test_a_gate_and_the_rows_of_a_stack_are_one_entry() -> None:
    made = layout.Layout(optimise(record(make_cell("tree-smu", 5, types=2), 2, False)))
    assert made._arrays[-1]["times"].max() == 5  # the slots of a stack
