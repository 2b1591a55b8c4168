from __future__ import annotations

from pathlib import Path

import pytest
from flint import ctx

from dgl_mathtree.language import parse_equation
from dgl_mathtree.proof.normal_form import decide
from dgl_mathtree.proof.normal_form.deciding import Decision
from dgl_mathtree.proof.normal_form.ring import WORK, Budget

HERE = Path(__file__).parent
TRUE = (HERE / "true_identities.txt").read_text().split("\n")[:-1]
FALSE = (HERE / "false_equations.txt").read_text().split("\n")[:-1]

EVERY = 3
"""Every third equation of the lists is looked at in the fast suite."""


def decided(text: str, budget: Budget | None = None) -> Decision | None:
    equation = parse_equation(text)
    return decide(equation.left.words, equation.right.words, (), budget)


@pytest.mark.parametrize("text", TRUE[::EVERY])
def test_true_identities_are_decided(text: str) -> None:
    assert decided(text) is not None


@pytest.mark.slow
def test_all_true_identities_are_decided() -> None:
    assert [text for text in TRUE if decided(text) is None] == []


@pytest.mark.parametrize("text", FALSE[::EVERY])
def test_equations_that_do_not_hold_everywhere_are_not_decided(text: str) -> None:
    assert decided(text) is None


@pytest.mark.slow
def test_no_equation_that_does_not_hold_everywhere_is_decided() -> None:
    assert [text for text in FALSE if decided(text) is not None] == []


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("x^y*x^z = x^(y + z)", ("x > 0",)),
        ("(x^y)^z = x^(y*z)", ("x > 0",)),
        ("(2*x)^y = 2^y*x^y", ("x > 0",)),
        ("exp(y*ln(x)) = x^y", ()),
        ("x^pi*x = x^(1 + pi)", ("x > 0",)),
        ("sin(2*x)^y = (2*sin(x)*cos(x))^y", ()),
        ("(x^2)^3 = x^6", ()),
        ("acot(-x) = -acot(x)", ("x != 0",)),
        ("acot(x*2/2) = acot(x)", ()),
    ],
)
def test_conditions_are_asked_for_only_where_a_power_or_acot_needs_them(text: str, conditions: tuple[str, ...]) -> None:
    decision = decided(text)
    assert decision is not None
    assert decision.conditions == conditions


@pytest.mark.parametrize(
    "text",
    [
        "sqrt((x^(sqrt(y^2)/y))^2) = x^(sqrt(y^2)/y)",  # a whole exponent for all y: x < 0 counts
        "(x^2)^(asin(sin(y))/asin(sin(y)))*0 + sqrt(x^2) = x",
    ],
)
def test_a_condition_never_cuts_away_an_open_part(text: str) -> None:
    assert decided(text) is None


def chained(function: str, depth: int) -> str:
    return f"{function}(" * depth + "x" + ")" * depth


@pytest.mark.parametrize(
    "text",
    [
        "(x + y + z + w + a + b)^30 = 1",
        "10^(10^10) = 1",
        "2^(2^(2^(2^(2^2)))) = 3",
        "x^(10^100) = x*x^(10^100 - 1)",
        "(sin(a + b + c + d + f + g) + cos(a + b + c + d + f + g))^8 = 1",
        "sqrt(x + sqrt(x + sqrt(x + sqrt(x + sqrt(x))))) = x",
        "sqrt(1 + sqrt(2 + sqrt(3 + sqrt(5 + sqrt(7 + sqrt(11)))))) = 2",
        "((x + 1)^30 + (y + 1)^30)*((x - 1)^30 + (y - 1)^30) = 1",
        "sin(37*x/41 + 29*y/31)*cos(x/7 - y/13) = sin(x)",
        "cos(pi/97)*cos(pi/89) = 1/2",
        "x^(1/97)*x^(1/89) = x^(186/8633) + 1",
        f"{chained('sin', 300)} = 1",
        " + ".join(f"sin({k}*x)*cos({k}*y)" for k in range(1, 40)) + " = 0",
        " + ".join(f"sqrt(x + {k})" for k in range(1, 40)) + " = 0",
        " + ".join(f"log({k})" for k in range(2, 200)) + " = 1",
        "*".join(f"(x + {k}*y + {k * k})" for k in range(1, 40)) + " = 0",
    ],
)
def test_work_is_counted_and_bounded(text: str) -> None:
    budget = Budget()
    assert decided(text, budget) is None
    assert budget.left > -WORK


@pytest.mark.parametrize(
    "text",
    ["(x + y + z)^200 = (z + y + x)^200", "sin(1000*x) = 2*sin(500*x)*cos(500*x)", "(1 + x)^100000 = (x + 1)^100000"],
)
def test_large_powers_and_multiples_are_compared_by_their_parts(text: str) -> None:
    assert decided(text) is not None


def test_the_answer_does_not_depend_on_what_was_asked_before() -> None:
    texts = TRUE[:40]
    assert [decided(text) is not None for text in texts] == [decided(text) is not None for text in reversed(texts)][
        ::-1
    ]


def test_the_precision_is_left_as_it_was() -> None:
    before = ctx.prec
    decided("asin(sin(2)) = pi - 2")
    assert ctx.prec == before
