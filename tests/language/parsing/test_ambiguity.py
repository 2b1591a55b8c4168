"""Where people read one thing and precedence says another: one common reading is followed, two are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dgl_mathtree.language import ParseError, parse, parse_blank

READ = [
    # angles: everybody reads the whole product
    ("cos pi/2", "cos(pi/2)"),
    ("cos 2pi/3", "cos(2*pi/3)"),
    ("cos 2*pi/3", "cos(2*pi/3)"),
    ("cos 2 pi / 3", "cos(2*pi/3)"),
    ("sin -pi/6", "sin(-pi/6)"),
    ("sin π/n", "sin(pi/n)"),
    (r"\tan 3\pi/4", "tan(3*pi/4)"),
    ("sin^2 pi/3", "sin(pi/3)^2"),
    ("cos pi/2 cos x", "cos(pi/2)*cos(x)"),
    ("cos pi/4 + x", "cos(pi/4) + x"),
    # a fraction of numbers and a space
    ("1/2 x", "(1/2)*x"),
    ("-1/2 sin(x)", "(-1/2)*sin(x)"),
    ("1/2 (x + 1)", "(1/2)*(x + 1)"),
    ("x + 3/4 y", "x + (3/4)*y"),
    (r"\frac{1}{2}x", "(1/2)*x"),
    # what TeX takes without braces is one sign
    (r"\frac x2", "x/2"),
    (r"\frac x2{y}", "(x/2)*y"),
    (r"\tan\frac\theta2", "tan(theta/2)"),
    (r"\sqrt2 x", "sqrt(2)*x"),
    (r"\sqrt2 \sin x", "sqrt(2)*sin(x)"),
    ("½x", "(1/2)*x"),
    # quotients whose end is plain
    ("a/b*c", "a*(b^-1*c)"),
    ("2x/3", "2*(x/3)"),
    ("xy/z", "x*y/z"),
    ("a/(bc)", "a/(b*c)"),
    ("(a/b)c", "(a/b)*c"),
    ("x/sin 2y", "x/sin(2*y)"),
    ("sin x/cos x", "sin(x)/cos(x)"),
    ("sin x / (1 + cos x)", "sin(x)/(1 + cos(x))"),
    ("√3/2", "sqrt(3)/2"),
    # powers
    ("x^2y", "(x^2)*y"),
    ("x^2(y+1)", "(x^2)*(y + 1)"),
    ("xy^2", "x*(y^2)"),
    ("x²y", "(x^2)*y"),
    ("e^x y", "(e^x)*y"),
    ("e^x sin x", "(e^x)*sin(x)"),
    ("e^(2)x", "(e^2)*x"),
    ("e^{2}x", "(e^2)*x"),
    ("e^x^2", "e^(x^2)"),
    ("-x^2", "-(x^2)"),
    ("2^-x", "2^(-x)"),
    ("x^2/2", "(x^2)/2"),
    # functions without a bracket
    ("sin xy", "sin(x*y)"),
    ("sin 2 x", "sin(2*x)"),
    ("sin 2 pi x", "sin(2*pi*x)"),
    ("sin omega t", "sin(omega*t)"),
    (r"\sin \omega t", "sin(omega*t)"),
    (r"\sin\theta\cos\theta", "sin(theta)*cos(theta)"),
    ("sin 2x cos x", "sin(2*x)*cos(x)"),
    ("sin x * cos x", "sin(x)*cos(x)"),
    ("sin x^2", "sin(x^2)"),
    ("ln x^2", "ln(x^2)"),
    ("sin x - y", "sin(x) - y"),
    ("log10 x", "log(x, 10)"),
    ("log2 8", "log(8, 2)"),
    ("log_2 x", "log(x, 2)"),
    ("ln2", "ln(2)"),
    ("sin2x", "sin(2*x)"),
    ("sin √x", "sin(sqrt(x))"),
    ("sin |x|", "sin(abs(x))"),
    (r"\cos{x}\sin{y}", "cos(x)*sin(y)"),
    # roots
    ("√2 x", "sqrt(2)*x"),
    (r"\sqrt2x", "sqrt(2)*x"),
    (r"\sqrt{x}^2", "sqrt(x)^2"),
    ("sqrt(x)^2", "sqrt(x)^2"),
    ("sqrt x sin x", "sqrt(x)*sin(x)"),
    # names before a bracket
    ("x(y+1)", "x*(y + 1)"),
    ("pi(x+1)", "pi*(x + 1)"),
    ("gamma*(x)", "gamma*x"),
]


@pytest.mark.parametrize(("text", "meant"), READ)
def test_the_common_reading(text: str, meant: str) -> None:
    assert parse(text) == parse(meant)


REFUSED = [
    ("a/bc", "(a/b)*c", "a/(b*c)"),
    ("x/2y", "(x/2)*y", "x/(2*y)"),
    ("x / 2y", "(x/2)*y", "x/(2*y)"),
    ("x÷2y", "(x/2)*y", "x/(2*y)"),
    ("1/2x", "(1/2)*x", "1/(2*x)"),
    ("1/2π", "(1/2)*π", "1/(2*π)"),
    ("1/x y", "(1/x)*y", "1/(x*y)"),
    ("x/2(y+1)", "(x/2)*(y+1)", "x/(2*(y+1))"),
    ("6/2(1+2)", "(6/2)*(1+2)", "6/(2*(1+2))"),
    ("1/(2)(x)", "(1/(2))*(x)", "1/((2)*(x))"),
    ("x^2/2y", "(x^2/2)*y", "x^2/(2*y)"),
    ("x/2sin(y)", "(x/2)*sin(y)", "x/(2*sin(y))"),
    ("x/2√y", "(x/2)*√y", "x/(2*√y)"),
    ("x/2|y|", "(x/2)*|y|", "x/(2*|y|)"),
    ("x/sin y cos z", "(x/sin y)*cos z", "x/(sin y*cos z)"),
    ("cos pi/2x", "cos(pi/2)*x", "cos(pi/(2*x))"),
    ("sin x/2", "sin(x/2)", "sin(x)/2"),
    (r"\sin x / 2", r"\sin(x/2)", r"\sin(x)/2"),
    ("sin 2x/3", "sin(2x/3)", "sin(2x)/3"),
    ("sin^2 x/2", "sin^2(x/2)", "sin^2(x)/2"),
    ("sin x/(y+1)", "sin(x/(y+1))", "sin(x)/(y+1)"),
    ("sin πx/2", "sin(πx/2)", "sin(πx)/2"),
    ("ln 1/2", "ln(1/2)", "ln(1)/2"),
    ("ln pi/2", "ln(pi/2)", "ln(pi)/2"),
    ("log_2 x/2", "log_2(x/2)", "log_2(x)/2"),
    ("sqrt x/2", "sqrt(x/2)", "sqrt(x)/2"),
    ("sin x y", "sin(x*y)", "sin(x)*y"),
    ("log x y", "log(x*y)", "log(x)*y"),
    ("log 2 x", "log(2*x)", "log(x, 2)"),
    ("log2x", "log(2*x)", "log(x, 2)"),
    ("sin2 x", "sin(2*x)", "sin(x)^2"),
    ("sin 2 cos x", "sin(2*cos x)", "sin(2)*cos x"),
    ("sin 2√x", "sin(2*√x)", "sin(2)*√x"),
    ("sin 2|x|", "sin(2*|x|)", "sin(2)*|x|"),
    ("sin 2(x+1)", "sin(2*(x+1))", "sin(2)*(x+1)"),
    ("sin x(y+1)", "sin(x*(y+1))", "sin(x)*(y+1)"),
    ("sin x*y", "sin(x*y)", "sin(x)*y"),
    ("sin 2*x", "sin(2*x)", "sin(2)*x"),
    ("sin x^2 y", "sin(x^2*y)", "sin(x^2)*y"),
    (r"\sin{x}^2", r"\sin(x)^2", r"\sin(x^2)"),
    (r"\sin{x}/2", r"\sin(x)/2", r"\sin(x/2)"),
    (r"\ln{x}y", r"\ln(x)*y", r"\ln(x*y)"),
    ("√x²", "sqrt(x)²", "sqrt(x²)"),
    ("√x^2", "sqrt(x)^2", "sqrt(x^2)"),
    ("√(x+1)²", "sqrt(x+1)²", "sqrt((x+1)²)"),
    (r"\sqrt x^2", r"\sqrt(x)^2", r"\sqrt(x^2)"),
    ("sqrt x^2", "sqrt(x)^2", "sqrt(x^2)"),
    ("√2x", "sqrt(2*x)", "sqrt(2)*x"),
    ("√2π", "sqrt(2*π)", "sqrt(2)*π"),
    ("sqrt 2x", "sqrt(2*x)", "sqrt(2)*x"),
    ("sqrt 2 x", "sqrt(2*x)", "sqrt(2)*x"),
    (r"\sqrt12", r"\sqrt{12}", r"\sqrt{1}*2"),
    (r"\sqrt 42", r"\sqrt{42}", r"\sqrt{4}*2"),
    (r"\frac123", r"\frac{1}{2}*3", r"\frac{1}{23}"),
    (r"\frac x23", r"\frac{x}{2}*3", r"\frac{x}{23}"),
    (r"\frac{1}x2", r"\frac{1}{x2}", r"\frac{1}{x}*2"),
    (r"\sqrt x2", r"\sqrt{x2}", r"\sqrt{x}*2"),
    ("sqrt2 x", "sqrt(2*x)", "sqrt(2)*x"),
    ("x½", "x*(1/2)", "x^(1/2)"),
    (r"\frac{x}12", r"\frac{x}{12}", r"\frac{x}{1}*2"),
    ("2^3x", "2^3*x", "2^(3*x)"),
    ("e^2x", "e^2*x", "e^(2*x)"),
    ("e^-2x", "e^-2*x", "e^(-2*x)"),
    ("e^2sin(x)", "e^2*sin(x)", "e^(2*sin(x))"),
    ("e^xy", "e^x*y", "e^(x*y)"),
    ("x 2", "x*2", "x^2"),
    ("(x+1)2", "(x+1)*2", "(x+1)^2"),
    ("sin(x)2", "sin(x)*2", "(sin(x))^2"),
    (r"1\frac{1}{2}", "1 + 1/2", "1*1/2"),
]


@pytest.mark.parametrize(("text", "first", "second"), REFUSED)
def test_two_readings_are_refused_and_shown(text: str, first: str, second: str) -> None:
    for whole in (text, f"y + {text} = 1"):
        with pytest.raises(ParseError) as caught:
            parse(whole)
        assert caught.value.reason.endswith(f"means two things: write {first} or {second}")
    assert parse(first) != parse(second)


@pytest.mark.parametrize(
    ("text", "reciprocal", "inverse"),
    [
        ("sin^-1(x)", "sin(x)^-1", "asin(x)"),
        ("tan⁻¹ x", "tan(x)^-1", "atan(x)"),
        ("acosh^-1(x)", "acosh(x)^-1", "cosh(x)"),
        ("log^-1(x)", "log(x)^-1", "exp(x)"),
        (r"\log_2^{-1}(x)", "log_2(x)^-1", "2^x"),
        ("exp^{-1}(x)", "exp(x)^-1", "ln(x)"),
        ("sqrt^-1(x)", "sqrt(x)^-1", "x^2"),
        ("abs^-1(x)", "abs(x)^-1", None),
    ],
)
def test_the_power_minus_one_of_a_function(text: str, reciprocal: str, inverse: str | None) -> None:
    with pytest.raises(ParseError, match="two things") as caught:
        parse(text)
    assert f"write {reciprocal} for the reciprocal" in caught.value.reason
    parse(reciprocal)
    if inverse is not None:
        assert caught.value.reason.endswith(f"or {inverse} for the inverse")
        parse(inverse)


@pytest.mark.parametrize(
    "text",
    [
        "gamma(x)",
        r"\gamma\left(x\right)",
        "γ(x)",
        "ζ(2)",
        "theta_1(x)",
        "f(x)",
        "f (x)",
        "f_1(x)",
        "G(x)",
        "f^-1(x)",
        "f^{2}(x)",
        "phi[x]",
    ],
)
def test_a_function_that_is_not_known_is_no_product(text: str) -> None:
    with pytest.raises(ParseError, match="unknown function") as caught:
        parse(f"1 + {text}")
    assert caught.value.column == 5
    meant = re.search(r"is a product, write (.*)$", caught.value.reason)
    assert meant is not None and "*" in meant[1] and parse(meant[1]).words[0] == "Mul"


DOCS = Path(__file__).parents[3] / "docs" / "equations.md"


def test_the_table_of_the_docs_is_true() -> None:
    text = re.sub(r"<!-- operators -->.*?<!-- end -->", "", DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    refused, read = ([text for row in rows for text in re.findall("`([^`]+)`", row[k])] for k in (1, 2))
    assert len(refused) > 20 and len(read) > 20
    for text in refused:
        with pytest.raises(ParseError):
            parse(text)
    for text in read:
        parse(text)


def test_parts_that_cannot_be_shown_are_letters() -> None:
    long = "(x + " + " + ".join(["x*y*z"] * 20) + ")"
    with pytest.raises(ParseError, match=re.escape("a/bc means two things: write (a/b)*c or a/(b*c)")):
        parse(f"1/{long}y")
    with pytest.raises(ParseError, match=re.escape("a/bc means two things: write (a/b)*c or a/(b*c)")):
        parse("1/y(2^3x)")


def test_blanks_are_shown_too() -> None:
    with pytest.raises(ParseError, match=re.escape("write (?/2)*x or ?/(2*x)")):
        parse_blank("?/2x = 1")


@pytest.mark.parametrize(
    "text", [r"\frac{d}{d x}", r"\frac{\mathrm{d}}{\mathrm{d}x}", r"\frac{\mathrm{d}y}{\mathrm{d}x} = x"]
)
def test_a_derivative_is_no_quotient(text: str) -> None:
    with pytest.raises(ParseError, match="derivatives are not supported"):
        parse(text)
