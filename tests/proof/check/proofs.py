"""Proofs written by hand, for the tests of the checker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

EVERY_RULE = "definition, angles, powers, logarithms, inverse, sign, value"


def proof(equation: str, *steps: tuple[str, str], conditions: Sequence[str] = ()) -> dict[str, Any]:
    """A chain from the left side, each step being a law and the expression that it gives."""
    here = equation.split(" = ")[0]
    chain = []
    for law, there in steps:
        chain.append({"left": here, "right": there, "law": law, "at": None})
        here = there
    return {"equation": equation, "method": "laws", "conditions": list(conditions), "steps": chain}


def one_step(equation: str, law: str, conditions: Sequence[str] = ()) -> dict[str, Any]:
    """A proof in one step."""
    return proof(equation, (law, equation.split(" = ")[1]), conditions=conditions)


def with_because(equation: str, law: str, because: Any, conditions: Sequence[str] = ()) -> dict[str, Any]:
    """A proof in one step that rests on other chains."""
    entry = one_step(equation, law, conditions)
    entry["steps"][0]["because"] = because
    return entry


TANGENTS = proof(
    "tan(x) + cot(x) = sec(x)*csc(x)",
    ("reciprocal/tan-quotient, reciprocal/cot-quotient", "sin(x)/cos(x) + cos(x)/sin(x)"),
    ("algebra", "(sin(x)^2 + cos(x)^2)/(cos(x)*sin(x))"),
    ("pythagorean/sin-cos", "1/(cos(x)*sin(x))"),
    ("reciprocal/sec, reciprocal/csc", "sec(x)*csc(x)"),
)
ABSOLUTE = with_because(
    "sqrt(x^2)/x*sqrt(x^2) = x",
    "cases",
    [
        {"case": "x > 0", "steps": [{"left": "sqrt(x^2)/x*sqrt(x^2)", "right": "x", "law": "sign", "at": None}]},
        {"case": "x < 0", "steps": [{"left": "sqrt(x^2)/x*sqrt(x^2)", "right": "x", "law": "sign", "at": None}]},
    ],
)
INVERSES = with_because(
    "asin(x) = atan(x/sqrt(1 - x^2))",
    "both sides: tan",
    {
        "range": "-1/2*pi < both sides < 1/2*pi",
        "steps": proof(
            "tan(asin(x)) = tan(atan(x/sqrt(1 - x^2)))",
            ("inverse", "x/sqrt(1 - x^2)"),
            ("inverse", "tan(atan(x/sqrt(1 - x^2)))"),
        )["steps"],
    },
)
MOVED = with_because(
    "asin(x) + 2*acos(sqrt((1 + x)/2)) = pi/2",
    "both sides: sin",
    {
        "range": "-1/2*pi <= both sides <= 1/2*pi",
        "sides": ["asin(x)", "pi/2 - 2*acos(sqrt((1 + x)/2))"],
        "steps": proof(
            "sin(asin(x)) = sin(pi/2 - 2*acos(sqrt((1 + x)/2)))",
            ("inverse", "x"),
            ("algebra", "2*sqrt((1 + x)/2)^2 - 1"),
            ("angles, inverse", "sin(pi/2 - 2*acos(sqrt((1 + x)/2)))"),
        )["steps"],
    },
)
POWERS = proof(
    "(x^y)^z = x^(y*z)",
    ("definition", "exp(z*ln(x^y))"),
    ("logarithms", "exp(z*(y*ln(x)))"),
    ("definition", "x^(y*z)"),
    conditions=["x > 0"],
)
VALID = (
    TANGENTS,
    ABSOLUTE,
    INVERSES,
    MOVED,
    POWERS,
    one_step("sin(3*x) = 3*sin(x) - 4*sin(x)^3", "angles"),
    one_step("cosh(x)^2 - sinh(x)^2 = 1", "algebra"),
    one_step("ln(x*y) = ln(x) + ln(y)", "ln-rules/product"),
    proof("sqrt(x^2)*ln(x) = x*ln(x)", ("sign", "x*ln(x)")),
    one_step("cos(pi/8) = sqrt(2 + sqrt(2))/2", "value"),
    one_step("sqrt(x + 2*sqrt(x - 1)) = 1 + sqrt(x - 1)", "denest"),
)
"""Proofs of every kind that check."""
