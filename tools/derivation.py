"""The picture of a derivation in docs/gallery.md: python tools/derivation.py"""

from __future__ import annotations

from html import escape
from pathlib import Path

from dgl_mathtree import Proof, infix, prove
from dgl_mathtree.files import write_atomically

FILE = Path(__file__).parent.parent / "docs" / "derivation.svg"
EQUATION = "tan(x)*csc(x) = sec(x)"
LINE, LEFT, CHARACTER = 26, 16, 8.5
"""Height of a line, the margin, and the width of a character, in pixels."""
COLOURS = "svg{color:#1c2128}.law{fill:#2f6fde}@media(prefers-color-scheme:dark){svg{color:#e3e8ee}.law{fill:#7fa8f5}}"


def picture(proof: Proof) -> str:
    """A derivation as an SVG: an expression a line, with the law that leads to it."""
    equation = infix(proof.equation)
    rows = [(infix(proof.equation.left), "")] + [(f"= {infix(line)}", law) for line, law in proof.lines()]
    column = LEFT + CHARACTER * (4 + max(len(line) for line, _ in rows))
    width = round(column + CHARACTER * max(len(law) for _, law in rows) + LEFT)
    height = LINE * (len(rows) + 2)
    texts = [_text(LEFT, LINE, equation, "bold")]
    for number, (line, law) in enumerate(rows, start=2):
        texts.append(_text(LEFT + (0 if number == 2 else 2 * CHARACTER), LINE * number, line))
        texts += [_text(column, LINE * number, law, "law")] if law else []
    words = escape(f"A derivation of {equation}: {'; '.join(f'{line} by {law}' for line, law in rows[1:])}")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{words}" viewBox="0 0 {width} {height}"'
    style = f"<style>{COLOURS} .bold{{font-weight:bold}}</style>"
    body = "\n".join(texts)
    return f'{head} width="{width}" height="{height}" font-family="monospace" font-size="14">{style}\n{body}\n</svg>\n'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    fill = "" if kind == "law" else ' fill="currentColor"'
    return f'<text x="{x:g}" y="{y:g}" class="{kind}"{fill}>{escape(text)}</text>'


def main() -> None:
    proof = prove(EQUATION)
    assert isinstance(proof, Proof)
    write_atomically(FILE, picture(proof))


if __name__ == "__main__":
    main()
