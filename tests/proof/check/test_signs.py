"""Signs and ranges hold at every point that was tried, and know what they should."""

from __future__ import annotations

import math
from itertools import product as pairs

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.language import parse_expression
from dgl_mathtree.proof.check import constants
from dgl_mathtree.proof.check.balls import Values
from dgl_mathtree.proof.check.definedness import domain_facts
from dgl_mathtree.proof.check.limits import Budget
from dgl_mathtree.proof.check.nodes import Node, node_of
from dgl_mathtree.proof.check.ranges import End, Range, closed, end, opened
from dgl_mathtree.proof.check.region import Region
from dgl_mathtree.proof.check.signs import (
    ANY,
    NEGATIVE,
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    ZERO,
    negated,
    product,
    total,
    whole_power,
)
from tests.examples import examples


def node(text: str) -> Node:
    return node_of(parse_expression(text).words)


def region_of(*texts: str) -> Region:
    """The region on which some expressions are defined."""
    budget = Budget()
    bare = Region([], frozenset(), [], budget, 48, 2)
    return Region(domain_facts(bare, [node(text) for text in texts]), frozenset(), [], budget, 48, 2)


def mask_of(value: float) -> int:
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO


@pytest.mark.parametrize(("a", "b"), list(pairs(range(1, 8), repeat=2)))
def test_sets_of_signs_hold_all_combinations(a: int, b: int) -> None:
    numbers = [-3.0, -1.0, 0.0, 1.0, 2.0]
    for x, y in pairs(numbers, repeat=2):
        if mask_of(x) & a and mask_of(y) & b:
            assert mask_of(x * y) & product(a, b)
            assert mask_of(x + y) & total(a, b)
            assert mask_of(-x) & negated(a)
            assert mask_of(x**2) & whole_power(a, 2) and mask_of(x**3) & whole_power(a, 3)


@pytest.mark.parametrize(
    ("defined", "asked", "signs"),
    [
        ("sqrt(x)", "x", NONNEGATIVE),
        ("ln(x)", "x", POSITIVE),
        ("1/sqrt(x)", "x", POSITIVE),
        ("1/x", "x", NONZERO),
        ("sqrt(x^2*(x - 2))", "x - 2", ANY),
        ("sqrt(x*y) + sqrt(y)", "x", ANY),
        ("sqrt(x*y) + ln(y)", "x", NONNEGATIVE),
        ("ln(x*y) + sqrt(y)", "x", POSITIVE),
        ("ln(x*y)", "x", NONZERO),
        ("acosh(x)", "x", POSITIVE),
        ("acosh(x)", "x - 1", NONNEGATIVE),
        ("asin(x)", "1 - x^2", NONNEGATIVE),
        ("atanh(x)", "1 - x^2", POSITIVE),
        ("tan(x)", "cos(x)", NONZERO),
        ("tan(x)", "1 - sin(x)", POSITIVE),
        ("x", "x^2 + 1", POSITIVE),
        ("x + y", "x^2 - x*y + y^2", NONNEGATIVE),
        ("x + y", "x^2 + 2*x*y + y^2", NONNEGATIVE),
        ("x", "sin(x) + 2", POSITIVE),
        ("x", "sqrt(x^2 + 1) - 1", NONNEGATIVE),
        ("1/x", "sqrt(x^2 + 1) - 1", POSITIVE),
        ("x", "cosh(x) - 1", NONNEGATIVE),
        ("x", "sqrt(2) - 7/5", POSITIVE),
        ("x", "sqrt(8) - 2*sqrt(2)", ZERO),
        ("sqrt(sin(2*x))", "sin(x)*cos(x)", NONNEGATIVE),
        ("acos(x)", "sin(acos(x))", NONNEGATIVE),
        ("atan(x)", "cos(atan(x))", POSITIVE),
    ],
)
def test_signs_follow_from_being_defined(defined: str, asked: str, signs: int) -> None:
    with own_precision():
        assert region_of(defined).signs(node(asked)) == signs


ATOMS = st.sampled_from(["x", "y", "1", "2", "-1", "1/2", "pi"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: (
        st.builds("({} + {})".format, inner, inner)
        | st.builds("({} - {})".format, inner, inner)
        | st.builds("({}*{})".format, inner, inner)
        | st.builds("({})^{}".format, inner, st.sampled_from(["2", "3", "(-1)", "(1/2)", "(-1/2)"]))
        | st.builds(
            "{}({})".format, st.sampled_from("sin cos exp ln atan asin acos tanh cosh acot sqrt".split()), inner
        )
    ),
    max_leaves=6,
)


@examples(250)
@given(EXPRESSIONS, EXPRESSIONS, st.data())
def test_signs_and_ranges_hold_at_points(domain: str, asked: str, data: st.DataObject) -> None:
    with own_precision():
        region, question = region_of(domain), node(asked)
        try:
            signs, found = region.signs(question), region.range(question)
        except ZeroDivisionError:
            return
        for _ in range(6):
            point = {
                name: arb(data.draw(st.sampled_from([-3, -2, -1.5, -1, -0.5, 0, 0.25, 1, 1.5, 2, 4]))) for name in "xy"
            }
            values = Values(point, Budget())
            value = values.of(question)
            if not isinstance(values.of(node(domain)), arb) or not isinstance(value, arb):
                continue
            sign = POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO if value.is_zero() else ANY
            assert sign & signs
            assert found.low is None or not value < arb(found.low.a) + arb(found.low.b) * arb.pi()
            assert found.high is None or not value > arb(found.high.a) + arb(found.high.b) * arb.pi()


FRACTIONS = st.fractions(-9, 9, max_denominator=9).map(lambda f: fmpq(f.numerator, f.denominator))


@given(FRACTIONS, FRACTIONS)
def test_the_sign_of_an_end_is_that_of_its_number(a: fmpq, b: fmpq) -> None:
    value = float(a.p) / float(a.q) + math.pi * float(b.p) / float(b.q)
    assert End(a, b).sign() == (0 if a == b == 0 else 1 if value > 0 else -1)


def test_ranges_keep_open_and_closed_ends_apart() -> None:
    half = end(0, fmpq(1, 2))
    assert closed(end(0), half).within(closed(end(0), half))
    assert not closed(end(0), half).within(opened(end(0), half))
    assert opened(end(0), half).within(closed(end(0), half))
    assert not Range().within(closed(end(0), half)) and closed(end(0), half).within(Range())
    assert opened(end(0), end(1)).signs() == POSITIVE and closed(end(0), end(1)).signs() == NONNEGATIVE


@pytest.mark.parametrize(
    ("text", "zero"),
    [
        ("sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6))", True),
        ("sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6)) + 10^-50", False),
        ("cos(pi/7)*cos(2*pi/7)*cos(4*pi/7) + 1/8", True),
        ("cos(pi/7)*cos(2*pi/7)*cos(4*pi/7) + 1/8 + 10^-40", False),
        ("(2 + sqrt(5))^(1/3) - (1 + sqrt(5))/2", True),
        ("exp(1) - e", False),
        ("sin(1)^2 + cos(1)^2 - 1", False),
        ("sqrt(1000001) - sqrt(1000000)", False),
    ],
)
def test_a_separation_bound_tells_zero_from_small(text: str, zero: bool) -> None:
    with own_precision():
        assert constants.is_zero(region_of("1"), node(text)) is zero


@pytest.mark.parametrize(
    ("domain", "text", "mask"),
    [
        ("ln(x)", "exp(x) - 1", POSITIVE),
        ("ln(x)", "exp(-x) - exp(x)", NEGATIVE),
        ("sqrt(x - y)", "exp(x) - exp(y)", NONNEGATIVE),
        ("x + y", "exp(x) - exp(y)", ANY),
        ("x", "x + sqrt(1 + x^2)", POSITIVE),
        ("x", "sqrt(1 + x^2) - x", POSITIVE),
        ("x", "x + sqrt(x^2)", NONNEGATIVE),
        ("acosh(x)", "x - sqrt(x^2 - 1)", POSITIVE),
        ("sqrt(x^2 - 1)", "x - sqrt(x^2 - 1)", ANY),
        ("sqrt(1 - x^2)", "x - sqrt(1 - x^2)", ANY),
        ("sqrt(x)", "x - sqrt(x)", ANY),
    ],
)
def test_differences_of_exponentials_and_sums_with_a_root(domain: str, text: str, mask: int) -> None:
    with own_precision():
        assert region_of(domain).signs(node(text)) == mask


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        ("sin(x)^2 - 2", NEGATIVE),
        ("2 - cos(x)^4", POSITIVE),
        ("1 - tanh(x)^2/2", POSITIVE),
        ("sin(x)^3 + 1", NONNEGATIVE),
        ("sin(x)^2 - 1/2", ANY),
        ("x^2 - 2", ANY),
    ],
)
def test_powers_of_bounded_functions(text: str, mask: int) -> None:
    with own_precision():
        assert region_of("x").signs(node(text)) == mask
