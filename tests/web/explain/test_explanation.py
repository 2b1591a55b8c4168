from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from dgl_mathtree import load
from dgl_mathtree.inference.nearest import nearest
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, Expr, VocabularyError, parse_equation, parse_expression
from dgl_mathtree.nn import make_model
from dgl_mathtree.oracle import judge
from dgl_mathtree.oracle.witnesses import simplified
from dgl_mathtree.web.explain import Completion, Explainer, ExplainError, Explanation, explain
from dgl_mathtree.web.explain.curves import curves
from dgl_mathtree.web.explain.network_view import MOST_SETS
from dgl_mathtree.web.explain.tree_view import label

WORDS = ["x", "y", "1", "2"], ["sin", "Add", "Mul", "Pow", "log"]


def untrained(name: str, **options: Any) -> TrainedVerifier:
    torch.manual_seed(0)
    return TrainedVerifier(make_model(name, 6, *WORDS, **options).eval(), name, "test")


@pytest.fixture(scope="module")
def shipped() -> Explainer:
    return Explainer(load())


def facts(found: Explanation | Completion) -> Any:
    """What is printed, as it is read again."""
    return json.loads(json.dumps(found.to_json(), allow_nan=False))


def test_verdicts_are_those_of_network_and_oracle(shipped: Explainer) -> None:
    text = "sin(x + y) = sin(x) + sin(y)"
    found = facts(shipped.explain(text))
    (answer,) = shipped.network.trained.verify(text)
    judgement = simplified(parse_equation(text), judge(parse_equation(text)))
    assert (found["verdict"], found["probability"]) == (answer.verdict, round(answer.probability, 6))
    assert found["oracle"] == json.loads(json.dumps(judgement.to_json()))
    assert found["agree"] is True and found["point"] == {"kind": "witness", "values": {"x": "3/2", "y": "-1/4"}}
    assert found["model"]["run"] == "shipped" and found["model"]["kind"] == "tree"


def test_nodes_are_numbered_as_words_and_have_values_at_the_witness(shipped: Explainer) -> None:
    equation = parse_equation("sqrt(x^2) = x + 0*y")
    nodes = facts(shipped.explain(equation))["nodes"]
    assert [node["word"] for node in nodes] == list(equation.words[1:])
    assert [node["id"] for node in nodes] == list(range(1, equation.size))
    assert [node["level"] for node in nodes] == equation.heights()[1:]
    for node in nodes:
        assert node["expression"] == str(equation.subexpression(node["id"]))
        assert all(nodes[child - 1]["parent"] == node["id"] for child in node["children"])
        assert f'data-node="{node["id"]}"' in node["mathml"]
    assert [node["side"] for node in nodes] == [0] * 5 + [1] * 5
    values = {node["expression"]: node["value"] for node in nodes}
    assert values["x"] == -0.25 and values["sqrt(x^2)"] == 0.25 and values["x^2"] == 0.0625


def test_the_states_of_a_stack() -> None:
    trained = untrained("m-tree-lstm+stack", slots=3)
    found = facts(Explainer(trained).explain("sin(x) + 1 = x*y"))
    assert found["model"] == {
        "run": "test",
        "name": "m-tree-lstm+stack",
        "kind": "stack",
        "root": "dot",
        "size": 6,
        "slots": 3,
        "actions": ["push", "pop", "no-op"],
    }
    states = trained.states("sin(x) + 1 = x*y")
    for k, node in enumerate(found["nodes"]):
        np.testing.assert_allclose(node["state"]["vector"], states["h"][k], atol=1e-5)
        np.testing.assert_allclose(node["state"]["stack"], states["stack"][k], atol=1e-5)
        np.testing.assert_allclose(node["state"]["actions"], states["actions"][k], atol=1e-5)
        np.testing.assert_allclose(node["state"]["size"], states["h"][k].norm(), atol=1e-5)
        # A leaf does nothing, and its stack is empty.
        assert sum(node["state"]["actions"]) == pytest.approx(1 if node["children"] else 0, abs=1e-4)
        assert np.any(node["state"]["stack"]) == bool(node["children"])


def test_nearest_known_expressions(shipped: Explainer) -> None:
    expression = parse_expression("2*sin(x)*cos(x)")
    known = shipped.network.known(("x",))[0]
    expected = [each.to_json() for each in nearest(shipped.network.trained, expression, known, 3)]
    found = shipped.explain(Equation(parse_expression("sin(2*x)"), expression))
    assert [near.to_json() for near in found.nodes[4].nearest] == expected
    assert expected[0]["oracle"] == "true"


def test_pairs_are_compared_as_the_sides_are() -> None:
    trained = untrained("tree-lstm", head="cosine")
    with torch.no_grad():
        trained.network.beta.fill_(-6.5)
    equation = parse_equation("sin(x) + 1 = 2*sin(x + 1)")
    pairs = Explainer(trained).explain(equation).pairs.equal
    assert 0 < len(pairs) < 8
    for pair in pairs:
        assert pair.left != pair.right
        (logit,) = trained.scores([Equation(pair.left, pair.right)])
        assert pair.probability == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-5) and logit >= 0
        assert pair.oracle == judge(Equation(pair.left, pair.right)).verdict
        assert {equation.subexpression(at) for at in pair.nodes[0]} == {pair.left}
        assert {equation.subexpression(at) for at in pair.nodes[1]} == {pair.right}
    chosen = {(pair.left, pair.right) for pair in pairs}
    for left in ("sin(x) + 1", "sin(x)", "x", "1"):
        for right in ("2", "sin(x + 1)", "x + 1", "x", "1"):
            pair_of = parse_expression(left), parse_expression(right)
            if pair_of[0] != pair_of[1]:
                assert (trained.scores([Equation(*pair_of)])[0] >= 0) == (pair_of in chosen)


def test_what_is_most_alike_is_found_where_nothing_is_taken_for_equal(shipped: Explainer) -> None:
    found = shipped.explain("sin(x + y) = sin(x) + sin(y)")
    assert found.pairs.equal == () and 0 < len(found.pairs.closest) <= 3
    probabilities = [pair.probability for pair in found.pairs.closest]
    assert probabilities == sorted(probabilities, reverse=True) and probabilities[0] < 0.5
    assert all(pair.left != pair.right and pair.left.size > 1 < pair.right.size for pair in found.pairs.closest)
    assert len({pair.left for pair in found.pairs.closest}) == len(found.pairs.closest)
    assert found.to_json()["closest"] == [pair.to_json() for pair in found.pairs.closest]


def test_curves_leave_out_what_is_undefined_and_tell_agreement() -> None:
    found = curves(parse_equation("sqrt(x^2) = x"), {"x": Fraction("1")})
    assert found is not None and (found.x[0], found.x[-1]) == (-6.0, 6.0)
    assert found.same.tolist() == (found.x >= 0).astype(int).tolist()
    logarithm = curves(parse_equation("log(x) + y = y"), {"x": Fraction("1"), "y": Fraction("5/2")})
    assert logarithm is not None and np.isnan(logarithm.sides[0][logarithm.x <= 0]).all()
    assert (logarithm.same == -1).sum() == (logarithm.x <= 0).sum() and logarithm.to_json()["fixed"] == {"y": "5/2"}
    np.testing.assert_allclose(logarithm.sides[0][logarithm.x > 0], np.log(logarithm.x[logarithm.x > 0]) + 2.5)
    narrow = curves(parse_equation("asin(x) = x"), {"x": Fraction("1/2")})
    assert narrow is not None and narrow.x[-1] == 2.0
    assert curves(parse_equation("1 + 1 = 2"), {}) is None


def test_a_witness_far_out_is_on_the_curves(shipped: Explainer) -> None:
    found = shipped.explain("tanh(x - 3000) = -1")
    assert found.judgement.witness is not None and found.curves is not None
    assert found.curves.x[0] <= found.judgement.witness.point["x"] <= found.curves.x[-1]


@pytest.mark.parametrize(("name", "kind"), [("lstm", "sequence"), ("majority", "none"), ("tree-rnn", "tree")])
def test_other_models(name: str, kind: str) -> None:
    trained = untrained(name)
    found = facts(Explainer(trained).explain("x + y = y + x"))
    assert found["model"]["kind"] == kind
    if kind == "none":
        assert found["nodes"][0]["state"] is None and found["pairs"] == []
    else:
        (vector,) = trained.embed(["x + y"], unit=False)
        np.testing.assert_allclose(found["nodes"][0]["state"]["vector"], vector, atol=1e-5)


def test_foreign_variables_are_shown_as_they_were_written() -> None:
    found = facts(Explainer(untrained("tree-lstm")).explain("sin(t) + s = s + sin(t)"))
    assert found["nodes"][0]["expression"] == "sin(t) + s"
    near = [near["expression"] for node in found["nodes"] for near in node["nearest"]]
    assert near and not any("x" in expression or "y" in expression for expression in near)


def test_a_blank(shipped: Explainer) -> None:
    found = facts(shipped.complete("sin(x)^2 + ? = 1", top=4))
    expected = [each.to_json() for each in shipped.network.trained.complete("sin(x)^2 + ? = 1", top=4)]
    assert [{key: row[key] for key in expected[0]} for row in found["fillings"]] == json.loads(json.dumps(expected))
    assert found["best"]["equation"] == expected[0]["equation"] and "□" in found["mathml"]
    assert isinstance(explain("x + ? = x", shipped.network.trained), Completion)


def test_many_variables_and_deep_trees_are_explained_within_bounds(shipped: Explainer) -> None:
    names = [f"x_{k}" for k in range(40)]
    many = parse_equation(f"{' + '.join(names)} = {' + '.join(reversed(names))}")
    found = shipped.explain(many)
    assert len(found.nodes) == many.size - 1
    assert 0 < len({node.expression.variables for node in found.nodes if node.nearest}) <= MOST_SETS
    deep = facts(shipped.explain(Equation(Expr(("sin",) * 400 + ("x",)), Expr.leaf("x"))))
    assert deep["nodes"][0]["expression"] is None and deep["nodes"][0]["nearest"] == []
    assert deep["nodes"][399]["expression"] == "sin(x)" and len(deep["nodes"][399]["nearest"]) == 3


def test_what_cannot_be_explained(shipped: Explainer) -> None:
    deep = Expr(("sin",) * 2000 + ("x",))
    with pytest.raises(ExplainError, match=r"the equation has 2003 nodes: at most 2000"):
        shipped.explain(Equation(deep, Expr.leaf("x")))
    with pytest.raises(VocabularyError):
        Explainer(untrained("tree-lstm")).explain("cosh(x) = 1")


def test_undefined_equations_have_no_point(shipped: Explainer) -> None:
    found = facts(shipped.explain("sqrt(-1 - x^2) = log(-x^2)"))
    assert found["oracle"]["verdict"] == "undefined" and found["point"] is None and found["curves"] is None
    assert {node["value"] for node in found["nodes"]} == {None}


def test_sides_that_are_nowhere_defined_together_are_drawn_apart(shipped: Explainer) -> None:
    found = shipped.explain("log(x) + y = log(-x) + y").curves
    assert found is not None and set(found.same) == {-1}
    assert (np.isfinite(found.sides) == [found.x > 0, found.x < 0]).all()
    many = " + ".join(f"x_{k}" for k in range(30))
    assert facts(shipped.explain(f"log(-1 - x^2) = {many}"))["oracle"]["verdict"] == "undefined"


def test_labels() -> None:
    assert [label(word) for word in ("Pow", "log", "acsch", "alpha", "x_n", "x1")] == "^ log acsch α x_n x1".split()
