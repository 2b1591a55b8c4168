from __future__ import annotations

import numpy as np
import torch

from dgl_mathtree.inference.node_states import equation_states
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import TreeEncoder, make_verifier


def test_each_occurrence_has_a_state_of_its_own() -> None:
    torch.manual_seed(0)
    encoder = make_verifier("tree-lstm", 4, ["x", "1"]).eval().encoder
    assert isinstance(encoder, TreeEncoder)
    equation = parse_equation("sin(x) + sin(x) = 1")
    states = equation_states(encoder, equation)
    assert [str(e) for e in states.expressions] == ["sin(x) + sin(x)", "sin(x)", "x", "sin(x)", "x", "1"]
    assert (len(states), states.sides) == (6, (0, 5))
    forest = Forest.of([equation])
    shared = encoder.node_states(forest).detach()
    places = {str(forest.expression(node)): node for node in range(len(forest))}
    for k, expression in enumerate(states.expressions):
        np.testing.assert_allclose(states["h"][k], shared[places[str(expression)], :4], atol=1e-6)
