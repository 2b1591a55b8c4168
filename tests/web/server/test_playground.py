"""The playground in a browser, used as people do: typed into, clicked, and walked through with keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import WIDTHS, chromium, needs_chromium, overflow, shown
from tests.web.server.client import Server

pytestmark = [needs_chromium, pytest.mark.slow]
GOOD = "sin(x + y) = sin(x) + sin(y)"
WAIT = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def explained(page: Page, status: str) -> None:
    """Wait until all is drawn, and the status is as it should be."""
    expect(page.locator("#status")).to_have_text(re.compile(status), timeout=WAIT)
    expect(page.locator("#status")).to_have_attribute("data-busy", "false", timeout=WAIT)
    expect(page.locator("#explanation")).not_to_have_class("stale", timeout=WAIT)


@pytest.mark.parametrize("width", WIDTHS)
def test_typing(server: Server, browser: Browser, width: int) -> None:
    with shown(browser, server.address, width) as page:
        expect(page.locator("#equation")).to_be_focused()
        page.keyboard.type("sin(x + y) = sine(x)")
        expect(page.locator("#problem")).to_have_text(
            "Character 14: unknown function sine: did you mean sin?", timeout=WAIT
        )
        assert page.locator("#mirror mark").text_content() == "s"
        expect(page.locator("#equation")).to_have_attribute("aria-invalid", "true")
        marked, typed = page.locator("#mirror mark").bounding_box(), page.locator("#equation").bounding_box()
        assert marked is not None and typed is not None
        assert typed["x"] < marked["x"] and marked["y"] + marked["height"] < typed["y"] + typed["height"]
        assert overflow(page) == []
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(GOOD)
        explained(page, r"Refuted: at .*\. The network says incorrect \(.*\)\.")
        expect(page.locator("#equation")).to_have_attribute("aria-invalid", "false")
        assert page.locator("#problem").text_content() == ""
        assert page.locator("#formula math").count() == 1
        assert page.url.endswith(f"#eq={quote(GOOD, safe='()')}")
        for part in ("verdicts", "plot", "trees", "pairs"):
            expect(page.locator(f"#explanation .mt-{part}")).to_be_visible()
        assert overflow(page) == []


def test_an_end_that_comes_too_early(server: Server, browser: Browser) -> None:
    with shown(browser, server.address, 400) as page:
        page.keyboard.type("\U0001d465 = ")  # a letter of two UTF-16 units
        expect(page.locator("#problem")).to_contain_text("Character", timeout=WAIT)
        page.locator("#equation").fill("x =")
        expect(page.locator("#problem")).to_contain_text("Character 4", timeout=WAIT)
        assert page.locator("#mirror").text_content() == "x =\u00a0"
        page.locator("#equation").fill("x + y")
        expect(page.locator("#status")).to_contain_text("An expression", timeout=WAIT)


def test_a_link_and_an_example(server: Server, browser: Browser) -> None:
    with shown(browser, f"{server.address}#eq={quote('sqrt(x^2) = x')}", 400) as page:
        explained(page, "Holds on a branch")
        assert page.locator("#equation").input_value() == "sqrt(x^2) = x"
        page.get_by_role("button", name="sin(x)^2 + ? = 1").click()
        explained(page, re.escape("Filled with cos(x)^2: proved."))
        expect(page.locator("#explanation .mt-ranking")).to_be_visible()
        assert overflow(page) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_a_proof_comes_after_the_explanation(server: Server, browser: Browser, width: int) -> None:
    with shown(browser, f"{server.address}#eq={quote('tan(x) cot(x) = 1')}", width) as page:
        explained(page, "Proved")
        expect(page.locator(".mt-proved")).to_contain_text("proved by named laws", timeout=WAIT)
        assert page.locator(".mt-proof").count() == page.locator(".mt-verdicts").count() == 1
        expect(page.locator(".mt-verdicts")).to_contain_text("The equation is proved (laws)")
        expect(page.locator(".mt-verdicts")).not_to_contain_text("not a proof")
        expect(page.locator(".mt-step-formula").first).to_be_hidden()
        page.locator(".mt-proof summary").click()
        expect(page.locator(".mt-step-formula")).to_have_count(3)
        expect(page.locator(".mt-law").first).to_have_attribute("title", re.compile(r"^cot\(x\) = "))
        assert overflow(page) == []
        page.get_by_role("button", name="sqrt(x^2) = x").click()
        explained(page, "Holds on a branch")
        expect(page.locator(".mt-unproved")).to_contain_text("holds for some values only")
        page.get_by_role("button", name="sin(x)^2 + ? = 1").click()
        expect(page.locator(".mt-best .mt-proved")).to_be_visible(timeout=WAIT)


def test_a_proof_that_is_refused(server: Server, browser: Browser) -> None:
    """The explanation stays, and the reason is said."""
    page = browser.new_page()  # not `shown`: the browser reports a refusal on the console
    refusal = '{"error": "this was not answered within 10 seconds, or took too much memory"}'
    page.route("**/api/prove", lambda route: route.fulfill(status=503, body=refusal, content_type="application/json"))
    page.goto(f"{server.address}#eq={quote('x + x = 2x')}")
    expect(page.locator(".mt-unproved")).to_have_text(
        "It is not proved. This was not answered within 10 seconds, or took too much memory.", timeout=WAIT
    )
    explained(page, "Proved")
    expect(page.locator(".mt-trees")).to_be_visible()
    page.close()


def test_the_keyboard_reaches_everything(server: Server, browser: Browser) -> None:
    with shown(browser, f"{server.address}#eq={quote('sin(x) = cos(x)')}", reduced_motion="reduce") as page:
        explained(page, "Refuted")
        active = "() => document.activeElement.id || document.activeElement.textContent"
        page.locator("#equation").focus()
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(active) == "copy"
        page.locator("#equation").focus()
        reached = []
        for _ in range(8):
            page.keyboard.press("Tab")
            reached.append(page.evaluate(active))
        assert "sqrt(x^2) = x" in reached and "openapi.json" not in reached  # first the examples, then the answer
        page.locator("#explanation .mt-step-slider").focus()
        before = page.locator("#explanation .mt-step-words").text_content()
        page.keyboard.press("ArrowLeft")
        assert page.locator("#explanation .mt-step-words").text_content() != before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out(server: Server, browser: Browser, scheme: str) -> None:
    with shown(browser, server.address, color_scheme=scheme) as page:
        page.keyboard.type("sine(x) = 1")
        expect(page.locator("#problem")).to_contain_text("unknown function", timeout=WAIT)
        pairs = [
            ("#problem", ".ask"),
            (".kinds", ".ask"),
            ("#equation", ".ask"),
            (".top p", "html"),
            ("footer p", "html"),
        ]
        for text, ground in pairs:
            colours = [page.locator(text).evaluate("e => getComputedStyle(e).color")]
            colours.append(page.locator(ground).evaluate("e => getComputedStyle(e).backgroundColor"))
            assert contrast(*colours) >= 4.5, (text, colours)


def contrast(first: str, second: str) -> float:
    """The contrast of two colours as WCAG counts it."""
    lights = []
    for colour in (first, second):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_wide_expression_stays_on_the_page(server: Server, browser: Browser, width: int) -> None:
    """Without an equals sign there is no explanation, and the formula that was read is all there is."""
    text = " + ".join(f"sin(x)^{k}" for k in range(2, 40))
    with shown(browser, f"{server.address}#eq={quote(text)}", width) as page:
        expect(page.locator("#status")).to_contain_text("An expression", timeout=WAIT)
        assert overflow(page) == []
