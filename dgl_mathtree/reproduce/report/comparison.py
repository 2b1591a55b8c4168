"""Two folders of results side by side: before and after a change."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dgl_mathtree.files import write_atomically
from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.claims import by_seed
from dgl_mathtree.reproduce.report.document import (
    Block,
    Entry,
    Findings,
    Row,
    Section,
    Table,
    Unfolding,
    entry_text,
    with_content,
)
from dgl_mathtree.reproduce.report.html_page import html_page
from dgl_mathtree.reproduce.report.inventory import group_of
from dgl_mathtree.reproduce.report.measures import accuracy_on_test, filled
from dgl_mathtree.reproduce.report.results import ReportError, Result, Results, Value, collect
from dgl_mathtree.reproduce.report.statistics import FAILS, HOLDS, OPEN, Estimate, p_text, pooled

PAGE = "comparison.html"
MEASURED: dict[str, tuple[str, Value]] = {
    "accuracy": ("Test accuracy", accuracy_on_test),
    "completion": ("Completion Top-1", filled("top1_oracle")),
}
SAID = {HOLDS: "better", FAILS: "worse", OPEN: OPEN}
"""What a verdict on `after is better` comes to."""
SAME = "the same"
Key = tuple[str, str, tuple[str, str]]


def compare_reports(before: str | Path, after: str | Path) -> tuple[Path, str]:
    """Write a page that compares two folders of results, into the second.

    Parameters
    ----------
    before, after : str or Path
        Folders that `mathtree reproduce` made.

    Returns
    -------
    Path
        The page.
    str
        The same as text.
    """
    one, other = _results(Path(before)), _results(Path(after))
    keys = [key for key in _keys(one) if key in _keys(other)]
    if not keys:
        raise ReportError(f"{before} and {after} have no row in common: nothing can be compared")
    tables = [_table(one, other, keys, name) for name in MEASURED]
    first = Section("found", "What changed", with_content([_findings(one, other, keys), *tables]))
    rest = Section("rest", "What is in one of them only, and what else differs", _rest(one, other, keys))
    title = f"{Path(before).name} against {Path(after).name}"
    byline = f"Before: {before}, {len(one.runs)} finished runs. After: {after}, {len(other.runs)} finished runs."
    page = Path(after) / PAGE
    write_atomically(page, html_page(title, byline, first, [rest] if rest.blocks else []))
    text = "\n".join([byline, *(line for block in (*first.blocks, *rest.blocks) for line in _as_text(block))])
    return page, text


def _results(folder: Path) -> Results:
    if not folder.is_dir():
        raise ReportError(f"there is no folder {folder}: mathtree reproduce makes one")
    runs = collect(folder)
    if not runs:
        raise ReportError(f"{folder} has no finished run below runs/: mathtree reproduce makes them")
    return Results(runs)


def _keys(results: Results) -> list[Key]:
    """Every row: data, model, objective and root."""
    order = list(MODELS)
    found = {(run.data, run.model, run.variant) for run in results.runs}
    return sorted(found, key=lambda key: (key[0] != "paper", key[0], order.index(key[1]), key[2]))


def _gain(one: Results, other: Results, key: Key, value: Value) -> Estimate | None:
    return pooled([(by_seed(other.of(*key), value), by_seed(one.of(*key), value))])[0]


def _said(gain: Estimate) -> str:
    """What a difference comes to: without an interval it is decided only if there is none at all."""
    return SAME if gain.low is None and gain.value == 0 else SAID[gain.verdict]


def _table(one: Results, other: Results, keys: list[Key], name: str) -> Table:
    title, value = MEASURED[name]
    rows: list[Row] = []
    for key in keys:
        before, after = (results.cell(key[0], key[1], value, variant=key[2]) for results in (one, other))
        if before.value is None or after.value is None:
            continue
        gain = _gain(one, other, key, value)
        entries: list[Entry] = [before.text, after.text, f"{after.value - before.value:+.2f}"]
        if gain is None:
            entries += ["no seed in common", "", "0", ""]
        else:
            entries += [gain.text, p_text(gain.p), str(gain.count), _said(gain)]
        rows.append((group_of(other.of(*key)[0]), entries))
    columns = ["row", "before", "after", "difference", "with the same seeds, 95% interval", "p", "seeds", "after is"]
    note = "Percent, mean ± standard deviation. Intervals and p are those of Student's t over seeds that both have."
    return Table(name, title, note, columns, rows)


def _findings(one: Results, other: Results, keys: list[Key]) -> Findings:
    lines = []
    for title, value in MEASURED.values():
        gains = {key: found for key in keys if (found := _gain(one, other, key, value)) is not None}
        if not gains:
            continue
        counts = Counter(_said(gain) for gain in gains.values())
        mean = sum(gain.value for gain in gains.values()) / len(gains)
        told = f"{counts[SAID[HOLDS]]} rows are better after, {counts[SAID[FAILS]]} worse, {counts[SAME]} the same"
        lines.append((title, f"{told}, {counts[OPEN]} {OPEN}; the mean difference is {mean:+.2f} points."))
    return Findings(lines)


def _rest(one: Results, other: Results, keys: list[Key]) -> list[Block]:
    blocks: list[Block] = []
    for words, mine, theirs in (("before", one, other), ("after", other, one)):
        alone = [group_of(mine.of(*key)[0]) for key in _keys(mine) if key not in _keys(theirs)]
        if alone:
            blocks.append(Unfolding(f"Only {words}: {len(alone)} rows.", alone))
    moved = [
        f"{group_of(b[0])}: {a[0].setting.words} before, {b[0].setting.words} after"
        for key in keys
        if (a := one.of(*key))[0].setting != (b := other.of(*key))[0].setting
    ]
    if moved:
        blocks.append(Unfolding(f"Other settings: {len(moved)} rows.", moved))
    remade = sorted({key[0] for key in keys if _checksums(one.of(*key)) != _checksums(other.of(*key))})
    if remade:
        blocks.append(f"The data is not the same, so the rows are not either: {', '.join(remade)}.")
    return blocks


def _checksums(runs: list[Result]) -> set[str]:
    return {run.config["checksum"] for run in runs}


def _as_text(block: Block) -> list[str]:
    """A block in columns, for a terminal."""
    if isinstance(block, Findings):
        return [f"{about}: {line}" for about, line in block.lines]
    if isinstance(block, Unfolding):
        return ["", block.line, *(f"  {line}" for line in block.more)]
    if isinstance(block, Table):
        lines = [block.columns, *([name, *map(entry_text, entries)] for name, entries in block.rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(block.columns))]
        shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return ["", block.title, *(line.rstrip() for line in shown)]
    return ["", block] if isinstance(block, str) else []
