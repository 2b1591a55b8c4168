"""The data card as a page in Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dgl_mathtree.data.splits import PARTS
from dgl_mathtree.tables import markdown_table

_TITLES = {
    "variables": "Variables in a correct equation",
    "kinds": "Kinds of incorrect equations",
    "verdicts": "Verdicts",
}


SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
"""What collections of data sets call numbers of items, each ten times as many as the one before."""


def front_matter(entries: Mapping[str, Any]) -> str:
    """Facts for programs that a card begins with, as YAML: an entry a line, its value as JSON."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in entries.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def card_file(card: Mapping[str, Any]) -> str:
    """`card.md`: the page, and before it what collections of data sets read."""
    size = SIZES[min(max(len(str(card.get("count", 0))) - 3, 0), len(SIZES) - 1)]
    about = {
        "pretty_name": str(card["name"]),
        "task_categories": ["text-classification"],
        "tags": ["mathematics", "equations", "trees", "dgl-mathtree"],
        "size_categories": [size],
    }
    return front_matter(about) + card_page(card)


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
            by_label = card.get(f"{name}_by_label", {})
            rows = [
                [key, count, *(found.get(key, 0) for found in by_label.values())] for key, count in card[name].items()
            ]
            columns = [name, "equations", *(f"labelled {label}" for label in by_label)]
            lines += ["", f"## {title}", "", *markdown_table(columns, rows)]
    return "\n".join(lines) + "\n"


def _by_depth(card: Mapping[str, Any]) -> list[str]:
    rows: list[list[object]] = []
    columns = (*PARTS, "nodes", "tautologies")
    for depth, row in card["by_depth"].items():
        count, correct = row.get("count"), row.get("correct")
        share = f"{correct / count:.3f}" if count and correct is not None else None
        cells = [count, correct, share, *(row.get(name) for name in columns)]
        rows.append([depth, *("" if cell is None else cell for cell in cells)])
    return [
        "## By depth",
        "",
        *markdown_table(["depth", "equations", "correct", "share", *columns], rows),
    ]


def _floors_and_leaks(card: Mapping[str, Any]) -> list[str]:
    rows = []
    for section in ("floors", "leaks"):
        for name, values in card.get(section, {}).items():
            title = name if section == "floors" else f"leak: {name} form"
            shares = (values.get(part) for part in PARTS)
            rows.append([title, *("" if share is None else f"{share:.4f}" for share in shares)])
    return ["## Floors (accuracy) and leaks (share with a relative in train)", "", *markdown_table(["", *PARTS], rows)]


def _words(card: Mapping[str, Any]) -> list[str]:
    rows = []
    for word, share in card.get("words", {}).items():
        shares = [share.get(name) for name in ("correct", "correct_test", "reference")]
        rows.append([f"`{word}`", *("" if value is None else f"{100 * value:.2f}%" for value in shares)])
    title = "## Words among the nodes of correct equations (= left out)"
    return [title, "", *markdown_table(["word", "all", "test", "recipe"], rows)]
