from __future__ import annotations

import numpy as np
import pytest

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.oracle.value_keys import REGIONS, value_keys


def _relation(text: str) -> str:
    forest = Forest.of([parse_equation(text)])
    left, right = value_keys(forest)[forest.equations[0]]
    both = (left != 0) & (right != 0)
    agree = (left == right) & both
    if agree.any():
        return "same" if (agree == both).all() else "open"
    return "different" if both.any() else "open"


@pytest.mark.parametrize(
    "text",
    [
        "sin(x)^2 + cos(x)^2 = 1",
        "log(x*y) = log(x) + log(y)",
        "log(x^2) = 2*log(x)",
        "sin(acos(x)) = sqrt(1 - x^2)",
        "acosh(x) = log(x + sqrt(x^2 - 1))",
        "x*y/y = x",
        "2 + 2 = 4",
        "x - x = 0",
        "exp(x) - e^x = 0",
    ],
)
def test_equal_expressions_share_keys_where_both_are_defined(text: str) -> None:
    assert _relation(text) == "same"


@pytest.mark.parametrize(
    "text", ["x = y", "sin(x) = cos(x)", "log(x + y) = log(x) + log(y)", "x = x + 1/1000", "2 = 3"]
)
def test_different_expressions_share_none(text: str) -> None:
    assert _relation(text) == "different"


@pytest.mark.parametrize("text", ["sqrt(x^2) = x", "asin(sin(x)) = x", "asin(x) = acosh(x)", "log(-1) = 1"])
def test_a_branch_and_what_is_never_defined_together_are_left_open(text: str) -> None:
    assert _relation(text) == "open"


def test_keys_depend_on_the_expression_alone_and_can_be_drawn_anew() -> None:
    alone, among = (Forest.of(map(parse_equation, texts)) for texts in (["sin(y) = z"], ["x = 1", "sin(y) = z"]))
    keys, others = value_keys(alone), value_keys(among)
    assert np.array_equal(keys[alone.equations[0]], others[among.equations[1]])
    assert keys.shape == (len(alone), len(REGIONS))
    assert not np.array_equal(keys, value_keys(alone, seed=1))


def test_keys_tell_correct_from_incorrect_equations() -> None:
    data = EquationDataset("paper", "validation")
    keys = value_keys(data.forest)
    left, right = keys[data.forest.equations[:, 0]], keys[data.forest.equations[:, 1]]
    both = (left != 0) & (right != 0)
    same = both.any(axis=1) & ((left == right) | ~both).all(axis=1)
    correct = data.label.numpy() == 1
    assert same[correct].mean() > 0.98
    assert not same[~correct].any()
