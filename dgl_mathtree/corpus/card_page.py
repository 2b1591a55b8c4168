"""The data card as a page in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dgl_mathtree.corpus.splits import PARTS

_TITLES = {
    "variables": "Variables in a correct equation",
    "kinds": "Kinds of incorrect equations",
    "verdicts": "Verdicts",
}


def card_page(card: Mapping[str, Any]) -> str:
    """The card as a Markdown page."""
    about = ("recipe", "seed", "split", "version", "fingerprint", "generator", "draws", "checksum", "count", "source")
    about = (*about, "skipped")
    lines = [f"# {card['name']}", "", str(card.get("description", "")), ""]
    lines += [f"- {key}: {card[key]}" for key in about if key in card]
    lines += ["", *_by_depth(card), "", *_floors_and_leaks(card), "", *_words(card)]
    for name, title in _TITLES.items():
        if card.get(name):
            lines += ["", f"## {title}", "", _row(name, "equations"), _rule(2)]
            lines += [_row(key, count) for key, count in card[name].items()]
    return "\n".join(lines) + "\n"


def _by_depth(card: Mapping[str, Any]) -> list[str]:
    head = _row("depth", "equations", "correct", "share", *PARTS, "nodes", "tautologies")
    lines = ["## By depth", "", head, _rule(9)]
    for depth, row in card["by_depth"].items():
        share = f"{row['correct'] / row['count']:.3f}"
        counts = [row[part] for part in PARTS]
        lines.append(_row(depth, row["count"], row["correct"], share, *counts, row["nodes"], row["tautologies"]))
    return lines


def _floors_and_leaks(card: Mapping[str, Any]) -> list[str]:
    lines = ["## Floors (accuracy) and leaks (share with a relative in train)", "", _row("", *PARTS), _rule(4)]
    for section in ("floors", "leaks"):
        for name, values in card[section].items():
            title = name if section == "floors" else f"leak: {name} form"
            lines.append(_row(title, *(f"{values[part]:.4f}" if part in values else "" for part in PARTS)))
    return lines


def _words(card: Mapping[str, Any]) -> list[str]:
    lines = ["## Words among the nodes of correct equations (= left out)", ""]
    lines += [_row("word", "all", "test", "recipe"), _rule(4)]
    for word, share in card["words"].items():
        shares = [share["correct"], share["correct_test"], share.get("reference")]
        lines.append(_row(f"`{word}`", *("" if value is None else f"{100 * value:.2f}%" for value in shares)))
    return lines


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _rule(cells: int) -> str:
    return "|" + "---|" * cells
