from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.language import Equation, Expr, VocabularyError, parse_equation, parse_expression

from .strategies import equations, expressions


def nested_depth(expression: Expr) -> int:
    return 1 + max(map(nested_depth, expression.children)) if expression.children else 0


@given(expressions)
def test_depth_and_size_follow_their_definition(expression: Expr) -> None:
    assert expression.depth == nested_depth(expression)
    assert expression.size == 1 + sum(child.size for child in expression.children)


@given(equations)
def test_the_root_of_an_equation_counts(equation: Equation) -> None:
    assert equation.depth == 1 + max(equation.left.depth, equation.right.depth)
    assert equation.size == 1 + equation.left.size + equation.right.size
    assert Equation(equation.left, equation.right) == equation


@given(equations, st.data())
def test_replacing_and_reading_a_position(equation: Equation, data: st.DataObject) -> None:
    position = data.draw(st.integers(1, equation.size - 1))
    old = equation.subexpression(position)
    new = data.draw(expressions)
    changed = equation.replace(position, new)
    assert changed.subexpression(position) == new
    assert changed.size == equation.size - old.size + new.size
    assert changed.replace(position, old) == equation


def test_positions_are_those_of_the_prefix_order() -> None:
    equation = parse_equation("sin(x) + y = 1")
    assert [str(equation.subexpression(k)) for k in range(1, equation.size)] == ["sin(x) + y", "sin(x)", "x", "y", "1"]
    assert equation.subexpressions() == [equation.subexpression(k) for k in range(1, equation.size)]
    assert equation.left.subexpressions() == equation.subexpressions()[:4]
    for position in (0, 6, -1):
        with pytest.raises(IndexError):
            equation.subexpression(position)
        with pytest.raises(IndexError):
            equation.replace(position, Expr.leaf("x"))


def test_trees_are_immutable_hashable_and_comparable() -> None:
    one, other = parse_equation("x + y = y + x"), parse_equation("x+y=y+x")
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, parse_equation("x = x")}) == 2
    assert one != one.left
    with pytest.raises(AttributeError, match="immutable"):
        one.words = ()
    with pytest.raises(AttributeError, match="immutable"):
        del one.words


@given(equations)
def test_copies(equation: Equation) -> None:
    assert pickle.loads(pickle.dumps(equation)) == equation
    assert copy.deepcopy(equation.left) == equation.left


def test_variables_and_renaming() -> None:
    equation = parse_equation("b*sin(a) + pi*x_1 = b*e")
    assert equation.variables == ("b", "a", "x_1")
    assert str(equation.canonical_variables()) == "x*sin(y) + pi*z = x*e"
    assert str(equation.rename({"a": "b", "b": "a"})) == "a*sin(b) + pi*x_1 = a*e"
    with pytest.raises(VocabularyError):
        equation.rename({"a": "sin"})
    many = parse_expression("a+b+c+d+u+v").canonical_variables()
    assert many.variables == ("x", "y", "z", "w", "x_4", "x_5")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Add", "x"], "ends too early"),
        (["x", "y"], "complete before"),
        (["Add", "x", "speed"], "not a leaf"),
        ([], "ends too early"),
        (["Equality", "x", "x"], "only at the root"),
    ],
)
def test_words_that_spell_no_expression(words: list[str], message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        Expr(words)


def test_words_that_spell_no_equation() -> None:
    assert Equation.from_words(["Equality", "x", "y"]) == parse_equation("x = y")
    for words in (["x"], ["Equality", "x"], ["Equality", "x", "Equality", "x", "y"]):
        with pytest.raises(VocabularyError):
            Equation.from_words(words)


def test_applying_operators() -> None:
    x = Expr.leaf("x")
    assert Expr.apply("Add", x, x) == parse_expression("x + x")
    with pytest.raises(VocabularyError, match=r"takes 2 argument"):
        Expr.apply("Add", x)
    with pytest.raises(VocabularyError, match="not an operator"):
        Expr.apply("Plus", x, x)
