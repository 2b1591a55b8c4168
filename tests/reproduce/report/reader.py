"""Reads a page as a browser would, as far as tests need it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path


class Reader(HTMLParser):
    """The cells of the tables of a page, its links with their labels, and the names of its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.links: list[tuple[str, str]] = []
        self.ids: set[str] = set()
        self.sorted: dict[str, list[str]] = {}
        self._table = ""
        self._open = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.ids.add(found.get("id", ""))
        if tag == "table":
            self._table = found["id"]
            self.tables[self._table] = []
            self.sorted[self._table] = []
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag in ("td", "th"):
            self.tables[self._table][-1].append("")
            self._open = True
            if "aria-sort" in found:
                self.sorted[self._table].append(found["aria-sort"])
        elif tag == "a":
            self.links.append((found["href"], found.get("aria-label", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.tables[self._table][-1][-1] += data


def read(page: Path) -> Reader:
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader
