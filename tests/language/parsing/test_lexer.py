from __future__ import annotations

import pytest

from dgl_mathtree.data.collections import find_collection, read_collection
from dgl_mathtree.language import ParseError, parse
from dgl_mathtree.language.parsing.lexer import MOST_KEPT, _one_by_one, tokenize
from dgl_mathtree.language.printers import latex

IN_CONTEXT = [
    "sin2x",
    "log2(x)",
    "log_2(x)",
    r"\log_{2}(x) + \log2(x)",
    r"\sin2x + \times2",
    r"3\times2 + \cdot 2",
    r"\operatorname{log}2(x)",
    r"\operatorname{sech} x + \text{sin} x + \mathrm{d}",
    r"\pi2 + π2 + \alpha_1 + α_{12}",
    "xy + 2xy",
    r"\frac12 + \dfrac{1}{2}",
    "√2 + x² + y⁻¹ + ½",
    r"\left( x \right) \; y \quad z ~ $ \text{ } 1",
    "2e + 3.5e^x + .5",
    "x &= y",
    "x =& y",
    r"\lparen x \rparen + \{ x \} + \lbrack x \rbrack",
    "x_a + x_ab",
    "?",
]


@pytest.mark.parametrize("text", IN_CONTEXT)
def test_tokens_found_at_once_are_those_found_one_by_one(text: str) -> None:
    """Read twice: what is remembered of the pieces changes nothing."""
    expected = [*_one_by_one(text, 0, len(text)), ("END", "", len(text))]
    for _ in range(2):
        assert list(zip(*tokenize(text), strict=True)) == expected


def test_tokens_of_the_textbook() -> None:
    textbook = find_collection("textbook")
    assert textbook is not None
    for entry in read_collection(textbook):
        assert entry.equation is not None
        for text in (entry.text, latex(entry.equation)):
            assert list(zip(*tokenize(text), strict=True))[:-1] == _one_by_one(text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x + 2e5", "column 5: 2e... could be a power of ten"),
        (".5e-3 + x", "column 1: .5e... could be a power of ten"),
        (r"\operatorname{sin}2(x)", "is not a function"),
        (r"\sin2(x)", "is not a function"),
        ("xy(z)", "unknown function xy"),
        (r"1 + \lvert x", "column 5: this | is not closed"),
        ("x + # + y", "column 5: expected a number"),
        ("x + y #", "column 7: expected a number"),
        ("x + \\", "column 5: unknown LaTeX command"),
    ],
)
def test_what_depends_on_its_surroundings_is_seen(text: str, said: str) -> None:
    for _ in range(2):
        with pytest.raises(ParseError) as error:
            parse(text)
        assert said in str(error.value)


def test_many_different_numbers_are_read() -> None:
    text = " + ".join(f"{k}.5" for k in range(MOST_KEPT + 10))
    assert parse(text).words.count("Add") == MOST_KEPT + 9


def test_brackets_and_calls_of_leaves() -> None:
    assert parse("(x)(2)[y]").words == parse("x*2*y").words
    assert (
        parse(r"\sqrt{x} + sqrt(2) + ln(x) + abs(x) + tg(x)").words
        == parse("x^(1/2) + 2^(1/2) + log(x, e) + (x^2)^(1/2) + tan(x)").words
    )
    with pytest.raises(ParseError, match="sin takes 1 argument, not 2"):
        parse("sin(x, y)")
    with pytest.raises(ParseError, match="expected \\) to close the bracket of column 1, but found }"):
        parse("(x}")
