"""Work and sizes that are bounded: no crash and no long search, whatever the equation."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NoReturn

import pytest

from dgl_mathtree.language import parse_equation
from dgl_mathtree.proof import prove
from dgl_mathtree.proof.algebra import Algebra, Undecided
from dgl_mathtree.proof.by_laws import prove_by_laws
from dgl_mathtree.proof.facts import Facts
from dgl_mathtree.proof.laws import Condition
from dgl_mathtree.proof.polynomial_signs import NONNEGATIVE, NONZERO, POSITIVE, TOTAL_COST
from dgl_mathtree.proof.search import Goal, Search
from dgl_mathtree.proof.terms import MOST_BITS, Terms, fraction

prove_module = importlib.import_module("dgl_mathtree.proof.prove")
NINES = "9" * 5000
NESTED = "x"
for _ in range(10):
    NESTED = f"sqrt({NESTED})"


def facts_of(text: str) -> Facts:
    equation = parse_equation(text)
    terms = Terms()
    return Facts(terms, (terms.read(equation.left.words), terms.read(equation.right.words)))


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(sqrt(sqrt(x))) = x^(1/8)",
        f"{NESTED} = x^(1/1024)",
        "sqrt(tan(x)^2*abs(x)) = abs(tan(x))*sqrt(abs(x))",
        "acot(abs(x*y)) = abs(acot(x*y))",
        "cos(acot(sin(x)))*sqrt(1+sin(x)^2) = abs(sin(x))",
        "acot(abs(ln(x))) = abs(acot(ln(x)))",
        "sqrt(sin(x)^2*(x+1))+abs(x+1) = sqrt(sin(x)^2*(x+1))+(x+1)",
        "sqrt((x-1)*(x+1)) = sqrt(abs(x-1))*sqrt(abs(x+1))",
    ],
)
def test_signs_cost_little(text: str) -> None:
    """Counted work, not time: before answers were kept, these took millions of steps."""
    equation = parse_equation(text)
    search = Search(Goal(equation.left.words, equation.right.words), frozenset())
    next(search.derivations(), None)
    assert search.defined.facts.signs.cost < TOTAL_COST / 2


def test_a_costly_question_is_not_known() -> None:
    facts = facts_of("sqrt(x) + ln(y) = z")
    node = facts.terms.read(parse_equation("x + y + 1 = 0").left.words)
    assert facts.has_sign(node, POSITIVE)
    facts._answers.clear()
    facts.signs._yes.clear()
    facts.signs.cost = TOTAL_COST
    assert not facts.has_sign(node, POSITIVE)
    with pytest.raises(Undecided):
        facts.signs.positive(facts.algebra.read(node)[0], strict=True)
    assert not facts.signs._asked


def test_answers_are_forgotten_when_more_is_known() -> None:
    facts = facts_of("x = x")
    x = facts.terms.node("x")
    assert not any(facts.has_sign(x, sign) for sign in (NONZERO, NONNEGATIVE, POSITIVE))
    condition = parse_equation("x = 0")
    node, sign = facts._as_sign(Condition(condition.left, ">", condition.right))
    facts._note(node, sign)
    assert all(facts.has_sign(x, sign) for sign in (NONZERO, NONNEGATIVE, POSITIVE))


def test_a_question_that_is_being_asked_is_not_known_for_now() -> None:
    signs = facts_of("x = y").signs
    one, two = signs.algebra.generator("x"), signs.algebra.generator("y")

    def second() -> bool:
        return signs._decide(one, POSITIVE, first)

    def first() -> bool:
        assert not signs._decide(two, POSITIVE, second)  # this rests on the answer that is not yet given
        return True

    assert signs._decide(one, POSITIVE, first)
    assert signs._decide(two, POSITIVE, second)


@pytest.mark.parametrize(
    "text",
    [
        "0^(sqrt(2)^2-2) = 1",
        "(cos(x)^2+sin(x)^2-1)^0 = 1",
        "1/(abs(x)+x) = 1/(2*x)",
        "(abs(x)-x)/(abs(x)+x) = 0",
        "0^(-1) = 0^(-1)",
        "1/(x-x) = 1/0",
    ],
)
def test_a_search_without_anything_to_rewrite_ends(text: str) -> None:
    prove_by_laws(parse_equation(text))
    prove(text)


@pytest.mark.parametrize(
    "text",
    [
        "x^(log(4,16)) = sqrt(x)",
        f"{NINES}*x = x*{NINES}",
        f"x^{NINES} = x^{NINES}",
        f"x^(1/{NINES}) = x^(1/{NINES})",
        f"sin({NINES}*x + {NINES}*pi)^2 = 1 - cos({NINES}*x + {NINES}*pi)^2",
        "((((10^64)^64)^64)^64)^64*x = x*((((10^64)^64)^64)^64)^64",
        "10^(10^10)*x = x*10^(10^10)",
        "x^(10^60)*y = y*x^(10^60)",
        "*".join(["10^60"] * 90) + "*x = x*" + "*".join(["10^60"] * 20),
        "((x+10^60)^50)^50 = ((10^60+x)^50)^50",
        "sqrt(10^4000*x) = 10^2000*sqrt(x)",
    ],
)
def test_long_numbers_do_no_harm(text: str) -> None:
    prove_by_laws(parse_equation(text), budget=300)


def test_long_numbers_are_constants_of_which_nothing_is_known() -> None:
    assert fraction(NINES) is None and fraction("9" * 1000) == 10**1000 - 1
    terms = Terms()
    big = terms.number(10**5000 - 1)
    assert terms.word[big] == NINES and terms.rational[big] is None
    assert terms.number(-(10**5000)) != terms.number(10**5000)
    quotient = terms.words(terms.number(fraction("1/7") ** 6000))  # type: ignore[operator]
    assert quotient[0] == "Mul" and quotient[1] == "1" and quotient[2] == "Pow"
    node = terms.read(parse_equation("(10^64)^64 = 0").left.words)
    assert terms.rational[node] is None and MOST_BITS < 64 * 64 * 3


def test_prove_answers_for_long_numbers() -> None:
    assert prove(f"{NINES}*x = x*{NINES}").verdict == "true"
    assert prove("x^(log(4,16)) = sqrt(x)").proved


def test_large_powers_of_numbers_are_not_decided() -> None:
    terms = Terms()
    algebra = Algebra(terms)
    equation = parse_equation("(((10^64)^64)^64)^64 = (((10^64)^64)^64)^63")
    assert not algebra.closes(terms.read(equation.left.words), terms.read(equation.right.words))


@pytest.mark.parametrize("error", [RecursionError, ZeroDivisionError, OverflowError])
def test_a_method_that_fails_has_found_no_proof(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> NoReturn:
        raise error("too much")

    equation = parse_equation("sin(2*x) = 2*sin(x)*cos(x)")
    with monkeypatch.context() as patch:
        patch.setattr(prove_module, "prove_by_laws", fails)
        found = prove_module.find_proof(equation, ("search", "normal"))
        assert found is not None and found.method == "normal form"
        patch.setattr(prove_module, "prove_by_normal_form", fails)
        assert prove_module.find_proof(equation) is None
        assert not prove(equation).proved


@pytest.mark.parametrize("methods", [("search",), ("normal",)])
def test_an_error_of_the_checker_is_not_hidden(methods: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(proof: Mapping[str, Any]) -> None:
        raise ZeroDivisionError("in the checker")

    monkeypatch.setattr(prove_module, "check", fails)
    with pytest.raises(ZeroDivisionError, match="in the checker"):
        prove_module.find_proof(parse_equation("sin(2*x) = 2*sin(x)*cos(x)"), methods)


def test_other_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> NoReturn:
        raise KeyError("a mistake")

    monkeypatch.setattr(prove_module, "prove_by_laws", fails)
    with pytest.raises(KeyError):
        prove_module.find_proof(parse_equation("x = x"), ("search",))
