"""Pages in Debian's chromium, driven as a reader would: with keys and pointer."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: make browser-test installs it")
WIDTHS = (1200, 400)
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until a page is laid out: plots are drawn then, when their width is known."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; while it runs, this thread has an event loop, so that tests should not keep it for long."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def shown(browser: Browser, address: str, width: int = 1200, **options: str) -> Iterator[Page]:
    """A page at a width; what it says on the console, and what it would fetch from elsewhere, is an error."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)  # type: ignore[arg-type]
    context.set_default_timeout(10_000)
    page = context.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("requestfailed", lambda request: heard.append(f"failed: {request.url}"))
    page.goto(address)
    page.evaluate(NEXT_FRAME)
    try:
        yield page
        assert not heard
    finally:
        context.close()


def overflow(page: Page) -> list[str]:
    """The elements that reach out of the page on the right, unless something around them scrolls."""
    found: list[str] = page.evaluate(
        """() => {
          const scrolls = (each) => {
            for (let at = each.parentElement; at; at = at.parentElement) {
              if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
            }
            return false;
          };
          const wide = [...document.body.querySelectorAll("*")].filter(
            (each) => each.getBoundingClientRect().right > innerWidth + 1 && !scrolls(each));
          const page = document.documentElement.scrollWidth > innerWidth ? ["the page itself"] : [];
          return page.concat(wide.map((each) => `${each.tagName}.${each.getAttribute("class")}`));
        }"""
    )
    return found


def low_contrasts(page: Page, least: float = 4.5) -> list[str]:
    """Texts that stand out too little from what is behind them, by the rule of the WCAG."""
    found: list[str] = page.evaluate(
        """(least) => {
          const numbers = (text) => (text.match(/[0-9.]+/g) || []).map(Number);
          const over = (above, below) => {
            const alpha = above.length > 3 ? above[3] : 1;
            return [0, 1, 2].map((k) => alpha * above[k] + (1 - alpha) * below[k]);
          };
          const behind = (each) => {
            const layers = [];
            for (let at = each; at; at = at.parentElement) layers.push(numbers(getComputedStyle(at).backgroundColor));
            return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
          };
          const light = (color) => {
            const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
            const [r, g, b] = color.map((c) => linear(c / 255));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const written = (each) => !["SCRIPT", "NOSCRIPT"].includes(each.tagName)
            && [...each.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
          return [...document.body.querySelectorAll("*")].filter(written).filter((each) => {
            const below = behind(each);
            const style = getComputedStyle(each);
            const color = over(numbers(each.namespaceURI.endsWith("svg") ? style.fill : style.color), below);
            const [a, b] = [light(color), light(below)].sort((p, q) => q - p);
            return (a + 0.05) / (b + 0.05) < least;
          }).map((each) => `${each.getAttribute("class")}: ${each.textContent.slice(0, 40)}`);
        }""",
        least,
    )
    return found
