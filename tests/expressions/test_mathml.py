from __future__ import annotations

import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings

from dgl_mathtree.expressions import Equation, Expr, Forest, evaluate_forest, mathml, parse_equation, parse_expression
from dgl_mathtree.expressions.mathml import APPLY, DOT, INVISIBLE_TIMES, LETTERS, MINUS
from dgl_mathtree.expressions.tree import subtree_ends
from dgl_mathtree.expressions.vocabulary import GREEK

from .strategies import equations

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
SIGNS = {MINUS: "-", DOT: r" \cdot ", INVISIBLE_TIMES: r" \cdot ", APPLY: ""}
NAMES = {letter: f"\\{GREEK.get(letter, 'pi')} " for letter in LETTERS.values() if letter != "□"}


def read(element: ElementTree.Element) -> str:
    """What the MathML shows, as LaTeX: only what can be seen decides."""
    kind, parts = element.tag.removeprefix(NAMESPACE), [read(child) for child in element]
    if kind in ("mfrac", "msup", "msub"):
        first, second = parts
        return {
            "mfrac": rf"{{\frac{{{first}}}{{{second}}}}}",
            "msup": f"{first}^{{{second}}}",
            "msub": f"{first.strip()}_{{{second}}}",
        }[kind]
    if kind == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    text = element.text or ""
    if text == "var":
        return "v"
    if kind == "mi" and len(text) > 1:
        return rf"\{text}" if text.startswith(("arc", "log", "ln")) else rf"\operatorname{{{text}}}"
    return "".join(parts) or SIGNS.get(text, NAMES.get(text, text))


def shown(tree: Expr | Equation) -> str:
    return read(ElementTree.fromstring(mathml(tree)))


def value(name: str) -> float:
    """The value of a variable, the same for names that look the same: x1 and x_1."""
    return 0.3 + zlib.crc32(name.replace("_", "").replace("var", "v").encode()) % 97 / 70


@settings(max_examples=60, deadline=None)
@given(equations)
def test_what_is_shown_has_the_same_value(equation: Equation) -> None:
    seen = parse_equation(shown(equation))
    values_of = {name: value(name) for name in (*equation.variables, *seen.variables)}
    points = {name: np.array([value, -value]) for name, value in values_of.items()}
    for side in ("left", "right"):
        values = []
        for each in (equation, seen):
            forest = Forest.of([each])
            values.append(evaluate_forest(forest, points)[0][forest.equations[0][side == "right"]])
        np.testing.assert_allclose(values[0], values[1], rtol=1e-6, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(equations)
def test_every_node_has_one_place_or_stands_in_its_parents(equation: Equation) -> None:
    root = ElementTree.fromstring(mathml(equation, first=7))
    marked = [element for element in root.iter() if "data-node" in element.attrib]
    places = [int(element.attrib["data-node"]) - 7 for element in marked]
    assert len(set(places)) == len(places) and set(places) <= set(range(len(equation)))
    hidden = set(range(len(equation))) - set(places)
    assert all(equation.words[at] in ("-1", "1/2", "e") for at in hidden)
    ends = subtree_ends(equation.words)
    for element, at in zip(marked, places, strict=True):
        inside = [int(e.attrib["data-node"]) - 7 for e in element.iter() if "data-node" in e.attrib]
        assert set(inside) == set(range(at, ends[at])) - hidden


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*x", r"2 \cdot x"),
        ("(x + y)^2", "(x+y)^{2}"),
        ("x - (y - z)", "x-(y-z)"),
        ("x + (-2)*y", r"x-2 \cdot y"),
        ("x*(-2)", r"x \cdot (-2)"),
        ("-(-x)", "-(-x)"),
        ("(1/2)^x", r"({\frac{1}{2}})^{x}"),
        ("log(x, 2)", r"\log_{2}(x)"),
        ("sqrt(x/y)", r"\sqrt{{\frac{x}{y}}}"),
    ],
)
def test_brackets(text: str, expected: str) -> None:
    assert shown(parse_expression(text)) == expected


def test_a_number_and_what_follows_it_are_written_together_unless_that_could_be_misread() -> None:
    assert INVISIBLE_TIMES in mathml(parse_expression("2*sin(x)"))
    assert DOT in mathml(parse_expression("2*3^x")) and DOT in mathml(parse_expression("x*y"))


def test_deep_trees_are_typeset() -> None:
    deep = Expr(("sin",) * 3000 + ("x",))
    assert mathml(deep).count("data-node") == 3001
