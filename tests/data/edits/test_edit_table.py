"""Mistakes: every kind finds a place and changes the equation as its name says."""

import random

import pytest

from dgl_mathtree.data.edits import MISTAKES, EquationView, mistake
from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.language.expr import subtree_ends


def _made(kind: str, text: str) -> set[str]:
    """All that a kind of mistake makes of an equation."""
    words = parse_equation(text).words
    found = set()
    for seed in range(60):
        replacement = MISTAKES[kind][1](EquationView(words, random.Random(seed)))
        if replacement is not None:
            at, new = replacement
            edited = words[:at] + new + words[subtree_ends(words)[at] :]
            found.add(str(Equation.from_words(edited)))
    return found


@pytest.mark.parametrize(
    ("kind", "text", "mistaken"),
    [
        ("change-variable", "x + y = y + x", "x + x = y + x"),
        ("change-number", "x + x = 2*x", "x + x = 3*x"),
        ("change-number", "x = 391", "x = 319"),
        ("change-number", "x = 391", "x = 381"),
        ("flip-sign", "x - y = x - y", "x + y = x - y"),
        ("drop-term", "(x + 1)^2 = x^2 + 2*x + 1", "(x + 1)^2 = x^2 + 2*x"),
        ("drop-factor", "sin(2*x) = 2*sin(x)*cos(x)", "sin(2*x) = sin(x)*cos(x)"),
        ("change-exponent", "x*x = x^2", "x*x = x^3"),
        ("change-function", "sin(x) = cos(x)*tan(x)", "sinh(x) = cos(x)*tan(x)"),
        ("swap-operands", "x - y = z", "y - x = z"),
        ("swap-operands", "x/y = z", "y/x = z"),
        ("swap-operands", "log(x, y) = z", "log(y, x) = z"),
        ("linearity", "sqrt(x + y) = z", "sqrt(x) + sqrt(y) = z"),
        ("linearity", "log(x + y) = z", "log(x) + log(y) = z"),
        ("linearity", "sin(2*x) = z", "2*sin(x) = z"),
        ("linearity", "(x + y)^2 = z", "x^2 + y^2 = z"),
        ("linearity", "sin(x) + sin(y) = z", "sin(x + y) = z"),
        ("cancel", "(x + y)/x = z", "y = z"),
        ("inverse-for-reciprocal", "asin(x) = y", "sin(x)^-1 = y"),
        ("inverse-for-reciprocal", "1/sin(x) = y", "1*asin(x) = y"),
        ("argument-slip", "sin(x)^2 = y", "sin(x^2) = y"),
        ("argument-slip", "2*sin(x) = y", "sin(2*x) = y"),
        ("distribute", "x*(y + z) = w", "x*y + z = w"),
        ("change-operator", "x + y = z", "x*y = z"),
        ("change-operator", "x/y = z", "x*y = z"),
        ("change-operator", "x*y^(z + -1) = w", "x + y^(z + -1) = w"),  # no quotient, though -1 stands last
        ("change-constant", "sin(pi) = 0", "sin(2*pi) = 0"),
        ("exchange", "x - y^2 = z", "y - x^2 = z"),
    ],
)
def test_kinds(kind: str, text: str, mistaken: str) -> None:
    assert str(parse_equation(mistaken)) in _made(kind, text)


def test_a_mistake_changes_the_equation_and_leaves_a_tree() -> None:
    words = parse_equation("sin(2*x)/(1 + cos(2*x)) = tan(x)").words
    for seed in range(200):
        edit = mistake(words, random.Random(seed))
        assert edit is not None
        assert Equation.from_words(edit.apply(words)).words != words


def test_with_many_variables_one_for_another_is_common() -> None:
    shares = []
    for text in ("a*x + b*y + a*c = a*(x + c) + b*y", "x*x + y*y + x*x = x*(x + x) + y*y"):
        words = parse_equation(text).words
        drawn = [edit.kind for seed in range(400) if (edit := mistake(words, random.Random(seed))) is not None]
        shares.append(sum(kind in ("change-variable", "exchange") for kind in drawn) / len(drawn))
    assert shares[0] > 0.4 > shares[1]
