"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from dgl_mathtree.reproduce.report.document import (
    PAIR,
    Block,
    Entry,
    Figure,
    Findings,
    Links,
    Section,
    Table,
    Unfolding,
)
from dgl_mathtree.reproduce.report.inventory import group_of
from dgl_mathtree.reproduce.report.printed_figures import Printed
from dgl_mathtree.reproduce.report.results import Cell
from dgl_mathtree.reproduce.report.statistics import FAILS, HOLDS, OPEN
from dgl_mathtree.reproduce.report.style import SCRIPT, STYLE

VERDICTS = {FAILS: "fails", HOLDS: "holds", OPEN: "open"}
_VERDICT = re.compile("|".join(re.escape(verdict) for verdict in VERDICTS))


def html_page(title: str, byline: str, first: Section, sections: Sequence[Section]) -> str:
    """A page with one section that is open and others that unfold."""
    blocks = [block for section in (first, *sections) for block in section.blocks]
    rows = [words for block in blocks if isinstance(block, Links) for words, _ in block.rows]
    anchors = {words: f"runs-{number}" for number, words in enumerate(rows)}
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>dgl-mathtree: {escape(title)}</title>',
        '<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{STYLE}</style></head><body><main><header><h1>{escape(title)}</h1>",
        f'<p class="byline">{escape(byline)}</p></header>',
        f'<section id="{escape(first.name)}"><h2>{escape(first.title)}</h2>',
        *(_block(block, anchors) for block in first.blocks),
        '</section><p class="tools"><button type="button" id="unfold" aria-pressed="false">Unfold all</button></p>',
    ]
    for section in sections:
        parts.append(f'<details id="{escape(section.name)}"><summary><h2>{escape(section.title)}</h2></summary>')
        parts += [*(_block(block, anchors) for block in section.blocks), "</details>"]
    parts.append(f"</main><script>{SCRIPT}</script></body></html>")
    return "\n".join(parts) + "\n"


def _block(block: Block, anchors: Mapping[str, str]) -> str:
    if isinstance(block, Table):
        return _table(block, anchors)
    if isinstance(block, Figure):
        return _figure(block)
    if isinstance(block, Links):
        return _links(block, anchors)
    if isinstance(block, Unfolding):
        items = "".join(f"<li>{escape(line)}</li>" for line in block.more)
        return f'<details><summary>{escape(block.line)}</summary><ul class="folders">{items}</ul></details>'
    if isinstance(block, Findings):
        lines = "".join(f"<li><b>{escape(about)}.</b> {_with_verdicts(line)}</li>" for about, line in block.lines)
        return f'<ol class="findings">{lines}</ol>'
    return f"<p>{escape(block)}</p>"


def _with_verdicts(line: str) -> str:
    """A sentence with its verdicts marked."""
    return _VERDICT.sub(lambda found: _badge(found[0]), escape(line, quote=False))


def _badge(verdict: str) -> str:
    return f'<span class="verdict {VERDICTS[verdict]}">{verdict}</span>'


def _table(table: Table, anchors: Mapping[str, str]) -> str:
    marks = ["printed" if k in table.printed else "" for k in range(len(table.columns))]
    heads = "".join(
        f'<th scope="col" aria-sort="none"{_classes(mark)}><button type="button">{_unbroken(head)}</button></th>'
        for head, mark in zip(table.columns, marks, strict=True)
    )
    best, rows = table.best(), []
    for number, (name, entries) in enumerate(table.rows):
        pair = _classes("pair" if name.startswith(PAIR) else "")
        cells = [f'<th scope="row"{pair}>{escape(name.removeprefix(PAIR))}</th>']
        for column, entry in enumerate(entries, start=1):
            cells.append(_cell(entry, [marks[column], "best" if (number, column) in best else ""], anchors))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    title, kind = escape(table.title), ' class="claims"' if table.name.startswith("claims") else ""
    return (
        f'<h3>{title}</h3><p class="note">{escape(table.note)}</p>'
        f'<div class="wide" role="region" aria-label="{title}" tabindex="0"><table id="{escape(table.name)}"{kind}>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _unbroken(head: str) -> str:
    return escape(head).replace("Top-", "Top\u2011")


def _classes(*names: str) -> str:
    shown = " ".join(name for name in names if name)
    return f' class="{shown}"' if shown else ""


def _cell(entry: Entry, classes: Sequence[str], anchors: Mapping[str, str]) -> str:
    if isinstance(entry, str):
        text = _badge(entry) if entry in VERDICTS else escape(entry)
        return f"<td{_classes(*classes)}>{text}</td>"
    order = "" if entry.value is None else f' data-sort="{entry.value:.10g}"'
    text = escape(entry.text) if isinstance(entry, Printed) else _linked(entry, anchors)
    return f"<td{_classes(*classes)}{order}>{text}</td>"


def _linked(cell: Cell, anchors: Mapping[str, str]) -> str:
    """A number that leads to the list of the runs it comes from."""
    groups = {group_of(run) for run in cell.runs}
    place = anchors.get(next(iter(groups))) if len(groups) == 1 else None
    if cell.value is None or place is None:
        return escape(cell.text)
    words = f"{len(cell.runs)} run{'s' if len(cell.runs) > 1 else ''} of {next(iter(groups))}"
    return (
        f'<a href="#{place}" title="{escape(words)}" aria-label="{escape(cell.text)}, {escape(words)}">{cell.text}</a>'
    )


def _figure(figure: Figure) -> str:
    panels = "".join(f"<div>{f'<h4>{escape(title)}</h4>' if title else ''}{svg}</div>" for title, svg in figure.panels)
    return (
        f'<figure id="figure-{escape(figure.name)}"><h3>{escape(figure.title)}</h3>'
        f'<div class="panels">{panels}</div><figcaption>{escape(figure.note)}</figcaption></figure>'
    )


def _links(links: Links, anchors: Mapping[str, str]) -> str:
    rows = []
    for words, runs in links.rows:
        seeds = ", ".join(
            f'<a href="{escape(run.link)}" aria-label="{escape(run.label)}" title="{escape(run.label)}">'
            f"seed {run.seed}</a>"
            for run in runs
        )
        rows.append(f'<li id="{anchors[words]}">{escape(words)}: {seeds}</li>')
    return f'<h3>The runs</h3><ul class="runs">{"".join(rows)}</ul>'
