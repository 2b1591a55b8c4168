"""What equations evaluate to by themselves, beside SymPy's automatic evaluation."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from dgl_mathtree.data.automatic_evaluation import evaluates_to_true
from dgl_mathtree.data.edits.uniform_edits import edit_uniformly
from dgl_mathtree.data.population import Population
from dgl_mathtree.data.recipe import load_recipe
from dgl_mathtree.language import parse_equation
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY, is_variable


@pytest.mark.parametrize(
    ("text", "decided"),
    [
        ("x + y = y + x", True),
        ("2*x + x = 3*x", True),
        ("x*x = x^2", True),
        ("2*(x + 1) = 2*x + 2", True),
        ("x*(y + 1) = x*y + x", False),
        ("x^0 = 1", True),
        ("0*x = 0", True),
        ("sqrt(4) = 2", True),
        ("sqrt(8) = 2*sqrt(2)", True),
        ("sqrt(x^2) = x", False),
        ("sin(-1*x) = -1*sin(x)", True),
        ("cos(x + 2*pi) = cos(x)", True),
        ("cos(pi/2 - x) = sin(x)", True),
        ("tan(pi/2) = 1", False),
        ("sin(x)^2 + cos(x)^2 = 1", False),
        ("sin(2*x) = 2*sin(x)*cos(x)", False),
        ("1 = 2", False),
    ],
)
def test_what_evaluation_alone_decides(text: str, decided: bool) -> None:
    words = parse_equation(text).words
    assert evaluates_to_true(words) is decided
    assert by_sympy(words) is decided


@pytest.mark.parametrize("edits", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_edits_are_decided_as_by_sympy(edits: int) -> None:
    rng = random.Random(edits)
    members = [words for words, _ in Population(replace(load_recipe("original"), population=edits))._members(rng)]
    edited = [edit_uniformly(rng, words).apply(words) for words in members]
    decided = [evaluates_to_true(words) for words in edited]
    assert decided == [by_sympy(words) for words in edited]
    assert 0.02 < sum(decided) / edits < 0.25


def by_sympy(words: Words) -> bool:
    """What building the sides in SymPy, and asking whether they are equal, makes of an equation."""
    sympy = pytest.importorskip("sympy")
    stack: list[object] = []
    for word in reversed(words[1:]):
        arity = ARITY.get(word, 0)
        if arity == 0:
            number = sympy.Float if "." in word else sympy.Rational
            stack.append(sympy.pi if word == "pi" else sympy.Symbol(word) if is_variable(word) else number(word))
        else:
            stack.append(getattr(sympy, word)(*(stack.pop() for _ in range(arity))))
    left, right = stack.pop(), stack.pop()
    return bool(sympy.Eq(left, right) is sympy.true)
