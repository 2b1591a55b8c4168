from __future__ import annotations

import numpy as np
import pytest

from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.oracle import evaluate_forest

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("text", "x", "value", "error"),
    [
        ("sqrt(x)", -2.0, NAN, NAN),
        ("log(x)", 0.0, NAN, NAN),
        ("1/x", 0.0, NAN, NAN),
        ("exp(x)", 1000.0, NAN, INF),
        ("1/(x + sin(pi))", 0.0, NAN, INF),
        ("acosh(tanh(x))", 40.0, NAN, INF),
        ("acosh(tanh(x))", 2.0, NAN, NAN),
        ("sqrt(sin(x)^2 + cos(x)^2 - 1)", 0.7, NAN, INF),
        ("sin(exp(x))", 1000.0, NAN, INF),
        ("sqrt(x) + exp(-1000*x)", -2.0, NAN, NAN),
        ("tan(exp(x)) * 0", 1000.0, NAN, INF),
        ("x^2", 1.5, 2.25, 0.0),
        ("x^-1", 4.0, 0.25, None),
        ("x^(1/2)", 6.25, 2.5, 0.0),
        ("x^3", -1.5, -3.375, None),
        ("x^0", 0.0, 1.0, 0.0),
        ("0^x", -1.0, NAN, NAN),
        ("acosh(x)", 1.0, 0.0, 0.0),
        ("acsc(x)", 0.5, NAN, NAN),
        ("asin(x)", 1.0, np.pi / 2, None),
    ],
)
def test_values_and_what_has_none(text: str, x: float, value: float, error: float | None) -> None:
    forest = Forest.of([parse_equation(f"{text} = 0")])
    values, errors = evaluate_forest(forest, {"x": np.array([x, 0.7])})
    node = forest.equations[0, 0]
    assert values.shape == errors.shape == (len(forest), 2)
    np.testing.assert_allclose(values[node, 0], value, rtol=1e-15, atol=1e-16)
    if error is None:
        assert 0 <= errors[node, 0] < 1e-14
    else:
        np.testing.assert_equal(errors[node, 0], error)


def test_without_variables() -> None:
    forest = Forest.of([parse_equation("2 + 3 = 5")])
    values, errors = evaluate_forest(forest, {})
    assert values[forest.equations[0]].tolist() == [[5.0], [5.0]]
    assert errors[forest.equations[0]].tolist() == [[0.0], [0.0]]
    assert evaluate_forest(Forest.of([]), {})[0].shape == (0, 1)
