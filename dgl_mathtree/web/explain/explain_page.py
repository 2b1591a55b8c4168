"""The page of an explanation: one file of HTML that needs nothing else, and its drawing for other pages."""

from __future__ import annotations

import html
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dgl_mathtree.arithmetic.operators import javascript
from dgl_mathtree.files import write_atomically
from dgl_mathtree.web.explain.explanation import Completion, Explanation

SCRIPTS = (
    "elements.js",
    "evaluation.js",
    "plot.js",
    "layout.js",
    "states.js",
    "tree.js",
    "summary.js",
    "proof.js",
    "explanation.js",
)
"""The parts of the drawing, each after those that it needs."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


@cache
def drawing_script() -> str:
    """The JavaScript that defines ``renderExplanation(container, facts)``.

    The function empties a container element and draws facts into it, as `to_json` of an explanation or a completion
    gives them. It returns a function ``showProof(answer, note)`` that draws what ``/api/prove`` answered (with its
    derivation) into an explanation without a proof; where the answer is null, the note. Nothing else is defined
    globally. It sets no style attributes and fetches nothing, so that it runs under
    a strict Content-Security-Policy.
    """
    parts = "\n".join((javascript(), *map(_read, SCRIPTS)))
    return f'(function () {{\n"use strict";\n{parts}\nwindow.renderExplanation = renderExplanation;\n}})();\n'


@cache
def drawing_style() -> str:
    """The style sheet of what `renderExplanation` draws; it styles nothing outside of its container."""
    return _read("explanation.css")


def page(explanation: Explanation | Completion) -> str:
    """The page of an explanation, whole: no network, no other files."""
    facts = explanation.to_json()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="color-scheme" content="light dark">
<title>{html.escape(facts["equation"])} – mathtree explain</title>
<link rel="icon" href="data:,">
<style>
{_read("page.css")}{drawing_style()}</style>
</head>
<body>
<main id="explanation"><noscript>This page draws itself with JavaScript.</noscript></main>
<script type="application/json" id="facts">{embedded(facts)}</script>
<script>
{drawing_script()}renderExplanation(
  document.getElementById("explanation"), JSON.parse(document.getElementById("facts").textContent));
</script>
</body>
</html>
"""


def write_page(file: str | Path, explanation: Explanation | Completion) -> None:
    """Write the page of an explanation to a file, whole or not at all."""
    write_atomically(Path(file), page(explanation))


def frame(explanation: Explanation | Completion) -> str:
    """The page of an explanation as an element of another page, such as a notebook, both kept apart."""
    title = html.escape(f"Explanation of {explanation.equation}")
    return (
        f'<iframe title="{title}" sandbox="allow-scripts" srcdoc="{html.escape(page(explanation))}" '
        'style="width:100%;height:42em;border:1px solid #8886;resize:vertical"></iframe>'
    )


def embedded(facts: dict[str, Any]) -> str:
    """JSON that may stand in a script element: no text in it ends the element or starts a comment.

    Examples
    --------
    >>> embedded({"text": "</script>"})
    '{"text": "\\\\u003c/script>"}'
    """
    return json.dumps(facts, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _read(name: str) -> str:
    return (files("dgl_mathtree.web") / "static" / name).read_text(encoding="utf-8")
