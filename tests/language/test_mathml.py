from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given

from dgl_mathtree.language import Equation, Expr, infix, latex, mathml, parse_equation, parse_expression, readable
from dgl_mathtree.language.expr import subtree_ends
from dgl_mathtree.language.mathml import APPLY, DOT, INVISIBLE_TIMES, LETTERS, MINUS
from dgl_mathtree.language.vocabulary import GREEK
from tests.examples import examples

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
            "mfrac": rf"\frac{{{first}}}{{{second}}}",
            "msup": f"{first}^{{{second}}}",
            "msub": f"{first.strip()}_{{{second}}}",
        }[kind]
    if kind == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    text = element.text or ""
    if kind == "mi" and len(text) > 1 and text != "var":
        return rf"\{text}" if text.startswith(("arc", "log", "ln")) else rf"\operatorname{{{text}}}"
    return "".join(parts) or SIGNS.get(text, NAMES.get(text, text))


def shown(tree: Expr | Equation) -> str:
    return read(ElementTree.fromstring(mathml(tree)))


def names_as_seen(tree: Expr | Equation) -> tuple[str, ...]:
    """The words of a tree, without what cannot be seen: x1 and x_1 look the same."""
    return tuple(re.sub(r"(?<=[a-z])(?=[0-9])", "_", word) for word in tree.words)


@examples(1000)
@given(equations)
def test_formula_latex_and_text_show_the_same_equation(equation: Equation) -> None:
    assert names_as_seen(parse_equation(shown(equation))) == names_as_seen(equation)
    for text in (latex(equation), infix(equation), readable(equation)):
        assert parse_equation(text) == equation


CLOSE = ["x", "y", "1", "2", "-1", "-2", "1/2", "-1/2", "0.5", "-0.5", "pi"]


def small_trees() -> Iterator[Expr]:
    """All trees of up to two operators of arithmetic over a few leaves, where signs and brackets are decided."""
    leaves = [Expr.leaf(word) for word in CLOSE]
    pairs = [Expr.apply(name, a, b) for name in ("Add", "Mul", "Pow") for a in leaves for b in leaves]
    yield from pairs
    for name in ("Add", "Mul", "Pow"):
        for pair in pairs:
            for leaf in leaves:
                yield Expr.apply(name, pair, leaf)
                yield Expr.apply(name, leaf, pair)


def test_small_formulas_show_what_they_are() -> None:
    wrong = [tree for tree in small_trees() if parse_expression(shown(tree)) != tree]
    assert wrong == []


@examples(60)
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
        ("x - 1", "x-1"),
        ("1 - 2*sin(x)^2", r"1-2 \cdot \operatorname{sin}(x)^{2}"),
        ("x - 1/2", r"x-\frac{1}{2}"),
        ("x - 1/y", r"x-\frac{1}{y}"),
        ("x - y^-1", r"x+\frac{-1}{y}"),
        ("x - 2^x", "x-2^{x}"),
        ("x - -1", "x-(-1)"),
        ("x + -1", "x+(-1)"),
        ("x - -2*y", r"x-(-2 \cdot y)"),
        ("x + (-2)*y", r"x+(-2 \cdot y)"),
        ("x - y/z", r"x-\frac{y}{z}"),
        ("-1*(y/z)", r"-\frac{y}{z}"),
        ("-1*2", r"-1 \cdot 2"),
        ("-1*2*x", r"-1 \cdot 2 \cdot x"),
        ("-1/2*x", r"-\frac{1}{2} \cdot x"),
        ("x - (y + z)", "x-(y+z)"),
        ("2*3", r"2 \cdot 3"),
        ("x*(-2)", r"x \cdot (-2)"),
        ("-(-x)", "-(-x)"),
        ("(1/2)^x", r"(\frac{1}{2})^{x}"),
        ("log(x, 2)", r"\log_{2}(x)"),
        ("sqrt(x/y)", r"\sqrt{\frac{x}{y}}"),
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
