from __future__ import annotations

import numpy as np

from dgl_mathtree.inference.filling_order import BRANCH, OTHER, TRUE, quick_look, tiers
from dgl_mathtree.language import Forest, parse_blank, parse_equation, parse_expression
from dgl_mathtree.oracle import Oracle

ORACLE = Oracle(complex_plane=False)


def test_a_quick_look_refutes_nothing_that_is_true() -> None:
    texts = ["sin(x)^2 + cos(x)^2 = 1", "log(x*y) = log(x) + log(y)", "x = x", "asin(x) + acos(x) = pi/2", "1 = 2"]
    seen = quick_look(Forest.of([parse_equation(text) for text in texts]), ORACLE)
    assert seen.refuted.tolist() == [False, False, False, False, True]
    assert (seen.defined[:3] > 0).all()


def test_tiers() -> None:
    texts = ("x", "sqrt(x^2)", "-x", "x + 1", "sqrt(x)^2", "asin(x + 5)")
    found = tiers(parse_blank("? = x"), [parse_expression(text) for text in texts], ORACLE)
    assert found.tolist() == [TRUE, BRANCH, OTHER, OTHER, TRUE, OTHER]


def test_tiers_of_constants() -> None:
    found = tiers(parse_blank("cos(?) = 1/2"), [parse_expression(t) for t in ("pi/3", "-pi/3", "1", "1/0")], ORACLE)
    assert found.tolist() == [TRUE, TRUE, OTHER, OTHER]
    assert len(tiers(parse_blank("? = x"), [], ORACLE)) == 0
    assert isinstance(found, np.ndarray)
