from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from dgl_mathtree import load, prove
from dgl_mathtree.cli import main
from dgl_mathtree.language import parse_equation, parse_expression
from dgl_mathtree.proof import NoProof, Proof, Step
from dgl_mathtree.proof.check.rules import READINGS
from dgl_mathtree.proof.derivation import proof_json
from dgl_mathtree.proof.laws import Law, all_laws, law
from dgl_mathtree.web.explain import Explainer, Explanation, explain
from dgl_mathtree.web.explain.explain_page import write_page
from dgl_mathtree.web.explain.proof_view import RULES, derivation_json, holds
from tests.browser import NEXT_FRAME, WIDTHS, chromium, low_contrasts, needs_chromium, overflow, shown

NAMED = "tan(x)*cot(x) = 1"
NESTED = "2*atan(exp(x)) - pi/2 = asin(tanh(x))"


def step(left: str, right: str, name: str, because: Any = None) -> Step:
    return Step(parse_expression(left), parse_expression(right), name, None, because)


def by_cases() -> Proof:
    """The form of a proof by cases, with a condition; what it says is not checked here."""
    cases = [
        {"case": "x >= 0", "steps": [step("sqrt(x^2)/x", "x/x", "sign").to_json()]},
        {"case": "x <= 0", "steps": [step("sqrt(x^2)/x", "x/x", "sign, powers").to_json()]},
    ]
    steps = step("sqrt(x^2)/x", "x/x", "cases", cases), step("x/x", "1", "algebra")
    return Proof(parse_equation("sqrt(x^2)/x = 1"), "normal form", steps, ("x != 0", "x >= -1"))


@pytest.mark.parametrize("equation", [NAMED, NESTED, "sin(x) = x", "sqrt(x^2) = x", "log(-x^2) = 1"])
def test_the_json_is_that_of_the_command(equation: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", equation, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = json.loads(json.dumps(proof_json(prove(equation))))
    assert found.pop("seconds") >= 0 <= printed.pop("seconds")
    assert list(found.items()) == list(printed.items())


def test_the_lines_are_those_of_the_proof_with_what_their_laws_say() -> None:
    proof = prove(NAMED)
    found = derivation_json(proof)
    assert isinstance(proof, Proof) and found is not None
    assert found["start"]["expression"] == "tan(x)*cot(x)" and found["start"]["mathml"].startswith("<math")
    assert [(line["expression"], ", ".join(line["laws"])) for line in found["lines"]] == [
        (str(expression), names) for expression, names in proof.lines()
    ]
    assert set(found["laws"]) == {"reciprocal/cot", "algebra"}
    assert parse_equation(found["laws"]["reciprocal/cot"]["says"]) == law("reciprocal/cot").equation
    assert derivation_json(prove("sin(x) = x")) is None


def test_what_a_step_rests_on_is_below_it() -> None:
    found = derivation_json(by_cases())
    assert found is not None
    first, last = found["lines"]
    assert (first["laws"], last["laws"], last["because"]) == (["cases"], ["algebra"], [])
    assert [reason["given"] for reason in first["because"]] == ["x ≥ 0", "x ≤ 0"]
    assert [line["laws"] for reason in first["because"] for line in reason["lines"]] == [["sign"], ["sign", "powers"]]
    assert set(found["laws"]) == {"algebra", "cases", "powers", "sign"}
    assert holds(by_cases()).endswith("at which both sides are defined and x ≠ 0 and x ≥ -1.")


def test_conditions_of_a_law_are_said() -> None:
    name = next(each.name for each in all_laws().values() if isinstance(each, Law) and each.conditions)
    found = derivation_json(Proof(parse_equation("x = x"), "laws", (step("x", "x", name),)))
    assert found is not None
    assert found["laws"][name]["says"].endswith(", if " + ", ".join(found["laws"][name]["conditions"]))


def test_every_rule_is_described() -> None:
    assert set(RULES) == {*READINGS, "cases"}


@pytest.fixture(scope="module")
def explainer() -> Explainer:
    return Explainer(load())


def test_a_proof_is_looked_for_where_it_is_asked_for(explainer: Explainer) -> None:
    without = explainer.explain(NAMED)
    assert without.proof is None and without.judgement.proof is None
    assert without.to_json()["proof"] is None and without.to_json()["derivation"] is None
    found = explain(NAMED, explainer.network.trained)
    assert isinstance(found, Explanation) and isinstance(found.proof, Proof)
    assert found.judgement.proof == "laws" and found.trust.why.startswith("The equation is proved (laws)")
    assert found.to_json()["proof"] == proof_json(found.proof)
    refuted = explainer.explain("sin(x) = x", proof=True)
    assert isinstance(refuted.proof, NoProof) and refuted.judgement.proof is None
    assert refuted.to_json()["proof"]["witness"] == refuted.to_json()["oracle"]["witness"]
    filled = explainer.complete("sin(x)^2 + ? = 1", top=1, proof=True)
    assert filled.best is not None and isinstance(filled.best.proof, Proof)


def test_what_is_proved_under_conditions_is_not_called_proved_for_all_values(
    explainer: Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    proved = replace(by_cases(), equation=parse_equation("x + x = 2*x"))
    monkeypatch.setattr("dgl_mathtree.web.explain.explanation.prove", lambda _: proved)
    found = explainer.explain("x + x = 2*x", proof=True)
    assert found.proof is proved and found.judgement.proof is None
    assert "proved" in found.trust.why and "Elsewhere it was tested at points only." in found.trust.why


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, explainer: Explainer) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("proofs")
    equal = explainer.explain("x + x = 2*x")
    made = {
        "named": explainer.explain(NAMED, proof=True),
        "nested": explainer.explain(NESTED, proof=True),
        "cases": replace(equal, proof=by_cases()),
        "unproved": replace(equal, proof=NoProof(equal.equation, "true", "not proved")),
        "false": explainer.explain("sin(x) = x", proof=True),
        "branch": explainer.explain("sqrt(x^2) = x", proof=True),
        "undefined": explainer.explain("sqrt(-1 - x^2) = log(-x^2)", proof=True),
        "blank": explainer.complete("sin(x)^2 + ? = 1", top=2, proof=True),
        "not asked": equal,
    }
    files = {name: folder / f"{name}.html" for name in made}
    for name, found in made.items():
        write_page(files[name], found)
    return files


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["named", "nested", "cases", "blank"])
def test_a_derivation_opens_and_fits(pages: dict[str, Path], browser: Browser, name: str, width: int) -> None:
    scheme = "dark" if width == WIDTHS[-1] else "light"
    with shown(browser, pages[name].as_uri(), width, color_scheme=scheme) as page:
        assert page.locator(".mt-proved").inner_text().startswith("✓ proved")
        formulas = page.locator(".mt-step-formula")
        assert formulas.count() >= 2 and not formulas.first.is_visible()
        page.locator(".mt-proof summary").focus()
        page.keyboard.press("Enter")
        formulas.first.wait_for()
        page.evaluate(NEXT_FRAME)
        assert overflow(page) == [] and low_contrasts(page) == []
        cut = page.locator(".mt-step-formula, .mt-law-formula").evaluate_all(
            "all => all.filter((each) => each.scrollWidth > each.clientWidth).length"
        )
        assert cut == 0
        titles = page.locator(".mt-law").evaluate_all("all => all.map((each) => [each.textContent, each.title])")
        assert titles and all(title for _, title in titles)
        laws = page.locator(".mt-laws dt").all_inner_texts()
        assert {text for text, _ in titles} == set(laws)


@needs_chromium
@pytest.mark.slow
def test_the_laws_and_conditions_of_a_derivation(pages: dict[str, Path], browser: Browser) -> None:
    with shown(browser, pages["named"].as_uri()) as page:
        page.locator(".mt-proof summary").click()
        assert page.locator(".mt-proof summary").inner_text() == "The derivation, 2 lines"
        page.locator(".mt-law").first.hover()
        title = page.locator(".mt-law").first.get_attribute("title") or ""
        assert parse_equation(title) == law("reciprocal/cot").equation
        assert page.locator(".mt-step math").count() == 3 and page.locator(".mt-conditions").count() == 0
        assert "Proved for all values" in page.locator(".mt-card-true").inner_text()
    with shown(browser, pages["cases"].as_uri()) as page:
        page.locator(".mt-proof summary").click()
        assert page.locator(".mt-conditions").inner_text().strip() == "and x ≠ 0 and x ≥ \u22121"
        assert page.locator(".mt-reason .mt-hint").all_inner_texts() == ["Case x ≥ 0:", "Case x ≤ 0:"]
    with shown(browser, pages["nested"].as_uri()) as page:
        page.locator(".mt-proof summary").click()
        assert page.locator(".mt-reason .mt-hint").all_inner_texts()[0].startswith("sin of both sides, where \u22121/2")


@needs_chromium
@pytest.mark.slow
def test_one_line_says_why_there_is_no_proof(pages: dict[str, Path], browser: Browser) -> None:
    said = {
        "unproved": "It holds at ",
        "false": "There is no proof: the equation is false",
        "branch": "There is no proof: the equation holds for some values only",
        "undefined": "There is no proof: too few values",
    }
    for name, text in said.items():
        with shown(browser, pages[name].as_uri(), 400) as page:
            assert page.locator(".mt-unproved").inner_text().startswith(text)
            assert page.locator(".mt-proof details").count() == 0 and overflow(page) == []
    with shown(browser, pages["not asked"].as_uri()) as page:
        page.locator(".mt-verdicts").wait_for()
        assert page.locator(".mt-proof").count() == 0


@needs_chromium
@pytest.mark.slow
def test_an_explanation_with_its_proof_in_a_notebook(browser: Browser, explainer: Explainer, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    found = explain(NAMED, explainer.network.trained)
    file.write_text(f"<!doctype html><title>-</title>{found._repr_html_()}", encoding="utf-8")
    with shown(browser, file.as_uri()) as page:
        frame = page.frame_locator("iframe")
        frame.locator(".mt-proof summary").click()
        assert frame.locator(".mt-step math").count() == 3
    shown_alone = prove(NAMED)._repr_html_()
    file.write_text(f"<!doctype html><title>-</title>{shown_alone}", encoding="utf-8")
    with shown(browser, file.as_uri()) as page:
        rows = page.locator("tr").all_inner_texts()
        assert len(rows) == 3 and "reciprocal/cot" in rows[1] and "algebra" in rows[2]
