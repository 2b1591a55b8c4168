"""What stands around an equation in a text: dollar signs, environments of LaTeX, a full stop."""

from __future__ import annotations

import re

ENDINGS = (".", ",", ";", "$")
"""Last characters that may stand after an equation and be no part of it."""

LONGEST_TAIL = 200
"""How far from the end something that closes the surroundings may start."""
MOST_LAYERS = 20

_ENVIRONMENTS = r"(?:equation|align(?:ed|at)?|gather(?:ed)?|multline|split|eqnarray|displaymath|math|flalign)\*?"
_PAIRS = [
    (re.compile(r"\s*\$\$"), re.compile(r"\$\$\s*$")),
    (re.compile(r"\s*\$"), re.compile(r"\$\s*$")),
    (re.compile(r"\s*\\\["), re.compile(r"\\\]\s*$")),
    (re.compile(r"\s*\\\("), re.compile(r"\\\)\s*$")),
]
_BEGIN = re.compile(rf"\s*\\begin\s*\{{({_ENVIRONMENTS})\}}")
_LAST = frozenset(".,;\\rgd")
"""The last characters of what may follow an equation, other than a closing brace."""
_OPENS = re.compile(r"\s*(?:\$|\\[\[(]|\\begin)")
"""How surroundings that are closed again start."""
_BEFORE = re.compile(r"(?:\s|&|\\label\s*\{[^{}]*\})+")
_AFTER = re.compile(
    r"(?:(?:(?<![.,;\\])|(?<=\\[,;]))[.,;]|\\\\|\\label\s*\{[^{}]*\}|\\tag\*?\s*\{[^{}]*\}|\\(?:nonumber|notag)|\\q?quad)\s*$"
)


def extent(text: str) -> tuple[int, int]:
    r"""Where the equation in a text starts and stops.

    Examples
    --------
    >>> text = r"\begin{equation} x &= y. \end{equation}"
    >>> start, stop = extent(text)
    >>> text[start:stop]
    'x &= y'
    """
    start, stop = 0, len(text.rstrip())
    for _ in range(MOST_LAYERS):
        inner = _inner(text, start, stop)
        if inner == (start, stop):
            break
        start, stop = inner
    return start, stop


def _inner(text: str, start: int, stop: int) -> tuple[int, int]:
    """One layer less, or the same extent where there is none."""
    if (before := _BEFORE.match(text, start, stop)) and before.end() < stop:
        start = before.end()
    tail = max(start, stop - LONGEST_TAIL)
    if _may_follow(text, tail, stop) and (after := _AFTER.search(text, tail, stop)):
        return start, max(start, len(text[: after.start()].rstrip()))
    if not _OPENS.match(text, start, stop):
        return start, stop
    if begin := _BEGIN.match(text, start, stop):
        end = re.compile(rf"\\end\s*\{{{re.escape(begin[1])}\}}\s*$").search(text, tail, stop)
        if end and end.start() >= begin.end():
            return begin.end(), len(text[: end.start()].rstrip())
    for opening, closing in _PAIRS:
        opened = opening.match(text, start, stop)
        closed = closing.search(text, max(opened.end(), stop - LONGEST_TAIL), stop) if opened else None
        if opened and closed:
            return opened.end(), len(text[: closed.start()].rstrip())
    return start, stop


def _may_follow(text: str, tail: int, stop: int) -> bool:
    """Whether the last characters are such that something may follow the equation: to find it takes much longer."""
    last = text[stop - 1 : stop]
    if last == "}":
        return text.find("\\label", tail, stop) >= 0 or text.find("\\tag", tail, stop) >= 0
    return last in _LAST
