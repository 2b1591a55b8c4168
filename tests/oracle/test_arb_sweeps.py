"""Programs over a forest against the comparer's way, node by node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.arithmetic.arb_balls import OPEN, Field, own_precision
from dgl_mathtree.arithmetic.operators import PLANE, REALS
from dgl_mathtree.language import Equation, Forest, parse_equation
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.oracle.arb_sweeps import DEEP, SweepProgram, SweepSchedule
from dgl_mathtree.oracle.compare import DEEP_LADDER, FEW, Code, Comparer
from tests.examples import examples
from tests.language.strategies import equations

VALUES = np.array([1.5, -0.25, 2.0, 0.5, 0.0, -3.0, 40.0, 1.0, 3 + 0.5j, -0.5 - 2j])
HARD = (
    "x^2 = x^-1",
    "0^x = x^0",
    "acosh(tanh(x)) = log(x - 1/2)",
    "exp(exp(exp(x))) = tanh(x^90)",
    "x^(1/2) = x^0.5",
    "x^4611686018427387904 = y^4611686018427387903",
    "sin(pi)*x = log(pi - pi)",
    "(x + y)^3 = acos(sin(x)^2 + cos(x)^2)",
)


def same(a: object, b: object) -> bool:
    """Whether two values are the same ball to the last bit, or both None or OPEN."""
    return a is b or (a is not None and a is not OPEN and b is not None and b is not OPEN and str(a) == str(b))


def assert_same_as_one_by_one(given: list[Equation], field: Field) -> None:
    forest = place(given).forest
    reals = VALUES[:8].real if field is REALS else VALUES
    points = {f"x_{k}": np.roll(reals, -k) for k in range(8)}
    program = SweepProgram(SweepSchedule(forest), np.arange(len(forest)), field, points)
    with own_precision():
        for bits in (64, 128, DEEP):
            for point in range(len(reals)):
                values: list[object] = [None] * len(forest)
                extreme = [False] * len(forest)
                program.run(point, bits, values, extreme)
                comparer = Comparer(forest, points, field)
                for node in range(len(forest)):
                    expected = comparer._value(node, point, bits) if comparer.able(0) else None
                    assert same(values[node], expected), (forest.expression(node), point, bits)
                if bits >= DEEP:
                    assert extreme == comparer._known(point, bits)[1]


@pytest.mark.parametrize("field", [REALS, PLANE], ids=["reals", "plane"])
def test_a_pass_computes_what_node_after_node_gives(field: Field) -> None:
    assert_same_as_one_by_one([parse_equation(text) for text in HARD], field)


@given(st.lists(equations, min_size=1, max_size=4))
@examples(25)
def test_for_any_equations(given: list[Equation]) -> None:
    assert_same_as_one_by_one(given, REALS)


def test_the_highest_precision_is_not_for_passes() -> None:
    forest = Forest.of([parse_equation("x = 1")])
    program = SweepProgram(SweepSchedule(forest), np.arange(2), REALS, {"x": np.array([1.0])})
    with pytest.raises(ValueError, match="highest precision"):
        program.run(0, 1024, [None] * 2, [False] * 2)


@pytest.mark.parametrize("repeated", [1, FEW])
@pytest.mark.parametrize("field", [REALS, PLANE], ids=["reals", "plane"])
def test_many_comparisons_are_those_of_one_by_one(field: Field, repeated: int) -> None:
    texts = [f"{text} + {k}" for k in range(repeated) for text in (*HARD, "sqrt(x^2) = x", "tanh(x^2 + 1000) = 1")]
    forest = place(parse_equation(text) for text in texts).forest
    reals = VALUES[:8].real if field is REALS else VALUES
    points = {f"x_{k}": np.roll(reals, -k) for k in range(3)}
    rows, columns = np.divmod(np.arange(len(texts) * len(reals)), len(reals))
    with own_precision():
        codes, bits = Comparer(forest, points, field).compare_all(rows, columns, 128)
        deep, deep_bits = Comparer(forest, points, field).compare_all_deeply(rows, columns)
        single = Comparer(forest, points, field)
        for k, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
            assert (codes[k], bits[k]) == single.compare(row, column, 128)[:2]
            assert (deep[k], deep_bits[k]) == single.compare_deeply(row, column)[:2]
    assert set(codes.tolist()) >= {Code.EQUAL, Code.DIFFERENT, Code.UNDEFINED}
    assert DEEP_LADDER[0] in deep_bits
