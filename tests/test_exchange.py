from __future__ import annotations

import dgl_mathtree
from dgl_mathtree.data.data_files import Row
from tools.exchange import measured


def row(equation: str, label: int) -> Row:
    return Row("", equation, label, 3, "test", "", "", None)


def test_a_network_on_labelled_equations() -> None:
    rows = [row("sin(x)^2 + cos(x)^2 = 1", 1), row("x + 0 = x", 1), row("x = y", 0), row("sin(x) = cos(x)", 1)]
    found = measured(dgl_mathtree.load(), rows)
    assert found == {
        "accuracy": 0.75,
        "recall": 2 / 3,
        "auc": found["auc"],
        "count": 4,
        "specificity": 1.0,
        "unread": 0,
    }
