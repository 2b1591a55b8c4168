"""The table of laws: names, conditions, and that no law is false where its conditions hold."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Iterator

import pytest
from flint import arb, ctx, fmpq

from dgl_mathtree.arithmetic.arb_balls import OPEN, leaf, own_precision
from dgl_mathtree.arithmetic.operators import REALS
from dgl_mathtree.data.axioms import axioms_of
from dgl_mathtree.data.discovery.law_instances import laws, named_laws
from dgl_mathtree.language import parse_equation, parse_expression
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.proof.laws import Condition, Law, LawError, all_laws, by_name, law, own_laws, requirements

POINTS = [(-3, 1), (-2, 1), (-1, 1), (-1, 2), (0, 1), (1, 2), (1, 1), (2, 1), (3, 1), (4, 1)]
FEW = [(-2, 1), (-1, 1), (0, 1), (1, 2), (2, 1)]
RELATIONS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "!=": operator.ne}


def _value(words: Words, point: dict[str, arb]) -> object:
    """The value of an expression, None where it is not defined, OPEN where it is next to an edge."""
    stack: list[object] = []
    for word in reversed(words):
        arity = ARITY.get(word, 0)
        arguments = [stack.pop() for _ in range(arity)]
        if arity == 0:
            stack.append(point[word] if word in point else leaf(word))
        elif all(isinstance(argument, arb) for argument in arguments):
            stack.append((REALS.unary if arity == 1 else REALS.binary)[word](*arguments, False))
        else:
            stack.append(None if None in arguments else OPEN)
    return stack.pop()


def _points(letters: tuple[str, ...]) -> Iterator[dict[str, arb]]:
    """Whole numbers, halves and 0 for every letter: the thin sets on which laws of powers fail."""
    values = [arb(fmpq(*pair)) for pair in (POINTS if len(letters) < 3 else FEW)]
    for chosen in itertools.product(values, repeat=len(letters)):
        yield dict(zip(letters, chosen, strict=True))


def _refuted(tested: Law) -> dict[str, arb] | None:
    """A point at which both sides are defined, the conditions hold, and the sides differ."""
    for point in _points(tested.equation.variables):
        sides = [_value(words, point) for words in (tested.left, tested.right)]
        if not all(isinstance(side, arb) for side in sides) or sides[0].overlaps(sides[1]):
            continue
        conditions = [
            RELATIONS[c.relation](_value(c.left.words, point), _value(c.right.words, point)) for c in tested.conditions
        ]
        if all(conditions):
            return point
    return None


@pytest.mark.parametrize("part", range(4))
def test_no_law_is_false_where_its_conditions_hold(part: int) -> None:
    with own_precision():
        ctx.prec = 200
        refuted = {each.name: _refuted(each) for each in list(all_laws().values())[part::4]}
    assert {name: point for name, point in refuted.items() if point is not None} == {}


def test_the_test_refutes_a_law_without_its_condition() -> None:
    with own_precision():
        ctx.prec = 200
        assert _refuted(Law("powers/wrong", parse_equation("(x^y)^z = x^(y*z)"))) is not None
        assert _refuted(Law("roots/wrong", parse_equation("sqrt(x^2) = x"))) is not None
        # A condition that no law needs would be noise in proofs.
        conditional = [each for each in own_laws() if each.conditions]
        assert [each.name for each in conditional if _refuted(Law(each.name, each.equation)) is None] == []


def test_every_law_has_a_name_of_its_own() -> None:
    table = all_laws()
    assert len(laws()) == 705 == len(named_laws())
    assert set(named_laws()) <= set(table) and set(axioms_of("elementary")) <= set(table)
    assert not set(axioms_of("wrong")) & set(table) and not set(axioms_of("unsound")) & set(table)
    assert all(re.fullmatch(r"[a-z-]+/[a-z-]+", name) for name in table)


def test_conditions_are_read_and_written() -> None:
    for text in ("x > 0", "cos(x) != 0", "x*y < 1", "x >= -1*pi/2"):
        assert str(Condition.parse(text)) == text
    with pytest.raises(LawError, match="not a condition"):
        Condition.parse("x")


def test_side_conditions_of_a_law() -> None:
    assert [str(c) for c in law("ln-rules/product").side_conditions()] == ["x*y > 0", "x > 0", "y > 0"]
    assert [str(c) for c in law("fractions/cancel-factor").side_conditions()] == ["y != 0"]
    assert [str(c) for c in law("powers/root-of-product").side_conditions()] == ["x >= 0", "y >= 0", "x*y >= 0"]
    assert [str(c) for c in law("power-rules/of-power").side_conditions()] == ["x > 0"]


def test_requirements_of_functions() -> None:
    found = {str(c) for c in requirements(parse_expression("acosh(x) + log(y, z) + csc(w)^(-1/2)").words)}
    assert found == {"x >= 1", "y > 0", "z > 0", "z != 1", "sin(w) != 0", "csc(w) > 0"}


def test_an_unknown_law_has_a_suggestion() -> None:
    with pytest.raises(LawError, match="unknown law 'pythagorean/sin-cosine'; did you mean pythagorean/sin-cos"):
        law("pythagorean/sin-cosine")


def test_a_name_stands_for_one_law() -> None:
    twice = [Law("group/name", parse_equation(text)) for text in ("x + y = y + x", "x*y = y*x")]
    assert by_name(twice[:1] * 2) == {"group/name": twice[0]}
    with pytest.raises(LawError, match="two laws are called group/name"):
        by_name(twice)
