from __future__ import annotations

import numpy as np
import pytest

from dgl_mathtree.inference.moved_terms import BEST, moved_forms, scores_over_forms
from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.oracle import Oracle


@pytest.mark.parametrize(
    "text",
    [
        "sin(x)^2 + cos(x)^2 = 1",
        "x^2 + 5*x + 6 = (x + 2)*(x + 3)",
        "a + b + c + d + x + y + z = z + y + x + d + c + b + a",
        "x = 0",
        "x = x",
    ],
)
def test_forms_say_the_same(text: str) -> None:
    equation = parse_equation(text)
    forms = moved_forms(equation, 12)
    assert forms[0] == equation and len(forms) <= 12
    assert len(set(forms)) == len(forms)
    verdicts = {judgement.verdict for judgement in Oracle(complex_plane=False).judge(forms)}
    assert verdicts == {Oracle(complex_plane=False).judge([equation])[0].verdict}


def test_one_form_is_the_equation() -> None:
    equation = parse_equation("a + b = c")
    assert moved_forms(equation, 1) == [equation]


def test_the_score_is_the_mean_of_the_best() -> None:
    equations = [parse_equation("a + b = c"), parse_equation("x = y")]

    def scored(some: list[Equation]) -> np.ndarray:
        return np.array([float(len(each)) for each in some])

    found = scores_over_forms(equations, 12, scored)  # type: ignore[arg-type]
    lengths = [sorted(map(len, moved_forms(equation)))[-BEST:] for equation in equations]
    assert found.tolist() == [pytest.approx(np.mean(some)) for some in lengths]
    unread = scores_over_forms(equations, 12, lambda some: np.full(len(some), np.nan))
    assert np.isnan(unread).all()
    assert scores_over_forms([], 12, scored).shape == (0,)  # type: ignore[arg-type]
