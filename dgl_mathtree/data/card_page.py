"""The data card as a page in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dgl_mathtree.data.splits import PARTS

_TITLES = {
    "variables": "Variables in a correct equation",
    "kinds": "Kinds of incorrect equations",
    "verdicts": "Verdicts",
}


def card_page(card: Mapping[str, Any]) -> str:
    """The card as a Markdown page."""
    about = "recipe seed split version fingerprint generator draws checksum count source skipped".split()
    lines = [f"# {card['name']}", "", str(card.get("description", "")), ""]
    lines += [f"- {key}: {card[key]}" for key in about if key in card]
    lines += ["", *_by_depth(card)]
    lines += ["", *_floors_and_leaks(card)] if card.get("floors") or card.get("leaks") else []
    lines += ["", *_words(card)] if card.get("words") else []
    for name, title in _TITLES.items():
        if card.get(name):
            lines += ["", f"## {title}", "", _row(name, "equations"), _rule(2)]
            lines += [_row(key, count) for key, count in card[name].items()]
    return "\n".join(lines) + "\n"


def _by_depth(card: Mapping[str, Any]) -> list[str]:
    head = _row("depth", "equations", "correct", "share", *PARTS, "nodes", "tautologies")
    lines = ["## By depth", "", head, _rule(9)]
    for depth, row in card["by_depth"].items():
        count, correct = row.get("count"), row.get("correct")
        share = f"{correct / count:.3f}" if count and correct is not None else None
        cells = [count, correct, share, *(row.get(name) for name in (*PARTS, "nodes", "tautologies"))]
        lines.append(_row(depth, *("" if cell is None else cell for cell in cells)))
    return lines


def _floors_and_leaks(card: Mapping[str, Any]) -> list[str]:
    lines = ["## Floors (accuracy) and leaks (share with a relative in train)", "", _row("", *PARTS), _rule(4)]
    for section in ("floors", "leaks"):
        for name, values in card.get(section, {}).items():
            title = name if section == "floors" else f"leak: {name} form"
            shares = (values.get(part) for part in PARTS)
            lines.append(_row(title, *("" if share is None else f"{share:.4f}" for share in shares)))
    return lines


def _words(card: Mapping[str, Any]) -> list[str]:
    lines = ["## Words among the nodes of correct equations (= left out)", ""]
    lines += [_row("word", "all", "test", "recipe"), _rule(4)]
    for word, share in card.get("words", {}).items():
        shares = [share.get(name) for name in ("correct", "correct_test", "reference")]
        lines.append(_row(f"`{word}`", *("" if value is None else f"{100 * value:.2f}%" for value in shares)))
    return lines


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _rule(cells: int) -> str:
    return "|" + "---|" * cells
