"""The report as Markdown, in the order of the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dgl_mathtree.reproduce.report.document import Block, Entry, Figure, Findings, Links, Section, Table, Unfolding
from dgl_mathtree.tables import markdown_table


def markdown_page(title: str, byline: str, first: Section, sections: Sequence[Section]) -> str:
    """All sections, one below the other; figures are in the page only."""
    lines = [f"# {title}", "", byline]
    for section in (first, *sections):
        lines += ["", f"## {section.title}"]
        for block in section.blocks:
            lines += _block(block)
    return "\n".join(lines) + "\n"


def _block(block: Block) -> list[str]:
    if isinstance(block, Figure):
        return []
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Links):
        rows = [
            f"- {_plain(words)}: {', '.join(_link(run.seed, run.link) for run in runs)}" for words, runs in block.rows
        ]
        return ["", "### The runs", "", *rows]
    if isinstance(block, Unfolding):
        items = [f"- {_plain(line)}" for line in block.more]
        return ["", f"<details><summary>{_plain(block.line)}</summary>", "", *items, "", "</details>"]
    if isinstance(block, Findings):
        lines = [f"**{_plain(about)}.** {_plain(line)}" for about, line in block.lines]
        return ["", *(f"{number}. {line}" for number, line in enumerate(lines, start=1))]
    return ["", _plain(block)]


def _link(seed: int, address: str) -> str:
    return f"[seed {seed}]({address})"


def _plain(text: str) -> str:
    return escape(text, quote=False)


def _table(table: Table) -> list[str]:
    heads = [f"*{head}*" if k in table.printed else head for k, head in enumerate(table.columns)]
    best = table.best()
    rows = []
    for number, (name, entries) in enumerate(table.rows):
        rows.append(
            [name, *(_marked(entry, (number, column) in best) for column, entry in enumerate(entries, start=1))]
        )
    shown = markdown_table([*map(_plain, heads)], [[*map(_plain, row)] for row in rows])
    return ["", f"### {table.title}", "", _plain(table.note), "", *shown]


def _marked(entry: Entry, best: bool) -> str:
    text = entry if isinstance(entry, str) else entry.text
    return f"**{text}**" if best else text
