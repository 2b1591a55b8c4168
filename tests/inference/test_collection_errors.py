from __future__ import annotations

import numpy as np
import pytest

from dgl_mathtree.data.collections import Entry
from dgl_mathtree.inference.collection_errors import UNREADABLE, cause, collection_errors
from dgl_mathtree.language import parse_equation


def entry(text: str, label: int = 1, error: str = "") -> Entry:
    return Entry(label, "algebra", error, text, parse_equation(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cos(pi/3) = 1/2", "no variable"),
        ("(a + b)*(a + c)*(a + d)*(b + c)*(b + d) = 0", "a side of 17 words or more"),
        ("a + b = c + d", "4 variables or more"),
        ("tan(atan(x)) = x", "an inverse function"),
        ("x^9 = x", "a number of 9 or more"),
        ("x^8 = x", "other"),
    ],
)
def test_the_first_of_several_causes(text: str, expected: str) -> None:
    assert cause(entry(text)) == expected


def test_branches_and_what_cannot_be_read() -> None:
    assert cause(entry("sqrt(x^2) = x", 0, "branch")) == "true on one branch only"
    assert cause(Entry(1, "algebra", "", "x =", None)) == UNREADABLE


def test_errors_are_those_of_the_verdicts() -> None:
    entries = [entry("x = x"), entry("x = y", 0), entry("x + y = y + x"), Entry(1, "algebra", "", "x =", None)]
    found = collection_errors(np.array([-1.0, 2.0, 3.0, np.nan]), entries)
    assert [row["equation"] for row in found] == ["x = x", "x = y", "x ="]
    assert [row["probability"] for row in found] == [0.2689, 0.8808, None]
    assert found[1] == {"equation": "x = y", "label": 0, "probability": 0.8808, "subject": "algebra", "cause": "other"}
