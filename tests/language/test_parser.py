from __future__ import annotations

import hashlib
import random
import string
from itertools import islice
from pathlib import Path

import pytest

from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.language import Equation, Expr, ParseError, parse, parse_equation, parse_expression

PAPER = [
    (4, r"(\sqrt{1} \times 1 \times y) + x = (1 \times y) + x"),
    (4, r"\sec(x + \pi) = (-1 \times \sec(\sec(x)))"),
    (8, r"y \times \Big(1^1 \times (3 + (-1 \times 4^{0 \times 1})) + x^1\Big) = y \times 2^0 \times (2 + x)"),
    (8, r"\sqrt{1 + (-1 \times (\cos(y + x))^{\sqrt{\csc(2)}} )} \times (\cos(y + x))^{-1} = \tan(y^1 + x)"),
    (
        13,
        r"2^{-1} + \Big(-\frac{1}{2} \times \big (-1 \times \sqrt{1 + (-1 \times \sin^2(\sqrt{4} \times (\pi + "
        r"(x \times -1))))} \big) \Big) + \cos^{\sqrt{4}}(x) = 1",
    ),
    (
        13,
        r"\big(\cos(y^1 + x) + z\big)^w = \big(\cos(x) \times \cos(0 + y) + \big(-1 \times \sqrt{1 + -1 \times "
        r"\cos^{2}(y + 2\pi)}\; \big) \times \sin(x) + z \big)^w",
    ),
    (
        13,
        r"\sin\Big( \sqrt{4}\;^{-1} \pi + (-1 \times \sec \big( \csc^2(x)^{-1} + \sin^2(1 + (-1 \times 1) + x + "
        r"2^{-1} \pi ) \big) \times x) \Big) = \cos(0 + x)",
    ),
]


@pytest.mark.parametrize(("depth", "text"), PAPER)
def test_the_samples_of_the_paper_have_their_stated_depth(depth: int, text: str) -> None:
    assert parse_equation(text).depth == depth


SAME = [
    # minus
    ("-2^2", "Mul -1 Pow 2 2"),
    ("(-2)^2", "Pow -2 2"),
    ("-2", "-2"),
    ("-x", "Mul -1 x"),
    ("-x*y", "Mul -1 Mul x y"),
    ("--x", "Mul -1 Mul -1 x"),
    ("a - b", "Add a Mul -1 b"),
    ("a - b*c", "Add a Mul -1 Mul b c"),
    ("a - b - c", "Add Add a Mul -1 b Mul -1 c"),
    ("x - 3", "Add x Mul -1 3"),
    ("x + -3", "Add x -3"),
    ("x * -1", "Mul x -1"),
    ("2^-x*y", "Mul Pow 2 Mul -1 x y"),
    ("x^-1", "Pow x -1"),
    ("-(1/2)", "Mul -1 1/2"),
    ("+x", "x"),
    # chains
    ("a + b + c", "Add Add a b c"),
    ("a * b * c", "Mul a Mul b c"),
    ("a ^ b ^ c", "Pow a Pow b c"),
    ("a ** b", "Pow a b"),
    # division and numbers
    ("a / b", "Mul a Pow b -1"),
    ("a / b * c", "Mul a Mul Pow b -1 c"),
    ("a / b / c", "Mul a Mul Pow b -1 Pow c -1"),
    ("a / b^2", "Mul a Pow Pow b 2 -1"),
    ("1/2", "1/2"),
    ("-1/2", "-1/2"),
    ("4/2", "Mul 4 Pow 2 -1"),
    ("1/0", "Mul 1 Pow 0 -1"),
    ("x^1/2", "Mul Pow x 1 Pow 2 -1"),
    ("a/1/2", "Mul a Mul Pow 1 -1 Pow 2 -1"),
    ("1/2 x", "Mul 1/2 x"),
    ("007", "7"),
    (".50", "0.5"),
    # roots and logarithms
    ("sqrt(x)", "Pow x 1/2"),
    ("√x", "Pow x 1/2"),
    ("√2 x", "Mul Pow 2 1/2 x"),
    ("√(x+1)", "Pow Add x 1 1/2"),
    (r"\sqrt[3]{x}", "Pow x 1/3"),
    (r"\sqrt[n]{x}", "Pow x Pow n -1"),
    ("log(x)", "log x e"),
    ("ln(x)", "log x e"),
    ("log(x, 10)", "log x 10"),
    ("log_2(x)", "log x 2"),
    ("log10(x)", "log x 10"),
    ("log2 (8)", "log 8 2"),
    ("log 2x", "log Mul 2 x e"),
    (r"\log_{10} x", "log x 10"),
    ("exp(x)", "exp x"),
    ("e^x", "Pow e x"),
    # functions
    ("sin^2(x)", "Pow sin x 2"),
    ("sin²(x)", "Pow sin x 2"),
    ("sin^-2(x)", "Pow sin x -2"),
    ("sin x", "sin x"),
    ("sin 2x", "sin Mul 2 x"),
    ("sin 2x cos x", "Mul sin Mul 2 x cos x"),
    ("sin x + 1", "Add sin x 1"),
    ("sin(x)cos(y)", "Mul sin x cos y"),
    ("sin(x)^2", "Pow sin x 2"),
    ("sin -x", "sin Mul -1 x"),
    ("arcsin(x)", "asin x"),
    ("arsinh(x)", "asinh x"),
    (r"\arctan{x}", "atan x"),
    (r"\operatorname{asech}(x)", "asech x"),
    # products without a sign
    ("2x", "Mul 2 x"),
    ("2 pi x", "Mul 2 Mul pi x"),
    ("2(x+1)", "Mul 2 Add x 1"),
    ("(a)(b)", "Mul a b"),
    ("x(y+1)", "Mul x Add y 1"),
    ("2xy", "Mul 2 Mul x y"),
    ("x^3y", "Mul Pow x 3 y"),
    # unicode
    ("2π", "Mul 2 pi"),
    ("a × b · c", "Mul a Mul b c"),
    ("a − b", "Add a Mul -1 b"),
    ("x²", "Pow x 2"),
    ("x⁻¹", "Pow x -1"),
    ("½ x", "Mul 1/2 x"),
    ("θ + α_1", "Add theta alpha_1"),
    ("x₁ + α₁₂²", "Add x_1 Pow alpha_12 2"),
    ("log₂ 8 + log₁₀(x)", "Add log 8 2 log x 10"),
    ("\N{MICRO SIGN}", "mu"),
    # LaTeX
    (r"\frac{x}{y}", "Mul x Pow y -1"),
    (r"\frac{1}{2}", "1/2"),
    (r"-\frac{1}{2} \cdot x", "Mul -1/2 x"),
    (r"\frac12 x", "Mul 1/2 x"),
    (r"\left( x \right) \; y", "Mul x y"),
    (r"\bigl[ x + \theta_{12} \bigr]^{2}", "Pow Add x theta_12 2"),
    (r"x \times \pi \cdot 2", "Mul x Mul pi 2"),
    (r"\tfrac12 x", "Mul 1/2 x"),
    (r"\frac1x", "Mul 1 Pow x -1"),
    (r"\frac{1}2", "1/2"),
    (r"-\frac1{2}", "-1/2"),
    (r"\frac42", "Mul 4 Pow 2 -1"),
    (r"\frac\pi2", "Mul pi Pow 2 -1"),
    (r"\frac xy", "Mul x Pow y -1"),
    (r"\varphi + \vartheta", "Add phi theta"),
    (r"\varepsilon_1 + ϵ", "Add epsilon_1 epsilon"),
    (r"\mathrm{d} + \mathit{x}_1", "Add d x_1"),
    (r"\mathrm{e}^{x}", "Pow e x"),
    (r"\mathrm{sin}(x)", "sin x"),
    (r"\text{sin} x + \text{y}", "Add sin x y"),
    (r"\operatorname{sech} x", "sech x"),
    (r"\lbrack x \rbrack \thinspace y", "Mul x y"),
]


@pytest.mark.parametrize(("text", "words"), SAME)
def test_what_people_type(text: str, words: str) -> None:
    assert parse(text) == Expr(words.split())


def test_committed_equations_mean_what_they_meant() -> None:
    equations = islice(read_rows(Path(__file__).parents[2] / "datasets" / "paper"), 0, None, 10)
    words = "\n".join(" ".join(parse_equation(row.equation).words) for row in equations)
    assert hashlib.sha256(words.encode()).hexdigest()[:16] == "da339f41eca888ee"


def test_an_equals_sign_makes_an_equation() -> None:
    assert parse("x = y") == parse("x == y") == Equation(Expr.leaf("x"), Expr.leaf("y"))
    with pytest.raises(ParseError, match="no equals sign"):
        parse_equation("x")
    with pytest.raises(ParseError, match="without an equals sign"):
        parse_expression("x = y")


BAD = [
    ("sin(", 5, "the text ends"),
    ("", 1, "the text ends"),
    ("x +", 4, "expected a number"),
    ("x = ", 5, "expected a number"),
    ("= x", 1, "found ="),
    ("x + * y", 5, "found *"),
    ("(x", 1, "not closed: expected )"),
    ("x)", 2, "no open bracket"),
    ("x != y", 3, "expected ="),
    ("sin2(x)", 1, "sin2(...) is not a function"),
    ("sin 2(x+1)", 6, "write sin(2*(x+1)) or sin(2)*(x+1)"),
    ("(x]", 3, "expected ) to close the bracket of column 1"),
    ("(x = y)", 4, "expected ) before the equals sign"),
    ("x = y = z", 7, "expected the end"),
    ("sine(x) = 1", 1, "unknown function sine: did you mean sin?"),
    ("1 + f(x)", 5, "unknown function f"),
    ("speed = 1", 1, "unknown name speed"),
    (r"\foo", 1, r"unknown LaTeX command \foo"),
    ("sin(x, y)", 1, "sin takes 1 argument, not 2"),
    ("log(1, 2, 3)", 1, "log takes 1 or 2 arguments"),
    ("x, y", 2, "a comma may stand only between"),
    ("sin)", 4, "the argument of sin"),
    ("sin^-1(x)", 1, "two things"),
    (r"\sin^{-1}(x)", 1, "two things"),
    ("1e-9", 1, "power of ten or a product with e"),
    ("2 3", 3, "between two numbers"),
    ("|x", 1, "not closed: an absolute value is |x|"),
    ("x # y", 3, "expected a number, a name, a function, an operator or a bracket, but found '#'"),
    ("x < y", 3, "expected ="),
    ("i^2", 1, "imaginary unit"),
    ("1. + x", 2, "a digit after the point"),
    ("x = 1 (2)", 7, "(2) may be a factor or the number of the equation"),
    (r"\frac1.5", 6, "expected { for the numerator"),
    ("sin₂ x", 4, "expected the argument of sin, but found ₂"),
    (r"\frac{1}+2", 9, "expected { for the denominator"),
    ("log_2(x, 3)", 1, "two bases"),
]


@pytest.mark.parametrize(("text", "column", "reason"), BAD)
def test_bad_input_is_explained(text: str, column: int, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    error = caught.value
    assert reason in error.reason
    assert error.column == column
    shown, caret = error.excerpt().splitlines()
    assert shown.strip() == text.strip()
    assert caret.index("^") == 2 + column - 1
    assert "\n" not in error.reason


def test_a_long_text_is_shown_around_the_place() -> None:
    text = "x + " * 200 + "sine(x)" + " + x" * 200
    with pytest.raises(ParseError) as caught:
        parse(text)
    shown, caret = caught.value.excerpt().splitlines()
    assert len(shown) < 90
    assert shown[caret.index("^") :].startswith("sine(x)")


def test_errors_name_the_line() -> None:
    with pytest.raises(ParseError) as caught:
        parse("x +\n y * = 2\n")
    assert (caught.value.line, caught.value.column) == (2, 6)
    assert caught.value.excerpt() == "   y * = 2\n       ^"


NESTED = 20_000


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("sin(" * NESTED + "x" + ")" * NESTED, NESTED),
        ("(" * NESTED + "x" + ")" * NESTED, 0),
        ("-" * NESTED + "x", NESTED),
        ("x^" * NESTED + "x", NESTED),
        ("x+" * NESTED + "x", NESTED),
        ("x*" * NESTED + "x", NESTED),
        ("sin " * NESTED + "x", NESTED),
        (r"\frac{" * NESTED + "x" + "}{y}" * NESTED, NESTED + 1),
    ],
    ids=["calls", "brackets", "minus", "powers", "sums", "products", "bare-calls", "fractions"],
)
def test_no_nesting_is_too_deep(text: str, depth: int) -> None:
    assert parse(text).depth == depth


def random_texts(count: int, seed: int) -> list[str]:
    """Printable noise, unicode noise, mathematical noise, and valid equations cut or with characters changed."""
    rng = random.Random(seed)
    valid = [text for _, text in PAPER] + [text for text, _ in SAME] + [text for text, _, _ in BAD]
    pieces = [
        *"xyze012.()[]{}+-*/^=,_ ",
        "sin",
        "cos",
        "log",
        "sqrt",
        "\\frac",
        "\\sqrt",
        "\\log",
        "\\pi",
        "²",
        "⁻¹",
        "√",
        "½",
    ]
    texts = []
    for k in range(count):
        if k % 4 == 0:
            texts.append("".join(rng.choices(string.printable, k=rng.randint(0, 30))))
        elif k % 4 == 1:
            texts.append(
                "".join(chr(rng.choice((rng.randint(0, 0x2FFF), rng.randint(0, 0x10FFFF)))) for _ in range(12))
            )
        elif k % 4 == 2:
            texts.append("".join(rng.choices(pieces, k=rng.randint(1, 25))))
        else:
            text = list(rng.choice(valid))[: rng.randint(0, 120)]
            for _ in range(rng.randint(0, 2)):
                if text:
                    text[rng.randrange(len(text))] = rng.choice(pieces)
            texts.append("".join(text))
    return texts


@pytest.mark.parametrize("count", [25_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_but_the_parse_error_is_raised(count: int) -> None:
    parsed = 0
    for text in random_texts(count, seed=0):
        try:
            tree = parse(text)
        except ParseError as error:
            assert error.reason
            assert 0 <= error.position <= len(text)
            assert str(error)
        else:
            parsed += 1
            assert parse(str(tree)) == tree
    assert parsed > count / 100
