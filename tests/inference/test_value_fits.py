from __future__ import annotations

import numpy as np
import pytest

from dgl_mathtree.inference.value_fits import (
    is_square,
    linear_fit,
    products_of_terms,
    scaled_terms,
    sums_of_terms,
)
from dgl_mathtree.language import Forest, parse_expression
from dgl_mathtree.oracle.evaluate import evaluate_forest

RNG = np.random.default_rng(0)
POINTS = {name: RNG.uniform(0.2, 0.9, 9) for name in "xy"}


def values(*texts: str) -> np.ndarray:
    forest = Forest.of_expressions([parse_expression(text) for text in texts])
    return evaluate_forest(forest, POINTS)[0][forest.equations[:, 0]]


TERMS = ["x", "y", "sin(x)^2", "cos(y)", "sqrt(x)", "1 - x^2", "exp(y)", "x^2"]
EXPRESSIONS = [parse_expression(term) for term in TERMS]


@pytest.mark.parametrize("wanted", ["3*cos(y)/4", "x - 5", "7/y", "2 - exp(y)", "(pi*x)/3", "sqrt(2)*sqrt(1 - x^2)"])
def test_multiples(wanted: str) -> None:
    found = [str(e) for e in scaled_terms(values(wanted)[0], EXPRESSIONS, values(*TERMS))]
    assert str(parse_expression(wanted)) in found


@pytest.mark.parametrize("wanted", ["3*exp(y) - 2*cos(y) + 1/2", "x + y", "cos(y) - sin(x)^2 + 7*x"])
def test_sums(wanted: str) -> None:
    target = values(wanted)[0]
    found = list(sums_of_terms(target, EXPRESSIONS, values(*TERMS)))
    assert found
    for expression in found:
        np.testing.assert_allclose(values(str(expression))[0], target, rtol=1e-8)


@pytest.mark.parametrize("wanted", ["-3*x*cos(y)", "sin(x)^2*exp(y)/2", "x*y/(1 - x^2)", "sqrt(y)*exp(y)"])
def test_products(wanted: str) -> None:
    target = values(wanted)[0]
    found = list(products_of_terms(target, EXPRESSIONS, values(*TERMS)))
    assert found
    for expression in found:
        np.testing.assert_allclose(values(str(expression))[0], target, rtol=1e-8)


def test_a_linear_function_of_all_terms() -> None:
    target = 3 * POINTS["x"] - POINTS["y"] / 2 + np.pi / 4
    found = [str(e) for e in linear_fit(target, EXPRESSIONS[:2], values("x", "y"))]
    assert found == ["3*x - y/2 + pi/4"]
    assert list(linear_fit(POINTS["x"] ** 2, EXPRESSIONS[:2], values("x", "y"))) == []


def test_what_is_no_combination_is_not_found() -> None:
    target = np.log(POINTS["x"] + 2.2)
    assert list(scaled_terms(target, EXPRESSIONS, values(*TERMS))) == []
    assert list(sums_of_terms(target, EXPRESSIONS, values(*TERMS))) == []
    assert list(products_of_terms(target, EXPRESSIONS, values(*TERMS))) == []


def test_squares() -> None:
    assert [is_square(parse_expression(t)) for t in ("x^2", "a^2*b^-4", "x^3", "x^2*y", "x^(2*y)", "x")] == (
        [True, True, False, False, False, False]
    )
