"""The table of models: what a row stands for, and what pages say about it."""

from __future__ import annotations

import json

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.nn import MODELS, SecondOrderTreeRNN, Stacked, TreeRNN, make_cell
from tests.markdown import ROOT


def test_pages_print_the_numbers_of_parameters_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json"]) == 0
    counts = {row["model"]: f"{row['parameters']:,}" for row in json.loads(capsys.readouterr().out)}
    page, readme = (ROOT / name for name in ("docs/models.md", "README.md"))
    for name in ("tree-rnn", "second-order-tree-rnn"):
        assert counts[name] in page.read_text("utf-8") and counts[name] in readme.read_text("utf-8")
    lines = page.read_text("utf-8").splitlines()
    for name in (name for name, model in MODELS.items() if model.beside):
        assert any(line.startswith(f"| `{name}` |") and f"| {counts[name]}" in line for line in lines)


def test_the_pure_row_has_no_first_order_term_and_the_others_have_one_by_default() -> None:
    pure = make_cell("second-order-tree-rnn-pure", 4)
    assert isinstance(pure, SecondOrderTreeRNN) and pure.linear is None
    for name in ("second-order-tree-rnn", "second-order-tree-rnn+stack"):
        cell = make_cell(name, 4, **MODELS[name].defaults)
        inner = cell.cell if isinstance(cell, Stacked) else cell
        assert isinstance(inner, SecondOrderTreeRNN) and inner.linear is not None


def test_only_cells_that_multiply_choose_where_a_stack_is_read_into() -> None:
    assert [name for name, model in MODELS.items() if "read" in model.options] == [
        "tree-rnn+stack",
        "second-order-tree-rnn+stack",
    ]
    cell = make_cell("tree-rnn+stack", 4, integration="product", read="state", slots=2)
    assert isinstance(cell, Stacked) and isinstance(cell.cell, TreeRNN)
    assert (cell.read_into, cell.cell.integration, cell.stack_slots) == ("state", "product", 2)
