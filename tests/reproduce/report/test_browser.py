"""The page in a browser, on a wide screen and on a narrow one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: make browser-test installs it")

# The page stands in a frame, whose width is what it takes for that of the screen: a window is never so narrow.
FRAME = """<!doctype html><title>frame</title><iframe id="frame" src="%s" style="width:%dpx;height:900px"></iframe>
<script>
document.getElementById("frame").addEventListener("load", event => {
  const inner = event.target.contentWindow, page = inner.document;
  const seen = {};
  %s
  const found = document.createElement("pre");
  found.id = "found";
  found.textContent = JSON.stringify(seen);
  document.body.append(found);
});
</script>"""


def look(page: Path, width: int, script: str, tmp_path: Path, dark: bool = False) -> dict[str, Any]:
    """What a script finds in a page; no message may be logged while it looks."""
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME % (page.as_uri(), width, script), encoding="utf-8")
    assert CHROMIUM is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", "--allow-file-access-from-files", "--enable-logging=stderr"]
    flags += [f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=5000", "--dump-dom"]
    result = subprocess.run([CHROMIUM, *flags, frame.as_uri()], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0
    assert "CONSOLE" not in result.stderr
    shown = re.search(r'<pre id="found">(.*?)</pre>', result.stdout, flags=re.DOTALL)
    assert shown is not None, "the page did not load"
    found: dict[str, Any] = json.loads(unescape(shown[1]))
    return found


OVERFLOW = """
  for (const fold of page.querySelectorAll("details")) fold.open = OPEN;
  seen.scroll = page.documentElement.scrollWidth;
  seen.client = page.documentElement.clientWidth;
  seen.outside = [...page.querySelectorAll("h1, h2, h3, p, li, figure, svg, .wide, button")]
    .filter(each => !each.closest(".wide") || each.matches(".wide"))
    .filter(each => each.getBoundingClientRect().right > page.documentElement.clientWidth + 1)
    .map(each => each.outerHTML.slice(0, 80));
  seen.figures = page.querySelectorAll("figure svg").length;
"""


@pytest.mark.parametrize("width", [1200, 400])
def test_nothing_overflows_and_nothing_is_logged(written: Path, width: int, tmp_path: Path) -> None:
    found = look(written / "report.html", width, OVERFLOW.replace("OPEN", "true"), tmp_path)
    assert found["outside"] == []
    assert found["scroll"] == found["client"] <= width
    assert found["figures"] > 10


def test_a_table_is_sorted_by_its_buttons(written: Path, tmp_path: Path) -> None:
    script = """
  const table = page.querySelector("#summary"), head = table.tHead.rows[0].cells[3];
  const column = () => [...table.tBodies[0].rows].map(row => row.cells[3].innerText);
  const button = head.querySelector("button");
  button.focus();
  seen.focused = page.activeElement === button;
  button.click();
  seen.down = column(), seen.first = head.getAttribute("aria-sort");
  button.click();
  seen.up = column(), seen.second = head.getAttribute("aria-sort");
  table.tHead.rows[0].cells[0].querySelector("button").click();
  seen.left = head.getAttribute("aria-sort");
"""
    found = look(written / "report.html", 1200, script, tmp_path)
    assert found["focused"]
    values = [float(text.split()[0]) for text in found["down"]]
    assert values == sorted(values, reverse=True) and len(set(values)) > 2
    assert found["up"] == found["down"][::-1]
    assert [found["first"], found["second"], found["left"]] == ["descending", "ascending", "none"]


def test_a_number_leads_to_its_runs(written: Path, tmp_path: Path) -> None:
    script = """
  seen.before = page.querySelector("#runs").open;
  const link = page.querySelector("#summary tbody td a");
  inner.location.hash = link.getAttribute("href");
  inner.dispatchEvent(new inner.HashChangeEvent("hashchange"));
  seen.after = page.querySelector("#runs").open;
"""
    found = look(written / "report.html", 1200, script, tmp_path)
    assert (found["before"], found["after"]) == (False, True)


@pytest.mark.parametrize("dark", [False, True])
def test_text_reads_on_its_ground(written: Path, dark: bool, tmp_path: Path) -> None:
    script = """
  const parts = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = text => parts(text).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
  const ground = inner.getComputedStyle(page.body).backgroundColor;
  seen.ground = light(ground);
  for (const [name, where, property] of [
    ["text", "p", "color"], ["note", ".note", "color"], ["verdict", ".verdict.open", "color"],
    ["axis", "figure svg text", "fill"]])
    seen[name] = ratio(inner.getComputedStyle(page.querySelector(where))[property], ground);
  seen.lines = [...new Set([...page.querySelectorAll("figure svg path")]
    .map(path => inner.getComputedStyle(path)).filter(style => style.stroke !== "none" && style.strokeOpacity === "1")
    .map(style => style.stroke))].map(stroke => ratio(stroke, ground));
"""
    found = look(written / "report.html", 1200, script, tmp_path, dark=dark)
    assert (found["ground"] < 0.1) == dark
    assert all(found[name] >= 4.5 for name in ("text", "note", "verdict", "axis"))
    assert len(found["lines"]) > 3 and min(found["lines"]) >= 3
