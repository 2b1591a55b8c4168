"""What is recorded of a step, and steps that cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from dgl_mathtree.nn import TreeRNN, make_cell
from dgl_mathtree.nn.drivers.native.optimise import optimise
from dgl_mathtree.nn.drivers.native.program import Block, NotRecordable, OpCode
from dgl_mathtree.nn.drivers.native.record import record


def test_a_step_becomes_a_few_operations() -> None:
    program = record(make_cell("tree-rnn", 4, 2), 2, masked=True)
    program.check()
    assert [operation.code for operation in program.operations] == [
        OpCode.PRODUCT, OpCode.TANH, OpCode.MULTIPLY, OpCode.COPY,
    ]  # fmt: skip
    optimise(program)
    program.check()
    assert [operation.code for operation in program.operations] == [OpCode.PRODUCT, OpCode.TANH, OpCode.MULTIPLY]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", ["tree-lstm", "m-tree-lstm+stack", "tree-smu", "second-order-tree-rnn"])
def test_programs_stay_sound_and_become_shorter(name: str, masked: bool) -> None:
    program = record(make_cell(name, 4, 2, children=3), 3, masked)
    program.check()
    before = len(program.operations)
    optimise(program)
    program.check()
    assert len(program.operations) < before


def test_results_of_maps_are_made_in_their_sums_and_states_in_place() -> None:
    program = record(make_cell("m-tree-lstm+stack", 4, 2), 2, masked=False)
    optimise(program)
    program.check()
    maps = [o for o in program.operations if isinstance(o, Block) and o.code is OpCode.PRODUCT]
    assert [each.adds for each in maps] == [True, False, True, False, False, True, False, False]  # 3 sums of 4
    state = program.elements(program.out)
    copies = [o for o in program.operations if o.code is OpCode.COPY]
    assert copies and not any(np.isin(each.writes, state).any() for each in copies)


class Cell(TreeRNN):
    """A cell with a step of a test's own."""

    def __init__(self, step: Any) -> None:
        super().__init__(3, 2, children=2)
        self.own = step

    def step(self, weights: Any, segments: Any, children: torch.Tensor, dropout_mask: Any = None) -> torch.Tensor:
        h = self.layer.apply_segments(weights["layer"], children.flatten(1), segments)
        return self.own(self, h, children)  # type: ignore[no-any-return]


def change(h: torch.Tensor) -> torch.Tensor:
    y = h * h
    h.add_(y)
    return y + h


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda cell, h, children: torch.relu(h), r"aten\.relu.* is not among the operations"),
        (lambda cell, h, children: h if float(h.sum()) > 0 else -h, "a sum over|is not among"),
        (lambda cell, h, children: change(h), "changed in place after it was used"),
        (lambda cell, h, children: h @ torch.ones(3, 3), "other than the weights of a TypedLinear"),
        (lambda cell, h, children: h * cell.layer.bias[0], "a parameter is used as it is"),
        (lambda cell, h, children: h.new_empty(1, 3), "read before it is set"),
        (lambda cell, h, children: h[:, :2], r"returns the shape \(1, 2\)"),
        (lambda cell, h, children: torch.softmax(h.view(1, 3, 1).expand(1, 3, 3), 2)[:, 0], "softmax over other"),
        (lambda cell, h, children: h / (1 + h), "a division by a tensor"),
    ],
)
def test_steps_that_cannot_be_recorded_are_explained(step: Any, message: str) -> None:
    with pytest.raises(NotRecordable, match=message):
        record(Cell(step), 2, masked=False).check()
