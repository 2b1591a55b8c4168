from __future__ import annotations

from dgl_mathtree.inference.records import Filling
from dgl_mathtree.language import parse_equation, parse_expression


def test_a_filling_as_json() -> None:
    filling = Filling(parse_expression("0*x"), parse_equation("x + 0*x = x"), 0.123456789, "true", "zero")
    assert filling.to_json() == {
        "filling": "0*x",
        "equation": "x + 0*x = x",
        "probability": 0.123457,
        "oracle": "true",
        "class": "zero",
        "answer": "holds",
        "proof": None,
        "conditions": [],
    }


def test_nothing_is_refuted_without_a_point() -> None:
    said = (parse_expression("x"), parse_equation("x = y"), 0.1, "false", 0)
    assert Filling(*said).answer == "refuted"
    assert Filling(*said, witnessed=False).answer == "undecided"
